/**
 * Counts for the ledger (../store/ledger.ts) what the windows decided, request by request, and gives the sums to the
 * store soon after. A request belongs to the hour of the clock reading by which the windows decided; its answer, to
 * the same hour. A save that fails is sent again as it was, under its number; what is counted meanwhile waits behind.
 *
 * Memory: a lineage that was used in this hour or the last has one entry. While nothing can be saved, up to 100,000
 * entries of past hours wait as well; from then on the requests of a lineage stay in the hour of the entry that it has.
 */
import { type Clock, HOUR_MS, sleep, type Timer } from '../common/clock.ts'
import type { Verdict } from '../contract/limits.ts'
import type { LedgerOperation, LedgerRow, Sums } from '../store/ledger.ts'
import type { Store } from '../store/store.ts'

interface Entry {
  readonly lineage: string
  readonly hour: number
  /** By operation; an operation's numbers are kept for as long as the entry, and set to zero by a save. */
  readonly sums: Partial<Record<LedgerOperation, Sums>>
  /** Whether it holds something that no save has taken. */
  isChanged: boolean
}

interface LedgerOptions {
  readonly store: Pick<Store, 'ledger' | 'saveAfterMs'>
  readonly clock: Clock
  /** Names this process, as no other is or was. */
  readonly process: string
}

const MAX_UNSAVED = 100_000
/** Entries of one save, so that no transaction is long. */
const SAVED_AT_ONCE = 1_000
/** At a stop the last save is retried for this long, as that of the counters is. */
const CLOSE_PATIENCE_MS = 1_500
const RETRY_MS = 50

export class Ledger {
  readonly #options: LedgerOptions
  /** The newest entry of each lineage. */
  readonly #entries = new Map<string, Entry>()
  /** In the order of their changes. */
  #unsaved: Entry[] = []
  /** What was sent and is not known to be saved. */
  #sent: readonly LedgerRow[] = []
  #n = 1
  #hour = 0
  #saver: Timer | undefined
  #saving: Promise<void> = Promise.resolve()

  constructor(options: LedgerOptions) {
    this.#options = options
  }

  /** Counts a decision of the windows. */
  countDecision(lineage: string, operation: LedgerOperation, { admitted, window, atMs }: Verdict): void {
    const sums = this.#sumsOf(lineage, operation, atMs)
    if (admitted) sums.admitted += 1
    else if (window === 'minute') sums.refusedByMinute += 1
    else if (window === 'day') sums.refusedByDay += 1
    else sums.refusedByBan += 1
  }

  /** Counts the answer to a request that was admitted, if it says that the request failed. */
  countResponse(lineage: string, operation: LedgerOperation, { atMs }: Verdict, status: number): void {
    if (status < 400) return
    const sums = this.#sumsOf(lineage, operation, atMs)
    if (status < 500) sums.answered4xx += 1
    else sums.answered5xx += 1
  }

  /** Saves what is left, or gives up after a time. */
  async close(): Promise<void> {
    const { clock } = this.#options
    clock.cancel(this.#saver)
    await this.#saving
    clock.cancel(this.#saver)
    const deadline = clock.monotonic() + CLOSE_PATIENCE_MS
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
      this.#saver ??= this.#options.clock.after(this.#options.store.saveAfterMs, () => this.#saveAll())
    }
    let sums = entry.sums[operation]
    if (sums === undefined) {
      sums = newSums()
      entry.sums[operation] = sums
    }
    return sums
  }

  /** Entries of past hours need not be kept for requests to come. */
  #startHour(hour: number): void {
    this.#hour = hour
    for (const [lineage, { isChanged }] of this.#entries) if (!isChanged) this.#entries.delete(lineage)
  }

  #saveAll(): void {
    this.#saving = this.#saveWhilePossible()
  }

  async #saveWhilePossible(): Promise<void> {
    let isSaved = true
    for (let left = this.#unsaved.length; isSaved && (left > 0 || this.#sent.length > 0); left -= SAVED_AT_ONCE) {
      isSaved = await this.#save()
    }
    this.#saver = this.#hasMore()
      ? this.#options.clock.after(this.#options.store.saveAfterMs, () => this.#saveAll())
      : undefined
  }

  #hasMore(): boolean {
    return this.#sent.length > 0 || this.#unsaved.length > 0
  }

  /** Whether it was saved; what was not is sent first the next time. */
  async #save(): Promise<boolean> {
    const { store, clock, process } = this.#options
    if (this.#sent.length === 0) this.#sent = this.#unsaved.splice(0, SAVED_AT_ONCE).flatMap(takeRows)
    try {
      await store.ledger.save(this.#sent, { process, n: this.#n, atMs: clock.now() })
    } catch {
      return false
    }
    this.#sent = []
    this.#n += 1
    return true
  }
}

/** The rows of an entry, whose numbers are zero from then on. */
function takeRows(entry: Entry): LedgerRow[] {
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
