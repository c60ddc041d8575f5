/** What every engine guarantees of a merge of two categories, and of its undo. */

import assert from 'node:assert/strict'
import type { PetStatus } from '../../../src/contract/schemas.ts'
import type { Author } from '../../../src/store/author.ts'
import type { Store } from '../../../src/store/store.ts'
import { onEachEngine } from '../../support/on-each-engine.ts'
import { WHOLE_JOURNAL } from '../../support/store.ts'

const AT_MS = Date.UTC(2026, 10, 21, 12)
const by: Author = { who: 'cli ada', atMs: AT_MS }
const NEWEST = { ...WHOLE_JOURNAL, limit: 3 }

/** Animals by category, as everybody sees them. */
async function shown({ pets, categories }: Store) {
  const { json } = await pets.list({ limit: 100, status: undefined, before: undefined })
  const all = JSON.parse(String(json)) as { id: number; categoryId: number }[]
  const ids = (category: number) => all.filter(({ categoryId }) => categoryId === category).map(({ id }) => id)
  return { 6: ids(6).sort(), 9: ids(9).sort(), names: [...(await categories.names())] }
}

/** Animals 1 to 3 of category 6, of which 3 is removed, and 4 of category 9. */
async function begin(store: Store) {
  for (const categoryId of [6n, 6n, 6n, 9n]) await store.pets.create({ name: 'Rex', categoryId, status: 'sold' })
  await store.records.remove([3n], by)
  await store.categories.name(
    new Map([
      [6n, 'Doggies'],
      [9n, 'Dogs'],
    ]),
    by,
  )
}

onEachEngine(
  (name) => `a merge of categories of ${name}`,
  (engine) => {
    const test: typeof engine.test = (title, work) =>
      engine.test(title, async (store) => {
        await begin(store)
        await work(store)
      })

    test('gives all animals to the other one, removed ones too, with one entry; its undo takes all back', async (store) => {
      const before = await shown(store)
      assert.deepEqual(await store.categories.merge(6n, 9n, by), { n: 1n, animals: 3 })
      assert.deepEqual(await shown(store), { 6: [], 9: [1, 2, 4], names: [[9n, 'Dogs']] })
      assert.equal((await store.records.get(3n))?.categoryId, '9')
      assert.equal((await store.pets.count()).sold, 3)
      const [entry] = await store.records.journal(NEWEST)
      assert.deepEqual(
        [entry?.act, entry?.from, entry?.to],
        ['merge', '{"categoryId":6,"label":"Doggies"}', '{"merge":1,"categoryId":9,"animals":3}'],
      )
      const [merge] = await store.categories.merges(10)
      const what = { n: 1n, from: 6n, label: 'Doggies', into: 9n, animals: 3 }
      assert.deepEqual(merge, { ...what, ...by, undoneAtMs: undefined })
      assert.deepEqual(await store.categories.undoMerge(1n, by), { back: 3, kept: 0 })
      assert.deepEqual(await shown(store), before)
      assert.equal((await store.records.get(3n))?.categoryId, '6')
      assert.deepEqual(await store.categories.merges(10), [{ ...merge, undoneAtMs: AT_MS }])
      assert.equal(await store.categories.undoMerge(1n, by), undefined, 'only once')
      const [undone] = await store.records.journal(NEWEST)
      assert.deepEqual(
        [undone?.act, undone?.from, undone?.to],
        ['undo merge', '{"merge":1,"categoryId":9,"animals":3}', '{"categoryId":6,"label":"Doggies"}'],
      )
    })

    test('is undone for those animals only that nobody has changed since, and for no others of the category', async (store) => {
      await store.categories.merge(6n, 9n, by)
      await store.records.change([1n], { name: 'Max' }, by)
      await store.records.restore([3n], by)
      await store.pets.create({ name: 'New', categoryId: 9n })
      assert.deepEqual(await store.categories.undoMerge(1n, by), { back: 1, kept: 2 })
      assert.deepEqual({ ...(await shown(store)), names: [] }, { 6: [2], 9: [1, 3, 4, 5], names: [] })
    })

    test('gives its name back only if no category has it by then', async (store) => {
      await store.categories.merge(6n, 9n, by)
      await store.categories.name(new Map([[7n, 'doggies']]), by)
      await store.categories.undoMerge(1n, by)
      assert.deepEqual([...(await store.categories.names()).keys()], [7n, 9n])
    })

    test('that follows another one takes its animals over: the earlier undo leaves them', async (store) => {
      await store.categories.merge(6n, 9n, by)
      assert.deepEqual(await store.categories.merge(9n, 5n, by), { n: 2n, animals: 4 })
      assert.deepEqual(await store.categories.undoMerge(1n, by), { back: 0, kept: 3 })
      assert.deepEqual(await store.categories.undoMerge(2n, by), { back: 4, kept: 0 })
      assert.deepEqual((await shown(store))[9], [1, 2, 4])
    })

    test('of a category without animals and name, or into itself, does nothing', async (store) => {
      assert.equal(await store.categories.merge(5n, 9n, by), 'nothing there')
      const names = await store.categories.names()
      assert.equal(await store.categories.merge(6n, 6n, by), 'itself')
      assert.deepEqual(await store.categories.names(), names)
      assert.deepEqual(await store.categories.merges(10), [])
    })
  },
)

onEachEngine(
  (name) => `the words for statuses of ${name}`,
  (engine) => {
    const { test } = engine
    test("are the shelter's own, distinct, and change nothing that the interface says", async (store) => {
      const { words, pets } = store
      assert.deepEqual(await words.ofStatuses(), {})
      const set = async (status: PetStatus, word: string | undefined) =>
        (await words.set(new Map([[status, word]]), by))?.other
      assert.equal(await set('sold', 'Adopted'), undefined)
      assert.equal(await set('pending', 'adopted'), 'sold')
      assert.deepEqual(await words.ofStatuses(), { sold: 'Adopted' })
      const { json } = await pets.create({ name: 'Rex', categoryId: 1n, status: 'sold' })
      assert.match(json, /"status":"sold"/)
      await set('sold', undefined)
      assert.deepEqual(await words.ofStatuses(), {})
      const journal = await store.records.journal(NEWEST)
      assert.deepEqual(
        journal.map(({ act, from, to }) => [act, from, to]),
        [
          ['word', '{"of":"sold","word":"Adopted"}', '{"of":"sold","word":null}'],
          ['word', '{"of":"sold","word":null}', '{"of":"sold","word":"Adopted"}'],
        ],
      )
    })

    engine.testOn({ serving: true })('are distinct also if two people set them at once', async (store) => {
      const set = (status: 'sold' | 'pending') => store.words.set(new Map([[status, 'Gone']]), by)
      const shared = await Promise.all([set('sold'), set('pending')])
      assert.equal(shared.filter((one) => one === undefined).length, 1)
    })
  },
)
