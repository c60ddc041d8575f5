/** Since when animals wait, on every engine: what begins a new wait, and what does not. */
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { DAY_MS } from '../../src/common/clock.ts'
import type { PetStatus } from '../../src/contract/schemas.ts'
import { openStore } from '../../src/store/open.ts'
import type { FileRow } from '../../src/store/staging.ts'
import type { Store } from '../../src/store/store.ts'
import { waitOf } from '../../src/store/waits.ts'
import { memoryFolder } from '../support/folder.ts'
import { authorAt, batchesOf, PLAIN_SYNC } from '../support/store.ts'
import { clockAt, patientClock } from '../support/time/clock.ts'
import { openEarlier } from './earlier.ts'
import { onEachEngine } from './on-each-engine.ts'

const noonOf = (day: number) => day * DAY_MS + DAY_MS / 2
const ZONES = ['UTC', 'Pacific/Kiritimati', 'America/Los_Angeles']

/** What is done to one animal of a list, each on its day; it arrived on day 100 and is listed on day 110. */
type Deed =
  | { readonly day: number; readonly by: 'person'; readonly status: PetStatus | null }
  | {
      readonly day: number
      readonly by: 'list'
      readonly status: PetStatus | null | undefined
      readonly cameOn?: number
    }
  | { readonly day: number; readonly by: 'missing'; readonly what: 'sold' | 'remove' }
  | { readonly day: number; readonly by: 'left' | 'undo' | 'undo the sync' | 'restore' | 'remove' }

const person = (day: number, status: PetStatus | null): Deed => ({ day, by: 'person', status })
const list = (day: number, status?: PetStatus | null, cameOn = 100): Deed => ({ day, by: 'list', status, cameOn })

const left: Deed = { day: 120, by: 'left' }

const CASES: readonly (readonly [title: string, deeds: readonly Deed[], day: number | undefined, isAgain?: boolean])[] = [
  ['waits from the day it arrived, whatever its status becomes', [person(120, 'pending'), person(130, null)], 100],
  ['begins a new wait if it was sold and a person makes it available', [person(120, 'sold'), person(130, 'available')], 130, true],
  ['begins a new wait if it was sold and a person makes it pending', [person(120, 'sold'), person(130, 'pending')], 130, true],
  ['begins a new wait if a list says that it was sold, and that it is available', [list(120, 'sold'), list(130, 'available')], 130, true],
  ['begins a new wait if a list says that it has left, and that it is available', [list(120, null), list(130, 'available')], 130, true],
  ['keeps its wait if a person takes its status away for a time', [person(120, null), person(130, 'available')], 100],
  ['begins a new wait if it was sold and a person takes its status away before making it available', [person(120, 'sold'), person(125, null), person(130, 'available')], 130, true],
  ['waits from its last return', [person(120, 'sold'), person(130, 'available'), person(140, 'sold'), person(150, 'pending')], 150, true],
  ['waits from the day that a newer list names for its return', [person(120, 'sold'), list(131, 'available', 135)], 135],
  ['keeps its wait if a sync lists it that had marked it sold for being missing', [{ day: 120, by: 'missing', what: 'sold' }, list(130, 'available')], 100],
  ['begins a new wait if a person makes it available that a sync had marked sold', [{ day: 120, by: 'missing', what: 'sold' }, person(130, 'available')], 130, true],
  ['keeps its wait if a sync lists it that had removed it for being missing', [{ day: 120, by: 'missing', what: 'remove' }, list(130, 'available')], 100],
  ['keeps its wait if it is removed and restored', [{ day: 120, by: 'remove' }, { day: 130, by: 'restore' }], 100],
  ['keeps its wait if a sale is undone', [person(120, 'sold'), { day: 130, by: 'undo' }], 100],
  ['has its earlier wait again if a return is undone', [person(120, 'sold'), person(130, 'available'), { day: 140, by: 'undo' }], 100],
  ['does not wait after a list says that it left', [left], undefined],
  ['does not wait after a list says that it left, if it had no status', [person(115, null), left], undefined],
  ['does not wait after it left, if it is removed and restored', [left, { day: 130, by: 'remove' }, { day: 140, by: 'restore' }], undefined],
  ['does not wait after it left, if a later list says it again', [left, { day: 130, by: 'left' }], undefined],
  ['begins a new wait if it left and a person makes it available', [left, person(130, 'available')], 130, true],
  ['begins a new wait if it left and a list says that it is pending', [left, list(130, 'pending')], 130, true],
  ['waits without a status if a list has it again after it left', [left, list(130, null)], 100],
  ['waits without a status if it left, was sold and has none', [left, person(130, 'sold'), person(140, null)], 100],
  ['waits as before if the sync that says it left is undone', [left, { day: 130, by: 'undo the sync' }], 100],
  ['does not wait if its return after it left is undone', [left, person(130, 'available'), { day: 140, by: 'undo' }], undefined],
  ['does not wait if it left, was removed and restored, and a sale after that is undone', [left, { day: 122, by: 'remove' }, { day: 124, by: 'restore' }, person(130, 'sold'), { day: 140, by: 'undo' }], undefined],
  ['waits from its return again if the undo of that is undone', [person(120, 'sold'), person(130, 'available'), { day: 140, by: 'undo' }, { day: 150, by: 'undo' }], 130, true],
] // biome-ignore format: a case is a row

onEachEngine(
  (name) => `an animal, on ${name}`,
  (engine) => {
    const time = { nowMs: 0 }
    const test = engine.testOn({ clock: clockAt(() => time.nowMs) })
    const sync = (store: Store, rows: readonly FileRow[], missing: 'keep' | 'sold' | 'remove' = 'keep') =>
      store.sync.run(batchesOf(rows), { ...PLAIN_SYNC, by: authorAt(time.nowMs), missing })
    const other: FileRow = { name: 'Other', categoryId: 1n, status: 'available', reference: 'B', line: 3 }

    async function doOne(store: Store, id: bigint, deed: Deed): Promise<unknown> {
      time.nowMs = noonOf(deed.day)
      const by = authorAt(time.nowMs)
      if (deed.by === 'person') return store.records.change([id], { status: deed.status }, by)
      if (deed.by === 'remove') return store.records.remove([id], by)
      if (deed.by === 'restore') return store.records.restore([id], by)
      if (deed.by === 'missing') return sync(store, [other], deed.what)
      if (deed.by === 'left')
        return sync(store, [{ name: 'Rex', categoryId: 1n, reference: 'A', line: 2, isGone: true }, other])
      if (deed.by === 'undo the sync') {
        const [{ importN: n = 0n } = {}] = await store.records.journal({ petId: id, limit: 1 })
        return store.imports.undo(n, by)
      }
      if (deed.by === 'list') {
        const { status, cameOn = 100 } = deed
        return sync(store, [{ name: 'Rex', categoryId: 1n, status, reference: 'A', line: 2, cameOn }, other])
      }
      const { version = 0n } = (await store.records.get(id)) ?? {}
      return store.records.undo([{ id, version }], by)
    }

    for (const [title, deeds, day, isAgain = false] of CASES) {
      test(title, async (store) => {
        await doOne(store, 0n, list(110, 'available'))
        const [{ id = '' } = {}] = await store.records.find({ text: 'Rex', status: undefined, limit: 1 })
        for (const deed of deeds) await doOne(store, BigInt(id), deed)
        const [origin] = await store.origins.provenance([BigInt(id)])
        assert.deepEqual(waitOf(origin, 'UTC'), day === undefined ? day : { sinceMs: day * DAY_MS, isAgain })
      })
    }

    test('is listed by its wait in the shelter’s time zone, unknown waits first and those that left last', async (store) => {
      time.nowMs = noonOf(20_600)
      const add = (name: string, cameOn?: number) =>
        store.records.add({ name, categoryId: 1n, status: 'available', cameOn }, authorAt(time.nowMs), name)
      await add('second', 20_500)
      await store.pets.create({ name: 'third', categoryId: 1n, status: 'available' }, 'key_a')
      await sync(store, [{ ...other, name: 'unknown' }])
      time.nowMs = noonOf(20_601)
      await add('fifth')
      await add('first', 20_400)
      const { pet } = await add('fourth', 20_300)
      for (const status of ['sold', 'pending'] as const) {
        await store.records.change([BigInt(pet?.id ?? 0)], { status }, authorAt(time.nowMs))
      }
      const names = ['unknown', 'first', 'second', 'third', 'fifth', 'fourth']
      for (const zone of ZONES) {
        const orders = ['oldest', 'newest'] as const
        const [oldest = [], newest = []] = await Promise.all(
          orders.map((order) => store.records.find({ text: '', status: undefined, limit: 9, order, zone })),
        )
        assert.deepEqual([oldest.map(({ name }) => name), newest.map(({ name }) => name)], [names, names.toReversed()])
        const origins = await store.origins.provenance(oldest.map(({ id }) => BigInt(id)))
        const days = origins.flatMap((origin) => waitOf(origin, zone) ?? []).map(({ sinceMs }) => sinceMs / DAY_MS)
        const span = { fromMs: time.nowMs - DAY_MS, untilMs: time.nowMs + DAY_MS }
        const { counts } = await store.reports.facts([span], 0, zone, time.nowMs)
        const reported = counts.flatMap(({ span: of, day, animals }) =>
          of === undefined && day ? Array(animals).fill(day) : [],
        )
        assert.deepEqual(reported.sort(), days.toSorted(), zone)
      }
      await sync(store, [{ ...other, isGone: true }])
      const sorted = await store.records.find({ text: '', status: undefined, limit: 9, order: 'oldest' })
      assert.deepEqual(
        sorted.map(({ name }) => name),
        ['first', 'second', 'third', 'fifth', 'fourth', 'unknown'],
      )
    })
  },
)

it('has its returns and the days of people from the journal of 2.1', async () => {
  const path = `${memoryFolder()}/pets.db`
  const file = openEarlier(path)
  file.exec(`
    INSERT INTO pets (name, category_id, status) VALUES ('Rex', 1, 'available'), ('Luna', 1, 'available'), ('Tom', 1, 'available');
    UPDATE pet_counts SET n = 3 WHERE status = 'available';
    INSERT INTO arrivals VALUES (1, 100), (3, 100);
    INSERT INTO journal (at_ms, who, act, pet_id, from_values, to_values, undoes) VALUES
      (${noonOf(110)}, 'Ada', 'add', 2, NULL, '{"name":"Luna","status":"available"}', NULL),
      (${noonOf(120)}, 'Ada', 'edit', 1, '{"status":"available"}', '{"status":"sold"}', NULL),
      (${noonOf(130)}, 'Ada', 'edit', 1, '{"status":"sold"}', '{"status":"pending"}', NULL),
      (${noonOf(120)}, 'Ada', 'edit', 3, '{"status":"available"}', '{"status":"sold"}', NULL),
      (${noonOf(130)}, 'Ada', 'edit', 3, '{"status":"sold"}', '{"status":"available"}', NULL),
      (${noonOf(140)}, 'Ada', 'edit', 3, '{"status":"available"}', '{"status":"sold"}', 5),
      (${noonOf(150)}, 'Ada', 'edit', 3, '{"status":"sold"}', '{"status":"available"}', 4);`)
  file.close()
  const store = await openStore(`sqlite:${path}`, { serving: false, clock: patientClock })
  const found = await store.records.find({ text: '', status: undefined, limit: 9, order: 'oldest' })
  const waits = (await store.origins.provenance([1n, 2n, 3n])).map((origin) => waitOf(origin, 'UTC'))
  await store.close()
  assert.deepEqual(
    found.map(({ name }) => name),
    ['Tom', 'Luna', 'Rex'],
  )
  assert.deepEqual(waits, [
    { sinceMs: 130 * DAY_MS, isAgain: true },
    { sinceMs: 110 * DAY_MS, isAgain: false },
    { sinceMs: 100 * DAY_MS, isAgain: false },
  ])
})
