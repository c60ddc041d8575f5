/** What `pets keys revoke` asks in a real terminal. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { pets } from '../../support/commands/commands.ts'
import { temporaryFolder } from '../../support/folder.ts'
import { until } from '../../support/until.ts'
import { inTerminal, terminalNeeded } from './terminal.ts'

const CTRL_C = '\u0003'
const END_OF_INPUT = '\u0004'
/** A command that waits for more than the answer fails soon. */
const PATIENCE = { timeout: 120_000 }

describe('the question before a key is revoked', terminalNeeded, () => {
  it(
    'says whose key it is; a yes revokes it, nothing else does, and the command ends with the answer',
    PATIENCE,
    async () => {
      const database = ['--database', `sqlite:${temporaryFolder()}/pets.db`]
      const made = await pets([
        'keys',
        'create',
        '--create',
        '--plan',
        'free',
        '--label',
        'Shelter',
        '--json',
        ...database,
      ])
      const { id } = JSON.parse(made.stdout) as { id: string }
      const answer = async (keys: string) => {
        const { shown, type, code } = inTerminal('keys', 'revoke', id, ...database)
        await until('it asks', () => shown().includes('Revoke it? (yes/no)'))
        assert.ok(shown().includes(`Key ${id} (Shelter): never used, not replaced.`), shown())
        type(keys)
        return { code: await code(), said: shown().slice(shown().indexOf('(yes/no)')) }
      }
      for (const no of ['yess\r', END_OF_INPUT]) {
        const { code, said } = await answer(no)
        assert.equal(code, 1)
        assert.match(said, /Nothing was revoked\./)
      }
      assert.equal((await answer(CTRL_C)).code, 128 + 2)
      const { stdout } = await pets(['keys', 'show', id, ...database])
      assert.match(stdout, /active/)
      const { code, said } = await answer('Yes\r')
      assert.deepEqual([code, said.includes(`Key ${id} is revoked.`)], [0, true])
    },
  )
})
