/** Where animals came from, on every engine: held to a plain list of what was done. */
import assert from 'node:assert/strict'
import { beforeEach } from 'node:test'
import { DAY_MS, MINUTE_MS } from '../../src/common/clock.ts'
import { ofTexts } from '../../src/rules/members.ts'
import type { Origin } from '../../src/store/origins.ts'
import type { Store } from '../../src/store/store.ts'
import { waitOf } from '../../src/store/waits.ts'
import { batchesOf, PLAIN_IMPORT } from '../support/store.ts'
import { clockAt } from '../support/time/clock.ts'
import { onEachEngine } from './on-each-engine.ts'

const START_MS = Date.UTC(2026, 10, 21, 12)

onEachEngine(
  (name) => `where animals came from, on ${name}`,
  (engine) => {
    const time = { nowMs: START_MS }
    beforeEach(() => {
      time.nowMs = START_MS
    })
    const test = engine.testOn({ serving: true, clock: clockAt(() => time.nowMs) })
    const ranges = async (store: Store) => {
      const archive = store.archive
      const table = { name: 'created_ranges', columns: { first_id: 'bigint' }, keyColumns: 1 } as const
      return (await archive.rows(table, undefined)).length
    }
    const create = async (store: Store, keyId: string | undefined) =>
      (await store.pets.create({ name: 'Rex', categoryId: 7n }, keyId)).id

    test('names the key, person or import of each animal, also after it was removed or restored', async (store) => {
      const by = { who: 'Ada', get atMs() { return time.nowMs } } // biome-ignore format: one line
      const expected = new Map<bigint, ReturnType<typeof cameBy>>()
      const cameBy = (kind?: Origin['kind'], who = 'Ada', atMs = time.nowMs, importN?: bigint, cameOnMs?: number) => {
        return {
          origin: kind && { kind, who, atMs, importN },
          cameOnMs,
          returnedMs: undefined,
          leftMs: undefined,
          ...ofTexts(() => undefined),
        }
      }
      const keys = ['key_a', 'key_b', undefined, 'key_a', 'key_b']
      for (const waitMs of [0, 30_000, 90_000]) {
        time.nowMs += waitMs
        const ids = await Promise.all(keys.map((keyId) => create(store, keyId)))
        const minuteMs = time.nowMs - (time.nowMs % MINUTE_MS)
        for (const [n, who] of keys.entries())
          expected.set(ids[n] ?? 0n, cameBy(who === undefined ? undefined : 'key', who, minuteMs))
      }
      time.nowMs += MINUTE_MS + 1
      const { pet } = await store.records.add({ name: 'Rex', categoryId: 7n }, by, 'a form')
      expected.set(BigInt(pet?.id ?? 0), cameBy('person'))
      for (const days of [[undefined], [1, 2]]) {
        time.nowMs += 1
        const pets = days.map((cameOn) => ({ name: 'Rex', categoryId: 7n, ...(cameOn && { cameOn }) }))
        const { n } = await store.imports.add(batchesOf(pets), { ...PLAIN_IMPORT, by })
        const added = await store.records.find({ text: '', status: undefined, limit: days.length })
        for (const [at, { id }] of added.toReversed().entries()) {
          const day = days[at]
          expected.set(BigInt(id), cameBy('import', 'Ada', time.nowMs, n, day && day * DAY_MS))
        }
      }
      const ids = [...expected.keys()]
      const [first = 0n, last = 0n] = [ids[0], ids.at(-1)]
      await store.records.remove([first, last], by)
      assert.deepEqual(await store.origins.provenance(ids), [...expected.values()])
      for (const [id, one] of expected) assert.deepEqual(await store.origins.provenance([id]), [one])
      const sinceMs = (of: ReturnType<typeof cameBy> | undefined, zone: string) => waitOf(of, zone)?.sinceMs
      const daysOf = (zone: string) => [sinceMs(expected.get(last), zone), sinceMs(cameBy('person', '', -1), zone)]
      assert.deepEqual(daysOf('Etc/GMT-14'), [2 * DAY_MS, 0], 'a day of a list is the same in each zone')
      assert.deepEqual(daysOf('Etc/GMT+12'), [2 * DAY_MS, -DAY_MS])
      assert.equal(waitOf(cameBy('import'), 'UTC'), undefined, 'no import is an arrival')
      await store.records.restore([last], by)
      for (const who of ['key_a', 'Ada', undefined]) {
        for (const sinceMs of [START_MS, START_MS + MINUTE_MS + 1, time.nowMs]) {
          const found = await store.origins.find({ by: who, sinceMs, limit: 1_000 })
          const wanted = ids.filter((id) => {
            const { origin } = expected.get(id) ?? {}
            const fromMs = origin?.kind === 'key' ? sinceMs - (sinceMs % MINUTE_MS) : sinceMs
            return id !== first && origin && origin.atMs >= fromMs && (who === undefined || origin.who === who)
          })
          assert.deepEqual(
            found.map(({ id }) => BigInt(id)),
            wanted.toSorted((a, b) => Number(b - a)),
          )
        }
      }
    })

    test('takes one row a minute for a busy key', async (store) => {
      for (let minute = 0; minute < 3; minute += 1) {
        for (let round = 0; round < 2; round += 1) {
          await Promise.all(Array.from({ length: 200 }, () => create(store, 'key_a')))
        }
        time.nowMs += MINUTE_MS
      }
      const rows = await ranges(store)
      assert(rows <= (engine.name === 'SQLite' ? 3 : 300), `${rows} rows`)
      const latest = { by: 'key_a', sinceMs: START_MS + 2 * MINUTE_MS, limit: 1_000 }
      assert.equal((await store.origins.find(latest)).length, 400)
    })

    test('takes a row for each of several keys, not for each animal', async (store) => {
      await Promise.all(Array.from({ length: 300 }, (_, n) => create(store, `key_${n % 5}`)))
      const rows = await ranges(store)
      assert(rows <= 60, `${rows} rows`)
    })

    test('names the key of an animal that 2.1 also recorded as imported', async (store) => {
      const id = await create(store, 'key_a')
      const { n } = await store.imports.add(batchesOf([{ name: 'Luna', categoryId: 1n }]), PLAIN_IMPORT)
      const columns = { import_n: 'bigint', first_id: 'bigint', last_id: 'bigint' } as const
      const cells = [n, id, id].map(String)
      await store.archive.putRows({ name: 'import_ranges', columns, keyColumns: 2 }, [cells])
      assert.equal((await store.origins.provenance([id]))[0]?.origin?.kind, 'key')
    })

    test('tell what can be restored after the undo of an import', async (store) => {
      const by = { who: 'Ada', atMs: START_MS }
      const rows = ['Max', 'Kim', 'Bo'].map((name) => ({ name, categoryId: 1n }))
      const { n } = await store.imports.add(batchesOf(rows), PLAIN_IMPORT)
      assert(n !== undefined)
      await store.records.change([1n], { name: 'Maxi' }, by)
      await store.records.remove([2n], by)
      assert.deepEqual(await store.imports.undo(n, by), { removed: 1, kept: 2 })
      assert.deepEqual(await store.origins.undone(n, 10), [3n])
      await store.records.restore([3n], by)
      assert.deepEqual(await store.origins.undone(n, 10), [])
    })
  },
)
