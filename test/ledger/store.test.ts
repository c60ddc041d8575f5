/** What every engine keeps of the ledger: sums that only grow, each save made once, old hours as days. */
import assert from 'node:assert/strict'
import { it } from 'node:test'
import fc from 'fast-check'
import { type LedgerRow, type LedgerSum, SUMS, type Sums } from '../../src/store/ledger.ts'
import { openStore } from '../../src/store/open.ts'
import type { Store } from '../../src/store/store.ts'
import { onEachEngine, withNewStore } from '../support/on-each-engine.ts'
import { NO_USE } from '../support/store.ts'
import { patientClock } from '../support/time/clock.ts'

const NOON = Math.floor(Date.UTC(2026, 10, 21, 12) / 3_600_000)
const MIDNIGHT = NOON - 12
const ALL = { lineage: undefined, fromHour: 0, toHour: NOON + 1_000, by: 'hour' } as const

const sums: fc.Arbitrary<Sums> = fc.record({
  admitted: fc.nat(9),
  refusedByMinute: fc.nat(9),
  refusedByDay: fc.nat(9),
  refusedByBan: fc.nat(9),
  answered4xx: fc.nat(9),
  answered5xx: fc.constantFrom(0, 1, 2 ** 45),
})
const row: fc.Arbitrary<LedgerRow> = fc.record({
  hour: fc.oneof(fc.integer({ min: MIDNIGHT - 30, max: NOON }), fc.constantFrom(MIDNIGHT - 1, MIDNIGHT)),
  lineage: fc.constantFrom('key_a', 'key_b'),
  operation: fc.constantFrom('listPets', 'getPet', 'createPet', 'other'),
  sums: sums.filter((of) => SUMS.some((name) => of[name] > 0)),
})

/** The sums of rows that a query tells, by plain addition. */
function summed(rows: readonly LedgerRow[], periodOf: (hour: number) => number): readonly LedgerSum[] {
  const found = new Map<string, LedgerSum>()
  for (const { hour, operation, sums } of rows) {
    const begin = periodOf(hour)
    const name = `${String(begin).padStart(9)} ${operation}`
    const before = found.get(name)?.sums
    const total = Object.fromEntries(SUMS.map((key) => [key, (before?.[key] ?? 0) + sums[key]])) as unknown as Sums
    found.set(name, { hour: begin, operation, sums: total })
  }
  return [...found].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, sum]) => sum)
}

async function put(store: Store, rows: readonly LedgerRow[], n = 1, process = 'a process') {
  await store.requests.saveLedger(rows, { process, n, atMs: NOON * 3_600_000 })
}

onEachEngine(
  (name) => `the ledger in ${name}`,
  (engine) => {
    const { test } = engine
    it('tells the sums of what was saved, by hour and by day, of one lineage and of all', async () => {
      await fc.assert(
        fc.asyncProperty(
          fc.array(fc.array(row, { maxLength: 12 }), { minLength: 1, maxLength: 4 }),
          fc.integer({ min: -30, max: 1 }),
          async (saves, since) => {
            await withNewStore(engine, async (store) => {
              for (const [n, rows] of saves.entries()) await put(store, rows, n + 1)
              const fromHour = MIDNIGHT + since
              const rows = saves.flat().filter(({ hour }) => hour >= fromHour)
              const refused = new Map<string, number>()
              for (const { lineage, sums } of rows) {
                const n = sums.refusedByMinute + sums.refusedByDay + sums.refusedByBan
                if (n > 0) refused.set(lineage, (refused.get(lineage) ?? 0) + n)
              }
              const most = [...refused].sort(([a, n], [b, m]) => m - n || (a < b ? -1 : 1))
              assert.deepEqual([...(await store.ledger.refused(fromHour))], most)
              const ofB = most.filter(([lineage]) => lineage === 'key_b')
              assert.deepEqual([...(await store.ledger.refused(fromHour, ['key_b', 'key_none']))], ofB)
              for (const lineage of [undefined, 'key_a']) {
                const of = rows.filter((one) => lineage === undefined || one.lineage === lineage)
                const asked = { ...ALL, lineage, fromHour }
                assert.deepEqual(
                  await store.ledger.sums(asked),
                  summed(of, (hour) => hour),
                )
                assert.deepEqual(
                  await store.ledger.sums({ ...asked, by: 'day' }),
                  summed(of, (hour) => hour - (hour % 24)),
                )
              }
            })
          },
        ),
        { numRuns: 8 },
      )
    })

    test('looks at no hour before the first that it has, and none behind the last, whatever is asked for', async (store) => {
      const asked = { ...ALL, lineage: 'key_a', fromHour: -(10 ** 12), toHour: 10 ** 12 }
      assert.deepEqual(await store.ledger.sums(asked), [])
      const row = rowOf({ admitted: 3 })
      await put(store, [row])
      assert.deepEqual(await store.ledger.sums({ ...asked, lineage: row.lineage }), [
        { hour: row.hour, operation: row.operation, sums: row.sums },
      ])
    })

    engine.testOn({ serving: true })(
      'makes a save that is sent twice once, whoever else saves meanwhile',
      async (store) => {
        const rows = [rowOf({ admitted: 3 })]
        await Promise.all([put(store, rows, 1), put(store, rows, 1), put(store, rows, 1, 'another process')])
        await put(store, rows, 1)
        await put(store, rows, 2)
        const [sum] = await store.ledger.sums(ALL)
        assert.equal(sum?.sums.admitted, 9)
      },
    )

    test('makes days of old hours, some rows at a time, and no sum changes', async (store) => {
      const rows = fc.sample(row, { numRuns: 60, seed: 7 })
      await put(store, rows)
      // An hour that is saved late, when its day is one already, is added to it.
      await store.ledger.rollUp(MIDNIGHT, 1_000)
      await put(store, rows, 2)
      const taken: number[] = []
      do taken.push(await store.ledger.rollUp(MIDNIGHT, 7))
      while (taken.at(-1) === 7)
      assert.ok(taken.length > 3, 'in steps')
      const periodOf = (hour: number) => (hour < MIDNIGHT ? hour - (hour % 24) : hour)
      assert.deepEqual(await store.ledger.sums(ALL), summed([...rows, ...rows], periodOf))
      for (const lineage of ['key_a', 'key_b']) {
        const of = rows.filter((one) => one.lineage === lineage)
        assert.deepEqual(
          await store.ledger.sums({ ...ALL, fromHour: MIDNIGHT - 100, lineage }),
          summed([...of, ...of], periodOf),
        )
      }
    })

    it('two processes that make days and save at the same time count nothing twice and lose nothing', async () => {
      const rows = fc.sample(row, { numRuns: 200, seed: 8 })
      const url = await engine.createDatabase()
      const stores = await Promise.all([1, 2].map(() => openStore(url, { serving: false, clock: patientClock })))
      try {
        await put(stores[0] as Store, rows)
        await Promise.all(
          stores.map(async (store, process) => {
            for (let n = 1; n <= 4; n += 1) {
              await put(store, rows, n, `process ${process}`)
              await store.ledger.rollUp(MIDNIGHT, 20)
            }
          }),
        )
        for (const store of stores) while ((await store.ledger.rollUp(MIDNIGHT, 50)) > 0);
        const nine = Array.from({ length: 9 }, () => rows).flat()
        const periodOf = (hour: number) => (hour < MIDNIGHT ? hour - (hour % 24) : hour)
        assert.deepEqual(await stores[0]?.ledger.sums(ALL), summed(nine, periodOf))
      } finally {
        for (const store of stores) await store.close()
      }
    })

    test('says how many rows an hour has, which days have not', async (store) => {
      const rows = ['key_a', 'key_b'].map((lineage) => ({ ...rowOf({ admitted: 1 }), lineage }))
      await put(store, [...rows, { ...rowOf({ admitted: 1 }), hour: MIDNIGHT }])
      const counted = async () => [await store.ledger.rowsIn(NOON), await store.ledger.rowsIn(MIDNIGHT)]
      assert.deepEqual(await counted(), [2, 1])
      await store.ledger.rollUp(NOON, 100)
      assert.deepEqual(await counted(), [2, 0])
    })

    test('forgets processes that ended long ago, and no sum with them', async (store) => {
      await put(store, [rowOf({ admitted: 1 })])
      await store.ledger.deleteOldSaves(NOON * 3_600_000 + 1)
      await put(store, [rowOf({ admitted: 1 })])
      const [sum] = await store.ledger.sums(ALL)
      assert.equal(sum?.sums.admitted, 2)
    })
  },
)

function rowOf(more: Partial<Sums>): LedgerRow {
  return { hour: NOON, lineage: 'key_a', operation: 'getPet', sums: { ...NO_USE, ...more } }
}
