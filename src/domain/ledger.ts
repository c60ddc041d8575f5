/**
 * Counts verdicts and failed responses for the ledger (../store/ledger.ts), and saves the sums soon after. A request
 * and its response belong to the hour of the verdict. A failed save is repeated unchanged under the same number, so
 * that it takes effect once; later counts wait behind it.
 *
 * Memory: each lineage that was used in this hour or the last has one entry. While nothing can be saved, up to 100,000
 * unsaved entries are kept; beyond that, requests of a lineage are counted in the hour of the entry that it has.
 */
import { type Clock, HOUR_MS, sleep, type Timer } from '../common/clock.ts'
import type { Verdict } from '../contract/limits.ts'
import type { LedgerOperation, LedgerRow, Sums } from '../store/ledger.ts'
import type { OnAttempt, Store } from '../store/store.ts'

interface LedgerEntry {
  readonly lineage: string
  readonly hour: number
  /** The sums of each operation. A save sets them to zero. */
  readonly sums: Partial<Record<LedgerOperation, Sums>>
  /** Whether the entry has counts that no save has taken. */
  isChanged: boolean
}

interface LedgerOptions {
  readonly store: Pick<Store, 'requests' | 'saveAfterMs'>
  readonly clock: Clock
  /** A name of this process that no other process has or had. */
  readonly process: string
  readonly onAttempt?: OnAttempt
}

const TROUBLE = 'what requests came to is not saved'

const MAX_UNSAVED = 100_000
/** The maximum number of entries in one save, which keeps transactions short. */
const SAVED_AT_ONCE = 1_000
/** At shutdown the last save is retried for this long, like that of the counters. */
const CLOSE_TIMEOUT_MS = 1_500
const RETRY_MS = 50

export class LedgerBuffer {
  readonly #options: LedgerOptions
  /** The newest entry of each lineage. */
  readonly #entries = new Map<string, LedgerEntry>()
  /** In the order in which they changed. */
  #unsaved: LedgerEntry[] = []
  /** Rows that were sent to the store, but are not known to be saved. */
  #inFlight: readonly LedgerRow[] = []
  #n = 1
  #hour = 0
  #saver: Timer | undefined
  #saving: Promise<void> = Promise.resolve()

  constructor(options: LedgerOptions) {
    this.#options = options
  }

  /** Counts the verdict on a request. */
  countDecision(lineage: string, operation: LedgerOperation, { admitted, window, atMs }: Verdict): void {
    const sums = this.#sumsOf(lineage, operation, atMs)
    if (admitted) sums.admitted += 1
    else if (window === 'minute') sums.refusedByMinute += 1
    else if (window === 'day') sums.refusedByDay += 1
    else sums.refusedByBan += 1
  }

  /** Counts the response to an admitted request, if its status is 4xx or 5xx. */
  countResponse(lineage: string, operation: LedgerOperation, { atMs }: Verdict, status: number): void {
    if (status < 400) return
    const sums = this.#sumsOf(lineage, operation, atMs)
    if (status < 500) sums.answered4xx += 1
    else sums.answered5xx += 1
  }

  /** Saves the remaining counts; gives up after CLOSE_TIMEOUT_MS. */
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
    const hour = Math.floor(atMs / HOUR_MS)
    let entry = this.#entries.get(lineage)
    if (entry === undefined || (entry.hour !== hour && !(entry.isChanged && this.#unsaved.length >= MAX_UNSAVED))) {
      if (hour > this.#hour) this.#startHour(hour)
      entry = { lineage, hour, sums: {}, isChanged: false }
      this.#entries.set(lineage, entry)
    }
    if (!entry.isChanged) {
      entry.isChanged = true
      this.#unsaved.push(entry)
      this.#saver ??= this.#saveLater()
    }
    const { sums } = entry
    sums[operation] ??= newSums()
    return sums[operation]
  }

  /** Drops saved entries of past hours. */
  #startHour(hour: number): void {
    this.#hour = hour
    for (const [lineage, { isChanged }] of this.#entries) if (!isChanged) this.#entries.delete(lineage)
  }

  #saveLater(): Timer {
    return this.#options.clock.after(this.#options.store.saveAfterMs, () => {
      this.#saving = this.#saveAll()
    })
  }

  /** What has changed by now, as long as it can be saved. */
  async #saveAll(): Promise<void> {
    let isSaved = true
    for (
      let remaining = this.#unsaved.length;
      isSaved && (remaining > 0 || this.#inFlight.length > 0);
      remaining -= SAVED_AT_ONCE
    ) {
      isSaved = await this.#save()
    }
    this.#saver = this.#hasMore() ? this.#saveLater() : undefined
  }

  #hasMore(): boolean {
    return this.#inFlight.length > 0 || this.#unsaved.length > 0
  }

  /** Resolves to whether the save succeeded. If it did not, the next call sends the same rows. */
  async #save(): Promise<boolean> {
    const { store, clock, process, onAttempt } = this.#options
    if (this.#inFlight.length === 0) this.#inFlight = this.#unsaved.splice(0, SAVED_AT_ONCE).flatMap(takeRows)
    try {
      await store.requests.saveLedger(this.#inFlight, { process, n: this.#n, atMs: clock.now() })
    } catch (error) {
      onAttempt?.(TROUBLE, error)
      return false
    }
    onAttempt?.(TROUBLE)
    this.#inFlight = []
    this.#n += 1
    return true
  }
}

/** Takes the rows out of an entry, and sets its sums to zero. */
function takeRows(entry: LedgerEntry): LedgerRow[] {
  const { lineage, hour, sums: of } = entry
  entry.isChanged = false
  const rows: LedgerRow[] = []
  for (const operation of Object.keys(of) as LedgerOperation[]) {
    const sums = of[operation]
    if (sums === undefined || Object.values(sums).every((n) => n === 0)) continue
    rows.push({ lineage, hour, operation, sums: { ...sums } })
    Object.assign(sums, newSums())
  }
  return rows
}

function newSums(): Sums {
  return { admitted: 0, refusedByMinute: 0, refusedByDay: 0, refusedByBan: 0, answered4xx: 0, answered5xx: 0 }
}
