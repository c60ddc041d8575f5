/** Makes a backup while the service runs, as FILE.<random>.partial until it is complete and checked. */
import { randomBytes } from 'node:crypto'
import { existsSync, linkSync, renameSync, rmSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { isSystemError } from '../../../common/errors.ts'
import { fsyncFolder } from '../../../common/fsync.ts'
import { statsOf } from '../../../common/paths.ts'
import { accessOf, createFile } from '../../../common/private-files.ts'
import { runApart } from '../../../common/program.ts'
import { type BackupOptions, type Contents, PARTIAL } from '../../maintenance.ts'
import { StoreUnusable } from '../../store.ts'
import { deserializeError, reason, type SerializedError } from '../file/errors.ts'
import { assertFile, lockSharedToRead } from '../file/file-lock.ts'
import { assertOwnWal } from '../file/wal.ts'
import type { Extent } from './inspect.ts'

export type SnapshotAnswer =
  | { readonly contents: Contents; readonly error?: undefined }
  | { readonly contents?: undefined; readonly error: SerializedError }

const LOOK_EVERY_MS = 100

/** The file gets the owner of the database. Throws StoreUnusable, and then leaves `file` as it was. */
export async function backUp(
  path: string,
  file: string,
  options: BackupOptions,
  snapshot = requestSnapshot,
): Promise<Contents> {
  assertFile(path)
  using _lock = lockSharedToRead(path)
  assertOwnWal(path)
  if (existsSync(file)) throw toExistsFailure(file)
  const partial = `${file}.${randomBytes(8).toString('hex')}.partial`
  makeEmpty(partial, path)
  let contents: Contents
  try {
    contents = await snapshot(path, partial, options)
    putInPlace(partial, file)
  } finally {
    // SQLite leaves a journal if the copying was killed.
    for (const end of ['', '-journal']) rmSync(partial + end, { force: true })
  }
  fsyncFolder(dirname(resolve(file)))
  return contents
}

/** An empty file with owner and mode of the database. Throws StoreUnusable. */
export function makeEmpty(file: string, path: string): void {
  try {
    if (createFile(file, accessOf(path))) return
  } catch (error) {
    if (!isSystemError(error)) throw error
    throw new StoreUnusable(`${file.replace(PARTIAL, '')} cannot be made: ${reason(error)}`)
  }
  throw toExistsFailure(file)
}

/** A link, unlike a rename, does not replace a file that was created in the meantime. */
function putInPlace(partial: string, file: string): void {
  try {
    linkSync(partial, file)
  } catch (error) {
    if (existsSync(file)) throw toExistsFailure(file)
    if (!isSystemError(error)) throw error
    makeEmpty(file, partial)
    renameSync(partial, file)
  }
}

function toExistsFailure(file: string): StoreUnusable {
  return new StoreUnusable(`${file} is there already; a backup overwrites nothing, so name another.`)
}

/** Starts a process that writes a snapshot to `target`, an empty file. Throws StoreUnusable. */
export async function requestSnapshot(
  source: string,
  target: string,
  { clock, onProgress = () => {}, signal }: BackupOptions,
  extent: Extent = 'with its log',
): Promise<Contents> {
  const bytesOf = (file: string) => statsOf(file)?.size ?? 0
  const looking = clock.every(LOOK_EVERY_MS, () => onProgress(bytesOf(target), bytesOf(source)))
  try {
    const args = [source, extent, target]
    const answer = await runApart('src/store/sqlite/maintenance/snapshot-process.ts', args, signal)
    if (answer === undefined) throw new StoreUnusable(`The copying of ${source} was cut off; nothing is left of it.`)
    const { contents, error } = answer as SnapshotAnswer
    if (error !== undefined) throw deserializeError(error)
    return contents
  } finally {
    clock.cancel(looking)
  }
}
