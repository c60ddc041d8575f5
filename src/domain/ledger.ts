/**
 * Counts verdicts and failed responses for the ledger (../store/ledger.ts), by the day of the verdict. A failed save is
 * repeated, except if its outcome is unknown: nothing is counted twice.
 */
import { type Clock, DAY_MS, sleep, type Timer } from '../common/clock.ts'
import type { Verdict } from '../contract/limits.ts'
import { type LedgerOperation, type LedgerRow, newSums, OUTCOMES, type Sums } from '../store/ledger.ts'
import { type OnAttempt, type Store, StoreUnavailable } from '../store/store.ts'

/** The sums of a lineage on one day since the last save. */
interface LedgerEntry {
  readonly lineage: string
  readonly day: number
  readonly sums: Partial<Record<LedgerOperation, Sums>>
}

interface LedgerOptions {
  readonly store: Pick<Store, 'requests' | 'saveAfterMs'>
  readonly clock: Clock
  readonly onAttempt?: OnAttempt
}

const TROUBLE = 'what requests came to is not saved'

/** The maximum number of entries in one save, which keeps transactions short. */
const SAVED_AT_ONCE = 1_000
/** At shutdown the last save is retried for this long, like that of the counters. */
const CLOSE_TIMEOUT_MS = 1_500
const RETRY_MS = 50

export class LedgerBuffer {
  readonly #options: LedgerOptions
  /** The newest entry of each lineage that no save has taken. */
  readonly #open = new Map<string, LedgerEntry>()
  /** The oldest first. */
  readonly #unsaved: LedgerEntry[] = []
  #failed: readonly LedgerRow[] = []
  #saver: Timer | undefined
  #saving: Promise<void> = Promise.resolve()

  constructor(options: LedgerOptions) {
    this.#options = options
  }

  countDecision(lineage: string, operation: LedgerOperation, { admitted, window, atMs }: Verdict): void {
    const sums = this.#sumsOf(lineage, operation, atMs)
    if (admitted) sums.admitted += 1
    else if (window === 'minute') sums.refusedByMinute += 1
    else if (window === 'day') sums.refusedByDay += 1
    else sums.refusedByBan += 1
  }

  countResponse(lineage: string, operation: LedgerOperation, { atMs }: Verdict, status: number): void {
    if (status < 400) return
    const sums = this.#sumsOf(lineage, operation, atMs)
    if (status < 500) sums.answered4xx += 1
    else sums.answered5xx += 1
  }

  async close(): Promise<void> {
    const { clock } = this.#options
    clock.cancel(this.#saver)
    await this.#saving
    clock.cancel(this.#saver)
    const deadline = clock.monotonic() + CLOSE_TIMEOUT_MS
    while (this.#hasMore()) {
      if (!(await this.#save())) {
        if (clock.monotonic() >= deadline) break
        await sleep(clock, RETRY_MS)
      }
    }
  }

  #sumsOf(lineage: string, operation: LedgerOperation, atMs: number): Sums {
    const day = Math.floor(atMs / DAY_MS)
    let entry = this.#open.get(lineage)
    if (entry?.day !== day) {
      entry = { lineage, day, sums: {} }
      this.#open.set(lineage, entry)
      this.#unsaved.push(entry)
      this.#saver ??= this.#saveLater()
    }
    const { sums } = entry
    sums[operation] ??= newSums()
    return sums[operation]
  }

  #saveLater(): Timer {
    return this.#options.clock.after(this.#options.store.saveAfterMs, () => {
      this.#saving = this.#saveAll()
    })
  }

  /** Saves what was counted before it began. */
  async #saveAll(): Promise<void> {
    let isSaved = this.#failed.length === 0 || (await this.#save())
    for (let left = this.#unsaved.length; isSaved && left > 0; left -= SAVED_AT_ONCE) isSaved = await this.#save()
    this.#saver = this.#hasMore() ? this.#saveLater() : undefined
  }

  #hasMore(): boolean {
    return this.#failed.length > 0 || this.#unsaved.length > 0
  }

  /** Resolves to false if the save failed. The next call repeats it. */
  async #save(): Promise<boolean> {
    const { store, onAttempt } = this.#options
    const rows = this.#failed.length > 0 ? this.#failed : this.#take()
    try {
      await store.requests.saveLedger(rows)
      onAttempt?.(TROUBLE)
      this.#failed = []
      return true
    } catch (error) {
      onAttempt?.(TROUBLE, error)
      this.#failed = error instanceof StoreUnavailable && error.outcome === 'unknown' ? [] : rows
      return false
    }
  }

  #take(): readonly LedgerRow[] {
    return this.#unsaved.splice(0, SAVED_AT_ONCE).flatMap((entry) => {
      const { lineage, day } = entry
      if (this.#open.get(lineage) === entry) this.#open.delete(lineage)
      return (Object.keys(entry.sums) as LedgerOperation[]).flatMap((operation) =>
        OUTCOMES.flatMap((outcome) => {
          const n = entry.sums[operation]?.[outcome] ?? 0
          return n === 0 ? [] : [{ lineage, day, operation, outcome, n }]
        }),
      )
    })
  }
}
