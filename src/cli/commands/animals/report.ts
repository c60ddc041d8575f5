/** `pets report`: what came in and went out in a month, who waits now, and who did what. */
import { type Command, InvalidArgumentError } from 'commander'
import { stringify } from 'csv-stringify/sync'
import { printable, printableJson } from '../../../common/printable.ts'
import { type CategoryLine, type MonthReport, monthOf, REPORT_COLUMNS, readReport } from '../../../domain/report.ts'
import type { Cli } from '../../cli.ts'
import { storeCommand } from '../../command.ts'
import { tableOf, toIso, toMinute } from '../../table.ts'

const HEADINGS = ['CATEGORY', 'IN', ...REPORT_COLUMNS.slice(0, 3), 'OUT', ...REPORT_COLUMNS.slice(3)].map((word) =>
  word.toUpperCase(),
)

interface ReportOptions {
  readonly month?: string
  readonly json?: true
  readonly csv?: true
}

export function report(cli: Cli): Command {
  return storeCommand(cli, 'report', {
    about:
      'Show what came in and went out in a month, who waits now, and who did what, in the time zone of the office (Settings), or of this machine.',
    examples: ['pets report', 'pets report --month 2026-11 --csv > november.csv'],
    takes: (made) => made.option('--month <month>', 'as 2026-11 (default: this month)', month),
    json: 'all of it as one JSON object',
    csv: 'what came in and went out by category, as CSV with a line of headings',
    action: async ({ store }, { month, json, csv }: ReportOptions) => {
      const made = await readReport(store, month, cli.clock.now())
      const names = await store.categories.names()
      if (json) await cli.print(`${toJson(made, names)}\n`)
      else if (csv) await cli.print(toCsv(made, names))
      else await cli.print(toText(made, names, cli.io.stdout.columns))
    },
  })
}

function month(text: string): string {
  if (monthOf(text) === undefined) throw new InvalidArgumentError('It must be a month, as 2026-11.')
  return text
}

type Names = ReadonlyMap<bigint, string>

function toText(
  { month, zone, atMs, categories, wait, ...report }: MonthReport,
  names: Names,
  columns: number | undefined,
): string {
  const rows = categories.map((line) => {
    const name = names.get(line.categoryId)
    const ins = REPORT_COLUMNS.slice(0, 3).map((way) => line[way])
    const outs = REPORT_COLUMNS.slice(3).map((way) => line[way])
    const cells = [ins, outs].flatMap((numbers) => [numbers.reduce((sum, n) => sum + n, 0), ...numbers])
    return [`${line.categoryId}${name === undefined ? '' : ` ${printable(name)}`}`, ...cells.map(String)]
  })
  const totals = HEADINGS.slice(1).map((_, n) => String(rows.reduce((sum, row) => sum + Number(row[n + 1]), 0)))
  const acts = report.acts.map(({ who, act, times }) => [printable(who), act, String(times)])
  return [
    `${month}, in ${zone}, as the database was at ${toMinute(atMs)}\n\n`,
    rows.length === 0 ? 'Nothing came in or went out.\n' : tableOf(HEADINGS, columns)([...rows, ['all', ...totals]]),
    `\n${notesOf({ wait, ...report }).join('\n')}\n`,
    acts.length === 0 ? '' : `\n${tableOf(['WHO', 'ACT', 'TIMES'], columns)(acts)}`,
  ].join('')
}

function notesOf({ wait, purged, missing }: Pick<MonthReport, 'wait' | 'purged' | 'missing'>): string[] {
  const { available, pending, none, unknown, imported, medianDays, longestDays } = wait
  const all = available + pending + none
  const notes = [`Waiting now: ${all} (${available} available, ${pending} pending, ${none} without a status).`]
  if (medianDays !== undefined) {
    notes.push(`Half of them have waited for ${medianDays} days or longer, the longest for ${longestDays}.`)
  }
  if (imported > 0) notes.push(`Imports brought ${imported} of them without the day of their arrival.`)
  if (unknown > 0) notes.push(`When ${unknown} of them came is not known; their wait is not counted.`)
  if (purged.in + purged.out > 0) {
    notes.push(
      `Not counted, because they were deleted for good and their status is not known: ${purged.in} in, ${purged.out} out.`,
    )
  }
  if (missing !== undefined) {
    const since = missing.untilMs === undefined ? '' : ` before ${toMinute(missing.untilMs)}`
    notes.push(`Arrivals${since} are incomplete: when ${missing.animals} animals came is not known.`)
  }
  return notes
}

function toJson({ month, zone, atMs, categories, wait, purged, missing, acts }: MonthReport, names: Names): string {
  return printableJson({
    ...{ month, timeZone: zone },
    at: toIso(atMs),
    categories: categories.map(({ categoryId, ...ways }) => ({
      category: categoryId.toString(),
      name: names.get(categoryId),
      ...ways,
    })),
    waiting: wait,
    purged,
    missing: missing && { animals: missing.animals, until: toIso(missing.untilMs) },
    acts,
  })
}

function toCsv({ categories }: MonthReport, names: Names): string {
  const numbers = (line: CategoryLine) => REPORT_COLUMNS.map((way) => line[way])
  const rows = categories.map((line) => [`${line.categoryId}`, names.get(line.categoryId), ...numbers(line)])
  return stringify([['category', 'name', ...REPORT_COLUMNS], ...rows], { escape_formulas: true, bom: true })
}
