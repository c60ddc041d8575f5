/** How many keys are banned or near the limit of their day, as the metrics have it. */
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { DAY_MS, MINUTE_MS } from '../../src/common/clock.ts'
import { keyStatistics } from '../../src/operator/prometheus.ts'
import type { Key } from '../../src/store/rows.ts'
import { START_MS } from '../support/app.ts'
import { addKey, startOfficeApp } from '../support/office-app.ts'
import { VirtualClock } from '../support/time/virtual-clock.ts'

it('keys near their limit, banned or expiring are counted at most once a minute', async () => {
  const ban = { refusals: 1, withinMs: MINUTE_MS, forMs: 10 * MINUTE_MS }
  await using office = await startOfficeApp({ ban })
  const { store, access } = office
  const clock = new VirtualClock(START_MS)
  const read = keyStatistics({ store, access, clock })
  const use = async (id: string, requests: number, its: Partial<Key> = {}) => {
    await addKey(store, { id, perMinute: 100, perDay: 10, lastUsedAtMs: START_MS, ...its })
    for (let n = 0; n < requests; n += 1) await office.take(`key:${id}`, { perMinute: 100, perDay: 10, ban })
  }
  for (let n = 0; n < 120; n += 1) await use(`key_idle_${n}`, 0)
  await use('key_low', 7)
  await use('key_near', 8, { expiresAtMs: START_MS + 7 * DAY_MS })
  await use('key_banned', 11)
  await use('key_revoked', 8, { revokedAtMs: START_MS })
  await use('key_expired', 8, { expiresAtMs: START_MS })
  assert.deepEqual(await read(), { banned: 1, nearLimit: 2, ending: 1 })
  await use('key_later', 8)
  assert.deepEqual(await read(), { banned: 1, nearLimit: 2, ending: 1 })
  clock.pass(MINUTE_MS)
  assert.deepEqual(await read(), { banned: 1, nearLimit: 3, ending: 1 })
})
