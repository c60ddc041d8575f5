/** The report of a month says what somebody has seen who looked after each act, on every engine. */
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { readReport } from '../../src/domain/report.ts'
import { openStore } from '../../src/store/open.ts'
import { onEachEngine } from '../support/on-each-engine.ts'
import { clockAt } from '../support/time/clock.ts'
import { assertHistories } from './histories.ts'

onEachEngine(
  (name) => `the report of a month, on ${name}`,
  (engine) => {
    it('is exact after random acts of keys and people, imports, syncs, their undos and purges', async () =>
      assertHistories(await engine.createDatabase(), 7, engine.name === 'SQLite' ? 20 : 5))

    it('has 1,000 categories at most, and counts what others there are together', async () => {
      const nowMs = Date.UTC(2026, 10, 20)
      const store = await openStore(await engine.createDatabase(), { serving: true, clock: clockAt(() => nowMs) })
      try {
        const ids = Array.from({ length: 1_003 }, (_, n) => BigInt(n) - 2n)
        await Promise.all(ids.map((categoryId) => store.pets.create({ name: 'Rex', categoryId }, 'key_a')))
        const { categories } = await readReport(store, undefined, nowMs)
        assert.equal(categories.length, 1_001)
        assert.deepEqual(
          [categories[0], categories.at(-1)].map((line) => [line?.categoryId, line?.counts[0].none]),
          [
            ['-2', 1],
            [undefined, 3],
          ],
        )
      } finally {
        await store.close()
      }
    })

    it('counts an animal as removed by the person who did so at the instant at which its import is undone', async () =>
      assertHistories(await engine.createDatabase(), 32, 1))
  },
)
