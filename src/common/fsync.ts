/** fsync: after these return, a file's content or name survives a power failure. */
import { closeSync, fsyncSync, openSync } from 'node:fs'

/** Waits until a file's content is on the disk. Throws the system's error. */
export function fsyncFile(path: string, flags = 'r+'): void {
  const fd = openSync(path, flags)
  try {
    fsyncSync(fd)
  } finally {
    closeSync(fd)
  }
}

/** Waits until the names in a folder are on the disk; does nothing on Windows. Throws the system's error. */
export function fsyncFolder(folder: string): void {
  if (process.platform !== 'win32') fsyncFile(folder, 'r')
}
