/**
 * What a report of a month rests on (../domain/report.ts), as one instant has it: when animals came, as far as that is
 * known, how many of each kind there are, and what the journal says from the month on.
 */
import type { JournalAct } from './rules/journal.ts'

/** The animals of one category and status; null is none. */
export interface Kind {
  readonly categoryId: bigint
  readonly status: string | null
}

/** Animals that are there and not sold, and came on the same day, if that is known. */
export interface Waiting {
  /** Since 1970; undefined if nothing says when they came. */
  readonly day: number | undefined
  readonly status: string | null
  readonly animals: number
}

/** An entry of the journal, with the values that it says. */
export interface ReportEntry {
  readonly n: bigint
  readonly atMs: number
  readonly who: string
  readonly act: JournalAct
  readonly petId: bigint | undefined
  readonly from: string | undefined
  readonly to: string | undefined
}

/** An animal with entries from the month on. */
export interface Touched {
  /** On which it came, since 1970, if anything says so. */
  readonly day: number | undefined
  /** As it is, or was when it was removed; undefined if it has been purged. */
  readonly now: (Kind & { readonly removedAtMs: number | undefined }) | undefined
  /** When the undo of an import removed it, if one did, with the number of the journal's entry of that undo. */
  readonly undone: { readonly n: bigint; readonly atMs: number } | undefined
  /** In their order; of an animal that was removed and came back, or was purged, all of them. */
  readonly entries: readonly ReportEntry[]
}

export interface ReportFacts {
  /** Those that came in the month, are there or removed, and are not or were not sold. */
  readonly arrived: readonly (Kind & { readonly animals: number })[]
  readonly waiting: readonly Waiting[]
  /** How many of those that are there or removed came nobody knows when. */
  readonly unknown: number
  /** Those that were removed in the month, are, and were not sold. */
  readonly removed: readonly (Kind & { readonly animals: number })[]
  readonly touched: readonly Touched[]
  /** Of the month, of whatever subject. */
  readonly acts: readonly { readonly who: string; readonly act: JournalAct; readonly times: number }[]
  /** How many animals each key created in the month. */
  readonly created: ReadonlyMap<string, number>
  /** Since when keys are noted; undefined if none has created an animal since then. */
  readonly notedFromMs: number | undefined
}

export interface Reports {
  /** Of the time from `fromMs`, the beginning of a day, up to `untilMs`. Others are answered meanwhile. */
  facts(fromMs: number, untilMs: number): Promise<ReportFacts>
}
