/**
 * Whether the log beside a file (PATH-wal) is its own, and whether the file is the one that a service runs on. SQLite
 * replays whatever log it finds, so a backup that was put in the place of a database while that one's log was left
 * becomes a mixture of both. A backup says that it has no log.
 */

import { closeSync, existsSync, openSync, readSync, statSync } from 'node:fs'
import { realFile, whyUnreachable } from '../../../common/paths.ts'
import { StoreUnavailable, StoreUnusable } from '../../store.ts'
import { RETRY_FAILED_S } from './errors.ts'
import { isServed } from './file-lock.ts'
import { readServiceNote } from './service-note.ts'

/** Where a file of SQLite says whether it has a log: byte 18 is 2 then (https://www.sqlite.org/fileformat.html). */
const WRITE_VERSION_AT = 18
const HAS_LOG = 2

/**
 * The file as the system knows it, whatever its name; undefined when there is none. Throws StoreUnavailable where it
 * cannot be looked at, as in a folder that is not this user's any more.
 */
export function fileId(path: string): string | undefined {
  try {
    const stats = statSync(path, { bigint: true, throwIfNoEntry: false })
    return stats === undefined ? undefined : `${stats.dev}:${stats.ino}`
  } catch (cause) {
    const why = whyUnreachable(cause, path) ?? String(cause)
    throw new StoreUnavailable(`${path} cannot be reached: ${why}.`, { cause, retryAfterS: RETRY_FAILED_S })
  }
}

/**
 * To be called before the file is opened, which replays its log. `isAlone`: no other process serves the file. Throws
 * StoreUnusable when the log is another file's, or when a service runs on another file than the one that is here now.
 */
export function assertOwnWal(path: string, isAlone = false): void {
  if (!existsSync(path)) return
  if (isAlone || !isServed(path)) {
    if (!hasWal(path) || isInWalMode(path)) return
    throw new StoreUnusable(
      `${path} was replaced by another file, and the log ${path}-wal of the one before was left beside it: together they would be a mixture of both. Nothing was changed. Put the backup in place with \`pets restore FILE\`, which keeps what is here under another name.`,
    )
  }
  const servedFile = readServiceNote(path)?.file
  if (servedFile === undefined || servedFile === fileId(path)) return
  throw new StoreUnusable(
    `${path} is not the file that the running \`pets serve\` has open: it was replaced or moved meanwhile. Nothing was changed. Stop the service, see which of the two files is the right one, and start it again.`,
  )
}

/** Whether the log is not empty. */
export function hasWal(path: string): boolean {
  return (statSync(`${realFile(path)}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0
}

/**
 * Whether the file says that it has a log; one that does not, such as a backup, has none of its own. To be called
 * before this process has opened the file: closing it here would let go of every lock that the process has on it.
 */
export function isInWalMode(path: string): boolean {
  const byte = Buffer.alloc(1)
  const fd = openSync(path, 'r')
  try {
    return readSync(fd, byte, 0, 1, WRITE_VERSION_AT) === 0 || byte[0] === HAS_LOG
  } finally {
    closeSync(fd)
  }
}
