/** The journal of every engine gives what is asked for, and nothing else, also where it is read in steps. */
import assert from 'node:assert/strict'
import fc from 'fast-check'
import { INT64_MAX } from '../../../src/contract/int64.ts'
import type { JournalQuery } from '../../../src/store/records.ts'
import type { Store } from '../../../src/store/store.ts'
import { keyOf, WHOLE_JOURNAL } from '../../support/store.ts'
import { onEachEngine } from '../on-each-engine.ts'

const AT_MS = Date.UTC(2026, 10, 21, 12)
const KEY = keyOf({ id: 'key_one' })

const add = async ({ pets }: Store, name: string) => (await pets.create({ name, categoryId: 7n })).id

onEachEngine(
  (name) => `the journal of ${name}`,
  ({ test }) => {
    test('is the entries that a look at each gives, whatever is asked for together, also in steps', async (store) => {
      const ids = [await add(store, 'Mia'), await add(store, 'Ben')]
      for (let n = 0; n < 24; n += 1) {
        const [id, author] = [ids[n % 2] ?? 0n, { who: n % 3 === 0 ? 'ben' : 'eve', atMs: AT_MS + n }]
        if (n % 5 < 3) await store.records.change([id], { name: `Mia ${n}` }, author)
        else if (n % 5 === 3) await store.records.remove([id], author)
        else await store.records.restore([ids[(n + 1) % 2] ?? 0n], author)
      }
      await store.keys.add(KEY, 'hash', { who: 'ben', atMs: AT_MS + 24 })
      await store.keys.revoke(KEY.id, { who: 'eve', atMs: AT_MS + 25 })
      const whole = await store.records.journal(WHOLE_JOURNAL)
      assert.equal(whole.length, 26)
      for (let limit = 1; limit <= 30; limit += 1) {
        const steps = await store.records.journal({ ...WHOLE_JOURNAL, limit, isBrief: true })
        assert.deepEqual(steps, whole.slice(0, limit), 'whatever a step leaves over')
      }
      const time = fc.option(fc.integer({ min: AT_MS, max: AT_MS + 27 }), { nil: undefined })
      const n = fc.bigInt({ min: 0n, max: 30n })
      const asked = fc.record({
        about: fc.constantFrom({}, { keyId: KEY.id }, ...ids.map((petId) => ({ petId }))),
        who: fc.constantFrom(undefined, undefined, 'ben', 'eve', 'nobody'),
        more: fc.constantFrom({}, {}, { acts: ['edit', 'revoke key'] as const }, { acts: [] }),
        bounds: fc.record({ sinceMs: time, before: fc.option(n, { nil: undefined }), from: n }),
        limit: fc.integer({ min: 1, max: 30 }),
      })
      const check = fc.asyncProperty(asked, async ({ about, more, bounds, ...rest }) => {
        const query: JournalQuery = { ...WHOLE_JOURNAL, ...about, ...more, ...bounds, ...rest }
        const { petId, keyId, who, acts, sinceMs = 0, before = INT64_MAX, limit } = query
        const wanted = whole
          .filter((one) => petId === undefined || one.petId === String(petId))
          .filter((one) => keyId === undefined || one.keyId === keyId)
          .filter((one) => who === undefined || one.who === who)
          .filter((one) => acts === undefined || acts.includes(one.act))
          .filter(({ n, atMs }) => n >= bounds.from && n < before && atMs >= sinceMs)
        for (const isBrief of [false, true])
          assert.deepEqual(await store.records.journal({ ...query, isBrief }), wanted.slice(0, limit))
      })
      await fc.assert(check, { numRuns: 200 })
    })

    test('names the animals that are asked for, removed ones too, and no other', async (store) => {
      const [mia, ben, zoe] = [await add(store, 'Mia'), await add(store, 'Ben'), await add(store, 'Zoe')]
      await store.records.remove([ben], { who: 'eve', atMs: AT_MS })
      const names = (...ids: bigint[]) => store.records.names(ids)
      assert.deepEqual(
        await names(mia, ben, zoe + 1n, -1n),
        new Map([
          [mia, 'Mia'],
          [ben, 'Ben'],
        ]),
      )
      assert.deepEqual(await names(), new Map())
    })
  },
)
