/**
 * The report of a month in the shelter's time zone: the animals that came in, that went out, and that wait now.
 *
 * An animal *waits* while it is in the shelter and not sold. It comes *in* when it begins to wait: it is added,
 * restored, or no longer sold. It goes *out* when it ceases to wait: it is sold or removed. So between two instants the
 * number of waiting animals changes by those in minus those out. The *wait* of an animal is in days since it was first
 * added, whatever happened since, or since the day that its list says; an import is no arrival.
 *
 * Unknown data is counted separately: the status of purged animals, and arrivals before arrivals were recorded.
 */
import { setImmediate } from 'node:timers/promises'
import { DAY_MS } from '../common/clock.ts'
import type { Kind, ReportFacts, Touched } from '../store/report.ts'
import type { Store } from '../store/store.ts'
import { type Move, type State, statesOf } from './states.ts'

/** The ways in (the status on arrival), then the ways out. */
export const REPORT_COLUMNS = ['available', 'pending', 'none', 'sold', 'removed'] as const
type ReportColumn = (typeof REPORT_COLUMNS)[number]

/** The number of animals of a category by way in or out. */
export interface CategoryLine extends Readonly<Record<ReportColumn, number>> {
  readonly categoryId: bigint
}

export interface MonthReport {
  /** For example `2026-11`. */
  readonly month: string
  /** The time zone of its month, as `Europe/Berlin`. */
  readonly zone: string
  /** The time of the report, in Unix ms. */
  readonly atMs: number
  /** Sorted by category number; categories without a count are left out. */
  readonly categories: readonly CategoryLine[]
  /** Purged animals, whose status is unknown: the number that came in (added or restored) and went out (removed). */
  readonly purged: { readonly in: number; readonly out: number }
  readonly wait: Wait
  /** Animals whose arrival is unknown, and the time since which arrivals are recorded; undefined if none is missing. */
  readonly missing: { readonly animals: number; readonly untilMs: number | undefined } | undefined
  /** Acts by author, the most frequent first; `create` counts animals that were created with an API key. */
  readonly acts: readonly { readonly who: string; readonly act: string; readonly times: number }[]
}

/** The animals that wait now. */
interface Wait {
  readonly available: number
  readonly pending: number
  readonly none: number
  /** The number of animals whose arrival is known. */
  readonly known: number
  readonly unknown: number
  /** The number of those that an import brought without the day of their arrival. */
  readonly imported: number
  /** The median wait of those known, in days; undefined if there are none. */
  readonly medianDays: number | undefined
  readonly longestDays: number | undefined
}

const ACTS: ReadonlySet<string> = new Set([
  ...['add', 'edit', 'remove', 'restore', 'purge', 'label', 'import', 'sync', 'undo import'],
])

/** The number of animals in one turn of the event loop: some ms of work. */
const TOGETHER = 1_000

/** The time zone of this machine. */
export function machineZone(): string {
  return Intl.DateTimeFormat().resolvedOptions().timeZone
}

export function isZone(text: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: text }).resolvedOptions().timeZone !== ''
  } catch {
    return false
  }
}

/** The month at an instant in a time zone, for example `2026-11`. */
function monthAt(ms: number, zone: string): string {
  return Temporal.Instant.fromEpochMilliseconds(ms).toZonedDateTimeISO(zone).toPlainDate().toString().slice(0, 7)
}

/** The bounds of a month such as `2026-11` in a time zone, in Unix ms; undefined if there is no such month. */
export function monthOf(text: string, zone = 'UTC'): { readonly fromMs: number; readonly untilMs: number } | undefined {
  if (!/^\d{4}-(0[1-9]|1[0-2])$/.test(text)) return undefined
  const first = Temporal.PlainDate.from(`${text}-01`)
  const startOf = (day: Temporal.PlainDate) => day.toZonedDateTime(zone).epochMilliseconds
  return { fromMs: startOf(first), untilMs: startOf(first.add({ months: 1 })) }
}

/** Reads the report of a month such as `2026-11` in the shelter's time zone, as of `atMs`; without one, of that of now. */
export async function readReport(
  { reports, words }: Pick<Store, 'reports' | 'words'>,
  asked: string | undefined,
  atMs: number,
): Promise<MonthReport> {
  const { zone = machineZone() } = await words.shelter()
  const month = asked ?? monthAt(atMs, zone)
  const { fromMs = 0, untilMs = 0 } = monthOf(month, zone) ?? {}
  return reportOf({ month, zone, atMs, fromMs, untilMs }, await reports.facts(fromMs, untilMs))
}

interface Month {
  readonly month: string
  readonly zone: string
  readonly atMs: number
  readonly fromMs: number
  readonly untilMs: number
}

async function reportOf({ month, zone, atMs, fromMs, untilMs }: Month, facts: ReportFacts): Promise<MonthReport> {
  const isOfMonth = (ms: number) => fromMs <= ms && ms < untilMs
  const lines = new Lines()
  const purged = { in: 0, out: 0 }
  for (const one of facts.arrived) lines.add(one, wayIn(one.status), one.animals)
  for (const one of facts.removed) lines.add(one, 'removed', one.animals)
  for (const [n, touched] of facts.touched.entries()) {
    if (n % TOGETHER === TOGETHER - 1) await setImmediate()
    takeBack(lines, touched, isOfMonth)
    for (const move of statesOf(touched)) if (isOfMonth(move.atMs)) count(move, lines, purged)
  }
  return {
    ...{ month, zone, atMs },
    categories: lines.all(),
    purged,
    wait: waitOf(facts, Math.floor(atMs / DAY_MS)),
    missing: missingOf(facts, fromMs),
    acts: actsOf(facts),
  }
}

function count({ before, after }: Move, lines: Lines, purged: { in: number; out: number }): void {
  const [did, does] = [waits(before), waits(after)]
  if (did === does) return
  const isIn = before === 'gone' || does === true
  const kind = isIn ? after : before
  if (did === undefined || does === undefined || kind === 'gone' || kind.categoryId === undefined) {
    purged[isIn ? 'in' : 'out'] += 1
  } else {
    const way = isIn ? wayIn(kind.status ?? null) : after === 'gone' ? 'removed' : 'sold'
    lines.add({ categoryId: kind.categoryId }, way, 1)
  }
}

/** Whether an animal in this state waits; undefined if its status is unknown. */
function waits(state: State): boolean | undefined {
  if (state === 'gone') return false
  return state.status === undefined ? undefined : state.status !== 'sold'
}

function wayIn(status: string | null): 'available' | 'pending' | 'none' {
  return status === 'available' || status === 'pending' ? status : 'none'
}

/** Subtracts an animal that was counted as it is now: one with entries in the journal is counted by these. */
function takeBack(lines: Lines, { cameAtMs, now }: Touched, isOfMonth: (ms: number) => boolean): void {
  if (now === undefined || now.status === 'sold') return
  if (cameAtMs !== undefined && isOfMonth(cameAtMs)) lines.add(now, wayIn(now.status), -1)
  if (now.removedAtMs !== undefined && isOfMonth(now.removedAtMs)) lines.add(now, 'removed', -1)
}

class Lines {
  readonly #lines = new Map<bigint, Record<ReportColumn, number>>()

  add({ categoryId }: Pick<Kind, 'categoryId'>, column: ReportColumn, animals: number): void {
    const line = this.#lines.get(categoryId) ?? { available: 0, pending: 0, none: 0, sold: 0, removed: 0 }
    line[column] += animals
    this.#lines.set(categoryId, line)
  }

  all(): readonly CategoryLine[] {
    const used = [...this.#lines].filter(([, line]) => Object.values(line).some((n) => n !== 0))
    return used.sort(([a], [b]) => (a < b ? -1 : 1)).map(([categoryId, line]) => ({ categoryId, ...line }))
  }
}

function waitOf({ waiting }: ReportFacts, today: number): Wait {
  const counts = { available: 0, pending: 0, none: 0 }
  for (const { status, animals } of waiting) counts[wayIn(status)] += animals
  const known = waiting.flatMap(({ day, animals }) => (day === undefined ? [] : [{ days: today - day, animals }]))
  known.sort((a, b) => b.days - a.days)
  const sum = known.reduce((total, { animals }) => total + animals, 0)
  let left = Math.ceil(sum / 2)
  const median = known.find(({ animals }) => {
    left -= animals
    return left <= 0
  })
  const imported = waiting.reduce((total, { isImported, animals }) => total + (isImported ? animals : 0), 0)
  const unknown = counts.available + counts.pending + counts.none - sum
  return { ...counts, known: sum, unknown, imported, medianDays: median?.days, longestDays: known[0]?.days }
}

function missingOf({ unknown, touched, notedFromMs }: ReportFacts, fromMs: number): MonthReport['missing'] {
  const gone = touched.filter(({ cameAtMs, now }) => cameAtMs === undefined && now === undefined).length
  const animals = unknown + gone
  const isComplete = animals === 0 || (notedFromMs !== undefined && notedFromMs <= fromMs)
  return isComplete ? undefined : { animals, untilMs: notedFromMs }
}

function actsOf({ acts, created }: ReportFacts): MonthReport['acts'] {
  const byKeys = [...created].map(([who, times]) => ({ who, act: 'create', times }))
  return [...acts.filter(({ act }) => ACTS.has(act)), ...byKeys].sort(
    (a, b) => b.times - a.times || compare(a.who, b.who) || compare(a.act, b.act),
  )
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
