/** What cases hold against the requests of a client, and the answers they are made of. */
import { type Call, Fault, type JudgeClock, type Play, type Reply, type Told } from './case.ts'

export const LIST = { call: 'list', limit: 5 } as const satisfies Call
export const CREATE = { call: 'create', name: 'Luna', categoryId: 1n, status: 'available' } as const satisfies Call
export const GET = { call: 'get', petId: 7n } as const satisfies Call
export const PET = '{"id":7,"name":"Luna","categoryId":1,"status":"available"}'
/** Timers round, and two clocks are never the same. Milliseconds. */
const EARLY_MS = 30
/** Without any wait that is asked for, less than this is at once. */
const AT_ONCE_MS = 150
/** A client that has asked so often does not give up. */
export const MOST_REQUESTS = 8

export function json(status: number, body: string, headers: Readonly<Record<string, string>> = {}): Reply {
  return { status, body, headers: { 'Content-Type': 'application/json', ...headers } }
}

export const LISTED = json(200, `[${PET}]`)
export const CREATED = json(201, PET)
export const FOUND = json(200, PET)

export function refusal(status: number, headers: Readonly<Record<string, string>> = {}): Reply {
  return json(status, JSON.stringify({ code: 'scripted', message: `scripted ${status}`, status }), headers)
}

/** The page of some proxy. */
export function page(status: number, headers: Readonly<Record<string, string>> = {}): Reply {
  return {
    status,
    headers: { 'Content-Type': 'text/html', ...headers },
    body: `<html><head><title>${status}</title></head><body><h1>${status}</h1></body></html>`,
  }
}

/** What the headers say of a window that ends in `seconds`, by a clock that is ahead of the judge's by `aheadMs`. */
export function limits(clock: JudgeClock, remaining: number, seconds: number, aheadMs = 0): Record<string, string> {
  const nowMs = Math.floor((clock.now() + aheadMs) / 1_000) * 1_000
  return {
    Date: new Date(nowMs).toUTCString(),
    'X-RateLimit-Limit': '10',
    'X-RateLimit-Remaining': String(remaining),
    'X-RateLimit-Reset': String(nowMs / 1_000 + seconds),
  }
}

export function expect(holds: boolean, expected: string, came: string): void {
  if (!holds) throw new Fault(expected, came)
}

/** The result, or a fault: this call has to succeed. */
export function resultOf(told: Told): unknown {
  expect(told.error === undefined, 'a result', `the error "${told.error}"`)
  return told.result
}

export function assertFailed(told: Told): void {
  expect(told.error !== undefined, 'an error', 'a result')
}

/** How long after the answer before it the request of this number, from 2 on, came. Milliseconds. */
export function gapMs({ requests }: Play, number: number): number {
  const before = requests[number - 2]?.answeredMs
  const at = requests[number - 1]?.atMs
  if (before === undefined || at === undefined) throw new Fault(`request ${number}`, `${requests.length} requests`)
  return at - before
}

export function assertWaited(play: Play, number: number, ms: number): void {
  const came = gapMs(play, number)
  expect(came >= ms - EARLY_MS, `request ${number} no sooner than after ${ms} ms`, `${came.toFixed(0)} ms`)
}

/** Where nothing says how long to wait: some time all the same. */
export function assertPaused(play: Play, number = 2): void {
  const came = gapMs(play, number)
  expect(came >= AT_ONCE_MS, `a wait before request ${number}`, `${came.toFixed(0)} ms`)
}

export function assertAsked({ requests }: Play, times: number): void {
  expect(requests.length === times, `${times} request${times === 1 ? '' : 's'}`, `${requests.length}`)
}

export function assertGaveUp(play: Play, told: Told): void {
  expect(play.requests.length < MOST_REQUESTS, `fewer than ${MOST_REQUESTS} requests`, `${play.requests.length}`)
  assertFailed(told)
}
