/** fsync: afterwards, a file's content or name survives a power failure. */
import { closeSync, fsyncSync, openSync } from 'node:fs'
import { codeOf } from './errors.ts'

export function fsyncFile(path: string, flags = 'r+'): void {
  const fd = openSync(path, flags)
  try {
    fsyncSync(fd)
  } finally {
    closeSync(fd)
  }
}

/** The errors of file systems that cannot sync a folder. */
const CANNOT_SYNC: readonly (string | undefined)[] = ['EINVAL', 'ENOTSUP']

/** Syncs the names in a folder, if its file system can. Does nothing on Windows. Throws the system's error. */
export function fsyncFolder(folder: string): void {
  if (process.platform === 'win32') return
  try {
    fsyncFile(folder, 'r')
  } catch (error) {
    if (!CANNOT_SYNC.includes(codeOf(error))) throw error
  }
}
