/** The room on the disk of a database: a large change leaves enough of it for the service to go on creating animals. */

import { statfsSync } from 'node:fs'
import { dirname } from 'node:path'
import { realFile } from '../../../common/paths.ts'
import { StoreUnusable } from '../../store.ts'

const MIB = 1 << 20
/**
 * For the write-ahead log, which is 4 MB where nobody reads for long, and for what is created until somebody makes
 * room.
 */
const RESERVED_BYTES = 16 * MIB

/** Throws StoreUnusable unless an import or a sync, for which so many bytes are staged, leaves the reserve. */
export function assertDiskSpace(path: string, stagedBytes: number): void {
  // A name is staged as it is and as it is compared, and written to the log and then to the database; half as much
  // again for indexes, and for names that are kept folded too.
  const needed = 1.5 * stagedBytes + RESERVED_BYTES
  const free = freeBytes(realFile(path))
  if (free >= needed) return
  throw new StoreUnusable(
    `The disk of ${path} has ${Math.floor(free / MIB)} MiB left, and this needs ${Math.ceil(needed / MIB)} MiB, of which ${RESERVED_BYTES / MIB} stay free for the service; make room and try again. Nothing was changed.`,
  )
}

/** What is free for this user on the disk of the file at this path. */
export function freeBytes(path: string): number {
  const { bavail, bsize } = statfsSync(dirname(path))
  return bavail * bsize
}
