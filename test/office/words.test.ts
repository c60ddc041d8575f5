/** Days and numbers as people write them. */
import assert from 'node:assert/strict'
import { it, mock } from 'node:test'
import { day, instantOf, readInt64 } from '../../src/office/page/parts/words.ts'

it('yesterday is the day before today, even if a day has 23 or 25 hours', () => {
  for (const [now, then, word] of [
    ['2026-10-25T23:30:00+01:00', '2026-10-24T12:00:00+02:00', 'yesterday'],
    ['2026-10-25T23:30:00+01:00', '2026-10-25T00:10:00+02:00', 'today'],
    ['2026-03-30T00:30:00+02:00', '2026-03-29T12:00:00+02:00', 'yesterday'],
    ['2026-03-30T00:30:00+02:00', '2026-03-28T23:45:00+01:00', 'March 28'],
  ] as const) {
    mock.timers.enable({ apis: ['Date'], now: Date.parse(now) })
    assert.equal(day(Date.parse(then), 'Europe/Berlin'), word, `${then} at ${now}`)
    mock.timers.reset()
  }
})

it('a day begins at midnight in its zone, or an hour later if summer time skips it', () => {
  for (const [zone, date, start] of [
    ['America/Santiago', '2026-09-06', '2026-09-06T01:00:00-03:00'],
    ['America/Santiago', '2026-09-07', '2026-09-07T00:00:00-03:00'],
    ['America/Santiago', '2026-04-05', '2026-04-05T00:00:00-04:00'],
    ['Africa/Cairo', '2026-04-24', '2026-04-24T01:00:00+03:00'],
    ['Pacific/Auckland', '2026-04-05', '2026-04-05T00:00:00+13:00'],
    ['Pacific/Auckland', '2026-09-27', '2026-09-27T00:00:00+12:00'],
    ['America/Los_Angeles', '2026-11-01', '2026-11-01T00:00:00-07:00'],
    ['Pacific/Kiritimati', '2028-02-29', '2028-02-29T00:00:00+14:00'],
  ] as const) {
    assert.equal(instantOf(date, zone), Date.parse(start), `${date} in ${zone}`)
  }
})

it('a typed time is in the zone, before and after a clock change', () => {
  for (const [zone, local, at] of [
    ['Europe/Berlin', '2026-07-01T14:31', '2026-07-01T14:31:00+02:00'],
    ['Europe/Berlin', '2026-03-29T03:00', '2026-03-29T03:00:00+02:00'],
    ['Europe/Berlin', '2026-03-29T01:59', '2026-03-29T01:59:00+01:00'],
    ['Pacific/Kiritimati', '2026-01-01T00:10', '2026-01-01T00:10:00+14:00'],
  ] as const)
    assert.equal(instantOf(local, zone), Date.parse(at), `${local} in ${zone}`)
})

it('a number can contain separators, and must be a 64-bit integer', () => {
  for (const written of ['1,000,000', ' 1 000 000', '1000000', '1’000’000'])
    assert.equal(readInt64(written), '1000000', written)
  for (const written of ['1,00', '1,000 000', '9223372036854775808', 'one', ''])
    assert.equal(readInt64(written), undefined)
})
