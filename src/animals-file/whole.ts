/** The bytes of a file, on the condition that nobody writes to it while it is read: half a list is a wrong list. */
import type { FileHandle } from 'node:fs/promises'
import { ExplainedError } from '../common/errors.ts'

/** Somebody writes to the file; nothing was done. */
class FileChanged extends ExplainedError {
  override readonly name = 'FileChanged'
}

/** Throws FileChanged behind the last of them. What is no file of a disk, such as a pipe, ends where it ends. */
export async function* wholeFile(file: FileHandle): AsyncIterable<Buffer> {
  const before = await file.stat()
  yield* file.createReadStream({ autoClose: false })
  const after = await file.stat()
  if (!before.isFile() || (before.size === after.size && before.mtimeMs === after.mtimeMs)) return
  throw new FileChanged('The file was written to while it was read; nothing was done. Try again when it is whole.')
}
