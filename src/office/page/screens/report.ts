/** The report of a month, which is in the address; printed, it is the screen without its controls. */

import type { OfficeReport, ReportLine, Session } from '../../office-data.ts'
import { currentSession, get, shelterName } from '../parts/api.ts'
import { categoryWord, loadCategories } from '../parts/categories.ts'
import { announce, button, card, field, make, titled, typed } from '../parts/elements.ts'
import { authorWord } from '../parts/history.ts'
import { loading } from '../parts/notices.ts'
import type { Parameters, Shown } from '../parts/screen.ts'
import { table } from '../parts/table.ts'
import { count, datedIn, figure, statusWord } from '../parts/words.ts'

/** Those to choose from; another one may be in the address. */
const MONTHS = 36
const ACTS: Readonly<Record<string, string>> = {
  add: 'Added animals',
  edit: 'Changed animals',
  remove: 'Removed animals',
  restore: 'Restored animals',
  purge: 'Purged animals',
  label: 'Named categories',
  import: 'Imported files',
  sync: 'Synced lists',
  'undo import': 'Undid imports',
  create: 'Added animals over the interface',
}

const monthAndYear = new Intl.DateTimeFormat(navigator.languages, { month: 'long', year: 'numeric', timeZone: 'UTC' })

export function showReport(container: HTMLElement, _session: Session, { query }: Parameters): Shown {
  const { shelter, machineZone } = currentSession()
  const timeZone = shelter.zone || machineZone
  // Swedish writes a month as in 2026-11.
  const thisMonth = new Intl.DateTimeFormat('sv', { timeZone, year: 'numeric', month: '2-digit' }).format()
  const month = query.get('month') ?? thisMonth
  const choice = field('Month', make('select', {}))
  choice.control.replaceChildren(
    ...monthsBefore(thisMonth, month).map((one) => make('option', { value: one }, monthWord(one))),
  )
  choice.control.value = month
  choice.control.addEventListener('change', () => {
    location.hash = `report?month=${choice.control.value}`
  })
  const printing = button('Print', () => print(), { class: 'plain' })
  const asOf = make('p', { class: 'quiet' })
  const body = make('div')
  const { notice, load, drop } = loading(
    'The report',
    async () => {
      await loadCategories()
      return get<OfficeReport>(`api/report?${new URLSearchParams({ month })}`)
    },
    (report) => {
      asOf.textContent = `The month and all times are those of ${report.zone.replaceAll('_', ' ')}; as of ${datedIn(report.zone, report.atMs)}.`
      body.replaceChildren(...partsOf(report))
      announce(waitingWords(report))
    },
  )
  container.append(
    titled(`Report of ${monthWord(month)}`, make('p', { class: 'typed', dir: 'auto' }, shelterName())),
    make('form', { class: 'bar', 'aria-label': 'Month' }, choice.element, make('div', { class: 'few' }, printing)),
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

function partsOf(report: OfficeReport): readonly HTMLElement[] {
  const { categories, acts } = report
  const notes = [waitingWords(report), ...notesOf(report)].map((words) => make('p', {}, words))
  return [
    card('Waiting now', ...notes),
    card('In and out', ...movesOf(categories)),
    ...(acts.length === 0 ? [] : [actsOf(acts)]),
  ]
}

function waitingWords({ wait: { available, pending, none } }: OfficeReport): string {
  const parts = [
    `${figure(available)} ${statusWord('available')}`,
    `${figure(pending)} ${statusWord('pending')}`,
    `${figure(none)} without a status`,
  ]
  return `${count(available + pending + none, 'animal')}: ${parts.join(', ')}.`
}

function* notesOf({ zone, wait, purged, missing }: OfficeReport): Iterable<string> {
  const { unknown, imported, medianDays, longestDays } = wait
  if (medianDays !== null && longestDays !== null) {
    yield `Half of them have waited for ${count(medianDays, 'day')} or longer, the longest for ${count(longestDays, 'day')}.`
  }
  if (imported > 0) yield `Imports brought ${figure(imported)} of them without the day of their arrival.`
  if (unknown > 0) yield `When ${figure(unknown)} of them came is not known; their wait is not counted.`
  if (purged.in + purged.out > 0) {
    yield `Not counted below, because they were deleted for good and their status is not known: ${figure(purged.in)} in, ${figure(purged.out)} out.`
  }
  if (missing !== null) {
    const since = missing.untilMs === null ? '' : ` before ${datedIn(zone, missing.untilMs)}`
    yield `Arrivals${since} are incomplete: when ${count(missing.animals, 'animal')} came is not known.`
  }
}

function movesOf(categories: readonly ReportLine[]): readonly HTMLElement[] {
  if (categories.length === 0) return [make('p', {}, 'Nothing came in or went out.')]
  const sum = (way: Exclude<keyof ReportLine, 'id'>) => categories.reduce((total, line) => total + line[way], 0)
  const all = { available: sum('available'), pending: sum('pending'), none: sum('none'), sold: sum('sold') }
  const number = (title: string, of: (line: ReportLine) => number) => ({
    title,
    cell: (line: ReportLine) => (of(line) === 0 ? make('span', { class: 'zero' }, '0') : figure(of(line))),
    className: 'number',
  })
  const shown = table<ReportLine>('In and out by category', [
    { title: 'Category', cell: ({ id }) => (id === undefined ? make('strong', {}, 'All') : typed(categoryWord(id))) },
    number('In', ({ available, pending, none }) => available + pending + none),
    number(`In as ${statusWord('available')}`, ({ available }) => available),
    number(`In as ${statusWord('pending')}`, ({ pending }) => pending),
    number('In without a status', ({ none }) => none),
    number('Out', ({ sold, removed }) => sold + removed),
    number(`Out as ${statusWord('sold')}`, ({ sold }) => sold),
    number('Out, removed', ({ removed }) => removed),
  ])
  shown.show([...categories, { ...all, removed: sum('removed') }])
  return [shown.element]
}

function actsOf(acts: OfficeReport['acts']): HTMLElement {
  const shown = table<OfficeReport['acts'][number]>('Who did what', [
    { title: 'Who', cell: ({ who, act }) => typed(act === 'create' ? who : authorWord(who)) },
    { title: 'What', cell: ({ act }) => ACTS[act] ?? act },
    { title: 'Times', cell: ({ times }) => figure(times), className: 'number' },
  ])
  shown.show(acts)
  return card('Who did what', shown.element)
}
