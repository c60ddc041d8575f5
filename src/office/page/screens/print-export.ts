/** Prints lists and cage cards, and exports. The print styles are in styles/print.css. */
import type { AnimalPage, ListedAnimal } from '../../office-data.ts'
import { addressOf, CallFailed, currentSession, get, Latest, orUnreachable, shelterName } from '../parts/api.ts'
import { categoryWord } from '../parts/categories.ts'
import { closing, openDialog } from '../parts/dialog.ts'
import { svg } from '../parts/drawings.ts'
import { button, line, make, typed } from '../parts/elements.ts'
import { submitButton } from '../parts/fields.ts'
import { authorWord } from '../parts/history.ts'
import { table } from '../parts/table.ts'
import { attemptOrToast, closeToasts, toast } from '../parts/toasts.ts'
import { count, datedAt, dayInFull, figure, sentenceOf, shorten, statusIn } from '../parts/words.ts'
import { countOf, FILTERS, filtersOf, ORDERS, orderOf } from './animal-list.ts'
import type { RowAnimal } from './ticks.ts'

const MOST = 1_000
const MOST_CARDS = 500
/** The service's largest page; the other limits are multiples of it. */
const PER_REQUEST = 100

export function printAll(query: URLSearchParams) {
  return printSheet(async () => sheetOf(query, await collect(query, MOST)))
}

/** Prints cards of these animals or, without any, of those that match `query`. */
export function printCards(query: URLSearchParams, ticked: readonly RowAnimal[] = []) {
  return printSheet(async () => {
    const { animals, older } = ticked.length > 0 ? { animals: ticked, older: null } : await collect(query, MOST_CARDS)
    if (older !== null || animals.length > MOST_CARDS) {
      const most = `At most ${MOST_CARDS} cards can be printed. Search, filter or select fewer animals.`
      throw new CallFailed(most, { code: 'invalid' })
    }
    const cards = animals.map(cageCard)
    await Promise.all(cards.map(({ drawn }) => drawn))
    return make('section', { class: 'paper' }, cards)
  })
}

const latest = new Latest()

function printSheet(sheet: () => Promise<HTMLElement>) {
  closeToasts(['print'])
  return latest.ask(
    sheet,
    (paper) => {
      document.body.append(paper)
      addEventListener('afterprint', () => paper.remove(), { once: true })
      print()
    },
    (error) => toast(`Nothing was printed. ${sentenceOf(error)}`, { isProblem: true, about: ['print'] }),
  )
}

/** The first `most` matches as one page; `older` is null if these are all. */
async function collect(query: URLSearchParams, most: number): Promise<AnimalPage> {
  const parameters = new URLSearchParams(query)
  parameters.delete('before')
  parameters.delete('after')
  parameters.set('limit', String(PER_REQUEST))
  let find = await get('/api/animals', parameters)
  while (find.older !== null && find.animals.length < most) {
    parameters.set('before', find.older)
    const { older, animals } = await get('/api/animals', parameters)
    find = { ...find, older, animals: [...find.animals, ...animals] }
  }
  return find
}

function sheetOf(query: URLSearchParams, { animals, older, counts, asOfMs }: AnimalPage) {
  const referenceColumn = { title: 'Reference', cell: ({ reference }: ListedAnimal) => typed(reference ?? '') }
  const sheet = table<ListedAnimal>(
    'Animals',
    [
      { title: 'Name', cell: ({ name }) => (name.trim() === '' ? 'Without a name' : typed(name)), className: 'name' },
      { title: 'Category', cell: ({ categoryId }) => typed(categoryWord(categoryId)) },
      { title: 'Number', cell: ({ id }) => id, className: 'number' },
      ...(animals.some(({ reference }) => reference) ? [referenceColumn] : []),
      { title: 'Status', cell: stateWords },
    ],
    { isCompact: true, rows: animals },
  )
  const total = countOf(counts, query.get('status') ?? '')
  const many = figure(Math.max(total, animals.length))
  const words =
    older === null
      ? `${count(animals.length, 'animal')}.`
      : `These are the first ${figure(animals.length)} of ${many} animals. Search or filter to print the others.`
  return make(
    'section',
    { class: 'paper' },
    line(shelterName()),
    make('h1', {}, 'Animals'),
    line(`${findWords(query)}, ${(ORDERS[orderOf(query)] ?? '').toLowerCase()}`),
    make('p', {}, `${words} As of ${datedAt(asOfMs)}.`),
    sheet,
  )
}

function stateWords({ status, removedAtMs, removedBy }: ListedAnimal) {
  if (removedAtMs === null) return statusIn(status)
  return `Removed ${datedAt(removedAtMs)}${removedBy === null ? '' : ` by ${authorWord(removedBy)}`}`
}

function findWords(query: URLSearchParams) {
  const words = Object.entries(FILTERS).flatMap(([name, inWords]) => {
    const value = query.get(name)
    return value ? [inWords(value)] : []
  })
  return [...(query.get('status') ? [] : ['All animals']), ...words].join(', ')
}

export function askExport(query: URLSearchParams) {
  const filters = Object.fromEntries(filtersOf(query))
  const isRemoved = filters.status === 'removed'
  return openDialog('Export list', [
    line(`${findWords(query)}.`),
    isRemoved ? make('p', {}, 'Removed animals cannot be exported. Restore them first.') : exportButton(filters),
    closing(submitButton('Close', { class: 'plain', autofocus: true })),
  ])
}

/** `--size` is the name's size in hundredths of the page's shorter side. The code is ready once `drawn`. */
export function cageCard({ id, name, categoryId, removedAtMs, wait }: RowAnimal) {
  const { shelter } = currentSession()
  const words = shorten(name.trim() === '' ? 'Without a name' : name, 180)
  const longest = Math.max(...words.split(/[\s-]+/).map(({ length }) => length))
  const size = Math.min(15, 130 / Math.min(longest, 24), 84 / Math.sqrt(words.length))
  const code = make('div', { class: 'code' })
  const contact = [shelter.telephone, shelter.address].filter((text) => text !== '')
  const card = make(
    'section',
    { class: 'cage' },
    line(shelter.name),
    make('p', { class: 'typed cage-name', dir: 'auto' }, words),
    line(categoryWord(categoryId)),
    !!wait && make('p', {}, `${wait.isAgain ? 'Here again' : 'Here'} since ${dayInFull(wait.sinceMs, 'UTC')}`),
    code,
    contact.map((text) => line(text)),
  )
  card.style.setProperty('--size', size.toFixed(2))
  const hasCode = shelter.page !== '' && removedAtMs === null
  const drawn = hasCode ? drawCode(code, `${shelter.page}#pets-animal-${id}`) : Promise.resolve()
  drawn.catch(() => {})
  return { element: card, drawn }
}

async function drawCode(place: HTMLElement, url: string) {
  const { encode } = await orUnreachable(import('uqr'))
  const { data, size } = encode(url, { ecc: 'M', border: 2 })
  const cells = data.flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? [`M${x} ${y}h1v1h-1z`] : [])))
  const attributes = { viewBox: `0 0 ${size} ${size}`, role: 'img', 'aria-label': url }
  place.replaceChildren(svg('svg', attributes, svg('path', { d: cells.join('') })))
}

/** `query` selects the animals; without members, all. Closes its dialog when the download has begun. */
export function exportButton(query: Readonly<Record<string, string>>) {
  const begin = async () => {
    if (await download(addressOf('GET /api/export', query))) element.closest('dialog')?.close()
  }
  const element: HTMLElement = button('Download spreadsheet', begin, { class: 'plain' })
  return element
}

/** Downloads a file from the server. Returns whether it began. */
export async function download(href: string) {
  // A download cannot ask to sign in; this call does.
  const session = await attemptOrToast('export', () => get('/api/session'), 'Nothing was exported. ')
  if (session !== undefined) make('a', { href, download: '' }).click()
  return session !== undefined
}
