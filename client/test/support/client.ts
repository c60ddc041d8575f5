/** A client of a scripted server, and how its calls fail. */
import assert from 'node:assert/strict'
import { inspect } from 'node:util'
import { systemClock } from '../../src/clock.ts'
import { CallError, type Clock, PetAdoption, type PetAdoptionOptions } from '../../src/index.ts'
import { json, type ScriptedServer } from './server.ts'

export const KEY = 'pets_secret'
export const REX = '{"id":7,"name":"Rex","categoryId":1}'
export const rex = { id: 7n, name: 'Rex', categoryId: 1n }
export const lists = json(200, `[${REX}]`)
export const created = json(201, REX)

export function clientOf(
  { baseUrl }: Pick<ScriptedServer, 'baseUrl'>,
  options: Partial<PetAdoptionOptions> = {},
): PetAdoption {
  return new PetAdoption({ baseUrl, apiKey: KEY, ...options })
}

/** The error that a call fails with. */
export async function failureOf(call: Promise<unknown>): Promise<CallError> {
  const error = await call.then(
    () => assert.fail('the call succeeded'),
    (error: unknown) => error,
  )
  assert(error instanceof CallError, inspect(error))
  return error
}

/**
 * A clock for clients without a timeout. It stands still while a request is under way, which an endless timer shows,
 * and otherwise leaps to the next timer: minutes are not waited for, and how busy the machine is changes nothing. By
 * default it begins with a minute. `timers` says how many wait.
 */
export function leapingClock(startMs = Math.floor(Date.now() / 60_000) * 60_000): Clock & { timers(): number } {
  let nowMs = startMs
  const timers = new Set<{ readonly atMs: number; readonly task: () => void }>()
  const leap = () => {
    let next: { readonly atMs: number; readonly task: () => void } | undefined
    for (const timer of timers) {
      if (timer.atMs === Infinity) return
      if (next === undefined || timer.atMs < next.atMs) next = timer
    }
    if (next === undefined) return
    timers.delete(next)
    nowMs = Math.max(nowMs, next.atMs)
    next.task()
  }
  return {
    now: () => nowMs,
    timers: () => timers.size,
    after(ms, task) {
      const timer = { atMs: nowMs + Math.max(0, ms), task }
      timers.add(timer)
      setImmediate(leap)
      return () => {
        timers.delete(timer)
        setImmediate(leap)
      }
    },
  }
}

/** Options of a client whose request times out when the test says so, and not before: of one request at a time. */
export function heldTimeout(): { readonly options: Pick<PetAdoptionOptions, 'clock' | 'timeout'>; expire(): void } {
  const timeout = 200
  let expire = () => {}
  const clock: Clock = {
    ...systemClock,
    after(ms, task) {
      if (ms !== timeout) return systemClock.after(ms, task)
      expire = task
      return () => {}
    },
  }
  return { options: { clock, timeout }, expire: () => expire() }
}

/** A clock that stands still: its timers are the platform's. */
export function stillClock(nowMs: () => number): Clock {
  return { ...systemClock, now: nowMs, elapsed: nowMs }
}

/** The limit headers of the interface. `reset` is in Unix seconds. */
export function limitHeaders(limit: number, remaining: number, reset = 1893456000): Record<string, string> {
  return {
    'X-RateLimit-Limit': String(limit),
    'X-RateLimit-Remaining': String(remaining),
    'X-RateLimit-Reset': String(reset),
  }
}
