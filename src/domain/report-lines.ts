/** The figures and sentences of a report. The page imports it, so it imports nothing that needs Node. */
export const COUNTED = ['in', 'imported', 'sold', 'left', 'removed'] as const
export type ReportCounts = Readonly<Record<(typeof COUNTED)[number], number>>

/** In the order of display, each with what it sums. */
const FIGURES = {
  in: ['in'],
  imported: ['imported'],
  out: ['sold', 'left', 'removed'],
  sold: ['sold'],
  left: ['left'],
  removed: ['removed'],
} as const satisfies Readonly<Record<string, readonly (keyof ReportCounts)[]>>
export type FigureName = keyof typeof FIGURES
export const FIGURE_NAMES = Object.keys(FIGURES) as readonly FigureName[]

/** The counts of the month, of the month before, and of the same month a year before. */
export type Months<T> = readonly [month: T, monthBefore: T, yearBefore: T]

export interface CategoryLine {
  /** Decimal; undefined for all categories beyond the first 1,000. */
  readonly categoryId?: string | undefined
  readonly counts: Months<ReportCounts>
}

export interface Wait {
  readonly available: number
  readonly pending: number
  readonly none: number
  readonly known: number
  readonly unknown: number
  /** Imported animals without an arrival date. */
  readonly imported: number
  readonly medianDays?: number | undefined
  readonly longestDays?: number | undefined
}

export interface MonthReport {
  /** For example `2026-11`, `2026-10` and `2025-11`. */
  readonly months: Months<string>
  readonly zone: string
  readonly atMs: number
  /** When records begin, if that is after the beginning of the first month. */
  readonly begunMs?: number | undefined
  /** By category number, without empty categories. */
  readonly categories: readonly CategoryLine[]
  /** Purged animals with an unknown status: how many came in or were imported, and how many went out. */
  readonly purged: { readonly in: number; readonly out: number }
  readonly wait: Wait
  /** Animals with an unknown arrival, and since when arrivals are recorded. */
  readonly missing?: { readonly animals: number; readonly untilMs?: number | undefined } | undefined
}

export function figureOf(counts: ReportCounts, name: FigureName): number {
  return FIGURES[name].reduce((sum, one) => sum + counts[one], 0)
}

export function totalOf(lines: readonly CategoryLine[], month: number): ReportCounts {
  const sum = (one: keyof ReportCounts) => lines.reduce((total, { counts }) => total + (counts[month]?.[one] ?? 0), 0)
  return Object.fromEntries(COUNTED.map((one) => [one, sum(one)])) as ReportCounts
}

/** Formats numbers, times and statuses for the reader. */
interface ReportFormat {
  figure(n: number): string
  time(ms: number): string
  status(status: 'available' | 'pending'): string
}

export function waitingWords({ available, pending, none }: Wait, { figure, status }: ReportFormat): string {
  const parts = [`${figure(available)} ${status('available')}`, `${figure(pending)} ${status('pending')}`]
  return `${figure(available + pending + none)} (${parts.join(', ')}, ${figure(none)} without a status).`
}

export function* notesOf(
  { wait, purged, missing, begunMs }: MonthReport,
  { figure, time }: ReportFormat,
): Iterable<string> {
  const count = (n: number, noun: string) => `${figure(n)} ${noun}${n === 1 ? '' : 's'}`
  const { unknown, imported, medianDays, longestDays } = wait
  if (medianDays !== undefined && longestDays !== undefined) {
    yield `Half of them have waited for ${count(medianDays, 'day')} or longer, the longest for ${count(longestDays, 'day')}.`
  }
  if (imported > 0) yield `Imports brought ${figure(imported)} of them without an arrival date.`
  if (unknown > 0) yield `The arrival of ${figure(unknown)} of them is unknown, and their wait is not counted.`
  if (purged.in + purged.out > 0) {
    yield `Not counted, because they were deleted permanently and their status is unknown: ${figure(purged.in)} in, ${figure(purged.out)} out.`
  }
  if (begunMs !== undefined) yield `Records begin at ${time(begunMs)}. Earlier arrivals and departures are not counted.`
  if (missing !== undefined) {
    const since = missing.untilMs === undefined ? '' : ` before ${time(missing.untilMs)}`
    yield `Arrivals${since} are incomplete: when ${count(missing.animals, 'animal')} came is not known.`
  }
}
