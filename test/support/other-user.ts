/** Commands of another user of the machine, who owns nothing. */
import { spawnSync } from 'node:child_process'
import { join, resolve } from 'node:path'

export const NOBODY = 65_534

/** A `launcher` of ./service.ts. */
export function as(uid: number): readonly [string, ...string[]] {
  return ['setpriv', `--reuid=${uid}`, `--regid=${uid}`, '--clear-groups']
}

const ROOT = resolve(import.meta.dirname, '../..')
const isRoot = process.getuid?.() === 0

/** For `it(name, otherUserNeeded, …)`. CI runs these tests as root (scripts/test.ts). */
export const otherUserNeeded = {
  skip: isRoot
    ? !mayRun(join(ROOT, 'src/cli/pets.ts')) && 'no other user may read the folder of this clone'
    : 'only root can run commands as another user',
}

function mayRun(file: string): boolean {
  const [command, ...args] = as(NOBODY)
  const read = `require('node:fs').accessSync(${JSON.stringify(file)})`
  return spawnSync(command, [...args, process.execPath, '-e', read]).status === 0
}
