/** The report of the month in the address. In print it is the screen without controls. */

import {
  type CategoryLine,
  FIGURE_NAMES,
  type FigureName,
  figureOf,
  type MonthReport,
  notesOf,
  totalOf,
  waitingWords,
} from '../../../domain/report-lines.ts'
import { addressOf, get, shelterName } from '../parts/api.ts'
import { categoryWord, loadCategories } from '../parts/categories.ts'
import { announce, button, card, line, make, refill, typed } from '../parts/elements.ts'
import { field, select } from '../parts/fields.ts'
import { load } from '../parts/load.ts'
import { type Parameters, pushAddress } from '../parts/screen.ts'
import { table } from '../parts/table.ts'
import { datedAt, dateOf, figure, LANGUAGES, statusWord, zoneWord } from '../parts/words.ts'
import { download } from './print-export.ts'

const MONTHS = 36
const monthAndYear = new Intl.DateTimeFormat(LANGUAGES, { month: 'long', year: 'numeric', timeZone: 'UTC' })

export function showReport({ query }: Parameters) {
  const thisMonth = dateOf(Date.now()).slice(0, 7)
  let month = query.get('month') ?? thisMonth
  const months = monthsBefore(thisMonth, month).map((one) => [one, monthWord(one)] as const)
  const choice = field('Month', select(months, month))
  // Keep the focus, for the arrow keys.
  choice.control.addEventListener('change', () => {
    month = choice.control.value
    pushAddress(`#report?month=${month}`)
    void loader.again()
  })
  const names = loadCategories()
  const title = make('h1')
  const file = button('CSV', () => download(addressOf('GET /api/report.csv', { month })), { class: 'plain' })
  const printing = button('Print', () => print(), { class: 'plain' })
  const asOf = make('p', { class: 'quiet' })
  const body = make('div')
  const loader = load({
    what: 'The report',
    async get() {
      title.textContent = `Report for ${monthWord(month)}`
      for (const old of [asOf, body]) old.replaceChildren()
      await names
      return get('/api/report', { month })
    },
    show(report) {
      asOf.textContent = `As of ${datedAt(report.atMs, report.zone)}. Time zone: ${zoneWord(report.zone)}.`
      refill(body, partsOf(report))
      announce(`Waiting now: ${waitingWords(report.wait, wordsOf(report))}`)
    },
  })
  const buttons = make('div', { class: 'few' }, file, printing)
  const form = make('form', { class: 'bar', 'aria-label': 'Month' }, choice, buttons)
  const heading = make('div', { class: 'heading' }, title, line(shelterName()))
  return [heading, form, loader, asOf, body]
}

function monthsBefore(latest: string, other: string): readonly string[] {
  const [year = 0, month = 0] = latest.split('-').map(Number)
  const months = Array.from({ length: MONTHS }, (_, ago) =>
    new Date(Date.UTC(year, month - 1 - ago)).toISOString().slice(0, 7),
  )
  return [...new Set([...months, other])].sort().reverse()
}

function monthWord(month: string): string {
  const atMs = Date.parse(`${month}-01`)
  return Number.isNaN(atMs) ? month : monthAndYear.format(atMs)
}

function partsOf(report: MonthReport) {
  const words = wordsOf(report)
  const notes = [waitingWords(report.wait, words), ...notesOf(report, words)].map((one) => make('p', {}, one))
  const { wait, categories } = report
  const total = totalOf(categories, 0)
  const tiles = [
    tile('Waiting now', wait.available + wait.pending + wait.none),
    tile(`In, ${monthWord(report.months[0])}`, figureOf(total, 'in')),
    tile(`Out, ${monthWord(report.months[0])}`, figureOf(total, 'out')),
  ]
  const now = make('div', { class: 'two' }, card('Waiting now', notes), comparedOf(report))
  return [make('dl', { class: 'now' }, tiles), now, categoriesOf(report)]
}

function tile(name: string, n: number) {
  return make('div', {}, make('dt', {}, name), make('dd', {}, figure(n)))
}

function wordsOf({ zone }: MonthReport) {
  return { figure, time: (ms: number) => datedAt(ms, zone), status: statusWord }
}

const FIGURES: Readonly<Record<FigureName, () => string>> = {
  in: () => 'In',
  imported: () => 'Imported',
  out: () => 'Out',
  sold: () => `Out as ${statusWord('sold')}`,
  left: () => 'Out, left the shelter',
  removed: () => 'Out, removed',
}

function numberOf<Row>(title: string, of: (row: Row) => number) {
  const cell = (row: Row) => (of(row) === 0 ? make('span', { class: 'zero' }, '0') : figure(of(row)))
  return { title, cell, className: 'number' }
}

function comparedOf({ months, categories }: MonthReport): HTMLElement {
  if (categories.length === 0) return card('In and out', make('p', {}, 'Nothing came in or went out.'))
  const columns = months.map((month, n) => {
    const total = totalOf(categories, n)
    return numberOf<FigureName>(monthWord(month), (name) => figureOf(total, name))
  })
  const caption = 'In and out, next to the month before and the year before'
  const rows = { isCompact: true, rows: FIGURE_NAMES }
  return card('In and out', table(caption, [{ title: 'Animals', cell: (name) => FIGURES[name]() }, ...columns], rows))
}

function categoriesOf({ months, categories }: MonthReport) {
  const rows = categories.filter(({ counts: [counts] }) => FIGURE_NAMES.some((name) => figureOf(counts, name) > 0))
  if (rows.length === 0) return undefined
  const columns = [
    {
      title: 'Category',
      cell: ({ categoryId }: CategoryLine) =>
        categoryId === undefined ? 'All others' : typed(categoryWord(categoryId)),
    },
    ...FIGURE_NAMES.map((name) => numberOf<CategoryLine>(FIGURES[name](), ({ counts }) => figureOf(counts[0], name))),
  ]
  return card(`By category in ${monthWord(months[0])}`, table('In and out by category', columns, { rows }))
}
