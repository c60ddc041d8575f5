/**
 * The report of a month in the shelter's time zone, next to two others. An animal waits while it has neither left nor
 * been sold. Imports are counted separately unless the list has an arrival date within the records, as is unknown data.
 */
import { stringify } from 'csv-stringify/sync'
import { DAY_MS, HOUR_MS } from '../common/clock.ts'
import type { Count, ReportFacts, Span } from '../store/report.ts'
import type { Store } from '../store/store.ts'
import {
  type CategoryLine,
  COUNTED,
  FIGURE_NAMES,
  figureOf,
  type MonthReport,
  type Months,
  type ReportCounts,
  totalOf,
  type Wait,
} from './report-lines.ts'
import { shelterZone } from './zone.ts'

/** Undefined if the month does not exist or the year has more than four digits. */
export function monthOf(text: string): Temporal.PlainYearMonth | undefined {
  return /^(?!0000)\d{4}-(0[1-9]|1[0-2])$/.test(text) ? Temporal.PlainYearMonth.from(text) : undefined
}

export const MONTH_RULE = 'It must be a month, such as 2026-11.'

function spanOf(month: Temporal.PlainYearMonth, zone: string): Span {
  const startOf = (one: Temporal.PlainYearMonth) => one.toPlainDate({ day: 1 }).toZonedDateTime(zone).epochMilliseconds
  return { fromMs: startOf(month), untilMs: startOf(month.add({ months: 1 })) }
}

export async function readReport(
  store: Pick<Store, 'reports' | 'words'>,
  selected: Temporal.PlainYearMonth | undefined,
  atMs: number,
): Promise<MonthReport> {
  const zone = await shelterZone(store)
  const now = Temporal.Instant.fromEpochMilliseconds(atMs).toZonedDateTimeISO(zone)
  const month = selected ?? now.toPlainDate().toPlainYearMonth()
  const months = [month, month.subtract({ months: 1 }), month.subtract({ years: 1 })] as const
  const [span, ...others] = months.map((one) => spanOf(one, zone)) as [Span, Span, Span]
  // Noon avoids changes of the clock.
  const noonMs = 12 * HOUR_MS + span.fromMs - spanOf(month, 'UTC').fromMs
  const facts = await store.reports.facts([span, ...others], noonMs, zone, atMs)
  const fromMs = Math.min(span.fromMs, ...others.map((other) => other.fromMs))
  const { begunMs } = facts
  return {
    months: months.map(String) as unknown as Months<string>,
    zone,
    atMs,
    begunMs: begunMs !== undefined && begunMs > fromMs ? begunMs : undefined,
    ...movesOf(facts.counts),
    wait: waitOf(facts, now.toPlainDate().toZonedDateTime('UTC').epochMilliseconds / DAY_MS),
    missing: missingOf(facts, fromMs),
  }
}

/** For spreadsheets: a line for each figure of each category. */
export function toCsv({ months, categories }: MonthReport, names: ReadonlyMap<bigint, string>): string {
  const all = { categoryId: 'all', counts: months.map((_, n) => totalOf(categories, n)) }
  const rows = [...categories, all].flatMap(({ categoryId = 'others', counts }) => {
    const name = /\d/.test(categoryId) ? names.get(BigInt(categoryId)) : undefined
    return FIGURE_NAMES.map((figure) => [categoryId, name, figure, ...counts.map((one) => figureOf(one, figure))])
  })
  return stringify([['category', 'name', 'figure', ...months], ...rows], { escape_formulas: true, bom: true })
}

function movesOf(counts: readonly Count[]): Pick<MonthReport, 'categories' | 'purged'> {
  const zero = () => Object.fromEntries(COUNTED.map((one) => [one, 0])) as Record<keyof ReportCounts, number>
  const lines = new Map<bigint | undefined, Months<Record<keyof ReportCounts, number>>>()
  const purged = { in: 0, out: 0 }
  for (const { span, before, after, categoryId, isOther, animals } of counts) {
    const [did, does] = [waits(before), waits(after)]
    if (span === undefined || did === does) continue
    const isIn = does === true || before === 'gone' || before === 'listed'
    if (did === undefined || does === undefined || (categoryId === undefined && isOther === 0)) {
      if (span === 0) purged[isIn ? 'in' : 'out'] += animals
      continue
    }
    const column = isIn ? (before === 'listed' ? 'imported' : 'in') : outOf(after)
    const line = lines.getOrInsertComputed(categoryId, () => [zero(), zero(), zero()])
    const sums = line[span]
    if (sums !== undefined) sums[column] += animals
  }
  const sorted = [...lines].sort(([a], [b]) => (b === undefined || (a !== undefined && a < b) ? -1 : 1))
  return { categories: sorted.map(([id, counts]): CategoryLine => ({ categoryId: id?.toString(), counts })), purged }
}

const outOf = (state: string | undefined) => (state === 'gone' ? 'removed' : state === 'left' ? 'left' : 'sold')

function waits(state: string | undefined): boolean | undefined {
  return state === undefined ? undefined : !['sold', 'left', 'gone', 'listed'].includes(state)
}

function waitOf({ counts, byStatus, left }: ReportFacts, today: number): Wait {
  const [available = 0, pending = 0] = ['available', 'pending'].map((status) => byStatus.get(status))
  const none = (byStatus.get('none') ?? 0) - left
  const waiting = counts.filter(({ span, before, after }) => span === undefined && before !== 'gone' && waits(after))
  const withDay = waiting.flatMap(({ day, animals }) => (day === undefined ? [] : [{ days: today - day, animals }]))
  withDay.sort((a, b) => b.days - a.days)
  const sum = sumOf(withDay)
  let remaining = Math.ceil(sum / 2)
  const median = withDay.find(({ animals }) => {
    remaining -= animals
    return remaining <= 0
  })
  const imported = sumOf(waiting.filter(({ day }) => day === undefined))
  const days = { medianDays: median?.days, longestDays: withDay[0]?.days }
  return { available, pending, none, known: sum, unknown: available + pending + none - sum, imported, ...days }
}

function missingOf({ counts, byStatus, removed, notedFromMs }: ReportFacts, fromMs: number): MonthReport['missing'] {
  const counted = sumOf(counts.filter(({ span, before }) => span === undefined && before !== 'unknown'))
  const animals = [...byStatus.values()].reduce((sum, n) => sum + n, removed) - counted
  const isComplete = animals === 0 || (notedFromMs !== undefined && notedFromMs <= fromMs)
  return isComplete ? undefined : { animals, untilMs: notedFromMs }
}

function sumOf(counts: readonly Pick<Count, 'animals'>[]): number {
  return counts.reduce((sum, { animals }) => sum + animals, 0)
}
