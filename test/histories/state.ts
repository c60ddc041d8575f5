/** The state that a history should have reached: what operators have, and what each subject has used. */
import type { Settings, World } from '../model/model.ts'
import * as operator from '../model/operator.ts'
import { UNUSED, type Use } from '../model/windows.ts'

export interface State extends operator.OperatorState {
  readonly uses: Map<string, Use>
  /** What each subject had used at any moment since the service last saved all: a crash leaves one of them. */
  readonly moments: Map<string, Use[]>
}

export function emptyState(): State {
  return { ...operator.emptyState(), uses: new Map(), moments: new Map() }
}

export function worldOf(state: State, settings: Settings, nowMs: number): World {
  const inForce = [...state.keys.values()].filter((key) => operator.isInForce(key, nowMs))
  return { ...state, keys: new Map(inForce.map((key) => [key.secret, key])), settings }
}

export function noteUse(state: State, subject: string, use: Use): void {
  const before = state.uses.get(subject) ?? UNUSED
  const moments = state.moments.get(subject)
  if (moments === undefined) state.moments.set(subject, [before, use])
  else moments.push(use)
  state.uses.set(subject, use)
}

/** The service has saved all counts, and forgotten those that no longer matter. */
export function noteSaved(state: State, nowMs: number): void {
  state.moments.clear()
  for (const [subject, use] of state.uses) if (isSpent(subject, use, nowMs)) state.uses.delete(subject)
}

/** A day is kept for its own length after its end, as the clock may step back. An address has a minute alone. */
function isSpent(subject: string, { admitted, ban }: Use, nowMs: number): boolean {
  const last = admitted.at(-1) ?? 0
  const keptUntilMs = subject.startsWith('key_')
    ? windowOf(last, DAY_MS) + 2 * DAY_MS
    : windowOf(last, MINUTE_MS) + MINUTE_MS
  return Math.max(keptUntilMs, ban?.untilMs ?? 0) <= nowMs
}

const MINUTE_MS = 60_000
const DAY_MS = 86_400_000
const windowOf = (atMs: number, lengthMs: number) => atMs - (atMs % lengthMs)

/** What the service has stored of a subject, as its own store tells it. */
interface Stored {
  readonly minute: number
  readonly minuteCount: number
  readonly day: number
  readonly dayCount: number
  readonly refusedAtMs: readonly number[]
  readonly bannedUntilMs: number
}

/** What the subject had used at the moment that is stored; undefined if there was none such. */
export function momentOf(state: State, subject: string, stored: Stored | undefined): Use | undefined {
  const moments = state.moments.get(subject) ?? [state.uses.get(subject) ?? UNUSED]
  return moments.findLast((use) => isStored(use, stored))
}

function isStored({ admitted, refused, ban }: Use, stored: Stored | undefined): boolean {
  if (stored === undefined) return admitted.length === 0
  const last = admitted.at(-1)
  const inLast = (lengthMs: number) =>
    last === undefined ? 0 : admitted.filter((atMs) => windowOf(atMs, lengthMs) === windowOf(last, lengthMs)).length
  const [minute, day] = [Math.floor((last ?? 0) / MINUTE_MS), Math.floor((last ?? 0) / DAY_MS)]
  // A refusal enters a minute as well, and counts nothing in it.
  const isMinute =
    stored.minuteCount === 0
      ? stored.minute >= minute
      : stored.minute === minute && stored.minuteCount === inLast(MINUTE_MS)
  const isDay = stored.day === 0 || (stored.day === day && stored.dayCount === inLast(DAY_MS))
  const isBan = stored.bannedUntilMs === (ban?.untilMs ?? 0)
  return isMinute && isDay && isBan && stored.refusedAtMs.join() === refused.join()
}
