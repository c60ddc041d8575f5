/** The place of a page of animals where the time does not suffice to count those ahead, on every engine. */
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { systemClock } from '../../src/common/system-clock.ts'
import { pageOf } from '../../src/office/routes/animal-pages.ts'
import { openStore } from '../../src/store/open.ts'
import { onSqlite } from '../support/on-each-engine.ts'

const ANIMALS = 6
const NEWEST = { text: '', status: undefined, order: undefined, before: undefined, after: undefined, limit: 2 } as const

onSqlite(
  (name) => `the place of a page that was not counted in time, on ${name}`,
  (engine) => {
    it('is not told, but how many there are of all animals is, since that is always known', async () => {
      const store = await openStore(await engine.createDatabase(), { serving: true, clock: systemClock })
      try {
        for (let n = 1; n <= ANIMALS; n += 1) await store.pets.create({ name: `Animal ${n}`, categoryId: 1n })
        const { records, pets } = store
        const before = { id: 5n, key: undefined }
        const inTime = await pageOf(records, pets, { ...NEWEST, before })
        assert.deepEqual([inTime.first, inTime.isCounted, inTime.counts.none], [3, true, ANIMALS])
        const tally = records.tally.bind(records)
        records.tally = async (query) => ({ ...(await tally(query)), isComplete: false })
        const tooLate = await pageOf(records, pets, { ...NEWEST, before })
        assert.deepEqual([tooLate.first, tooLate.isCounted, tooLate.counts.none], [null, true, ANIMALS])
        const filtered = await pageOf(records, pets, { ...NEWEST, text: 'animal', before })
        assert.deepEqual([filtered.first, filtered.isCounted], [null, false])
      } finally {
        await store.close()
      }
    })
  },
)
