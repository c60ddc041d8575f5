/** Where animals came from, on every engine: held to a plain list of what was done. */
import assert from 'node:assert/strict'
import { it } from 'node:test'
import fc from 'fast-check'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../src/common/clock.ts'
import { openStore } from '../../src/store/open.ts'
import { arrivalOf, type Origin } from '../../src/store/origins.ts'
import type { Store } from '../../src/store/store.ts'
import { runs } from '../support/draws.ts'
import { onEachEngine } from '../support/on-each-engine.ts'
import { batchesOf, PLAIN_IMPORT } from '../support/store.ts'
import { clockAt } from '../support/time/clock.ts'

const START_MS = Date.UTC(2026, 10, 21, 12)

type Step =
  | { readonly does: 'create'; readonly keys: readonly (string | undefined)[] }
  | { readonly does: 'add' | 'remove' | 'restore'; readonly which: number }
  | { readonly does: 'import'; readonly animals: number }
  | { readonly does: 'wait'; readonly ms: number }

const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({
    does: fc.constant('create' as const),
    keys: fc.array(fc.constantFrom('key_a', 'key_b', undefined), { minLength: 1, maxLength: 6 }),
  }),
  fc.record({ does: fc.constantFrom('add' as const, 'remove' as const, 'restore' as const), which: fc.nat(30) }),
  fc.record({ does: fc.constant('import' as const), animals: fc.integer({ min: 1, max: 3 }) }),
  fc.record({ does: fc.constant('wait' as const), ms: fc.constantFrom(1, 30_000, MINUTE_MS, 90_000) }),
)

onEachEngine(
  (name) => `where animals came from, on ${name}`,
  (engine) => {
    async function withStore(work: (store: Store, time: { nowMs: number }) => Promise<void>): Promise<void> {
      const time = { nowMs: START_MS }
      const store = await openStore(await engine.createDatabase(), { serving: true, clock: clockAt(() => time.nowMs) })
      try {
        await work(store, time)
      } finally {
        await store.close()
      }
    }
    const ranges = async (store: Store) => {
      const archive = await store.archive()
      const table = { name: 'created_ranges', columns: { first_id: 'bigint' }, keyColumns: 1 } as const
      return (await archive.rows(table, undefined)).length
    }
    const create = async (store: Store, keyId: string | undefined) =>
      (await store.pets.create({ name: 'Rex', categoryId: 7n }, keyId)).id

    it('is told of each by the key, person or import, and stays when it is removed or restored', () =>
      withStore(async (store, time) => {
        await fc.assert(
          fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (steps) => {
            time.nowMs += HOUR_MS
            const startMs = time.nowMs
            const by = { who: 'Ada', get atMs() { return time.nowMs } } // biome-ignore format: one line
            const all = new Map<bigint, Origin | undefined>()
            const there = new Set<bigint>()
            const days = new Map<bigint, number | undefined>()
            const found = async (who: string | undefined, sinceMs: number) => {
              const pets = await store.origins.find({ by: who, sinceMs, limit: 1_000 })
              return pets.map(({ id }) => BigInt(id))
            }
            const added = (id: bigint, origin: Origin | undefined) => {
              all.set(id, origin)
              there.add(id)
            }
            for (const [n, one] of steps.entries()) {
              if (one.does === 'wait') time.nowMs += one.ms
              if (one.does === 'create') {
                const atMs = time.nowMs - (time.nowMs % MINUTE_MS)
                const ids = await Promise.all(one.keys.map((keyId) => create(store, keyId)))
                for (const [i, who] of one.keys.entries()) {
                  added(ids[i] ?? 0n, who === undefined ? undefined : { kind: 'key', who, atMs, importN: undefined })
                }
              }
              if (one.does === 'add') {
                const { pet } = await store.records.add({ name: 'Rex', categoryId: 7n }, by, `form ${startMs} ${n}`)
                added(BigInt(pet?.id ?? 0), { kind: 'person', who: 'Ada', atMs: time.nowMs, importN: undefined })
              }
              if (one.does === 'import') {
                const before = new Set(await found(undefined, startMs))
                const cameOn = one.animals === 1 ? {} : { cameOn: one.animals }
                const pets = Array.from({ length: one.animals }, () => ({ name: 'Rex', categoryId: 7n, ...cameOn }))
                const { n: importN } = await store.imports.add(batchesOf(pets), { ...PLAIN_IMPORT, by })
                for (const id of await found(undefined, startMs)) {
                  if (!before.has(id)) days.set(id, cameOn.cameOn)
                  if (!before.has(id)) added(id, { kind: 'import', who: 'Ada', atMs: time.nowMs, importN })
                }
              }
              const id = [...all.keys()]['which' in one ? one.which : 0]
              if (id !== undefined && one.does === 'remove' && there.delete(id)) await store.records.remove([id], by)
              if (id !== undefined && one.does === 'restore' && !there.has(id)) {
                await store.records.restore([id], by)
                there.add(id)
              }
            }
            const ids = [...all.keys()].sort((a, b) => Number(a - b))
            const known = await store.origins.provenance(ids)
            assert.deepEqual(
              known,
              ids.map((id) => {
                const day = days.get(id)
                const cameOnMs = day === undefined ? undefined : day * DAY_MS
                return { origin: all.get(id), cameOnMs, reference: undefined }
              }),
            )
            for (const { origin, ...rest } of known) {
              if (origin?.kind === 'import')
                assert.equal(arrivalOf({ origin, ...rest }), rest.cameOnMs, 'no import is an arrival')
            }
            for (const [id, origin] of all) assert.deepEqual((await store.origins.provenance([id]))[0]?.origin, origin)
            for (const who of ['key_a', 'Ada', undefined]) {
              for (const sinceMs of [startMs, startMs + MINUTE_MS, time.nowMs]) {
                const expected = [...there].filter((id) => {
                  const origin = all.get(id)
                  const fromMs = origin?.kind === 'key' ? sinceMs - (sinceMs % MINUTE_MS) : sinceMs
                  return origin !== undefined && origin.atMs >= fromMs && (who === undefined || origin.who === who)
                })
                assert.deepEqual(
                  await found(who, sinceMs),
                  expected.toSorted((a, b) => (a < b ? 1 : -1)),
                )
              }
            }
          }),
          { numRuns: runs(15) },
        )
      }))

    it('of a busy key takes a row a minute, and where several nodes may add animals, one for those added together', () =>
      withStore(async (store, time) => {
        for (let minute = 0; minute < 3; minute += 1) {
          for (let round = 0; round < 2; round += 1) {
            await Promise.all(Array.from({ length: 200 }, () => create(store, 'key_a')))
          }
          time.nowMs += MINUTE_MS
        }
        const rows = await ranges(store)
        assert(rows <= (engine.name === 'SQLite' ? 3 : 300), `${rows} rows`)
        assert.equal(await store.origins.count('key_a', 0), 1_200)
      }))

    it('of several keys at once takes a row for each key, not for each animal', () =>
      withStore(async (store) => {
        await Promise.all(Array.from({ length: 300 }, (_, n) => create(store, `key_${n % 5}`)))
        const rows = await ranges(store)
        assert(rows <= 60, `${rows} rows`)
        for (let n = 0; n < 5; n += 1) assert.equal(await store.origins.count(`key_${n}`, 0), 60)
      }))

    it('lets what a key has created be taken back as one, but for what was changed since, and be brought back', () =>
      withStore(async (store, time) => {
        const by = { who: 'Ada', atMs: START_MS }
        const early = await create(store, 'key_a')
        time.nowMs += MINUTE_MS
        const sinceMs = time.nowMs
        const [changed, removed, plain, other] = [
          await create(store, 'key_a'),
          await create(store, 'key_a'),
          await create(store, 'key_a'),
          await create(store, 'key_b'),
        ]
        await store.records.change([changed], { name: 'Max' }, by)
        await store.records.remove([removed], by)
        assert.equal(await store.origins.count('key_a', sinceMs), 2)
        assert.equal(await store.origins.groupAsImport('key_c', sinceMs, by), undefined)
        const n = await store.origins.groupAsImport('key_a', sinceMs, by)
        assert(n !== undefined)
        assert.deepEqual(await store.imports.undo(n, by), { removed: 1, kept: 1 })
        const there = async () => await store.records.find({ text: '', status: undefined, limit: 100 })
        const ids = async () => (await there()).map(({ id }) => BigInt(id))
        assert.deepEqual(await ids(), [other, changed, early])
        assert.deepEqual(await store.origins.undone(n, 10), [plain])
        await store.records.restore([plain], by)
        assert.deepEqual(await store.origins.undone(n, 10), [])
        assert.deepEqual(await ids(), [other, plain, changed, early])
        const [{ origin: { kind = undefined, who = undefined } = {} } = {}] = await store.origins.provenance([plain])
        assert.deepEqual([kind, who], ['key', 'key_a'], 'it came by the key, and not by the number that took it back')
      }))
  },
)
