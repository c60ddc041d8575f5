/** Batches requests to shared counters. An engine counts a number per subject in one step, and returns the counts before. */
import type { Clock } from '../common/clock.ts'
import { consume, type LimitState, type Limits, peek, type Verdict } from '../contract/limits.ts'
import { Batches } from './batches.ts'
import type { Methods } from './sql.ts'

export interface CounterIncrement {
  readonly subject: string
  readonly limits: Limits
  readonly count: number
}

/** The counts before the step and the engine's clock. Only refusals that matter for a ban are included. */
export type CounterBefore = ReturnType<typeof toCounterBefore>

type CounterRequest = Omit<CounterIncrement, 'count'>

/** An answer can fail or never arrive; ../counters/fallback-counters.ts limits the wait. */
export type SharedCounters = Methods<BatchedCounters>

export abstract class BatchedCounters {
  readonly #clock: Clock
  readonly #takes: Batches<CounterRequest, Verdict>
  readonly #looks: Batches<CounterRequest, LimitState>
  /** The engine's time at its last answer, and the monotonic time then. */
  #engineTime: { readonly nowMs: number; readonly atMs: number } | undefined

  constructor(clock: Clock) {
    this.#clock = clock
    this.#takes = new Batches((items) => this.#consume(items), { clock, inFlight: 2, maxItems: 1_000 })
    this.#looks = new Batches((items) => this.#look(items), { clock, inFlight: 1, maxItems: 1_000 })
  }

  /** Counts all `takes` atomically. Resolves to the counts before, in the same order. */
  protected abstract count(takes: readonly CounterIncrement[]): Promise<readonly CounterBefore[]>
  protected abstract look(subjects: readonly string[]): Promise<readonly CounterBefore[]>
  abstract unban(subject: string, untilMs: number): Promise<void>
  /** Resolves when the counters work again, with a new connection if needed. */
  abstract revive(): Promise<void>
  abstract close(): Promise<void>

  consume(subject: string, limits: Limits): Promise<Verdict> {
    return this.#takes.submit({ subject, limits })
  }

  peek(subject: string, limits: Limits): Promise<LimitState> {
    return this.#looks.submit({ subject, limits })
  }

  /** The engine's clock in Unix ms, continued from its last answer. */
  now(): number | undefined {
    if (this.#engineTime === undefined) return undefined
    return Math.floor(this.#engineTime.nowMs + this.#clock.monotonic() - this.#engineTime.atMs)
  }

  async #look(items: readonly CounterRequest[]): Promise<readonly LimitState[]> {
    const subjects = [...new Set(items.map(({ subject }) => subject))]
    const befores = await this.look(subjects)
    const bySubject = new Map(subjects.map((subject, n) => [subject, befores[n] as CounterBefore]))
    return items.map(({ subject, limits }) => {
      const { counter, nowMs } = bySubject.get(subject) as CounterBefore
      return peek(counter, limits, nowMs)
    })
  }

  async #consume(items: readonly CounterRequest[]): Promise<readonly Verdict[]> {
    const groups = new Map<string, CounterRequest & { places: number[] }>()
    for (const [place, { subject, limits }] of items.entries()) {
      const name = `${limits.perMinute} ${limits.perDay} ${subject}`
      const group = groups.get(name)
      if (group === undefined) groups.set(name, { subject, limits, places: [place] })
      else group.places.push(place)
    }
    const verdicts: Verdict[] = []
    let rest = [...groups.values()]
    while (rest.length > 0) {
      // If the limits of a subject have just changed, its requests are sent in two steps.
      const now = new Map<string, (typeof rest)[number]>()
      for (const group of rest) if (!now.has(group.subject)) now.set(group.subject, group)
      const takes = [...now.values()].map(({ subject, limits, places }) => ({ subject, limits, count: places.length }))
      const befores = await this.count(takes)
      this.#engineTime = { nowMs: befores[0]?.nowMs ?? 0, atMs: this.#clock.monotonic() }
      for (const [index, { limits, places }] of [...now.values()].entries()) {
        const before = befores[index]
        if (before === undefined) throw new Error('the counters did not answer')
        for (const place of places) verdicts[place] = consume(before.counter, limits, before.nowMs)
      }
      rest = rest.filter((group) => now.get(group.subject) !== group)
    }
    return verdicts
  }
}

export function toCounterBefore(numbers: readonly number[]) {
  const [nowMs = 0, minute = 0, minuteCount = 0, day = 0, dayCount = 0, refusals = 0, bannedUntilMs = 0, banLimit = 0] =
    numbers
  const refusedAtMs = new Array<number>(refusals).fill(nowMs)
  return { counter: { minute, minuteCount, day, dayCount, refusedAtMs, bannedUntilMs, banLimit }, nowMs }
}
