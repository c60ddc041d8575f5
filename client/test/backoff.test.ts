/** The arithmetic of waiting, with the clock and the randomness passed in. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { backoffMs, DAY_MS, holdMs, mayRetry, retryAfterMs, serviceMs } from '../src/backoff.ts'

const NOW_MS = Date.UTC(2030, 0, 1, 12)

describe('mayRetry', () => {
  it('repeats nothing that would only fail again', () => {
    for (const status of [200, 301, 400, 401, 404, 408, 415, 501]) {
      assert.equal(mayRetry({ status, mayBeDone: false }), false, `${status}`)
    }
  })
})

describe('retryAfterMs', () => {
  it('reads seconds or an HTTP date by the clock of the service, up to a day', () => {
    for (const [header, ms] of [
      ['0', 0],
      ['12', 12_000],
      ['Tue, 01 Jan 2030 12:00:07 GMT', 7_000],
      ['Tue, 01 Jan 2030 11:59:00 GMT', 0],
      ...['86401', '9'.repeat(400), 'Fri, 31 Dec 9999 23:59:59 GMT'].map((header) => [header, DAY_MS] as const),
      ...[null, '', '-1', '1.5', 'soon', '1 s', '2030-01-01', 'Xxx GMT'].map((header) => [header, undefined] as const),
    ] as const) {
      assert.equal(retryAfterMs(header, NOW_MS), ms, `${header}`)
    }
  })
})

describe('backoffMs', () => {
  it('never waits less than the service asks for, and adds a random part', () => {
    assert.equal(
      backoffMs(1, { askedMs: 12_000 }, () => 0),
      12_000,
    )
    assert.equal(
      backoffMs(1, { askedMs: 12_000 }, () => 0.5),
      12_250,
    )
  })

  it('doubles from one failure to the next, up to thirty seconds', () => {
    const waits = [1, 2, 3, 6, 7, 8, 50].map((failures) => backoffMs(failures, {}, () => 0))
    assert.deepEqual(waits, [500, 1_000, 2_000, 16_000, 30_000, 30_000, 30_000])
  })
})

describe('serviceMs', () => {
  it('is the date of an answer, where it has one', () => {
    assert.equal(serviceMs('Tue, 01 Jan 2030 11:59:00 GMT', NOW_MS), NOW_MS - 60_000)
    for (const date of [null, '', 'today']) assert.equal(serviceMs(date, NOW_MS), NOW_MS)
  })
})

describe('holdMs', () => {
  it('lets fewer requests go the fewer are left', () => {
    const most = (remaining: number, maxInFlight: number) => {
      const window = { remaining, resetMs: NOW_MS + 7_000 }
      return [...Array(20).keys()].filter((unanswered) => holdMs(window, unanswered, maxInFlight, NOW_MS) === 0).length
    }
    assert.deepEqual([most(1_000, 4), most(1_000, 8), most(1_000, Infinity)], [4, 8, 20])
    assert.deepEqual(
      [59, 31, 24, 23, 16, 15, 1, 0].map((remaining) => most(remaining, 4)),
      [4, 3, 3, 2, 2, 1, 1, 0],
    )
  })
})
