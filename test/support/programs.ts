/** Finds programs that only tests need, and skips tests whose program is missing. */
import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'

/** Debian installs some servers in folders that are only on the administrator's path. */
const FOLDERS = [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin']

/** The path of the first installed program, each a name or a path. */
export function findProgram(...programs: readonly (string | undefined)[]): string | undefined {
  return programs
    .filter((program) => program !== undefined)
    .flatMap((program) => (program.includes('/') ? [program] : FOLDERS.map((folder) => join(folder, program))))
    .find((path) => existsSync(path))
}

/** For `test({ ...needed })`. Throws with CI=true, where nothing can be missing. */
export function skipUnless(found: boolean, reason: string): { skip: string | false } {
  if (!found && process.env.CI === 'true') throw new Error(reason)
  return { skip: found ? false : reason }
}

export const shellNeeded = skipUnless(
  ['bash', 'curl'].every((program) => findProgram(program) !== undefined),
  'there is no bash or no curl on the path; install them',
)
