/** A disk that is soon full: a folder in memory, which is let go when the test or the file is over. */
import { spawnSync } from 'node:child_process'
import { after } from 'node:test'
import { temporaryFolder } from '../folder.ts'

/** Undefined where nobody may mount one. */
export function smallDisk(mib: number): string | undefined {
  const folder = temporaryFolder()
  if (spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${mib}m`, 'tmpfs', folder]).status !== 0) return undefined
  after(() => spawnSync('umount', ['--lazy', folder]))
  return folder
}
