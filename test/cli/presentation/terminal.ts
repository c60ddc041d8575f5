/** Commands in a real terminal, made by `script`. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { resolve } from 'node:path'
import { findProgram, skipUnless } from '../../support/programs.ts'
import { endWithTests } from '../../support/servers/servers.ts'

const PETS = resolve(import.meta.dirname, '../../../src/cli/pets.ts')

export const terminalNeeded = skipUnless(
  findProgram('script') !== undefined,
  'there is no `script` on the path; install bsdutils',
)

/** Runs `pets` with these arguments, which need no quotes. */
export function inTerminal(...args: string[]) {
  const terminal = spawn('script', ['-qec', `'${process.execPath}' '${PETS}' ${args.join(' ')}`, '/dev/null'])
  endWithTests(terminal)
  let shown = ''
  terminal.stdout.setEncoding('utf8').on('data', (text: string) => {
    shown += text
  })
  const closed = once(terminal, 'close')
  return {
    shown: () => shown,
    type: (keys: string) => void terminal.stdin.write(keys),
    /** The exit code, once it has ended. */
    code: async () => Number((await closed)[0]),
  }
}
