/** The report of a month says what somebody has seen who looked after each act, on every engine. */
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { INT64_MAX, INT64_MIN } from '../../src/contract/int64.ts'
import { readReport } from '../../src/domain/report.ts'
import { machineZone } from '../../src/domain/zone.ts'
import { onEachEngine } from '../support/on-each-engine.ts'
import { clockAt } from '../support/time/clock.ts'
import { assertHistories } from './histories.ts'

const NOW_MS = Date.UTC(2026, 10, 20)

it('the time zone of the machine is UTC where TZ names none', () => {
  const { TZ } = process.env
  try {
    for (const zone of ['', ':/etc/localtime', 'Nowhere/Land', 'Europe/Berlin']) {
      process.env.TZ = zone
      assert.equal(machineZone(), zone === 'Europe/Berlin' ? zone : 'UTC', zone)
    }
  } finally {
    if (TZ === undefined) delete process.env.TZ
    else process.env.TZ = TZ
  }
})

onEachEngine(
  (name) => `the report of a month, on ${name}`,
  (engine) => {
    const { test } = engine
    it('is exact after random acts of keys and people, imports, syncs, their undos and purges', async () =>
      assertHistories(await engine.createDatabase(), 7, engine.name === 'SQLite' ? 20 : 5))

    const clock = clockAt(() => NOW_MS)
    engine.testOn({ serving: true, clock })(
      'has 1,000 categories at most, and counts what others there are together',
      async (store) => {
        const ids = Array.from({ length: 1_003 }, (_, n) => BigInt(n) - 2n)
        await Promise.all(ids.map((categoryId) => store.pets.create({ name: 'Rex', categoryId }, 'key_a')))
        const { categories } = await readReport(store, undefined, NOW_MS)
        assert.equal(categories.length, 1_001)
        assert.deepEqual(
          [categories[0], categories.at(-1)].map((line) => [line?.categoryId, line?.counts[0].in]),
          [
            ['-2', 1],
            [undefined, 3],
          ],
        )
      },
    )

    test('reads every digit of a category in the journal', async (store) => {
      await store.records.add(
        { name: 'Rex', categoryId: INT64_MAX, status: 'available' },
        { who: 'Bén', atMs: NOW_MS },
        'a form',
      )
      await store.records.change([1n], { categoryId: INT64_MIN, status: 'sold' }, { who: 'ada', atMs: NOW_MS })
      const { categories } = await readReport(store, undefined, NOW_MS + 1)
      assert.deepEqual(
        categories.map(({ categoryId, counts: [counts] }) => [categoryId, counts.in, counts.sold]),
        [[String(INT64_MAX), 1, 1]],
      )
    })

    for (const [zone, added, reported, days] of [
      ['Europe/Berlin', '2026-07-01T00:30:00+02:00', '2026-11-20T12:00:00+01:00', 142],
      ['America/Los_Angeles', '2026-07-01T00:30:00-07:00', '2026-11-20T12:00:00-08:00', 142],
      ['America/Los_Angeles', '2026-03-07T23:30:00-08:00', '2026-03-08T03:30:00-07:00', 1],
      ['Pacific/Kiritimati', '2028-02-28T23:30:00+14:00', '2028-02-29T00:10:00+14:00', 1],
    ] as const) {
      test(`counts the days of a wait by the calendar: from ${added} to ${reported} in ${zone}`, async (store) => {
        const by = { who: 'ada', atMs: Date.parse(added) }
        await store.words.setShelter({ zone }, by)
        await store.records.add({ name: 'Rex', categoryId: 7n }, by, 'a form')
        const { wait } = await readReport(store, undefined, Date.parse(reported))
        assert.deepEqual([wait.medianDays, wait.longestDays], [days, days])
      })
    }

    it('counts an animal as removed by the person who did so at the instant at which its import is undone', async () =>
      assertHistories(await engine.createDatabase(), 32, 1))
  },
)
