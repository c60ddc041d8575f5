/** The report of a month says what somebody has seen who looked after each act, on every engine. */
import { it } from 'node:test'
import { onEachEngine } from '../support/on-each-engine.ts'
import { assertHistories } from './histories.ts'

onEachEngine(
  (name) => `the report of a month, on ${name}`,
  (engine) => {
    it('is exact after random acts of keys and people, imports, syncs, their undos and purges', async () =>
      assertHistories(await engine.createDatabase(), 7, engine.name === 'SQLite' ? 20 : 5))

    it('counts an animal as removed by the person who did so at the instant at which its import is undone', async () =>
      assertHistories(await engine.createDatabase(), 32, 1))
  },
)
