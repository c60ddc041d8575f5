/** fsync: after these return, a file's content or name survives a power failure. */
import { closeSync, fsyncSync, openSync } from 'node:fs'
import { codeOf } from './errors.ts'

/** Waits until a file's content is on the disk. Throws the system's error. */
export function fsyncFile(path: string, flags = 'r+'): void {
  const fd = openSync(path, flags)
  try {
    fsyncSync(fd)
  } finally {
    closeSync(fd)
  }
}

/** Errors of file systems that cannot sync a folder, such as some network file systems. */
const CANNOT_SYNC: readonly (string | undefined)[] = ['EINVAL', 'ENOTSUP']

/**
 * Waits until the names in a folder are on the disk, if its file system can do that; does nothing on Windows. Throws the
 * system's error.
 */
export function fsyncFolder(folder: string): void {
  if (process.platform === 'win32') return
  try {
    fsyncFile(folder, 'r')
  } catch (error) {
    if (!CANNOT_SYNC.includes(codeOf(error))) throw error
  }
}
