/** Calls under a limit, many at once, against local servers that keep one. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type Clock, type Hold, type PetAdoption, PetAdoptionError } from '../src/index.ts'
import { clientOf, fastClock, limitHeaders, lists } from './support/client.ts'
import { type Answer, failure, json, type ScriptedServer, serve } from './support/server.ts'

const MINUTE_MS = 60_000

interface LimitedServer extends ScriptedServer {
  /** Refusals by the number of the window. */
  readonly refused: ReadonlyMap<number, number>
  readonly served: () => number
}

/** Serves `limit` requests a minute, by a clock that is `aheadMs` ahead of the given one. */
async function limitedServer(limit: number, clock: Clock, aheadMs = 0): Promise<LimitedServer> {
  const counts = new Map<number, number>()
  const refused = new Map<number, number>()
  let served = 0
  const server = await serve((request, response) => {
    const nowMs = clock.now() + aheadMs
    const window = Math.floor(nowMs / MINUTE_MS)
    const count = (counts.get(window) ?? 0) + 1
    const resetS = ((window + 1) * MINUTE_MS) / 1000
    const date = { Date: new Date(nowMs).toUTCString() }
    if (count > limit) {
      refused.set(window, (refused.get(window) ?? 0) + 1)
      const wait = { 'Retry-After': String(Math.ceil(resetS - nowMs / 1000)) }
      return failure(429, 'rate_limited', { ...limitHeaders(limit, 0, resetS), ...date, ...wait })(request, response)
    }
    counts.set(window, count)
    served += 1
    json(200, '[]', { ...limitHeaders(limit, limit - count, resetS), ...date })(request, response)
  })
  return { ...server, refused, served: () => served, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() }
}

/** Makes so many calls at once, and gives those that failed. */
async function failuresOf(client: PetAdoption, calls: number): Promise<unknown[]> {
  const outcomes = await Promise.allSettled(Array.from({ length: calls }, () => client.listPets()))
  return outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason] : []))
}

describe('many calls at once', { concurrency: true }, () => {
  it('are all served, 200 at 30 a minute, without one refusal (R16, R17)', async () => {
    const clock = fastClock(100)
    await using server = await limitedServer(30, clock)
    assert.deepEqual(await failuresOf(clientOf(server, { clock, timeout: Infinity }), 200), [])
    assert.deepEqual([server.served(), server.refused.size], [200, 0])
  })

  it('are all in flight at once if the limit leaves room, except the first, which finds out', async () => {
    const held: (() => void)[] = []
    const answer = json(200, '[]', limitHeaders(1_000, 900, Math.ceil(Date.now() / 1000) + 60))
    await using server = await serve(answer, (request, response) => {
      held.push(() => answer(request, response))
      if (held.length === 39) for (const give of held) give()
    })
    assert.deepEqual(await failuresOf(clientOf(server), 40), [])
  })

  it('go one by one if the headers are hidden, so that only one is refused', async () => {
    let underWay = 0
    const one: Answer = (request, response) => {
      assert.equal(++underWay, 1)
      setTimeout(() => {
        underWay -= 1
        if (server.requests.length === 3) failure(429, 'rate_limited')(request, response)
        else lists(request, response)
      }, 5)
    }
    await using server = await serve(one)
    assert.deepEqual(await failuresOf(clientOf(server), 10), [])
    assert.equal(server.requests.length, 11)
  })

  it('beyond maxWait: one is sent and refused, the others fail unsent with its error', async () => {
    const clock = fastClock(1)
    await using server = await limitedServer(5, clock)
    const client = clientOf(server, { clock, maxWait: 50 })
    // A minute about to end would not be waited for in vain.
    const leftMs = MINUTE_MS - (clock.now() % MINUTE_MS)
    if (leftMs < 5_000) await new Promise((done) => setTimeout(done, leftMs))
    const failures = await failuresOf(client, 100)
    assert.equal(failures.length, 95)
    for (const error of failures) assert(PetAdoptionError.is(error) && error.code === 'rate_limited')
    assert.deepEqual([...server.refused.values()], [1])
    assert.equal(server.requests.length, 6)
  })

  it('count requests without a response as used', async () => {
    await using server = await serve(
      json(200, '[]', limitHeaders(9, 3, Math.ceil(Date.now() / 1000) + 60)),
      (request) => request.socket.destroy(),
    )
    const client = clientOf(server, { maxAttempts: 1 })
    await client.listPets()
    assert.equal((await failuresOf(client, 3)).length, 3)
    await assert.rejects(client.listPets({}, { signal: AbortSignal.timeout(100) }), { name: 'TimeoutError' })
    assert.equal(server.requests.length, 4, 'the fifth waits for the reset')
  })

  it('report a hold once per window, and know the remaining requests in the meantime', async () => {
    const clock = fastClock(100)
    await using server = await limitedServer(4, clock)
    const holds: Hold[] = []
    const client = clientOf(server, { clock, timeout: Infinity, onHold: (hold) => holds.push(hold) })
    assert.deepEqual(await failuresOf(client, 10), [])
    assert(holds.length >= 1 && holds.length <= 3, `${holds.length} holds`)
    for (const { waitMs } of holds) assert(waitMs > 0 && waitMs <= MINUTE_MS + 2_000, `${waitMs} ms`)
    assert.equal(server.refused.size, 0)
  })

  it('take the limit from the later response, whichever arrived first', async () => {
    const late: Answer = (request, response) => {
      setTimeout(() => json(200, '[]', limitHeaders(60, 58))(request, response), 200)
    }
    await using server = await serve(json(200, '[]', limitHeaders(60, 59)), late, json(200, '[]', limitHeaders(60, 57)))
    const client = clientOf(server)
    await client.listPets()
    await Promise.all([client.listPets(), client.listPets()])
    assert.equal(client.rateLimit?.remaining, 57)
  })

  it('share one wait after a refusal, then one request goes before all others', async () => {
    const answeredMs: number[] = []
    const reset = Math.ceil(Date.now() / 1000) + 3_600
    const refusal = failure(429, 'rate_limited', { 'Retry-After': '1' })
    await using server = await serve(
      json(200, '[]', limitHeaders(60, 59, reset)),
      ...Array.from({ length: 11 }, () => refusal),
      (request, response) => {
        setTimeout(() => {
          answeredMs.push(Date.now())
          json(200, '[]', limitHeaders(60, 59, reset))(request, response)
        }, 300)
      },
      json(200, '[]', limitHeaders(60, 50, reset)),
    )
    const client = clientOf(server)
    await client.listPets()
    const calls = Array.from({ length: 10 }, () => client.listPets())
    const late = new Promise((done) => setTimeout(done, 500)).then(() => client.listPets())
    await Promise.all([...calls, late])
    const atMs = server.requests.map((request) => request.atMs)
    assert.equal(atMs.length, 1 + 10 + 1 + 11)
    const [last = 0, probe = 0, secondProbe = 0, third = 0] = atMs.slice(10)
    assert(probe - last >= 1_000, 'nothing is sent during the wait, not even a new call')
    assert(secondProbe - probe >= 1_000, 'a second refusal of the one that went ahead holds all others back')
    assert(third >= (answeredMs[0] ?? Infinity), 'the others follow the answer to the one that went ahead')
  })
})

describe('pace', { concurrency: true }, () => {
  it('spreads requests over the window', async () => {
    const clock = fastClock(40) // a window of 1.5 s, so that a busy machine does not close the gaps
    await using server = await limitedServer(10, clock)
    assert.deepEqual(await failuresOf(clientOf(server, { clock, pace: true, timeout: Infinity }), 15), [])
    const gapsMs = server.requests.slice(1).map(({ atMs }, index) => atMs - (server.requests[index]?.atMs ?? 0))
    assert.equal(server.refused.size, 0)
    assert(gapsMs.filter((ms) => ms > 10).length >= 10, `${gapsMs}`)
  })

  it('causes no refusal if the clock of the service is an hour off', async () => {
    const refusedAhead = async (aheadMs: number) => {
      const clock = fastClock(100)
      await using server = await limitedServer(3, clock, aheadMs)
      assert.deepEqual(await failuresOf(clientOf(server, { clock, pace: true, timeout: Infinity }), 8), [])
      return server.refused.size
    }
    assert.deepEqual(await Promise.all([3_600_000, -3_600_000].map(refusedAhead)), [0, 0])
  })
})
