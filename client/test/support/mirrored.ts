/**
 * The real service with a mirror of its animals, on one clock that leaps over all waits, and what a user of the mirror
 * keeps of what it yields.
 */
import assert from 'node:assert/strict'
import { type AppSettings, startApp, type TestApp } from '../../../test/support/app.ts'
import { type Clock, type MirrorCoverage, type MirrorEvent, PetAdoption } from '../../src/index.ts'
import { leapingClock } from './client.ts'

export interface Place extends AsyncDisposable {
  readonly app: TestApp
  readonly clock: Clock
  /** The requests that the service has answered to clients of the key, in Unix milliseconds by the clock. */
  readonly atMs: number[]
  /** A client on that key. */
  clientOf(key: string): PetAdoption
}

/** `startMs` is the time at first; without it, it is now. */
export async function startPlace(startMs?: number, settings: AppSettings = {}): Promise<Place> {
  const leaping = leapingClock()
  const aheadMs = startMs === undefined ? 0 : startMs - leaping.now()
  const clock: Clock = { ...leaping, now: () => leaping.now() + aheadMs }
  const time = {
    get nowMs() {
      return clock.now()
    },
  }
  const app = await startApp({ ...settings, time })
  const atMs: number[] = []
  return {
    app,
    clock,
    atMs,
    clientOf(apiKey) {
      const baseUrl = `http://127.0.0.1:${app.port}/v1`
      const ask: typeof fetch = async (input, init) => {
        const response = await fetch(input, init)
        atMs.push(clock.now())
        // Node's own clock is not the service's here.
        const headers = new Headers(response.headers)
        headers.set('Date', new Date(clock.now()).toUTCString())
        return new Response(await response.text(), { status: response.status, headers })
      }
      return new PetAdoption({ baseUrl, apiKey, clock, timeout: Infinity, fetch: ask })
    },
    [Symbol.asyncDispose]: () => app[Symbol.asyncDispose](),
  }
}

/** Each animal by its id, as `name category status`. */
export type Animals = Map<bigint, string>

/** What a user keeps of a mirror. Fails on what makes no sense, as a change that changes nothing. */
export class Copy {
  readonly animals: Animals = new Map()
  readonly #events: AsyncGenerator<MirrorEvent, never, undefined>

  constructor(events: AsyncGenerator<MirrorEvent, never, undefined>) {
    this.#events = events
  }

  async next(): Promise<MirrorEvent> {
    const { value: event } = await this.#events.next()
    if (event.kind === 'covered') return event
    const { id, name, categoryId, status = 'none' } = event.pet
    const [known, told] = [this.animals.get(id), `${name} ${categoryId} ${status}`]
    assert.equal(known === undefined, event.kind === 'added', `${event.kind} ${told}, held as ${known}`)
    if (event.kind === 'changed') assert.notEqual(told, known)
    if (event.kind === 'gone' || event.kind === 'unseen') this.animals.delete(id)
    else this.animals.set(id, told)
    return event
  }

  /** Until it knows everything as it was at that time or later. */
  async reach(asOfMs: number): Promise<MirrorCoverage> {
    for (let passes = 0; passes < 10_000; ) {
      const event = await this.next()
      if (event.kind !== 'covered') continue
      if (event.asOf.getTime() >= asOfMs) return event
      passes += 1
    }
    return assert.fail(`it never knows how things were at ${asOfMs}`)
  }
}

/** What the service stores, oldest first. */
export async function stored({ app }: Place): Promise<Animals> {
  const animals: Animals = new Map()
  for await (const batch of app.store.pets.export()) {
    for (const { id, name, categoryId, status = 'none' } of batch) {
      animals.set(BigInt(id), `${name} ${categoryId} ${status}`)
    }
  }
  return animals
}
