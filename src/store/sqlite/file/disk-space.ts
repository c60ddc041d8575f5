/** Keeps free space on the disk of a database, so that the service can still create animals after a large change. */
import { statfsSync } from 'node:fs'
import { dirname } from 'node:path'
import { realFile } from '../../../common/paths.ts'
import { StoreUnusable } from '../../store.ts'

const MIB = 1 << 20
/** For the write-ahead log and new animals, until someone frees some space. */
const RESERVED_BYTES = 16 * MIB

/** Throws StoreUnusable if an import or a sync of so many bytes would use the reserve. */
export function assertDiskSpace(path: string, stagedBytes: number): void {
  // A name is staged twice, written to the log and to the database, and half as much again to indexes.
  const needed = 1.5 * stagedBytes + RESERVED_BYTES
  const free = freeBytes(realFile(path))
  if (free >= needed) return
  throw new StoreUnusable(
    `The disk of ${path} has ${Math.floor(free / MIB)} MiB left, and this needs ${Math.ceil(needed / MIB)} MiB, of which ${RESERVED_BYTES / MIB} stay free for the service; make room and try again. Nothing was changed.`,
  )
}

/** Free space for this user on the disk of the path. */
export function freeBytes(path: string): number {
  const { bavail, bsize } = statfsSync(dirname(path))
  return bavail * bsize
}
