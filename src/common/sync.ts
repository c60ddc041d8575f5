/** Waits for the disk: a file or a name is there after a power failure when these have returned. */
import { closeSync, fsyncSync, openSync } from 'node:fs'

/** Waits until the content of a file is on the disk. Throws what the system says. */
export function sync(path: string, flags = 'r+'): void {
  const fd = openSync(path, flags)
  try {
    fsyncSync(fd)
  } finally {
    closeSync(fd)
  }
}

/** Waits until the names in a folder are on the disk. Windows has no such thing. Throws what the system says. */
export function syncFolder(folder: string): void {
  if (process.platform !== 'win32') sync(folder, 'r')
}
