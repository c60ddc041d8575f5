/**
 * Whether the database responds: after a failed or late statement, a probe on a separate connection decides. While it
 * is down, requests fail immediately. Each change is reported once.
 */
import type { Clock, Timer } from '../../../common/clock.ts'
import { StoreUnavailable } from '../../store.ts'
import { isUnreachable, reason } from './errors.ts'

const PROBE_EVERY_MS = 250
const LOOK_EVERY_MS = 1_000
/** After this time without a refusal, the database is reported as recovered. */
const QUIET_MS = 5_000

interface HealthOptions {
  readonly clock: Clock
  readonly probe: () => Promise<void>
  readonly isUnfinished: () => boolean
  readonly onDown: () => void
  readonly onTrouble: (trouble: string | undefined) => void
}

export class Health {
  readonly #options: HealthOptions
  down: StoreUnavailable | undefined
  #isProbing = false
  #probedAtMs = Number.NEGATIVE_INFINITY
  #answeredAtMs = Number.NEGATIVE_INFINITY
  #next: Timer | undefined
  #quiet: Timer | undefined
  #isClosed = false

  constructor(options: HealthOptions) {
    this.#options = options
  }

  /** Probes the database. If it responds, `why` is reported as trouble of single requests. */
  suspect(why?: string): void {
    if (this.down !== undefined || this.#isProbing || this.#isClosed) return
    if (why === undefined && this.#options.clock.monotonic() - this.#probedAtMs < PROBE_EVERY_MS) return
    this.#options.clock.cancel(this.#next)
    this.#isProbing = true
    void this.#probe(why)
  }

  noteRefusal(why: string): void {
    if (this.down !== undefined || this.#isProbing || this.#isClosed) return
    const { clock, onTrouble } = this.#options
    if (this.#quiet === undefined) {
      onTrouble(`the database does not respond to every request (${why.replace(/\.$/, '')}); the others get 503`)
    }
    clock.cancel(this.#quiet)
    this.#quiet = clock
      .after(QUIET_MS, () => {
        this.#quiet = undefined
        onTrouble(undefined)
      })
      .unref()
  }

  noteAnswer(): void {
    this.#answeredAtMs = this.#options.clock.monotonic()
  }

  async #probe(why: string | undefined): Promise<void> {
    const startedMs = this.#options.clock.monotonic()
    try {
      await this.#options.probe()
      this.#noteUp(why)
    } catch (error) {
      if (isUnreachable(error) && this.#answeredAtMs < startedMs) this.#noteDown(error)
      else this.#noteUp(why)
    }
  }

  #noteUp(why: string | undefined): void {
    this.#isProbing = false
    this.#probedAtMs = this.#options.clock.monotonic()
    if (this.down !== undefined) {
      this.down = undefined
      this.#options.onTrouble(undefined)
    } else if (why !== undefined) this.noteRefusal(why)
    if (!this.#options.isUnfinished() || this.#isClosed) return
    const look = () => this.suspect('statements that were given up have not ended.')
    this.#next = this.#options.clock.after(LOOK_EVERY_MS, look).unref()
  }

  #noteDown(error: unknown): void {
    if (this.#isClosed) return
    if (this.down === undefined) {
      this.#options.clock.cancel(this.#quiet)
      this.#quiet = undefined
      this.down = new StoreUnavailable(reason(error), { cause: error, isReported: true })
      this.#options.onTrouble(
        `the database does not respond: ${reason(error)} Until it is back, requests that need it get 503`,
      )
      this.#options.onDown()
    }
    this.#next = this.#options.clock.after(PROBE_EVERY_MS, () => void this.#probe(undefined)).unref()
  }

  close(): void {
    this.#isClosed = true
    this.#options.clock.cancel(this.#next)
    this.#options.clock.cancel(this.#quiet)
  }
}
