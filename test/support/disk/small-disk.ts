/** A small disk in memory, which goes away with its process. */
import { spawnSync } from 'node:child_process'
import { temporaryFolder } from '../folder.ts'

/** Undefined if this user cannot mount one. */
export function smallDisk(mib: number): string | undefined {
  const folder = temporaryFolder()
  if (spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${mib}m`, 'tmpfs', folder]).status !== 0) return undefined
  // Before temporary folders are removed, and even if no hook runs.
  process.prependOnceListener('exit', () => spawnSync('umount', ['--lazy', folder]))
  return folder
}
