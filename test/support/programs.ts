/** Finds programs that only tests need, and decides what happens to tests whose program is missing. */
import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'

/** Debian installs some servers in folders that are only on the administrator's path. */
const FOLDERS = [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin']

/** Where the first of these programs is that is installed, each a name or a path; undefined if none is. */
export function findProgram(...programs: readonly (string | undefined)[]): string | undefined {
  return programs
    .filter((program) => program !== undefined)
    .flatMap((program) => (program.includes('/') ? [program] : FOLDERS.map((folder) => join(folder, program))))
    .find((path) => existsSync(path))
}

/**
 * For `test({ ...needed })`: tests without what they need are skipped, and say why. With CI=true nothing may be
 * missing: then this throws, and the file that asked fails with the reason.
 */
export function skipUnless(found: boolean, reason: string): { skip: string | false } {
  if (!found && process.env.CI === 'true') throw new Error(reason)
  return { skip: found ? false : reason }
}

export const shellNeeded = skipUnless(
  ['bash', 'curl'].every((program) => findProgram(program) !== undefined),
  'there is no bash or no curl on the path; install them',
)
