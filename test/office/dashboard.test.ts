/** The dashboard's routes: findings, requests of the last days, and keys near their limits. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { DashboardState } from '../../src/office/office-data.ts'
import { START_MS } from '../support/app.ts'
import { addKey, startWithOperator } from '../support/office-app.ts'

const HOUR_MS = 3_600_000

describe('the dashboard’s routes', () => {
  it('report the findings of the service', async () => {
    await using office = await startWithOperator()
    const finding = { kind: 'look at it', sentence: 'Counters cannot be saved.' } as const
    office.findings.push(finding)
    assert.deepEqual((await office.ask('GET', '/api/findings')).body, [finding])
  })

  it('show keys that are banned or near a limit, with each lineage once', async () => {
    const ban = { refusals: 2, withinMs: 60_000, forMs: HOUR_MS }
    await using office = await startWithOperator({ ban })
    const terms = { perMinute: 10, perDay: 20, createdAtMs: START_MS, lastUsedAtMs: START_MS }
    const use = async (lineage: string, times: number) => {
      for (let n = 0; n < times; n += 1) await office.take(`key:${lineage}`, { perMinute: 10, perDay: 20, ban })
    }
    for (const id of ['key_low', 'key_near', 'key_banned', 'key_gone']) {
      await addKey(office.store, { ...terms, id, lineage: id, ...(id === 'key_gone' && { expiresAtMs: START_MS }) })
    }
    await addKey(office.store, { ...terms, id: 'key_next', lineage: 'key_near', lastUsedAtMs: undefined })
    await Promise.all([use('key_low', 7), use('key_near', 8), use('key_banned', 12), use('key_gone', 9)])
    const near = async () => {
      const { nearLimits }: DashboardState = (await office.ask('GET', '/api/dashboard')).body
      return nearLimits.map(({ id, window, used, limit, bannedUntilMs }) => [id, window, used, limit, bannedUntilMs])
    }
    const banned = ['key_banned', 'minute', 10, 10, START_MS + HOUR_MS]
    assert.deepEqual(await near(), [banned, ['key_near', 'minute', 8, 10, null]])
    office.clock.nowMs += 60_000
    assert.deepEqual(
      await near(),
      [['key_banned', 'day', 10, 20, START_MS + HOUR_MS]],
      'a minute that is over is empty',
    )
  })
})
