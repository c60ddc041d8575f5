/** The progress bar, in a real terminal. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { resolve } from 'node:path'
import { describe, it } from 'node:test'
import { temporaryFolder } from '../../support/folder.ts'
import { findProgram, skipUnless } from '../../support/programs.ts'
import { endWithTests } from '../../support/servers/servers.ts'
import { until } from '../../support/until.ts'

const PETS = resolve(import.meta.dirname, '../../../src/cli/pets.ts')
/** The terminal breaks long lines again, which it does not while there is a bar. */
const WRAPPED = '\u001b[?7h'
/** The line is empty. */
const ERASED = '\u001b[2K'

describe(
  'a progress bar',
  skipUnless(findProgram('script') !== undefined, 'there is no `script` on the path; install bsdutils'),
  () => {
    it('is gone when Ctrl-C ends the command, and the terminal is as it was', async () => {
      const command = `${process.execPath} ${PETS} import - --database sqlite:${temporaryFolder()}/pets.db`
      const terminal = spawn('script', ['-qec', command, '/dev/null'])
      endWithTests(terminal)
      let shown = ''
      terminal.stdout.setEncoding('utf8').on('data', (text: string) => {
        shown += text
      })
      await until('the bar is there', () => shown.includes('importing'))
      terminal.stdin.write('\u0003')
      const [code] = await once(terminal, 'close')
      assert.equal(code, 128 + 2)
      const after = shown.slice(shown.lastIndexOf('importing'))
      for (const sequence of [WRAPPED, ERASED]) assert.ok(after.includes(sequence), JSON.stringify(after))
    })
  },
)
