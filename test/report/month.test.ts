/** What the report of a month counts, on every engine. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { DAY_MS } from '../../src/common/clock.ts'
import type { PetStatus } from '../../src/contract/schemas.ts'
import { monthOf, readReport } from '../../src/domain/report.ts'
import type { MonthReport, ReportCounts } from '../../src/domain/report-lines.ts'
import { machineZone } from '../../src/domain/zone.ts'
import { openStore } from '../../src/store/open.ts'
import type { Store } from '../../src/store/store.ts'
import type { SyncOptions } from '../../src/store/sync.ts'
import { onEachEngine } from '../store/on-each-engine.ts'
import { authorAt, batchesOf, PLAIN_IMPORT, PLAIN_SYNC, purgeBefore } from '../support/store.ts'
import { clockAt } from '../support/time/clock.ts'

const NOW_MS = Date.UTC(2026, 10, 20)

/** An act on the animal of a row, which is the only one in its category. */
type Act = (store: Store, given: { readonly id: bigint; readonly pet: Pet; readonly atMs: number }) => Promise<unknown>
type Pet = { readonly name: string; readonly categoryId: bigint; readonly status?: PetStatus }

/** In a zone where days begin most of a day before they do in UTC. */
const ZONE = 'Pacific/Auckland'
const NOVEMBER_MS = Date.parse('2026-11-01T00:00:00+13:00')
const dayOf = (date: string) => Date.parse(date) / DAY_MS

const set = (change: Parameters<Store['records']['change']>[1]): Act => {
  return ({ records }, { id, atMs }) => records.change([id], change, authorAt(atMs))
}
const add = (more: Partial<Pet> = {}): Act => {
  return ({ records }, { pet, atMs }) => records.add({ ...pet, ...more }, authorAt(atMs), pet.name)
}
const bring = (more: { readonly cameOn?: number } = {}): Act => {
  return ({ imports }, { pet, atMs }) =>
    imports.add(batchesOf([{ ...pet, ...more }]), { ...PLAIN_IMPORT, by: authorAt(atMs) })
}
/** A list of another system, which has the animals of these rows. */
const list = (missing: SyncOptions['missing'], ...names: readonly string[]): Act => {
  return ({ sync }, { atMs }) => {
    const pets = names.map((name, line) => ({
      name,
      categoryId: categoryOf(name),
      status: null,
      reference: name,
      line,
    }))
    return sync.run(batchesOf(pets), { ...PLAIN_SYNC, by: authorAt(atMs), missing, adopts: true })
  }
}

/** A list that says that the animal of this row left. */
const leave: Act = ({ sync }, { pet, atMs }) => {
  const row = { ...pet, reference: pet.name, line: 1, isGone: true }
  return sync.run(batchesOf([row]), { ...PLAIN_SYNC, by: authorAt(atMs) })
}

const ACTS: Readonly<Record<string, Act>> = {
  create: ({ pets }, { pet }) => pets.create(pet, 'key_a'),
  'create unnoted': ({ pets }, { pet }) => pets.create(pet),
  add: add(),
  'add sold': add({ status: 'sold' }),
  'add elsewhere': add({ categoryId: 99n }),
  move: (store, given) => set({ categoryId: given.pet.categoryId })(store, given),
  sell: set({ status: 'sold' }),
  offer: set({ status: 'available' }),
  unsell: set({ status: null }),
  remove: ({ records }, { id, atMs }) => records.remove([id], authorAt(atMs)),
  restore: ({ records }, { id, atMs }) => records.restore([id], authorAt(atMs)),
  async undo({ records }, { id, atMs }) {
    await records.undo([{ id, version: (await records.get(id))?.version ?? 0n }], authorAt(atMs))
  },
  import: bring(),
  'import of 30 October': bring({ cameOn: dayOf('2026-10-30') }),
  'import of 1 October': bring({ cameOn: dayOf('2026-10-01') }),
  async 'undo import'({ imports, origins }, { id, atMs }) {
    const [found] = await origins.provenance([id])
    await imports.undo(found?.origin?.importN ?? 0n, authorAt(atMs))
  },
  'list both': list('keep', 'on the first list', 'on two lists'),
  'list one': list('sold', 'on two lists'),
  'list this': (store, given) => list('keep', given.pet.name)(store, given),
  leave,
  'list neither': list('remove', 'on the last list'),
}

/** What is done half an hour into days of November (day 0 is the last of October), and what is counted then. */
const ROWS: readonly (readonly [
  title: string,
  acts: string,
  november: Partial<ReportCounts>,
  october?: Partial<ReportCounts>,
])[] = [
  ['an animal that staff add', '1 add', { in: 1 }],
  ['an animal that a client creates', '1 create', { in: 1 }],
  ['an animal of which nobody knows who created it', '1 create unnoted', {}],
  ['the sale of such an animal', '1 create unnoted, 2 sell', { sold: 1 }],
  ['the return of such an animal', '1 create unnoted, 2 sell, 3 offer', { in: 1, sold: 1 }],
  ['an animal that came the month before', '0 add, 1 sell', { sold: 1 }, { in: 1 }],
  ['an animal that comes back', '1 add, 2 sell, 3 offer', { in: 2, sold: 1 }],
  ['an animal that is sold when it comes', '1 add sold', {}],
  ['an animal that is removed once it is sold', '1 add, 2 sell, 21 remove', { in: 1, sold: 1 }],
  ['an animal that is removed and restored', '1 add, 2 remove, 3 restore', { in: 2, removed: 1 }],
  ['a sale that is undone', '1 add, 2 sell, 3 undo', { in: 1 }],
  ['a sale that is undone, and sold again by an undo', '1 add, 2 sell, 3 undo, 4 undo', { in: 1, sold: 1 }],
  ['an animal that was of another category', '1 add elsewhere, 2 move, 3 sell', { sold: 1 }],
  ['an import without days', '1 import', { imported: 1 }],
  ['an import with the day of intake', '1 import of 30 October', {}, { in: 1 }],
  ['an import with a day before the first record', '1 import of 1 October', { imported: 1 }],
  ['an import that is undone', '5 import, 6 undo import', {}],
  ['a sale before the undo of an import', '7 import, 8 sell, 9 undo import', { imported: 1, sold: 1 }],
  ['on the first list', '11 list both, 12 list one', { imported: 1, sold: 1 }],
  ['on two lists', '13 list neither', { imported: 1, removed: 1 }],
  ['on the last list', '', { imported: 1 }],
  ['an animal that has left', '14 list this, 15 leave, 22 remove, 23 restore', { imported: 1, left: 1 }],
  ['an animal that left and returned', '16 list this, 17 leave, 18 offer', { imported: 1, in: 1, left: 1 }],
  [
    'an animal whose return after it left is undone',
    '16 list this, 17 leave, 18 offer, 19 undo',
    { imported: 1, left: 1 },
  ],
  ['an animal that is deleted permanently', '1 create, 2 remove', { in: 1, removed: 1 }],
  [
    'an animal that is changed and changed back before the undo of its import',
    '7 import, 8 sell, 9 unsell, 10 undo import',
    { imported: 1, in: 1, sold: 1, removed: 1 },
  ],
  [
    'the same animal, restored',
    '7 import, 8 sell, 9 unsell, 10 undo import, 11 restore',
    { imported: 1, in: 2, sold: 1, removed: 1 },
  ],
  ['an animal that is restored after the undo of its import', '7 import, 8 undo import, 9 restore', { in: 1 }],
  ['the same animal, if a sale was undone before', '7 import, 8 sell, 9 undo, 10 undo import, 11 restore', { in: 1 }],
]
const categoryOf = (title: string) => BigInt(1 + ROWS.findIndex(([name]) => name === title))

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

    describe('counts', () => {
      let store: Store
      let report: MonthReport
      before(async () => {
        let nowMs = NOVEMBER_MS - 20 * DAY_MS
        store = await openStore(await engine.createDatabase(), { serving: true, clock: clockAt(() => nowMs) })
        await store.words.setShelter({ zone: ZONE }, authorAt(nowMs))
        await store.records.add({ name: 'the first', categoryId: 0n }, authorAt(nowMs), 'the first')
        const acts = ROWS.flatMap(([name, acts]) =>
          [...acts.matchAll(/(\d+) ([^,]+)/g)].map(([, day, act = '']) => ({
            name,
            day: Number(day),
            act: ACTS[act] ?? assert.fail(act),
          })),
        )
        const ids = new Map<string, bigint>()
        for (const { name, day, act } of acts.sort((a, b) => a.day - b.day)) {
          nowMs = NOVEMBER_MS + (day - 1) * DAY_MS + DAY_MS / 48
          await act(store, { id: ids.get(name) ?? 0n, pet: { name, categoryId: categoryOf(name) }, atMs: nowMs })
          for await (const pets of store.pets.export()) for (const pet of pets) ids.set(pet.name, BigInt(pet.id))
        }
        await purgeBefore(store.records, NOVEMBER_MS + 10 * DAY_MS)
        report = await readReport(store, monthOf('2026-11'), NOVEMBER_MS + 60 * DAY_MS)
      })
      after(() => store?.close())

      for (const [title, , november, october = {}] of ROWS)
        it(title, () => {
          const line = report.categories.find(({ categoryId }) => categoryId === String(categoryOf(title)))
          const none = { in: 0, imported: 0, sold: 0, left: 0, removed: 0 }
          assert.deepEqual(line?.counts.slice(0, 2) ?? [none, none], [
            { ...none, ...november },
            { ...none, ...october },
          ])
        })

      it('the days of each wait whose beginning is known: 91, 80, 62, four of 60, two of 58, and one of 43', () => {
        const counts = { available: 3, pending: 0, none: 13, known: 10, unknown: 6, imported: 5 }
        assert.deepEqual(report.wait, { ...counts, medianDays: 60, longestDays: 91 })
      })
    })

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
  },
)
