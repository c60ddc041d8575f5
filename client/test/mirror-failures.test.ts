/** How a mirror bears failures, and how it ends, against scripted local servers. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  type MirrorEvent,
  type PetAdoption,
  PetAdoptionError,
  type Retry,
  UnexpectedAnswerError,
} from '../src/index.ts'
import { clientOf, KEY, leapingClock, limitHeaders, lists, rex, stillClock } from './support/client.ts'
import { type Answer, failure, json, serve } from './support/server.ts'

/** What it yields up to the end of its first pass. */
async function firstPass(client: PetAdoption): Promise<MirrorEvent['kind'][]> {
  const kinds: MirrorEvent['kind'][] = []
  for await (const { kind } of client.mirror()) {
    kinds.push(kind)
    if (kind === 'covered') break
  }
  return kinds
}

describe('a mirror', { concurrency: true }, () => {
  it('waits out what may pass, as long as it lasts and as the service asks, and tells onRetry of it (R16)', async () => {
    const leaping = leapingClock()
    let expire = () => {}
    const clock = {
      ...leaping,
      after(ms: number, task: () => void) {
        if (ms !== 7) return leaping.after(ms, task)
        expire = task
        return leaping.after(Infinity, task)
      },
    }
    const breakages: Answer[] = [
      ...Array.from({ length: 9 }, () => failure(500, 'internal_error')),
      (_request, response) => response.writeHead(502).end('<html>'),
      (request) => request.socket.destroy(),
      () => expire(),
      failure(503, 'unavailable', { 'Retry-After': '600' }),
      failure(429, 'rate_limited', { 'Retry-After': '36000' }),
    ]
    const atMs: number[] = []
    await using server = await serve(
      ...[...breakages, lists].map(
        (answer): Answer =>
          (request, response) => {
            atMs.push(clock.now())
            answer(request, response)
          },
      ),
    )
    const retries: Retry[] = []
    const client = clientOf(server, { clock, timeout: 7, onRetry: (retry) => retries.push(retry) })
    assert.deepEqual(await firstPass(client), ['added', 'covered'])
    assert.deepEqual(
      retries.map(({ attempt }) => attempt),
      breakages.map((_, index) => index + 1),
    )
    assert.equal(server.requests.length, breakages.length + 1)
    const gapsMs = atMs.slice(1).map((ms, index) => ms - (atMs[index] ?? 0))
    for (const [index, { waitMs }] of retries.entries()) assert((gapsMs[index] ?? 0) > waitMs - 1, `${gapsMs}`)
    assert((gapsMs.at(-2) ?? 0) >= 600_000 && (gapsMs.at(-1) ?? 0) >= 36_000_000, `${gapsMs}`)
  })

  it('ends with what does not pass: a refused key, a stray page, and what onRetry throws', async () => {
    const enough = new Error('enough')
    const ends: [Answer, (error: unknown) => boolean][] = [
      [failure(401, 'unauthorized'), (error) => error instanceof PetAdoptionError && error.status === 401],
      [failure(501, 'not_implemented'), (error) => error instanceof PetAdoptionError && error.status === 501],
      [json(200, '<html>'), (error) => error instanceof UnexpectedAnswerError],
      [failure(500, 'internal_error'), (error) => error === enough],
    ]
    for (const [answer, isEnd] of ends) {
      await using server = await serve(answer)
      const client = clientOf(server, { onRetry: () => Promise.reject(enough) })
      await assert.rejects(firstPass(client), isEnd)
      assert.equal(server.requests.length, 1)
    }
  })

  it('ends with the reason of its signal, while it is answered and while it waits, and asks no more', async () => {
    const reason = new Error('that is all')
    const whenAnswered = new AbortController()
    await using silent = await serve(() => whenAnswered.abort(reason))
    await assert.rejects(clientOf(silent).mirror({ signal: whenAnswered.signal }).next(), reason)

    const whenWaiting = new AbortController()
    await using server = await serve(json(200, '[]', limitHeaders(1, 1, Math.ceil(Date.now() / 1000) + 60)))
    const seen: string[] = []
    const all = async () => {
      for await (const { kind } of clientOf(server).mirror({ signal: whenWaiting.signal })) {
        seen.push(kind)
        setImmediate(() => whenWaiting.abort(reason))
      }
    }
    await assert.rejects(all(), reason)
    assert.deepEqual([seen, server.requests.length], [['covered'], 1])
  })

  it('asks nothing before it is iterated, nor after the loop is left', async () => {
    await using server = await serve(lists)
    const events = clientOf(server).mirror()
    assert.equal(server.requests.length, 0)
    for await (const event of events) {
      assert.deepEqual(event, { kind: 'added', pet: rex })
      break
    }
    assert.deepEqual([await events.next(), server.requests.length], [{ value: undefined, done: true }, 1])
  })

  it('says of when it knows things: of the time at which it asked, by the clock of the service', async () => {
    const atMs = Date.UTC(2026, 10, 21, 12)
    let tookMs = 0
    await using server = await serve((request, response) => {
      tookMs = 5_000
      const date = new Date(atMs + tookMs + 3_600_000).toUTCString()
      json(200, '[]', { Date: date })(request, response)
    })
    const client = clientOf(server, { clock: stillClock(() => atMs + tookMs) })
    const { value } = await client.mirror().next()
    const asOf = new Date(atMs + 3_600_000)
    assert.deepEqual(value, { kind: 'covered', asOf, partial: [], unlisted: 0 })
  })

  it('takes no share that is not a fraction', () => {
    const client = clientOf({ baseUrl: 'http://127.0.0.1/v1' })
    for (const share of [0, -1, 1.1, Number.NaN, Infinity]) {
      assert.throws(() => client.mirror({ share }), { name: 'RangeError', message: /^share must be a fraction/ }, KEY)
    }
  })

  it('goes at the pace of the smallest plan where the headers are hidden (R14)', async () => {
    const clock = leapingClock()
    await using server = await serve(json(200, '[]'))
    const startMs = clock.now()
    for await (const { kind } of clientOf(server, { clock, timeout: Infinity }).mirror()) {
      if (kind === 'covered' && clock.now() >= startMs + 3_600_000) break
    }
    const [most, requests] = [30 + 500 / 24, server.requests.length]
    assert(requests <= most && requests > most * 0.9, `${requests} in an hour`)
  })
})
