/** Commands in a real terminal, which `script` makes. */
import { resolve } from 'node:path'
import { findProgram, skipUnless } from '../support/programs.ts'
import { startProgram } from '../support/service.ts'

const PETS = resolve(import.meta.dirname, '../../src/cli/pets.js')

export const terminalNeeded = skipUnless(
  findProgram('script') !== undefined,
  'there is no `script` on the path; install bsdutils',
)

/** Runs `pets` with these arguments, which need no quotes. */
export function inTerminal(...args: string[]) {
  const line = `exec '${process.execPath}' '${PETS}' ${args.join(' ')}`
  const { process: terminal, stdout: shown, ended, says } = startProgram(['script', '-qefc', line, '/dev/null'])
  return { shown, ended, says, type: (keys: string) => void terminal.stdin?.write(keys) }
}
