/** What every engine keeps of the ledger: sums that only grow, by day and outcome. */
import assert from 'node:assert/strict'
import { it } from 'node:test'
import fc from 'fast-check'
import { type LedgerRow, type LedgerSum, OUTCOMES } from '../../src/store/ledger.ts'
import { openStore } from '../../src/store/open.ts'
import { onEachEngine, withNewStore } from '../store/on-each-engine.ts'
import { NO_USE } from '../support/store.ts'
import { patientClock } from '../support/time/clock.ts'

const TODAY = Date.UTC(2026, 10, 21) / 86_400_000
const ALL = { lineage: undefined, fromDay: 0, toDay: TODAY + 1 }

const row: fc.Arbitrary<LedgerRow> = fc.record({
  day: fc.integer({ min: TODAY - 2, max: TODAY }),
  lineage: fc.constantFrom('key_a', 'key_b'),
  operation: fc.constantFrom('listPets', 'getPet', 'createPet', 'other'),
  outcome: fc.constantFrom(...OUTCOMES),
  n: fc.oneof(fc.integer({ min: 1, max: 9 }), fc.constant(2 ** 45)),
})

function summed(rows: readonly LedgerRow[]): readonly LedgerSum[] {
  const found = new Map<string, LedgerSum>()
  for (const { day, operation, outcome, n } of rows) {
    const sums = { ...(found.get(`${day} ${operation}`)?.sums ?? NO_USE) }
    sums[outcome] += n
    found.set(`${day} ${operation}`, { day, operation, sums })
  }
  return [...found].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, sum]) => sum)
}

onEachEngine(
  (name) => `the ledger in ${name}`,
  (engine) => {
    it('tells the sums of what was saved, of one lineage and of all', async () => {
      await fc.assert(
        fc.asyncProperty(
          fc.array(fc.array(row, { maxLength: 12 }), { minLength: 1, maxLength: 4 }),
          fc.integer({ min: TODAY - 3, max: TODAY + 1 }),
          async (saves, fromDay) => {
            await withNewStore(engine, async (store) => {
              for (const rows of saves) await store.requests.saveLedger(rows)
              const rows = saves.flat().filter(({ day }) => day >= fromDay)
              const refused = new Map<string, number>()
              for (const { lineage, outcome, n } of rows)
                if (outcome.startsWith('refused')) refused.set(lineage, (refused.get(lineage) ?? 0) + n)
              const most = [...refused].sort(([a, n], [b, m]) => m - n || (a < b ? -1 : 1))
              assert.deepEqual([...(await store.ledger.refused(fromDay))], most)
              const ofB = most.filter(([lineage]) => lineage === 'key_b')
              assert.deepEqual([...(await store.ledger.refused(fromDay, ['key_b', 'key_none']))], ofB)
              for (const lineage of [undefined, 'key_a']) {
                const of = rows.filter((one) => lineage === undefined || one.lineage === lineage)
                assert.deepEqual(await store.ledger.sums({ ...ALL, lineage, fromDay }), summed(of))
              }
            })
          },
        ),
        { numRuns: 8 },
      )
    })

    it('adds what two processes save at the same time', async () => {
      const rows = fc.sample(row, { numRuns: 200, seed: 8 })
      const url = await engine.createDatabase()
      const stores = await Promise.all([1, 2].map(() => openStore(url, { serving: false, clock: patientClock })))
      try {
        for (let n = 0; n < 4; n += 1) await Promise.all(stores.map((store) => store.requests.saveLedger(rows)))
        assert.deepEqual(await stores[0]?.ledger.sums(ALL), summed(Array.from({ length: 8 }, () => rows).flat()))
      } finally {
        for (const store of stores) await store.close()
      }
    })
  },
)
