/**
 * Holds one answer to the model, at the instant or instants at which it may have been made.
 *
 * The register does not say what happens when the clock steps back; docs/scaling.md does: a subject stays in the
 * window that it has entered, for a step of up to a day, and starts anew after a longer one. The model knows windows
 * only by the clock, so for such a subject it is asked as of the instant of its latest request, with everything else
 * moved along, and what it says is moved back.
 */
import { compare, idOf } from '../forms/judge.ts'
import { answerTo, answerToRefused, type Expected, type Settings, type World } from '../model/model.ts'
import { give } from '../model/operator.ts'
import { type Reading, valuesOf } from '../model/request.ts'
import { UNUSED, type Use } from '../model/windows.ts'
import type { RawAnswer } from '../support/http.ts'
import { noteUse, type State, worldOf } from './state.ts'

const DAY_MS = 86_400_000
const MINUTE_MS = 60_000

/** When an answer may have been made, and what was known then. */
export interface Instant {
  readonly nowMs: number
  readonly state: State
}

/** Returns what is wrong; else updates the state. The model must be right at one of the instants. */
export function hold(
  state: State,
  settings: Settings,
  asked: { readonly reading: Reading; readonly address: string },
  answer: RawAnswer,
  instants: readonly Instant[],
): string | undefined {
  let wrong: string | undefined
  for (const { nowMs, state: known } of instants) {
    const world = worldOf(known, settings, nowMs)
    const expected = expect(world, asked, nowMs)
    const found = compare(expected, answer) ?? wrongId(state, expected, answer)
    wrong ??= found
    if (found !== undefined) continue
    const [subject, use] = expected.used
    noteUse(state, subject, use)
    noteKey(state, subject, asked.reading, nowMs)
    if (expected.created !== undefined) give(state, idOf(answer), expected.created)
    return undefined
  }
  return wrong
}

function wrongId({ given }: State, { created }: Expected, answer: RawAnswer): string | undefined {
  if (created === undefined || !given.has(idOf(answer))) return undefined
  return `the id ${idOf(answer)} was given before`
}

/** Notes when a key was used, whatever the response. A request that counts for an address has used none. */
function noteKey({ keys }: State, subject: string, reading: Reading, nowMs: number): void {
  if (reading.kind === 'refused' || reading.request === undefined || !keys.has(subject)) return
  const secret = valuesOf(reading.request, 'authorization')[0]?.replace(/^Bearer /, '')
  const key = [...keys.values()].find((each) => each.secret === secret)
  if (key === undefined) return
  // Where the clock has stepped back, the earlier use may be saved already: then it stays, and nobody knows when.
  const atMs = nowMs - (nowMs % MINUTE_MS)
  const isBack = key.usedAtMs === 'unknown' || (key.usedAtMs ?? 0) > atMs
  const usedAtMs = isBack ? 'unknown' : atMs
  keys.set(key.id, { ...key, usedAtMs })
}

interface Asked {
  readonly reading: Reading
  readonly address: string
}

function expect(world: World, asked: Asked, nowMs: number): Expected {
  const first = ask(world, asked, nowMs)
  const [subject] = first.used
  const use = world.uses.get(subject) ?? UNUSED
  const enteredMs = use.admitted.at(-1) ?? nowMs
  if (enteredMs <= nowMs) return first
  if (enteredMs - nowMs > DAY_MS) {
    const anew = ask(withUse(world, subject, { ...use, admitted: [] }), asked, nowMs)
    // What a ban refuses enters no window, and so leaves the one that was entered.
    const isBanned = use.ban !== undefined && nowMs < use.ban.untilMs
    return isBanned ? { ...anew, used: [subject, use] } : anew
  }
  const aheadMs = enteredMs - nowMs
  const moved = ask(withUse(world, subject, moveBy(use, aheadMs)), asked, enteredMs)
  const after = moveBy(moved.used[1], -aheadMs)
  const unbanned = { ...world, settings: { ...world.settings, ban: undefined } }
  const window = ask(withUse(unbanned, subject, { ...moveBy(use, aheadMs), ban: undefined }), asked, enteredMs)
  const headers = { ...moved.headers, ...times(moved, window, after, nowMs) }
  return { ...moved, headers, used: [subject, { ...after, admitted: moved.used[1].admitted }] }
}

function ask(world: World, { reading, address }: Asked, nowMs: number): Expected {
  if (reading.kind !== 'refused' && reading.request !== undefined)
    return answerTo(world, reading.request, address, nowMs)
  return answerToRefused(world, reading.kind === 'refused' ? reading.status : 400, address, nowMs)
}

function withUse(world: World, subject: string, use: Use): World {
  return { ...world, uses: new Map(world.uses).set(subject, use) }
}

/** Refusals and bans are by the clock; only the windows are those that were entered. */
function moveBy({ admitted, refused, ban }: Use, ms: number): Use {
  return {
    admitted,
    refused: refused.map((atMs) => atMs + ms),
    ban: ban && { ...ban, untilMs: ban.untilMs + ms },
  }
}

/** When a refused request can be repeated, by the clock. `window` is the answer without a ban. */
function times({ headers }: Expected, window: Expected, { ban }: Use, nowMs: number): Record<string, string> {
  if (headers['retry-after'] === undefined) return {}
  const isBanned = ban !== undefined && nowMs < ban.untilMs
  const windowEndMs =
    window.headers['retry-after'] === undefined ? 0 : Number(window.headers['x-ratelimit-reset']) * 1_000
  const untilMs = isBanned ? Math.max(ban.untilMs, windowEndMs) : windowEndMs
  return {
    'x-ratelimit-reset': String(Math.ceil(untilMs / 1_000)),
    'retry-after': String(Math.max(1, Math.ceil((untilMs - nowMs) / 1_000))),
  }
}
