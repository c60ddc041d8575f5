/** `pets words`, on every engine: what it sets, shows and refuses. */
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { systemClock } from '../../../src/common/system-clock.ts'
import { openStore } from '../../../src/store/open.ts'
import { pets } from '../../support/commands/commands.ts'
import { onEachEngine } from '../../support/on-each-engine.ts'

onEachEngine(
  (name) => `words for statuses, on ${name}`,
  (engine) => {
    it('are set and shown by the command, which refuses one that would be taken for another', async () => {
      const database = await engine.createDatabase()
      await (await openStore(database, { serving: false, clock: systemClock })).close()
      const words = async (...args: string[]) => {
        const { code, stdout, stderr } = await pets(['words', ...args, '--database', database])
        return [code, stdout + stderr]
      }
      assert.deepEqual(await words('set', 'sold', 'Adopted'), [0, 'The status sold is called Adopted.\n'])
      const [code, said] = await words('set', 'pending', 'adopted')
      assert.equal(code, 1)
      assert.match(String(said), /Adopted|sold/)
      assert.equal((await words('set', 'pending', 'x'.repeat(21)))[0], 2)
      assert.equal((await words('set', 'gone', 'Gone'))[0], 2)
      const [, list] = await words('list', '--json')
      assert.deepEqual(
        String(list)
          .trim()
          .split('\n')
          .map((line) => JSON.parse(line)),
        [
          { status: 'available', word: 'Available' },
          { status: 'pending', word: 'Pending' },
          { status: 'sold', word: 'Adopted' },
        ],
      )
      assert.deepEqual(await words('set', 'sold', ''), [0, 'The status sold is called Sold.\n'])
    })
  },
)
