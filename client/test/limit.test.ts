/** Calls under a limit, many at once, against local servers that keep one. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type Clock, type Hold, Limiter, type PetAdoption } from '../src/index.ts'
import { clientOf, leapingClock, limitHeaders, lists } from './support/client.ts'
import { type Answer, failure, json, type ScriptedServer, serve } from './support/server.ts'

const MINUTE_MS = 60_000

interface LimitedServer extends ScriptedServer {
  /** Refusals by the number of the window. */
  readonly refused: ReadonlyMap<number, number>
  /** When each request was served, in Unix milliseconds by the given clock. */
  readonly servedMs: readonly number[]
}

/** Serves `limit` requests a minute, by a clock that is `aheadMs` ahead of the given one. */
async function limitedServer(limit: number, clock: Clock, aheadMs = 0): Promise<LimitedServer> {
  const counts = new Map<number, number>()
  const refused = new Map<number, number>()
  const servedMs: number[] = []
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
    servedMs.push(clock.now())
    json(200, '[]', { ...limitHeaders(limit, limit - count, resetS), ...date })(request, response)
  })
  return { ...server, refused, servedMs, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() }
}

/** Makes so many calls at once, and gives those that failed. */
async function failuresOf(client: PetAdoption, calls: number): Promise<unknown[]> {
  const outcomes = await Promise.allSettled(Array.from({ length: calls }, () => client.listPets()))
  return outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason] : []))
}

describe('many simultaneous calls', { concurrency: true }, () => {
  it('send up to maxInFlight requests, 4 by default, after the first response', async () => {
    const answer = json(200, '[]', limitHeaders(1_000, 900, Math.ceil(Date.now() / 1000) + 60))
    for (const [maxInFlight, expected] of [
      [undefined, 4],
      [1, 1],
      [8, 8],
    ] as const) {
      const held: (() => void)[] = []
      let most = 0
      await using server = await serve(answer, (request, response) => {
        held.push(() => answer(request, response))
        most = Math.max(most, held.length)
        // After a turn of the event loop, in which one too many would come.
        if (held.length === expected) setTimeout(() => held.splice(0).forEach((give) => void give()), 20)
      })
      assert.deepEqual(await failuresOf(clientOf(server, { maxInFlight }), 25), [])
      assert.equal(most, expected)
    }
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

  it('count requests without a response as used', async () => {
    await using server = await serve(
      json(200, '[]', limitHeaders(9, 3, Math.ceil(Date.now() / 1000) + 60)),
      (request) => request.socket.destroy(),
    )
    const held = new AbortController()
    const client = clientOf(server, { maxAttempts: 1, onHold: () => held.abort() })
    await client.listPets()
    assert.equal((await failuresOf(client, 3)).length, 3)
    await assert.rejects(client.listPets({}, { signal: held.signal }), { name: 'AbortedError', mayBeDone: false })
    assert.equal(server.requests.length, 4, 'the fifth waits for the reset')
  })

  it('report a hold once per window, and know the remaining requests in the meantime', async () => {
    const clock = leapingClock()
    await using server = await limitedServer(4, clock)
    const holds: Hold[] = []
    const client = clientOf(server, { clock, timeout: Infinity, onHold: (hold) => holds.push(hold) })
    assert.deepEqual(await failuresOf(client, 10), [])
    assert(holds.length >= 1 && holds.length <= 3, `${holds.length} holds`)
    for (const { waitMs } of holds) assert(waitMs > 0 && waitMs <= MINUTE_MS + 2_000, `${waitMs} ms`)
    assert.equal(server.refused.size, 0)
  })

  it('take the limit from the later response, whichever arrived first', async () => {
    const other = Promise.withResolvers<void>()
    const late: Answer = (request, response) => {
      void other.promise.then(() => json(200, '[]', limitHeaders(60, 58))(request, response))
    }
    await using server = await serve(json(200, '[]', limitHeaders(60, 59)), late, json(200, '[]', limitHeaders(60, 57)))
    const client = clientOf(server)
    await client.listPets()
    const first = client.listPets()
    await client.listPets().finally(other.resolve)
    await first
    assert.equal(client.rateLimit?.remaining, 57)
  })

  it('share one wait after a refusal, then one request goes before all others', async () => {
    const clock = leapingClock()
    const reset = clock.now() / 1000 + 3_600
    const served = (remaining: number) => json(200, '[]', limitHeaders(60, remaining, reset))
    const refusal = failure(429, 'rate_limited', { 'Retry-After': '1' })
    const atMs: number[] = []
    let underWay = 0
    /** Of the requests that are under way when each comes. */
    const beside: number[] = []
    const script = [served(59), ...Array.from({ length: 5 }, () => refusal), served(59), served(50)].map(
      (answer): Answer =>
        (request, response) => {
          atMs.push(clock.now())
          beside.push(underWay++)
          response.on('finish', () => underWay--)
          answer(request, response)
        },
    )
    await using server = await serve(...script)
    let retries = 0
    let late: Promise<unknown> | undefined
    const client = clientOf(server, {
      clock,
      timeout: Infinity,
      onRetry: () => {
        retries += 1
        if (retries === 4) late = client.listPets()
      },
    })
    await client.listPets()
    await Promise.all(Array.from({ length: 10 }, () => client.listPets()))
    await late
    assert.equal(atMs.length, 1 + 4 + 1 + 11)
    const [last = 0, probe = 0, secondProbe = 0] = atMs.slice(4)
    assert(probe - last >= 1_000, 'nothing is sent during the wait, not even a new call')
    assert(secondProbe - probe >= 1_000, 'a second refusal of the one that went ahead holds all others back')
    assert.deepEqual(beside.slice(5, 8), [0, 0, 0], 'the others follow the answer to the one that went ahead')
  })
})

describe('a refusal', { concurrency: true }, () => {
  it('is waited out as long as Retry-After says, however late the limit resets (R16)', async () => {
    const clock = leapingClock()
    const beganMs = clock.now()
    const reset = beganMs / 1000 + 45
    await using server = await serve(
      failure(429, 'rate_limited', { ...limitHeaders(60, 0, reset), 'Retry-After': '3' }),
      json(200, '[]', limitHeaders(60, 0, reset)),
    )
    const waits: number[] = []
    const client = clientOf(server, { clock, timeout: Infinity, onRetry: ({ waitMs }) => waits.push(waitMs) })
    await client.listPets()
    assert.deepEqual(waits, [clock.now() - beganMs])
    assert(clock.now() - beganMs >= 3_000 && clock.now() - beganMs <= 3_500, `${waits} ms`)
  })

  it('without Retry-After is waited out until the reset (R15, R16)', async () => {
    const clock = leapingClock()
    const beganMs = clock.now()
    const headers = { ...limitHeaders(60, 0, beganMs / 1000 + 45), Date: new Date(beganMs).toUTCString() }
    await using server = await serve(failure(429, 'rate_limited', headers), lists)
    await clientOf(server, { clock, timeout: Infinity }).listPets()
    assert(clock.now() - beganMs >= 45_000 && clock.now() - beganMs <= 46_000, `${clock.now() - beganMs} ms`)
  })
})

describe('a clock that is set', { concurrency: true }, () => {
  it('back by an hour, or ahead, changes no wait: no call fails, and none is refused', async () => {
    for (const stepMs of [-3_600_000, 3_600_000]) {
      const elapsing = leapingClock()
      let setMs = 0
      const clock: Clock = { ...elapsing, elapsed: elapsing.now, now: () => elapsing.now() + setMs }
      await using server = await limitedServer(3, elapsing)
      const client = clientOf(server, { clock, timeout: Infinity, onHold: () => (setMs += stepMs) })
      assert.deepEqual(await failuresOf(client, 8), [])
      assert.deepEqual([server.servedMs.length, server.refused.size], [8, 0])
    }
  })

  it('back by an hour during the wait after a refusal does not prolong it', async () => {
    const elapsing = leapingClock()
    let setMs = 0
    const clock: Clock = { ...elapsing, elapsed: elapsing.now, now: () => elapsing.now() + setMs }
    await using server = await serve(failure(429, 'rate_limited', { 'Retry-After': '5' }), lists)
    const beganMs = elapsing.now()
    const client = clientOf(server, { clock, timeout: Infinity, onRetry: () => (setMs = -3_600_000) })
    await client.listPets()
    assert(elapsing.now() - beganMs < 10_000, `${elapsing.now() - beganMs} ms`)
  })
})

describe('a limiter', { concurrency: true }, () => {
  it('keeps clients that share it within one limit and in one order', async () => {
    const clock = leapingClock()
    await using server = await limitedServer(10, clock)
    const limiter = new Limiter({ clock })
    const clients = [1, 2, 3].map(() => clientOf(server, { clock, limiter, timeout: Infinity }))
    const failures = await Promise.all(clients.map((client) => failuresOf(client, 15)))
    assert.deepEqual([failures.flat(), server.servedMs.length, server.refused.size], [[], 45, 0])
    assert.deepEqual(clients[0]?.rateLimit, clients[2]?.rateLimit)
    const another = clientOf(server, { limiter: clientOf(server).limiter })
    assert.equal(another.rateLimit, undefined)
  })

  it('keeps its own options if it is shared, and refuses others', async () => {
    for (const options of [{ maxInFlight: 2 }, { onHold: () => {} }]) {
      const make = () => clientOf({ baseUrl: 'http://127.0.0.1/v1' }, { limiter: new Limiter(), ...options })
      assert.throws(make, { name: 'TypeError', message: /given to the shared limiter/ })
    }
    for (const options of [{ maxInFlight: 0 }, { maxInFlight: Number.NaN }, { maxWait: -1 }]) {
      assert.throws(() => new Limiter(options), RangeError)
    }
  })
})

describe('an exception in onHold', { concurrency: true }, () => {
  for (const [how, onHold] of [
    ['thrown', () => assert.fail('no holding')],
    ['of its promise', () => Promise.reject(new Error('no holding'))],
  ] as const) {
    it(`${how} ends the calls that are held back with it, and nothing else`, async () => {
      await using server = await serve(json(200, '[]', limitHeaders(2, 0, Math.ceil(Date.now() / 1000) + 60)))
      const client = clientOf(server, { onHold })
      assert.deepEqual(await client.listPets(), [])
      for (const error of await failuresOf(client, 2))
        assert.match(`${error}`, /^AbortedError: GET \/pets: aborted \(no holding\)/)
      assert.equal(server.requests.length, 1)
    })
  }
})
