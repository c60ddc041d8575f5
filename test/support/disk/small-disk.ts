/** A disk that is soon full: a folder in memory, which goes with its process. */
import { spawnSync } from 'node:child_process'
import { temporaryFolder } from '../folder.ts'

/** Undefined where nobody may mount one. */
export function smallDisk(mib: number): string | undefined {
  const folder = temporaryFolder()
  if (spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${mib}m`, 'tmpfs', folder]).status !== 0) return undefined
  // Before temporary folders are removed, and also where a name pattern leaves nothing to run, and no hook runs.
  process.prependOnceListener('exit', () => spawnSync('umount', ['--lazy', folder]))
  return folder
}
