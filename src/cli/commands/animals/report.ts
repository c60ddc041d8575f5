/** `pets report`: what came in and went out in a month, who waits now, and who did what. */
import { InvalidArgumentError } from 'commander'
import { printable, printableJson } from '../../../common/printable.ts'
import { MONTH_RULE, monthOf, readReport, toCsv } from '../../../domain/report.ts'
import {
  FIGURE_NAMES,
  figureOf,
  type MonthReport,
  notesOf,
  totalOf,
  waitingWords,
} from '../../../domain/report-lines.ts'
import { command } from '../../command.ts'
import { tableOf, toIso, toMinute } from '../../table.ts'

const HEADINGS = FIGURE_NAMES.map((name) => name.toUpperCase())
const WORDS = { figure: String, time: toMinute, status: String }

export const report = command({
  about:
    'Show what came in and went out in a month, beside the month before and the year before, who waits now, and who did what, in the time zone of the office (Settings), or of this machine.',
  examples: ['pets report', 'pets report --month 2026-11 --csv > november.csv'],
  takes: (command) => command.option('--month <month>', 'as 2026-11 (default: this month)', month),
  json: 'all of it as one JSON object',
  csv: 'what came in and went out by category in the three months, as CSV with a line of headings',
  async action({ cli, open }, { month, csv }) {
    const store = await open()
    const monthReport = await readReport(store, month, cli.clock.now())
    const names = await store.categories.names()
    if (csv) return toCsv(monthReport, names)
    return { json: toJson(monthReport, names), text: toText(monthReport, names, cli.io.stdout.columns) }
  },
})

function month(text: string): Temporal.PlainYearMonth {
  const value = monthOf(text)
  if (value === undefined) throw new InvalidArgumentError(MONTH_RULE)
  return value
}

type Names = ReadonlyMap<bigint, string>

function toText(monthReport: MonthReport, names: Names, columns: number | undefined): string {
  const { months, zone, atMs, categories, acts } = monthReport
  const totals = months.map((_, n) => totalOf(categories, n))
  const figureRows = FIGURE_NAMES.map((name, n) => [
    HEADINGS[n] ?? '',
    ...totals.map((one) => `${figureOf(one, name)}`),
  ])
  const inMonth = categories.flatMap(({ categoryId, counts: [counts] }) => {
    const figures = FIGURE_NAMES.map((name) => figureOf(counts, name))
    const name = categoryId === undefined ? undefined : names.get(BigInt(categoryId))
    const category = `${categoryId ?? 'others'}${name === undefined ? '' : ` ${printable(name)}`}`
    return figures.every((n) => n === 0) ? [] : [[category, ...figures.map(String)]]
  })
  const actRows = acts.map(({ who, act, times }) => [printable(who), act, String(times)])
  return [
    `${months[0]}, in ${zone}, as the database was at ${toMinute(atMs)}\n\n`,
    tableOf(['', ...months], columns)(figureRows),
    inMonth.length === 0 ? '' : `\n${tableOf(['CATEGORY', ...HEADINGS], columns)(inMonth)}`,
    `\n${[`Waiting now: ${waitingWords(monthReport.wait, WORDS)}`, ...notesOf(monthReport, WORDS)].join('\n')}\n`,
    actRows.length === 0 ? '' : `\n${tableOf(['WHO', 'ACT', 'TIMES'], columns)(actRows)}`,
  ].join('')
}

function toJson(
  { months, zone, atMs, begunMs, categories, missing, wait, ...rest }: MonthReport,
  names: Names,
): string {
  const [month, monthBefore, yearBefore] = months
  return printableJson({
    month,
    monthBefore,
    yearBefore,
    timeZone: zone,
    at: toIso(atMs),
    recordsBegin: toIso(begunMs),
    categories: categories.map(({ categoryId = 'others', counts: [counts, before, aYearBefore] }) => ({
      category: categoryId,
      name: categoryId === 'others' ? undefined : names.get(BigInt(categoryId)),
      ...counts,
      monthBefore: before,
      yearBefore: aYearBefore,
    })),
    waiting: wait,
    missing: missing && { animals: missing.animals, until: toIso(missing.untilMs) },
    ...rest,
  })
}
