/** Days and numbers as people write them; days in the language of this process. */
import assert from 'node:assert/strict'
import { it, mock } from 'node:test'
import { day, readInt64 } from '../../src/office/page/parts/words.ts'

it('yesterday is the day before today, also where a day has 23 or 25 hours', () => {
  const zone = process.env.TZ
  process.env.TZ = 'Europe/Berlin'
  try {
    for (const [now, then, word] of [
      ['2026-10-25T23:30:00+01:00', '2026-10-24T12:00:00+02:00', 'yesterday'],
      ['2026-10-25T23:30:00+01:00', '2026-10-25T00:10:00+02:00', 'today'],
      ['2026-03-30T00:30:00+02:00', '2026-03-29T12:00:00+02:00', 'yesterday'],
      ['2026-03-30T00:30:00+02:00', '2026-03-28T23:45:00+01:00', 'March 28'],
    ] as const) {
      mock.timers.enable({ apis: ['Date'], now: Date.parse(now) })
      assert.equal(day(Date.parse(then)), word, `${then} at ${now}`)
      mock.timers.reset()
    }
  } finally {
    if (zone === undefined) delete process.env.TZ
    else process.env.TZ = zone
  }
})

it('1,000,000 is a number where one is asked for, and what no 64-bit integer is, is none', () => {
  for (const written of ['1,000,000', ' 1 000 000', '1000000', '1’000’000'])
    assert.equal(readInt64(written), '1000000', written)
  for (const written of ['1,00', '1,000 000', '9223372036854775808', 'one', ''])
    assert.equal(readInt64(written), undefined)
})
