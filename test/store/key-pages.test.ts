/** Keys are read by pages, on every engine: no method reads more of them than it is asked for. */
import assert from 'node:assert/strict'
import fc from 'fast-check'
import { fold } from '../../src/common/fold.ts'
import type { Key } from '../../src/store/rows.ts'
import type { KeySearch, KeySearchResult, Store } from '../../src/store/store.ts'
import { authorAt, keyOf } from '../support/store.ts'
import { onEachEngine } from './on-each-engine.ts'

const AT_MS = Date.UTC(2026, 10, 21, 12)

/** Many were created, or used, in one millisecond; some were never used. */
const SEARCHED = Array.from({ length: 24 }, (_, n) => ({
  ...keyOf({
    id: `key_${(n * 7) % 24}`,
    lineage: `key_${n}`,
    createdAtMs: AT_MS + (n % 5),
    lastUsedAtMs: n % 4 === 0 ? undefined : AT_MS + (n % 3),
  }),
  label: ['Cats', 'Dogs', 'A cat café', '', 'Ñandú-Großhof Ōtsu 犬'][n % 5] ?? '',
}))

function searched({ text, order, offset, limit, lineages, except }: KeySearch): KeySearchResult {
  const at = ({ createdAtMs, lastUsedAtMs = 0 }: Key) => (order === 'newest' ? createdAtMs : lastUsedAtMs)
  const found = SEARCHED.filter(({ id, label }) => id.includes(fold(text)) || fold(label).includes(fold(text)))
    .filter(({ id, lineage }) => lineages?.includes(lineage) !== false && except?.includes(id) !== true)
    .sort((a, b) => at(b) - at(a) || (a.id < b.id ? 1 : -1))
  return { found: found.length, keys: found.slice(offset, offset + limit) }
}

onEachEngine(
  (name) => `keys on ${name}`,
  ({ test }) => {
    test('are read by creation, one by its id, the newest of a lineage, and counted', ({ keys }) => check(keys))

    test('a search returns a page of keys by text and lineage, without the excluded ones', async ({ keys }) => {
      for (const key of SEARCHED) await keys.add(key, `hash of ${key.id}`, authorAt(1))
      const some = fc.subarray([...SEARCHED.map(({ id }) => id), 'key_none'])
      const search: fc.Arbitrary<KeySearch> = fc.record(
        {
          text: fc.constantFrom('', '', 'cat', 'CAFE', 'NANDU', 'großh', '犬', 'o%', 'key_1', 'o', 'nobody'),
          order: fc.constantFrom('newest', 'used'),
          offset: fc.nat(12),
          limit: fc.integer({ min: 1, max: 12 }),
          lineages: fc.subarray([...SEARCHED.map(({ lineage }) => lineage), 'key_none']),
          except: some,
        },
        { requiredKeys: ['text', 'order', 'offset', 'limit'] },
      )
      const holds = async (query: KeySearch) => assert.deepEqual(await keys.search(query), searched(query))
      await fc.assert(fc.asyncProperty(search, holds), { numRuns: 100 })
    })
  },
)

async function check(keys: Store['keys']): Promise<void> {
  assert.equal(await keys.count(), 0)
  assert.deepEqual(await keys.list({ limit: 10 }), [])
  // Pairs that were created in one millisecond; every third was never used.
  const all = Array.from({ length: 9 }, (_, n) =>
    keyOf({
      id: `key_${8 - n}`,
      createdAtMs: AT_MS + (n >> 1),
      lastUsedAtMs: n % 3 === 0 ? undefined : AT_MS + ((n * 5) % 9),
      lineage: n % 2 === 0 ? 'even' : 'odd',
    }),
  )
  for (const key of all) await keys.add(key, `hash of ${key.id}`, authorAt(1))
  const byCreation = all.toSorted((a, b) => a.createdAtMs - b.createdAtMs || (a.id < b.id ? -1 : 1))
  assert.equal(await keys.count(), 9)
  const pages: (readonly Key[])[] = []
  for (let after: Key | undefined; pages.at(-1)?.length !== 0; after = pages.at(-1)?.at(-1)) {
    pages.push(await keys.list({ limit: 4, after }))
  }
  assert.deepEqual(pages, [byCreation.slice(0, 4), byCreation.slice(4, 8), byCreation.slice(8), []])
  assert.deepEqual(await keys.get('key_3'), all[5])
  assert.equal(await keys.get('key_9'), undefined)
  const evens = byCreation.filter(({ lineage }) => lineage === 'even')
  assert.deepEqual(await keys.ofLineage('even'), evens.toReversed())
  assert.deepEqual(await keys.ofLineage('none'), [])
}
