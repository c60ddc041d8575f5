/**
 * Logs an outage of the database or of the shared counters: one line when it begins, with its reason and consequence, a
 * count every ten seconds while it lasts, and one line when it is over. The requests concerned are counted, not logged
 * one by one.
 */
import type { Logger } from 'pino'
import type { Clock, Timer } from '../common/clock.ts'
import type { CountersOptions } from '../store/open.ts'
import type { StoreEvents } from '../store/store.ts'

const COUNT_EVERY_MS = 10_000

interface Outage {
  readonly sinceMs: number
  readonly countBefore: number
  readonly counting: Timer
}

interface Words {
  readonly lasting: string
  readonly over: string
  /** What became of the requests concerned. */
  readonly cost: string
}

interface LogOfDatabase extends StoreEvents {
  /** What was told last, until it is over. */
  trouble(): string | undefined
}

/** `count503`: how many requests have been answered 503 so far. */
export function logOfDatabase(log: Logger, clock: Clock, count503: () => number): LogOfDatabase {
  const words = {
    lasting: 'the database still does not answer all requests',
    over: 'the database is back',
    cost: 'got 503',
  }
  const outage = new OutageLog(log, clock, words, count503)
  return {
    onWaiting: (why) => log.warn(`waiting for the database: ${why}`),
    onTrouble: (trouble) => outage.onTrouble(trouble),
    trouble: () => outage.trouble,
  }
}

export function logOfCounters(
  log: Logger,
  clock: Clock,
  whenDown: CountersOptions['whenDown'],
  count503: () => number,
): Pick<CountersOptions, 'onChange' | 'onAlone'> {
  let alone = 0
  const cost = whenDown === 'refuse' ? 'got 503' : 'were counted by this node alone'
  const words = { lasting: 'the shared counters still do not count', over: 'counters are shared again', cost }
  const outage = new OutageLog(log, clock, words, whenDown === 'refuse' ? count503 : () => alone)
  return {
    onChange: (trouble) => outage.onTrouble(trouble),
    onAlone() {
      alone += 1
    },
  }
}

class OutageLog {
  readonly #log: Logger
  readonly #clock: Clock
  readonly #words: Words
  readonly #count: () => number
  #outage: Outage | undefined
  trouble: string | undefined

  /** `count`: to how many requests that has happened so far. */
  constructor(log: Logger, clock: Clock, words: Words, count: () => number) {
    this.#log = log
    this.#clock = clock
    this.#words = words
    this.#count = count
  }

  /** The trouble as a sentence when it begins or changes; undefined when it is over. */
  onTrouble(trouble: string | undefined): void {
    this.trouble = trouble
    if (trouble === undefined) {
      this.#end()
      return
    }
    this.#log.warn(trouble)
    this.#outage ??= {
      sinceMs: this.#clock.monotonic(),
      countBefore: this.#count(),
      counting: this.#clock.every(COUNT_EVERY_MS, () => this.#tellCount()).unref(),
    }
  }

  #tellCount(): void {
    if (this.#outage === undefined) return
    const { seconds, requests } = this.#cost(this.#outage)
    const { lasting, cost } = this.#words
    this.#log.warn({ seconds, requests }, `${lasting}: ${counted(requests)} ${cost} so far`)
  }

  #end(): void {
    if (this.#outage === undefined) return
    this.#clock.cancel(this.#outage.counting)
    const { seconds, requests } = this.#cost(this.#outage)
    this.#outage = undefined
    const { over, cost } = this.#words
    this.#log.info({ seconds, requests }, `${over} after ${seconds} s; ${counted(requests)} ${cost}`)
  }

  #cost({ sinceMs, countBefore }: Outage): { seconds: number; requests: number } {
    const seconds = Math.round((this.#clock.monotonic() - sinceMs) / 100) / 10
    return { seconds, requests: this.#count() - countBefore }
  }
}

function counted(requests: number): string {
  return requests === 1 ? '1 request' : `${requests} requests`
}
