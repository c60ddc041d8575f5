/** What every engine guarantees of the categories: their names, and what is in them. */
import assert from 'node:assert/strict'
import { INT64_MAX, INT64_MIN } from '../../../src/contract/int64.ts'
import type { Author } from '../../../src/store/author.ts'
import type { Store } from '../../../src/store/store.ts'
import { batchesOf, PLAIN_IMPORT, WHOLE_JOURNAL } from '../../support/store.ts'
import { onEachEngine } from '../on-each-engine.ts'

const by: Author = { who: 'cli ada', atMs: Date.UTC(2026, 10, 21, 12) }

const name = async ({ categories }: Store, names: Readonly<Record<string, string | undefined>>) =>
  categories.name(new Map(Object.entries(names).map(([id, label]) => [BigInt(id), label])), by)

onEachEngine(
  (name) => `the categories of ${name}`,
  (engine) => {
    const { test } = engine
    test('have the names given last, several in one act', async (store) => {
      assert.equal(await name(store, { 6: 'Rabbits', [INT64_MIN.toString()]: 'Others' }), undefined)
      await name(store, { 6: 'Rabbits and hares' })
      await name(store, { 6: 'Rabbits and hares' })
      const names = [...(await store.categories.names())]
      assert.deepEqual(names, [
        [INT64_MIN, 'Others'],
        [6n, 'Rabbits and hares'],
      ])
      await name(store, { [INT64_MIN.toString()]: undefined })
      assert.deepEqual([...(await store.categories.names())], [[6n, 'Rabbits and hares']])
      const journal = await store.records.journal(WHOLE_JOURNAL)
      assert.equal(journal.length, 4, 'what changes nothing is not noted')
      assert.equal(journal[0]?.to, `{"categoryId":${INT64_MIN},"label":null}`)
    })

    test('get the least numbers that neither a name nor an animal has, where only a name is given', async (store) => {
      await store.pets.create({ name: 'Rex', categoryId: 2n })
      const { id } = await store.pets.create({ name: 'Bo', categoryId: 4n })
      await store.records.remove([id], by)
      await name(store, { 1: 'Cats' })
      assert.equal(await store.categories.name(new Map([[3n, 'Dogs']]), by, ['Rabbits', 'Hens']), undefined)
      assert.deepEqual([...(await store.categories.names()).keys()], [1n, 3n, 5n, 6n])
      const shared = await store.categories.name(new Map(), by, ['Emus', 'hens'])
      assert.deepEqual(shared, { id: 8n, other: 6n, label: 'Hens' })
      assert.equal((await store.categories.names()).size, 4, 'all or none')
    })

    test('get free numbers without reading all used ones', async (store) => {
      const numbers = [INT64_MAX, INT64_MIN, 0n, ...Array.from({ length: 2_000 }, (_, n) => BigInt(2 * n + 1))]
      await store.imports.add(batchesOf(numbers.map((categoryId) => ({ name: 'Rex', categoryId }))), PLAIN_IMPORT)
      assert.ok((await store.categories.gaps()).length <= 1_001)
      const many = Array.from({ length: 1_500 }, (_, n) => `Species ${n}`)
      assert.equal(await store.categories.name(new Map(), by, many), undefined)
      const given = [...(await store.categories.names()).keys()].map(Number)
      assert.deepEqual(
        given.slice(0, 1_000),
        Array.from({ length: 1_000 }, (_, n) => 2 * n + 2),
      )
      assert.deepEqual(
        given.slice(1_000),
        Array.from({ length: 500 }, (_, n) => 4_000 + n),
      )
    })

    engine.testOn({ serving: true })('get one name of four people at once only once', async (store) => {
      for (const label of ['Dogs', 'Cats', 'Hens']) {
        const outcomes = await Promise.all([1, 2, 3, 4].map((id) => name(store, { [id]: label })))
        assert.equal(outcomes.filter((shared) => shared === undefined).length, 1)
        const names = [...(await store.categories.names()).values()]
        assert.equal(names.filter((one) => one === label).length, 1)
      }
    })

    test('count their animals, removed ones apart', async (store) => {
      const { id } = await store.pets.create({ name: 'Rex', categoryId: 7n })
      await store.pets.create({ name: 'Bo', categoryId: 7n })
      await store.pets.create({ name: 'Mia', categoryId: INT64_MIN })
      await store.records.remove([id], by)
      const [bo, mia] = [
        [7n, { animals: 1, removed: 1 }],
        [INT64_MIN, { animals: 1, removed: 0 }],
      ] as const
      const counted = async (most: number) => {
        const { used, others } = await store.categories.counts(most)
        return [[...used].sort(), others]
      }
      assert.deepEqual(await counted(2), [[mia, bo], 0])
      // Of those without a name the most, then the least number.
      assert.deepEqual(await counted(1), [[mia], 1])
      await name(store, { '7': 'Dogs', '9': 'Birds' })
      assert.deepEqual(
        [await counted(1), await counted(0)],
        [
          [[mia, bo], 0],
          [[bo], 1],
        ],
      )
      await store.pets.create({ name: 'Kit', categoryId: 8n })
      await store.pets.create({ name: 'Kit', categoryId: 8n })
      assert.deepEqual(await counted(1), [[bo, [8n, { animals: 2, removed: 0 }]], 1])
    })
  },
)
