/** What every engine guarantees of many animals at once: how they are narrowed down, changed and taken back. */
import assert from 'node:assert/strict'
import type { PetStatus } from '../../../src/contract/schemas.ts'
import type { AnimalFilter, Order } from '../../../src/rules/search.ts'
import type { Store } from '../../../src/store/store.ts'
import { authorAt, batchesOf, PLAIN_IMPORT, PLAIN_SYNC, WHOLE_JOURNAL } from '../../support/store.ts'
import { onEachEngine } from '../on-each-engine.ts'

const REACH = 'all that can be'
const by = authorAt(Date.UTC(2026, 10, 21, 12))

onEachEngine(
  (name) => `many animals of ${name}`,
  ({ test }) => {
    const names = async (store: Store, choice: Partial<AnimalFilter>, order: Order = 'match') => {
      const pets = await store.records.find({ text: '', status: undefined, order, limit: 50, ...choice })
      return pets.map(({ name }) => name)
    }
    const add = async (store: Store, ...animals: readonly (readonly [string, bigint, PetStatus?])[]) => {
      for (const [name, categoryId, status] of animals)
        await store.pets.create({ name, categoryId, ...(status && { status }) })
    }

    test('category and status words narrow a search, and still match names', async (store) => {
      const labels = { 1: 'Dogs', 2: 'Puppies', 3: 'Guinea Pigs', 4: 'Katzen' }
      await store.categories.name(new Map(Object.entries(labels).map(([id, label]) => [BigInt(id), label])), by)
      await store.words.set(new Map([['sold', 'Adopted']]), by)
      await add(store, ['Bella', 1n, 'sold'], ['Bella', 4n, 'sold'], ['Bella Dog', 4n], ['Max', 1n], ['Isabella', 1n])
      await add(store, ['Fips', 3n, 'pending'], ['Pip', 2n], ['Pigs', 4n])
      assert.deepEqual(await names(store, { text: 'bella dog' }), ['Bella Dog', 'Bella', 'Isabella'])
      assert.deepEqual(await names(store, { text: 'dogs BELLA adopted' }), ['Bella'])
      assert.deepEqual(await names(store, { text: 'katze bella sold' }), [])
      assert.deepEqual(await names(store, { text: 'fips guinea-pig pending' }), ['Fips'])
      assert.deepEqual(await names(store, { text: 'guinea pigs' }), ['Fips'])
      assert.deepEqual(await names(store, { text: 'puppy' }), ['Pip'])
      assert.deepEqual(await names(store, { text: 'dog', categoryId: 4n }), ['Bella Dog'])
      assert.equal((await store.records.tally({ text: 'bella katzen' })).sold, 1)
    })

    test('those of an import are what it brought and, of a sync, what it changed, removed ones apart', async (store) => {
      await add(store, ['Key', 1n])
      const rows = ['Ada', 'Bo'].map((name) => ({ name, categoryId: 1n }))
      const { n: first = 0n } = await store.imports.add(batchesOf(rows), PLAIN_IMPORT)
      const listed = ['Cy', 'Di', 'Ed'].map((name, at) => ({
        name,
        categoryId: 2n,
        reference: `r${at}`,
        line: at + 2,
      }))
      const options = { ...PLAIN_SYNC, by, missing: 'remove', adopts: true } as const
      const { n: second = 0n } = await store.sync.run(batchesOf(listed), options)
      await add(store, ['Later', 1n])
      const changed = listed.slice(0, 2).map((row, at) => (at === 0 ? { ...row, name: 'Cyril' } : row))
      const { n: third = 0n } = await store.sync.run(batchesOf(changed), options)
      const of = (importN: bigint, status?: 'removed') => names(store, { importN, status }, 'oldest')
      assert.deepEqual(await of(first), ['Ada', 'Bo'])
      assert.deepEqual(await of(second), ['Cyril', 'Di'])
      assert.deepEqual([await of(third), await of(third, 'removed')], [['Cyril'], ['Ed']])
      assert.deepEqual(await of(99n), [])
      const { none, removed } = await store.records.tally({ text: '', importN: second })
      assert.deepEqual([none, removed], [2, 1])
    })

    test('an act on several animals is one entry, and is undone except for later changes', async (store) => {
      const { records } = store
      await add(store, ['Ada', 1n, 'pending'], ['Bo', 1n], ['Cy', 2n, 'sold'], ['Di', 2n])
      const choice = { text: '', status: undefined }
      const targets = await records.targets(choice, 10)
      const entry = { act: 'edit several', to: '{"status":"sold"}' } as const
      const none = await records.change([{ id: 99n, version: 0n }], { status: 'sold' }, { ...by, partOf: entry }, REACH)
      assert.deepEqual([none.actN, none.missing], [undefined, [99n]])
      const first = await records.change(targets.slice(0, 2), { status: 'sold' }, { ...by, partOf: entry }, REACH)
      const { actN = 0n } = first
      await records.change(targets.slice(2), { status: 'sold' }, { ...by, partOf: actN }, REACH)
      const lines = async () => {
        const entries = await records.journal({ ...WHOLE_JOURNAL, isWhole: true })
        return entries.map(({ n, act, undoneBy }) => [n, act, undoneBy])
      }
      assert.deepEqual(await lines(), [[actN, 'edit several', undefined]])
      assert.deepEqual((await records.partsOf([actN])).get(actN), { edit: 3 })
      await records.change([2n], { name: 'Bob' }, by)
      const parts = await records.parts(actN, 10)
      assert.deepEqual(
        parts.map(({ id }) => id),
        [1n, 2n, 4n],
      )
      const back = await records.undo(parts, { ...by, partOf: { act: 'undo several', undoes: actN } }, REACH)
      assert.deepEqual([back.changed, back.conflicts.map(({ name }) => name)], [2, ['Bob']])
      assert.deepEqual((await lines()).at(-1), [actN, 'edit several', back.actN])
      assert.deepEqual((await records.partsOf([back.actN ?? 0n])).get(back.actN ?? 0n), { edit: 2 })
      const { available, pending, sold, none: without } = await records.tally({ text: '' })
      assert.deepEqual([available, pending, sold, without], [0, 1, 2, 1])
      // Of one animal the parts are what there is to tell.
      const entries = await records.journal({ ...WHOLE_JOURNAL, isWhole: true, petIds: [1n] })
      assert.deepEqual(
        entries.map(({ act, undoes }) => [act, undoes]),
        [
          ['edit', parts[0]?.version],
          ['edit', undefined],
        ],
      )
    })
  },
)
