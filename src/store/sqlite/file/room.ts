/** The room on the disk of a database: an import must leave enough of it for the service to go on creating animals. */
import { realpathSync } from 'node:fs'
import { statfs } from 'node:fs/promises'
import { dirname } from 'node:path'
import { StoreUnusable } from '../../store.ts'

const MIB = 1 << 20
/**
 * For the write-ahead log, which is 4 MB where nobody reads for long, and for what is created until somebody makes
 * room.
 */
const RESERVED_BYTES = 16 * MIB

/** Throws StoreUnusable unless an import that still needs so many bytes leaves the reserve. */
export async function assertRoom(path: string, bytes: number): Promise<void> {
  const { bavail, bsize } = await statfs(dirname(realpathSync(path)))
  const free = bavail * bsize
  if (free >= bytes + RESERVED_BYTES) return
  const needed = Math.ceil((bytes + RESERVED_BYTES) / MIB)
  throw new StoreUnusable(
    `The disk of ${path} has ${Math.floor(free / MIB)} MiB left, and the import needs at least ${needed} MiB, of which ${RESERVED_BYTES / MIB} stay free for the service; make room and try again. Nothing was imported.`,
  )
}
