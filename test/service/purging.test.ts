/** The purging of the service. What is purged, and when, the tests of the store's records say. */
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { HOUR_MS } from '../../src/common/clock.ts'
import { startPurging } from '../../src/service/purging.ts'
import { type Store, StoreUnavailable } from '../../src/store/store.ts'
import { keptLog } from '../support/log.ts'
import { VirtualClock } from '../support/time/virtual-clock.ts'

it('a purge that is interrupted by the end of the service is not reported as a failure', async () => {
  const stopping = new AbortController()
  const { log, text } = keptLog()
  const clock = new VirtualClock()
  const cut = async () => {
    stopping.abort()
    throw new StoreUnavailable('the service is stopping.')
  }
  const store = { records: { purge: cut } } as unknown as Store
  const end = startPurging(store, log, clock, stopping.signal)
  clock.pass(HOUR_MS)
  await end()
  assert.equal(text(), '')
})
