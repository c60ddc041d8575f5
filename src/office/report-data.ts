/** What the office's route says of a month (./office-data.ts lists it). Types only, for the page too. */

/** What came in and went out in a category, by the status then or the way out; all in sum without an id. */
export interface ReportLine {
  readonly id?: string
  readonly available: number
  readonly pending: number
  readonly none: number
  readonly sold: number
  readonly removed: number
}

/** The report of a month, in UTC; ../domain/report.ts says what its words mean. Null where nothing is known. */
export interface OfficeReport {
  /** As `2026-11`. */
  readonly month: string
  readonly atMs: number
  readonly categories: readonly ReportLine[]
  readonly purged: { readonly in: number; readonly out: number }
  readonly wait: {
    readonly available: number
    readonly pending: number
    readonly none: number
    readonly unknown: number
    readonly medianDays: number | null
    readonly longestDays: number | null
  }
  readonly missing: { readonly animals: number; readonly untilMs: number | null } | null
  readonly acts: readonly { readonly who: string; readonly act: string; readonly times: number }[]
}
