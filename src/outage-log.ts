/**
 * Logs an outage of the store: one line when it begins, with its reason and consequence, a count every ten seconds
 * while it lasts, and one line when it is over. The requests that fail are counted, not logged one by one.
 */
import type { Logger } from 'pino'
import type { StoreEvents } from './store/store.ts'

const COUNT_EVERY_MS = 10_000

interface Outage {
  readonly sinceMs: number
  readonly unavailableBefore: number
  readonly counting: NodeJS.Timeout
}

export class OutageLog implements StoreEvents {
  readonly #log: Pick<Logger, 'info' | 'warn'>
  readonly #countUnavailable: () => number
  #outage: Outage | undefined

  /** `countUnavailable`: how many requests have been answered 503 so far. */
  constructor(log: Pick<Logger, 'info' | 'warn'>, countUnavailable: () => number) {
    this.#log = log
    this.#countUnavailable = countUnavailable
  }

  onWaiting(why: string): void {
    this.#log.warn(`waiting for the database: ${why}`)
  }

  onTrouble(trouble: string | undefined): void {
    if (trouble === undefined) {
      this.#end()
      return
    }
    this.#log.warn(trouble)
    this.#outage ??= {
      sinceMs: performance.now(),
      unavailableBefore: this.#countUnavailable(),
      counting: setInterval(() => this.#count(), COUNT_EVERY_MS).unref(),
    }
  }

  #count(): void {
    if (this.#outage === undefined) return
    const { seconds, requests } = this.#cost(this.#outage)
    this.#log.warn(
      { seconds, requests },
      `the database still does not answer all requests: ${requests} requests got 503 so far`,
    )
  }

  #end(): void {
    if (this.#outage === undefined) return
    clearInterval(this.#outage.counting)
    const { seconds, requests } = this.#cost(this.#outage)
    this.#outage = undefined
    this.#log.info({ seconds, requests }, `the database is back after ${seconds} s; ${requests} requests got 503`)
  }

  #cost({ sinceMs, unavailableBefore }: Outage): { seconds: number; requests: number } {
    const seconds = Math.round((performance.now() - sinceMs) / 100) / 10
    return { seconds, requests: this.#countUnavailable() - unavailableBefore }
  }
}
