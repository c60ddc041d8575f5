/** A client of a scripted server, and how its calls fail. */
import assert from 'node:assert/strict'
import { inspect } from 'node:util'
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

/** A clock that runs `speed` times as fast as the system's, so that a minute need not be waited for. */
export function fastClock(speed: number): Clock {
  const startMs = Date.now()
  return {
    now: () => startMs + (Date.now() - startMs) * speed,
    after(ms, task) {
      const timer = setTimeout(task, Math.min(ms / speed, 2 ** 31 - 1))
      return () => clearTimeout(timer)
    },
  }
}

/** The limit headers of the interface. `reset` is in Unix seconds. */
export function limitHeaders(limit: number, remaining: number, reset = 1893456000): Record<string, string> {
  return {
    'X-RateLimit-Limit': String(limit),
    'X-RateLimit-Remaining': String(remaining),
    'X-RateLimit-Reset': String(reset),
  }
}
