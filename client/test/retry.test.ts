/** What is sent again and when, and how a caller ends it, against scripted local servers. */
import assert from 'node:assert/strict'
import { getEventListeners, setMaxListeners } from 'node:events'
import type { AddressInfo } from 'node:net'
import { describe, it } from 'node:test'
import { createServer } from 'node:tls'
import { newCertificate } from '../../test/support/certificate.ts'
import { AbortedError, PetAdoptionError, type PetAdoptionOptions, type Retry, TimeoutError } from '../src/index.ts'
import { LIST_PETS_QUERY, NEW_PET } from '../src/types.ts'
import {
  clientOf,
  created,
  failureOf,
  heldTimeout,
  KEY,
  leapingClock,
  lists,
  rex,
  stillClock,
} from './support/client.ts'
import { type Answer, failure, serve } from './support/server.ts'

describe('back-off', { concurrency: true }, () => {
  it('after a 429 waits what Retry-After says, for any method (R16)', async () => {
    const clock = leapingClock()
    const startMs = clock.now()
    await using server = await serve(failure(429, 'rate_limited', { 'Retry-After': '1' }), created)
    const retries: Retry[] = []
    const client = clientOf(server, { clock, timeout: Infinity, onRetry: (retry) => retries.push(retry) })
    assert.deepEqual(await client.createPet({ name: 'Rex', categoryId: 1 }), rex)
    const [retry] = retries
    assert(retry?.error instanceof PetAdoptionError && retry.error.retryAfter === 1)
    assert.equal(retry.attempt, 1)
    assert(retry.waitMs >= 1_000 && retry.waitMs <= 1_500, `${retry.waitMs} ms`)
    assert.equal(clock.now() - startMs, retry.waitMs)
  })

  it('repeats GET after a 5xx and after a broken connection, and then succeeds', async () => {
    await using server = await serve(
      failure(500, 'internal_error'),
      (request) => request.socket.resetAndDestroy(),
      lists,
    )
    const retries: string[] = []
    assert.deepEqual(await clientOf(server, { onRetry: ({ error }) => retries.push(error.name) }).listPets(), [rex])
    assert.deepEqual(retries, ['PetAdoptionError', 'NetworkError'])
  })

  it('never repeats a createPet after a 5xx, a proxy page, a broken connection or a timeout', async () => {
    const breakages: Answer[] = [
      failure(500, 'internal_error'),
      failure(503, 'unavailable', { 'Retry-After': '0' }),
      (_request, response) => response.writeHead(502).end('<html>'),
      (request) => request.socket.resetAndDestroy(),
      () => held.expire(),
    ]
    const held = heldTimeout()
    for (const breakage of breakages) {
      await using server = await serve(breakage, created)
      await failureOf(clientOf(server, held.options).createPet({ name: 'Rex', categoryId: 1 }))
      assert.equal(server.requests.length, 1)
    }
  })

  it('repeats a GET that timed out', async () => {
    const held = heldTimeout()
    await using server = await serve(() => held.expire(), lists)
    assert.deepEqual(await clientOf(server, held.options).listPets(), [rex])
    assert.equal(server.requests.length, 2)
  })

  it('gives up after maxAttempts with the latest error', async () => {
    await using server = await serve(failure(500, 'internal_error'), failure(502, 'bad_gateway'))
    const error = await failureOf(clientOf(server, { maxAttempts: 2 }).listPets())
    assert(error instanceof PetAdoptionError && error.code === 'bad_gateway')
    assert.equal(server.requests.length, 2)
  })

  it('fails immediately if the wait exceeds maxWait, and later calls fail unsent', async () => {
    await using server = await serve(failure(429, 'rate_limited', { 'Retry-After': '3600' }), lists)
    const nowMs = Date.now()
    const client = clientOf(server, { clock: stillClock(() => nowMs) })
    const refused = await failureOf(client.listPets())
    assert(refused instanceof PetAdoptionError && refused.retryAfter === 3600)
    const unsent = await failureOf(client.createPet({ name: 'Rex', categoryId: 1 }))
    assert(unsent instanceof PetAdoptionError && unsent.status === 429 && unsent.code === 'rate_limited')
    assert.match(unsent.message, /^not sent: .* another 360[01] s$/)
    assert.deepEqual([unsent.method, unsent.path], ['POST', '/pets'])
    assert.equal(server.requests.length, 1)
  })

  it('backs off after a 429 whose Retry-After is hidden or whose body is a proxy page', async () => {
    await using server = await serve((_request, response) => response.writeHead(429).end('<html>'), lists)
    assert.deepEqual(await clientOf(server).listPets(), [rex])
  })

  it('after refusals that say neither Retry-After nor Reset waits longer each time, from a second on (R16)', async () => {
    const clock = leapingClock()
    const atMs: number[] = []
    await using server = await serve((request, response) => {
      atMs.push(clock.now())
      failure(429, 'rate_limited')(request, response)
    })
    await failureOf(clientOf(server, { clock, timeout: Infinity }).listPets())
    const gapsMs = atMs.slice(1).map((ms, index) => ms - (atMs[index] ?? 0))
    assert.equal(gapsMs.length, 3)
    for (const [index, ms] of gapsMs.entries()) {
      assert(ms >= 1_000 * 2 ** index && ms <= 1_500 * 2 ** index, `${gapsMs}`)
    }
  })

  it('reads the date of a Retry-After by the clock of the service', async () => {
    const serviceMs = Date.UTC(2030, 0, 1, 12)
    const at = (ms: number) => new Date(ms).toUTCString()
    await using server = await serve(
      failure(503, 'unavailable', { Date: at(serviceMs), 'Retry-After': at(serviceMs + 1_000) }),
      lists,
    )
    const clock = leapingClock()
    const startMs = clock.now()
    assert.deepEqual(await clientOf(server, { clock, timeout: Infinity }).listPets(), [rex])
    const waitMs = clock.now() - startMs
    assert(waitMs >= 1_000 && waitMs <= 1_500, `${waitMs} ms`)
  })

  it('does not repeat a call that would fail in the same way, for example with an invalid certificate', async () => {
    const secure = createServer(newCertificate())
    const port = await new Promise<number>((resolve) => {
      secure
        .on('tlsClientError', () => {})
        .listen(0, '127.0.0.1', () => resolve((secure.address() as AddressInfo).port))
    })
    await using plain = await serve(lists)
    const own = (thrown: Error) => ({ fetch: () => Promise.reject(thrown) })
    const failures: [options: Partial<PetAdoptionOptions>, message: RegExp, attempts: number, mayBeDone: boolean][] = [
      [
        { baseUrl: `https://127.0.0.1:${port}/v1` },
        /failed \(self-signed certificate.*\); the .* did not get/,
        1,
        false,
      ],
      [
        { baseUrl: plain.baseUrl.replace('http', 'https') },
        /\(\S.*wrong version number\S*\); .* did not get/,
        1,
        false,
      ],
      [{ baseUrl: 'http://127.0.0.1:1/v1' }, /\(bad port\); the service did not get the request$/, 1, false],
      [own(new TypeError('my bug')), /: the given fetch failed \(my bug\); .* may have/, 1, true],
      [own(new TypeError('Failed to fetch')), /: the connection failed \(Failed to fetch\)/, 3, true],
      [own(Object.assign(new Error('x'), { code: 'ECONNRESET' })), /: the connection failed \(x\)/, 3, true],
    ]
    for (const [options, message, attempts, mayBeDone] of failures) {
      let retries = 0
      const client = clientOf(plain, {
        maxAttempts: 3,
        random: () => 0,
        clock: leapingClock(),
        timeout: Infinity,
        ...options,
        onRetry: () => (retries += 1),
      })
      await failureOf(client.listPets())
      const error = await failureOf(client.createPet({ name: 'Rex', categoryId: 1 }))
      assert.match(error.message, message)
      assert.deepEqual([retries + 1, error.mayBeDone], [attempts, mayBeDone], error.message)
    }
    await new Promise((done) => secure.close(done))
  })

  it('ends with what a hook throws, or its promise is rejected with, as the cause of an AbortedError', async () => {
    const enough = new Error('enough')
    const rejects = () => Promise.reject(enough)
    const throws = () => {
      throw enough
    }
    const hooks: [options: Partial<PetAdoptionOptions>, requests: number, mayBeDone: boolean][] = [
      [{ onRetry: rejects }, 1, false],
      [{ onRetry: throws }, 1, false],
      [{ onRequest: throws }, 0, false],
      [{ onResponse: rejects }, 1, false],
    ]
    for (const [options, requests, mayBeDone] of hooks) {
      await using server = await serve(failure(429, 'rate_limited', { 'Retry-After': '0' }))
      const error = await failureOf(clientOf(server, options).createPet({ name: 'Rex', categoryId: 1 }))
      assert(error instanceof AbortedError && error.cause === enough)
      assert.deepEqual([server.requests.length, error.mayBeDone], [requests, mayBeDone])
    }
  })
})

describe('a call', { concurrency: true }, () => {
  it('can have its own attempts, timeout and headers', async () => {
    await using server = await serve(failure(500, 'internal_error'))
    await failureOf(clientOf(server).listPets({}, { maxAttempts: 1 }))
    assert.equal(server.requests.length, 1)

    await using silent = await serve(() => {})
    const error = await failureOf(clientOf(silent).getPet(1, { timeout: 50, maxAttempts: 1 }))
    assert(error instanceof TimeoutError && /within 50 ms/.test(error.message))

    const seen: unknown[] = []
    await using asked = await serve((request, response) => {
      seen.push([request.headers['x-request-id'], request.headers.authorization, request.headers['content-type']])
      created(request, response)
    })
    const headers = { 'x-request-id': 'r-7', authorization: 'Bearer other', 'CONTENT-TYPE': 'text/plain' }
    await clientOf(asked).createPet({ name: 'Rex', categoryId: 1 }, { headers })
    await clientOf(asked).createPet({ name: 'Rex', categoryId: 1 }, { headers: new Headers({ 'X-Request-Id': 'r-8' }) })
    assert.deepEqual(
      seen,
      ['r-7', 'r-8'].map((id) => [id, `Bearer ${KEY}`, 'application/json']),
    )
  })

  it('is refused with an option that makes no sense, before anything is sent', async () => {
    await using server = await serve(lists)
    const client = clientOf(server)
    for (const options of [{ maxAttempts: 0 }, { timeout: 0 }, { timeout: Number.NaN }]) {
      await assert.rejects(client.listPets({}, options), RangeError)
    }
    // As JavaScript lets one write.
    const strange: [call: () => Promise<unknown>, message: RegExp][] = [
      [() => client.listPets({}, { headers: { 'no name': 'x' } }), /no name/],
      [() => client.listPets({}, { timeOut: 5 } as object), /^there is no option timeOut; there are .*timeout/],
      [() => client.listPets({}, { timeout: '5s' } as object), /^timeout must be a number, 1 or more$/],
      [
        () => client.createPet({ name: 'Rex', categoryId: 1 }, { onUnknown: 'look' } as object),
        /^there is no option onUnknown; there are .*timeout/,
      ],
      [
        () => client.createPet(rex),
        new RegExp(`^there is no member id; there are ${Object.keys(NEW_PET).join(', ')}$`),
      ],
      [
        () => client.listPets({ limt: 5 } as object),
        new RegExp(`^there is no parameter limt; there are ${Object.keys(LIST_PETS_QUERY).join(', ')}$`),
      ],
    ]
    for (const [call, message] of strange) await assert.rejects(call(), { name: 'TypeError', message })
    assert.equal(server.requests.length, 0)
  })
})

describe('a signal', () => {
  it('ends a call at any time with an AbortedError of its reason', async () => {
    const pet = { name: 'Rex', categoryId: 1 }
    await using silent = await serve(() => {})
    const early = await failureOf(clientOf(silent).createPet(pet, { signal: AbortSignal.abort('early') }))
    assert.equal(silent.requests.length, 0)

    const during = new AbortController()
    await using asked = await serve(() => during.abort(new DOMException('during', 'TimeoutError')))
    const asking = await failureOf(clientOf(asked).createPet(pet, { signal: during.signal }))

    await using limited = await serve(failure(429, 'rate_limited', { 'Retry-After': '60' }))
    const ending = new AbortController()
    // By this clock no wait ends.
    const clock = { ...stillClock(() => 0), after: () => () => {} }
    const client = clientOf(limited, { clock, onRetry: () => setImmediate(() => ending.abort('waiting')) })
    const waiting = await failureOf(client.createPet(pet, { signal: ending.signal }))
    const told = [early, asking, waiting].map(({ name, message, mayBeDone }) => ({ name, message, mayBeDone }))
    assert.deepEqual(told, [
      { name: 'AbortedError', message: 'POST /pets: aborted (early)', mayBeDone: false },
      {
        name: 'AbortedError',
        message: 'POST /pets: aborted (during); the service may have carried the request out',
        mayBeDone: true,
      },
      { name: 'AbortedError', message: 'POST /pets: aborted (waiting)', mayBeDone: false },
    ])
    assert.equal(asking.cause, during.signal.reason)
  })

  it('shared by many calls has one listener, and no warning of a leak comes', async () => {
    const warnings: Error[] = []
    // Others may share this process.
    const warn = (warning: Error) => warning.name === 'MaxListenersExceededWarning' && warnings.push(warning)
    process.on('warning', warn)
    const { signal } = new AbortController()
    setMaxListeners(1, signal)
    let most = 0
    await using server = await serve((request, response) => {
      most = Math.max(most, getEventListeners(signal, 'abort').length)
      lists(request, response)
    })
    const client = clientOf(server)
    await Promise.all(Array.from({ length: 50 }, () => client.listPets({}, { signal })))
    process.off('warning', warn)
    assert.deepEqual([most, warnings], [1, []])
    assert.equal(getEventListeners(signal, 'abort').length, 0, 'and none when they are over')
  })

  it('ends one call without affecting others of the client', async () => {
    await using server = await serve(failure(429, 'rate_limited', { 'Retry-After': '1' }), lists)
    const ending = new AbortController()
    const client = clientOf(server, { clock: leapingClock(), timeout: Infinity, onRetry: () => ending.abort() })
    const [aborted, other] = await Promise.allSettled([
      client.listPets({}, { signal: ending.signal }),
      client.listPets(),
    ])
    assert.equal(aborted.status, 'rejected')
    assert.deepEqual(other, { status: 'fulfilled', value: [rex] })
  })
})
