/** Many calls at once to the real service, whose limit none of them knows before. */
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { startApp } from '../../test/support/app.ts'
import { PetAdoption, PetAdoptionError } from '../src/index.ts'
import { stillClock } from './support/client.ts'

const MINUTE_MS = 60_000

it('at most one of 200 simultaneous calls at 30 a minute is refused, without a ban (R14-R17, O15)', async () => {
  await using app = await startApp({ ban: { refusals: 20, withinMs: MINUTE_MS, forMs: 10 * MINUTE_MS } })
  let refused = 0
  const client = new PetAdoption({
    baseUrl: `http://127.0.0.1:${app.port}/v1`,
    apiKey: await app.issue('enterprise', { perMinute: 30, perDay: 1_000 }),
    maxWait: 0,
    clock: stillClock(() => app.clock.nowMs),
    fetch: async (input, init) => {
      const response = await fetch(input, init)
      if (response.status === 429) refused += 1
      // Node's own clock is not the service's here.
      const headers = new Headers(response.headers)
      headers.set('Date', new Date(app.clock.nowMs).toUTCString())
      return new Response(await response.text(), { status: response.status, headers })
    },
  })
  const outcomes = await Promise.allSettled(Array.from({ length: 200 }, () => client.listPets()))
  const failures = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason] : []))
  assert.deepEqual([failures.length, refused], [170, 1])
  for (const error of failures) {
    assert(PetAdoptionError.is(error) && error.code === 'rate_limited')
    // The rest of the minute, and the client's own random part of a second at most. A ban lasts ten minutes.
    assert(error.retryAfter !== undefined && error.retryAfter <= 61, `${error.retryAfter}`)
  }
})
