/** The report of a month, which is in the address; printed, it is the screen without its controls. */

import {
  type CategoryLine,
  type Counts,
  FIGURE_NAMES,
  type FigureName,
  figureOf,
  type MonthReport,
  notesOf,
  totalOf,
  waitingWords,
} from '../../../domain/report-lines.ts'
import type { Session } from '../../office-data.ts'
import { downloadAddress, get, shelterName } from '../parts/api.ts'
import { categoryWord, loadCategories } from '../parts/categories.ts'
import { announce, button, card, field, make, titled, typed } from '../parts/elements.ts'
import { authorWord, DID } from '../parts/history.ts'
import { loading } from '../parts/notices.ts'
import type { Parameters, Shown } from '../parts/screen.ts'
import { table } from '../parts/table.ts'
import { capital, datedAt, dateOf, figure, shelterZone, statusWord, zoneWord } from '../parts/words.ts'
import { download } from './print-export.ts'

/** Those to choose from; another one may be in the address. */
const MONTHS = 36
const ACTS: Readonly<Record<string, string>> = {
  purge: 'Deleted animals for good',
  label: 'Named categories',
  import: 'Imported files',
  sync: 'Updated from files',
  'undo import': 'Undid imports',
  create: 'Added animals over the interface',
}

const monthAndYear = new Intl.DateTimeFormat(navigator.languages, { month: 'long', year: 'numeric', timeZone: 'UTC' })

export function showReport(container: HTMLElement, _session: Session, { query }: Parameters): Shown {
  const thisMonth = dateOf(Date.now(), shelterZone()).slice(0, 7)
  const month = query.get('month') ?? thisMonth
  const choice = field('Month', make('select', {}))
  choice.control.replaceChildren(
    ...monthsBefore(thisMonth, month).map((one) => make('option', { value: one }, monthWord(one))),
  )
  choice.control.value = month
  choice.control.addEventListener('change', () => {
    location.hash = `report?month=${choice.control.value}`
  })
  const file = button('CSV', () => void download(downloadAddress('GET /api/report.csv', { month })), { class: 'plain' })
  const printing = button('Print', () => print(), { class: 'plain' })
  const asOf = make('p', { class: 'quiet' })
  const body = make('div')
  const { notice, load, drop } = loading(
    'The report',
    async () => {
      await loadCategories()
      return get('/api/report', { month })
    },
    (report) => {
      asOf.textContent = `The months and all times are those of ${zoneWord(report.zone)}; as of ${datedAt(report.atMs, report.zone)}.`
      body.replaceChildren(...partsOf(report))
      announce(`Waiting now: ${waitingWords(report.wait, wordsOf(report))}`)
    },
  )
  container.append(
    titled(`Report of ${monthWord(month)}`, make('p', { class: 'typed', dir: 'auto' }, shelterName())),
    make(
      'form',
      { class: 'bar', 'aria-label': 'Month' },
      choice.element,
      make('div', { class: 'few' }, file, printing),
    ),
    notice,
    asOf,
    body,
  )
  void load()
  return { end: drop }
}

/** Newest first, `other` among them. */
function monthsBefore(latest: string, other: string): readonly string[] {
  const [year = 0, month = 0] = latest.split('-').map(Number)
  const months = Array.from({ length: MONTHS }, (_, ago) =>
    new Date(Date.UTC(year, month - 1 - ago)).toISOString().slice(0, 7),
  )
  return [...new Set([...months, other])].sort().reverse()
}

/** As in "November 2026"; what is no month, as it is. */
function monthWord(month: string): string {
  const atMs = Date.parse(`${month}-01`)
  return Number.isNaN(atMs) ? month : monthAndYear.format(atMs)
}

function partsOf(report: MonthReport): readonly HTMLElement[] {
  const { acts } = report
  const words = wordsOf(report)
  const notes = [waitingWords(report.wait, words), ...notesOf(report, words)].map((one) => make('p', {}, one))
  return [
    make('div', { class: 'two' }, card('Waiting now', ...notes), comparedOf(report)),
    ...categoriesOf(report),
    ...(acts.length === 0 ? [] : [actsOf(acts)]),
  ]
}

function wordsOf({ zone }: MonthReport) {
  return { figure, time: (ms: number) => datedAt(ms, zone), status: statusWord }
}

function figureWord(name: FigureName): string {
  const words: Readonly<Record<FigureName, string>> = {
    in: 'In',
    available: `In as ${statusWord('available')}`,
    pending: `In as ${statusWord('pending')}`,
    none: 'In without a status',
    imported: 'Brought by imports',
    out: 'Out',
    sold: `Out as ${statusWord('sold')}`,
    removed: 'Out, removed',
  }
  return words[name]
}

function numberOf<Row>(title: string, of: (row: Row) => number) {
  const cell = (row: Row) => (of(row) === 0 ? make('span', { class: 'zero' }, '0') : figure(of(row)))
  return { title, cell, className: 'number' }
}

function comparedOf({ months, categories }: MonthReport): HTMLElement {
  if (categories.length === 0) return card('In and out', make('p', {}, 'Nothing came in or went out.'))
  const totals = months.map((_, n) => totalOf(categories, n))
  const shown = table<FigureName>(
    'In and out, beside the month before and the year before',
    [
      { title: 'Animals', cell: figureWord },
      ...months.map((month, n) => numberOf<FigureName>(monthWord(month), (name) => figureIn(totals[n], name))),
    ],
    { isCompact: true },
  )
  shown.show(FIGURE_NAMES)
  return card('In and out', shown.element)
}

function figureIn(counts: Counts | undefined, name: FigureName): number {
  return counts === undefined ? 0 : figureOf(counts, name)
}

function categoriesOf({ months, categories }: MonthReport): readonly HTMLElement[] {
  const moved = categories.filter(({ counts: [counts] }) => FIGURE_NAMES.some((name) => figureOf(counts, name) > 0))
  if (moved.length === 0) return []
  const shown = table<CategoryLine>('In and out by category', [
    {
      title: 'Category',
      cell: ({ categoryId }) => (categoryId === undefined ? 'All others' : typed(categoryWord(categoryId))),
    },
    ...FIGURE_NAMES.map((name) => numberOf<CategoryLine>(figureWord(name), ({ counts }) => figureOf(counts[0], name))),
  ])
  shown.show(moved)
  return [card(`By category in ${monthWord(months[0])}`, shown.element)]
}

function actsOf(acts: MonthReport['acts']): HTMLElement {
  const shown = table<MonthReport['acts'][number]>('Who did what', [
    { title: 'Who', cell: ({ who, act }) => typed(act === 'create' ? who : authorWord(who)) },
    { title: 'What', cell: ({ act }) => ACTS[act] ?? `${capital(DID[act] ?? act)} animals` },
    { title: 'Times', cell: ({ times }) => figure(times), className: 'number' },
  ])
  shown.show(acts)
  return card('Who did what', shown.element)
}
