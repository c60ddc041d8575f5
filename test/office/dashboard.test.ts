/** The dashboard's route: what somebody should look at, the requests of a day, and what is known of backups. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { DAY_MS } from '../../src/common/clock.ts'
import type { DashboardState } from '../../src/office/office-data.ts'
import { START_MS } from '../support/app.ts'
import { addKey, startWithOperator } from '../support/office-app.ts'
import { usedOn } from '../support/store.ts'

const HOUR_MS = 3_600_000

describe('the dashboard’s route', () => {
  const made = {
    failures: 2,
    failure: undefined,
    doubt: undefined,
    lastSuccessMs: START_MS - 1,
    copiedMs: undefined,
    everyMs: HOUR_MS,
  }

  it('says what is known of backups, and each trouble in a sentence that leads somewhere', async () => {
    await using office = await startWithOperator({ backups: made })
    const { status, body } = await office.ask('GET', '/api/dashboard')
    assert.equal(status, 200)
    assert.deepEqual(
      [body.backups, body.needs, body.startedAtMs, body.atMs],
      [{ lastSuccessMs: START_MS - 1, failures: 2, everyMs: HOUR_MS }, [], START_MS, START_MS],
    )
    office.findings.push({ kind: 'look at it', sentence: 'Counters cannot be saved.' })
    const need = { sentence: 'Counters cannot be saved.', href: '#guide/when-something-is-wrong', untilMs: null }
    assert.deepEqual((await office.ask('GET', '/api/dashboard')).body.needs, [need])
  })

  it('tells the keys that are near a limit or banned by their windows as they are now, and each lineage once', async () => {
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

  it('counts the requests of 30 days, today the last', async () => {
    await using office = await startWithOperator()
    const today = Math.floor(START_MS / DAY_MS)
    await office.store.requests.saveLedger([
      ...usedOn(today - 30, 'key_a', 'listPets', { admitted: 9 }),
      ...usedOn(today - 29, 'key_a', 'listPets', { admitted: 3, refusedByDay: 1 }),
      ...usedOn(today, 'key_a', 'getPet', { refusedByBan: 2, refusedByMinute: 1 }),
    ])
    const { days } = (await office.ask('GET', '/api/dashboard')).body
    const used = days.filter((day: { admitted: number; refused: number }) => day.admitted + day.refused > 0)
    assert.deepEqual(used, [
      { dayMs: (today - 29) * DAY_MS, admitted: 3, refused: 1 },
      { dayMs: today * DAY_MS, admitted: 0, refused: 3 },
    ])
    assert.equal(days.length, 30)
  })
})
