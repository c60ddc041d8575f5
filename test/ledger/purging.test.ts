/** When the service makes days of the hours of the ledger, on every engine. */
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { pino } from 'pino'
import { HOUR_MS } from '../../src/common/clock.ts'
import { retentionHours, startPurging } from '../../src/service/purging.ts'
import { type Store, StoreUnavailable } from '../../src/store/store.ts'
import { keptLog } from '../support/log.ts'
import { onEachEngine } from '../support/on-each-engine.ts'
import { NO_USE } from '../support/store.ts'
import { VirtualClock } from '../support/time/virtual-clock.ts'

const KEPT_DAYS = 397
/** Of src/service/purging.ts. */
const FIRST_AFTER_MS = 1_000

it('hours are kept for 13 months, and shorter where there would be more than ten million rows', () => {
  assert.equal(retentionHours(0), KEPT_DAYS * 24)
  assert.equal(retentionHours(1_049), KEPT_DAYS * 24)
  assert.equal(retentionHours(1_060), 9_433)
  assert.equal(retentionHours(400_000), 25)
  assert.equal(retentionHours(20_000_000), 0)
})

it('what the end of the service cuts off is not told as trouble, and nothing more is done', async () => {
  const stopping = new AbortController()
  const { log, text } = keptLog()
  const clock = new VirtualClock()
  const cut = async () => {
    stopping.abort()
    throw new StoreUnavailable('the service is stopping.')
  }
  const store = { records: { purge: cut }, ledger: { deleteOldSaves: cut } } as unknown as Store
  const end = startPurging(store, log, clock, stopping.signal)
  clock.pass(HOUR_MS)
  await end()
  assert.equal(text(), '')
})

onEachEngine(
  (name) => `the service that runs on ${name}`,
  ({ testOn }) => {
    async function ages(store: Store, ledger: Store['ledger'], wanted: readonly number[]): Promise<void> {
      const clock = new VirtualClock()
      const nowHour = Math.floor(clock.now() / HOUR_MS)
      const used = { lineage: 'key_a', operation: 'getPet', sums: { ...NO_USE, admitted: 1 } } as const
      const rows = [398, 396, 5, 2].map((days) => ({ ...used, hour: nowHour - days * 24 }))
      await store.requests.saveLedger(rows, { process: 'a process', n: 1, atMs: clock.now() })
      const log = pino({ level: 'silent' })
      const end = startPurging({ records: store.records, ledger }, log, clock, new AbortController().signal)
      clock.pass(FIRST_AFTER_MS)
      await end()
      const kept = []
      for (const { hour } of rows) kept.push(await store.ledger.rowsIn(hour))
      assert.deepEqual(kept, wanted)
      const asked = { lineage: undefined, fromHour: 0, toHour: nowHour, by: 'day' } as const
      assert.deepEqual(
        (await store.ledger.sums(asked)).map(({ sums }) => sums.admitted),
        [1, 1, 1, 1],
      )
    }

    const test = testOn({ serving: true })
    test('makes days of the hours that are 13 months old', (store) => ages(store, store.ledger, [0, 1, 1, 1]))

    test('makes days of younger ones where an hour has many rows', (store) => {
      const { ledger } = store
      const busy = {
        save: ledger.save.bind(ledger),
        sums: ledger.sums.bind(ledger),
        refused: ledger.refused.bind(ledger),
        rollUp: ledger.rollUp.bind(ledger),
        deleteOldSaves: ledger.deleteOldSaves.bind(ledger),
        rowsIn: async () => 150_000,
      }
      return ages(store, busy, [0, 0, 0, 1])
    })
  },
)
