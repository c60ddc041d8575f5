/** SQLite replays any log next to a file (PATH-wal), which would mix a restored file with an old log. */
import { closeSync, existsSync, openSync, readSync, statSync } from 'node:fs'
import { realFile, whyUnreachable } from '../../../common/paths.ts'
import { StoreUnavailable, StoreUnusable } from '../../store.ts'
import { RETRY_FAILED_S } from './errors.ts'
import { isServed } from './file-lock.ts'
import { readServiceNote } from './service-note.ts'

/** Byte 18 of a SQLite file is 2 if it has a log (https://www.sqlite.org/fileformat.html). */
const WRITE_VERSION_AT = 18
const HAS_LOG = 2

/** The id of the file, whatever its name. Throws StoreUnavailable if it cannot be read. */
export function fileId(path: string): string | undefined {
  try {
    const stats = statSync(path, { bigint: true, throwIfNoEntry: false })
    return stats === undefined ? undefined : `${stats.dev}:${stats.ino}`
  } catch (cause) {
    const why = whyUnreachable(cause, path) ?? String(cause)
    throw new StoreUnavailable(`${path} cannot be reached: ${why}.`, { cause, retryAfterS: RETRY_FAILED_S })
  }
}

/** Call it before opening, which replays the log. `isAlone`: no other process serves the file. Throws StoreUnusable. */
export function assertOwnWal(path: string, isAlone = false): void {
  if (!existsSync(path)) return
  if (isAlone || !isServed(path)) {
    if (!hasWal(path) || isInWalMode(path)) return
    throw new StoreUnusable(
      `${path} was replaced by another file, but the log ${path}-wal of the previous file is still next to it. They do not belong together. Nothing was changed. Restore a backup with \`pets restore FILE\`, which keeps the present file under another name.`,
    )
  }
  const servedFile = readServiceNote(path)?.file
  if (servedFile === undefined || servedFile === fileId(path)) return
  throw new StoreUnusable(
    `${path} is not the file that the running \`pets serve\` has open: it was replaced or moved in the meantime. Nothing was changed. Stop the service, check which of the two files is the right one, and start it again.`,
  )
}

export function hasWal(path: string): boolean {
  return (statSync(`${realFile(path)}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0
}

/** Call it before this process opens the file, because closing it here would release all its locks. */
export function isInWalMode(path: string): boolean {
  const byte = Buffer.alloc(1)
  const fd = openSync(path, 'r')
  try {
    return readSync(fd, byte, 0, 1, WRITE_VERSION_AT) === 0 || byte[0] === HAS_LOG
  } finally {
    closeSync(fd)
  }
}
