/** The operator's side says and does the same on both engines: a random history, and every answer compared. */
import assert from 'node:assert/strict'
import { it } from 'node:test'
import fc from 'fast-check'
import { systemClock } from '../../src/common/system-clock.ts'
import { INT64_MAX, INT64_MIN } from '../../src/contract/int64.ts'
import { openStore } from '../../src/store/open.ts'
import type { Store } from '../../src/store/store.ts'
import { memoryFolder, removeFolder } from '../support/folder.ts'
import { postgresNeeded } from '../support/servers/postgres.ts'
import { sharedPostgres } from '../support/servers/shared-postgres.ts'

/** What an act answers: it is compared, so it holds no time of its own. */
type Act = (store: Store, atMs: number) => Promise<unknown>

const name = fc.constantFrom('Rex', 'réx', "O'Malley", 'O\u2019malley', 'Jean\u2013Luc', 'Луна', 'a_%\\b', 'ß ø')
const categoryId = fc.constantFrom(1n, 2n, INT64_MIN, INT64_MAX)
const status = fc.constantFrom('available' as const, 'pending' as const, 'sold' as const, undefined)
const id = fc.bigInt({ min: 1n, max: 12n })
const who = fc.constantFrom('ada', 'Bén')
const pet = fc
  .record({ name, categoryId, status })
  .map(({ status, ...rest }) => ({ ...rest, ...(status && { status }) }))
const WHOLE = { petId: undefined, keyId: undefined, sinceMs: undefined, before: undefined, limit: 500 }

async function* batches<T>(rows: readonly T[]): AsyncIterable<readonly T[]> {
  yield rows.slice(0, 1)
  yield rows.slice(1)
}

const act: fc.Arbitrary<Act> = fc.oneof(
  fc.record({ pet, who, once: fc.nat(5) }).map(
    ({ pet, who, once }): Act =>
      (store, atMs) =>
        store.records.add(pet, { who, atMs }, `form ${once}`),
  ),
  fc.record({ ids: fc.uniqueArray(id, { maxLength: 3 }), pet, who }).map(
    ({ ids, pet, who }): Act =>
      (store, atMs) =>
        store.records.change(ids, { ...pet, status: pet.status ?? null }, { who, atMs }, 'all that can be'),
  ),
  fc.record({ id, version: fc.bigInt({ min: 0n, max: 20n }), name }).map(
    ({ id, version, name }): Act =>
      (store, atMs) =>
        store.records.change([{ id, version }], { name }, { who: 'ada', atMs }),
  ),
  fc.record({ id, way: fc.constantFrom('remove' as const, 'restore' as const), who }).map(
    ({ id, way, who }): Act =>
      (store, atMs) =>
        store.records[way]([id], { who, atMs }, who === 'ada' ? 'any' : 'own'),
  ),
  id.map(
    (id): Act =>
      async (store, atMs) => {
        const version = (await store.records.get(id))?.version ?? 0n
        return store.records.undo([{ id, version }], { who: 'ada', atMs })
      },
  ),
  fc
    .record({ pets: fc.array(pet, { maxLength: 4 }), leaveOutDuplicates: fc.boolean(), allowDuplicates: fc.boolean() })
    .map(
      ({ pets, ...more }): Act =>
        (store, atMs) =>
          store.imports.add(batches(pets), {
            by: { who: 'ada', atMs },
            source: 'f',
            withIds: false,
            dryRun: false,
            ...more,
          }),
    ),
  fc.record({ n: fc.bigInt({ min: 1n, max: 6n }), dryRun: fc.boolean() }).map(
    ({ n, dryRun }): Act =>
      (store, atMs) =>
        store.imports.undo(n, { who: 'Bén', atMs }, { dryRun }),
  ),
  fc
    .record({
      rows: fc.uniqueArray(fc.record({ pet, reference: fc.constantFrom('A1', 'a2', 'B–3') }), {
        selector: ({ reference }) => reference,
      }),
      missing: fc.constantFrom('keep' as const, 'sold' as const, 'remove' as const),
      adopts: fc.constantFrom(true, false, undefined),
    })
    .map(
      ({ rows, missing, adopts }): Act =>
        (store, atMs) => {
          const listed = rows.map(({ pet, reference }, line) => ({
            ...pet,
            status: pet.status ?? null,
            reference,
            line,
          }))
          const by = { who: 'ada', atMs }
          return store.sync.run(batches(listed), {
            by,
            source: 'l',
            missing,
            adopts,
            maxChangedShare: 1,
            dryRun: false,
          })
        },
    ),
  fc.record({ from: categoryId, into: categoryId }).map(
    ({ from, into }): Act =>
      (store, atMs) =>
        store.categories.merge(from, into, { who: 'ada', atMs }),
  ),
  fc.bigInt({ min: 1n, max: 3n }).map(
    (n): Act =>
      (store, atMs) =>
        store.categories.undoMerge(n, { who: 'ada', atMs }),
  ),
  fc.record({ categoryId, label: fc.constantFrom('Dogs', 'dogs', 'Cats', undefined) }).map(
    ({ categoryId, label }): Act =>
      (store, atMs) =>
        store.categories.name(new Map([[categoryId, label]]), { who: 'ada', atMs }),
  ),
  fc.constant<Act>((store, atMs) => store.records.purge(atMs - 5, { who: 'service', atMs })),
  fc.record({ pet, key: fc.constantFrom('key_a', 'key_b') }).map(
    ({ pet }): Act =>
      async (store) =>
        (await store.pets.create(pet)).json,
  ),
)

/** All that can be read of it. */
async function everything(store: Store): Promise<unknown> {
  const { records, imports, categories, origins, reports } = store
  const ids = Array.from({ length: 15 }, (_, n) => BigInt(n + 1))
  const find = (text: string, order: 'newest' | 'oldest' | 'name' | 'match', status?: 'removed' | 'none') =>
    records.find({ text, status, order, limit: 50 })
  return {
    found: await Promise.all([find('', 'oldest'), find('rex', 'match'), find('o’m', 'name'), find('%', 'newest')]),
    removed: await Promise.all([find('', 'newest', 'removed'), find('л', 'name', 'none'), find('a2', 'match')]),
    tally: [await records.tally({ text: '' }), await records.tally({ text: 'e', categoryId: 1n })],
    nearest: await records.similarNames('omally', 5),
    journal: await records.journal(WHOLE),
    ofSome: await records.journal({
      ...WHOLE,
      who: 'BEN',
      acts: ['edit', 'remove', 'undo import'],
      petIds: [1n, 2n, 3n, 4n],
    }),
    imports: await imports.list(50),
    named: await imports.named([1n, 2n]),
    known: await origins.provenance(ids),
    came: await origins.find({ by: 'ada', sinceMs: 0, limit: 50 }),
    merges: await categories.merges(50),
    used: new Map([...(await categories.used())].sort(([a], [b]) => (a < b ? -1 : 1))),
    names: await categories.names(),
    authors: await records.authors('remove', ids),
    list: await store.pets.list({ limit: 50, status: undefined, before: undefined }),
    facts: await sortedFacts(reports.facts([{ fromMs: 0, untilMs: 86_400_000 }], 43_200_000)),
  }
}

/** Rows of a group come in any order. */
async function sortedFacts(facts: ReturnType<Store['reports']['facts']>) {
  const { counts, there, ...rest } = await facts
  const texts = counts.map((one) =>
    JSON.stringify(one, (_, value) => (typeof value === 'bigint' ? `${value}n` : value)),
  )
  return { ...rest, there: [...there].filter(([, animals]) => animals > 0).sort(), counts: texts.sort() }
}

it(
  'whatever people do in whatever order, both engines answer the same and hold the same',
  postgresNeeded,
  async (t) => {
    const server = await sharedPostgres()
    const folder = memoryFolder()
    t.after(() => server.stop())
    t.after(() => removeFolder(folder))
    let files = 0
    await fc.assert(
      fc.asyncProperty(fc.array(act, { minLength: 10, maxLength: 25 }), async (acts) => {
        files += 1
        const stores = await Promise.all(
          [`sqlite:${folder}/${files}.db`, await server.createDatabase()].map((url) =>
            openStore(url, { serving: false, clock: systemClock }),
          ),
        )
        try {
          for (const [n, one] of acts.entries()) {
            const [first, second] = await Promise.all(stores.map((store) => one(store, 1_000 + n)))
            assert.deepStrictEqual(first, second, `act ${n}`)
          }
          const [first, second] = await Promise.all(stores.map(everything))
          assert.deepStrictEqual(first, second)
        } finally {
          for (const store of stores) await store.close()
        }
      }),
      { numRuns: 5, endOnFailure: true },
    )
  },
)
