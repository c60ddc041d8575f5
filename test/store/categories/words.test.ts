/** What every engine guarantees of the shelter's own words for statuses. */
import assert from 'node:assert/strict'
import type { PetStatus } from '../../../src/contract/schemas.ts'
import type { Author } from '../../../src/store/author.ts'
import { WHOLE_JOURNAL } from '../../support/store.ts'
import { onEachEngine } from '../on-each-engine.ts'

const by: Author = { who: 'cli ada', atMs: Date.UTC(2026, 10, 21, 12) }

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
      const journal = await store.records.journal(WHOLE_JOURNAL)
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
