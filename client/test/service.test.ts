/** The client against the real service: exact numbers, its errors, its limits, and a node that is killed. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type AppSettings, startApp } from '../../test/support/app.ts'
import { type Hold, PetAdoption, PetAdoptionError, type PetAdoptionOptions } from '../src/index.ts'
import { stillClock } from './support/client.ts'

const MINUTE_MS = 60_000

/** A service in this process whose time stands still, with clients that go by it. */
async function startStill(settings: AppSettings = {}) {
  const app = await startApp(settings)
  let refused = 0
  const ask: typeof fetch = async (input, init) => {
    const response = await fetch(input, init)
    if (response.status === 429) refused += 1
    // Node's own clock is not the service's here.
    const headers = new Headers(response.headers)
    headers.set('Date', new Date(app.clock.nowMs).toUTCString())
    return new Response(await response.text(), { status: response.status, headers })
  }
  const clock = stillClock(() => app.clock.nowMs)
  return {
    app,
    refused: () => refused,
    clientOf: (apiKey: string, options: Partial<PetAdoptionOptions> = {}) =>
      new PetAdoption({ baseUrl: `http://127.0.0.1:${app.port}/v1`, apiKey, clock, fetch: ask, ...options }),
    [Symbol.asyncDispose]: () => app[Symbol.asyncDispose](),
  }
}

describe('with the real service, the client', () => {
  it('of 200 calls at once at 30 a minute sees one refusal at most, and never a ban (R16, R17, O15)', async () => {
    await using service = await startStill({ ban: { refusals: 20, withinMs: MINUTE_MS, forMs: 10 * MINUTE_MS } })
    const key = await service.app.issue('enterprise', { perMinute: 30, perDay: 1_000 })
    const client = service.clientOf(key, { maxWait: 0 })
    const outcomes = await Promise.allSettled(Array.from({ length: 200 }, () => client.listPets()))
    const failures = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason] : []))
    assert.deepEqual([failures.length, service.refused()], [170, 1])
    for (const error of failures) {
      assert(PetAdoptionError.is(error) && error.code === 'rate_limited')
      // The rest of the minute, and the client's own random part of a second at most. A ban lasts ten minutes.
      assert(error.retryAfter !== undefined && error.retryAfter <= 61, `${error.retryAfter}`)
    }
  })

  it('is held when the allowance is used up, reports it, and causes no refusal (R14, R15, R16)', async () => {
    await using service = await startStill()
    const enough = new AbortController()
    const holds: Hold[] = []
    const client = service.clientOf(await service.app.issue('free'), {
      onHold: (hold) => {
        holds.push(hold)
        enough.abort()
      },
      onRetry: () => assert.fail('nothing is refused'),
    })
    const asked = async () => {
      for (;;) await client.listPets({}, { signal: enough.signal })
    }
    await assert.rejects(asked(), { name: 'AbortedError' })
    assert.deepEqual([client.rateLimit?.limit, client.rateLimit?.remaining], [60, 0])
    const resetMs = client.rateLimit?.reset.getTime() ?? 1
    assert.equal(resetMs % MINUTE_MS, 0)
    assert.deepEqual(holds, [{ waitMs: resetMs - service.app.clock.nowMs }])
  })
})
