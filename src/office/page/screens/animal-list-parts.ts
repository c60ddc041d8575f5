/** What surrounds the rows of the list of animals: search, filters, pages, and changes to several animals at once. */

import type { AnimalPage, Status } from '../../office-data.ts'
import { categoryWord, knownCategories } from '../parts/categories.ts'
import { button, make } from '../parts/elements.ts'
import { pager } from '../parts/table.ts'
import { count, figure, STATUSES, shorten, statusWord, timeOfDay } from '../parts/words.ts'

const TYPING_MS = 200
const TOO_MANY = 'These are too many to put in order, so the newest come first. Search or filter to have fewer.'
const BY_TIME = ['Newest', '‹ Newer', 'Older ›', 'Oldest'] as const
const IN_ORDER = ['First', '‹ Previous', 'Next ›', 'Last'] as const

export function topOf({
  onSearch,
  onFilter,
  onSort,
  onCategory,
  acts,
}: Readonly<Record<'onSearch' | 'onFilter' | 'onSort' | 'onCategory', (value: string) => void>> & {
  /** What can be done with all that is found. */
  readonly acts: readonly HTMLElement[]
}) {
  let timer = 0
  const search = make('input', {
    type: 'search',
    placeholder: 'Name or number',
    'aria-label': 'Search by name or number',
    autocomplete: 'off',
    spellcheck: false,
    maxlength: 1000,
    dir: 'auto',
  })
  const now = () => {
    clearTimeout(timer)
    onSearch(search.value.trim())
  }
  search.addEventListener('input', () => {
    clearTimeout(timer)
    timer = setTimeout(now, TYPING_MS)
  })
  const form = make(
    'form',
    {
      class: 'search',
      role: 'search',
      onsubmit: (event) => {
        event.preventDefault()
        now()
      },
    },
    search,
  )
  const filters = ['', ...STATUSES.map((status) => status ?? 'none'), 'removed'].map((status) => {
    const number = make('span', { class: 'quiet number' })
    const word = status === '' ? 'All' : kindWord(status)
    return {
      status,
      number,
      element: make('button', { type: 'button', class: 'filter', onclick: () => onFilter(status) }, word, number),
    }
  })
  const best = option('', 'Best match first')
  const newest = option('newest', 'Newest first')
  const longest = option('oldest', 'Waits longest first')
  const sort = make('select', { 'aria-label': 'Order' }, best, newest, longest, option('name', 'By name'))
  // Without a text the newest come first anyway, and a text typed later finds the best match first.
  sort.addEventListener('change', () => onSort(best.hidden && sort.value === 'newest' ? '' : sort.value))
  const category = make('select', { 'aria-label': 'Category', hidden: true })
  category.addEventListener('change', () => onCategory(category.value))
  const tooMany = make('p', { class: 'quiet', hidden: true }, TOO_MANY)
  const asOf = make('p', { class: 'quiet number' })
  const element = make(
    'div',
    { class: 'top' },
    make('div', { class: 'heading' }, make('h1', {}, 'Animals'), asOf),
    form,
    make(
      'div',
      { class: 'filters', role: 'group', 'aria-label': 'Status' },
      ...filters.map((filter) => filter.element),
    ),
    make('div', { class: 'choices' }, category, sort, ...acts),
    tooMany,
  )
  return {
    element,
    /** `isAnswer`: the page is what the question has found. */
    show(question: URLSearchParams, page: AnimalPage | undefined, isAnswer: boolean) {
      const text = question.get('text') ?? ''
      if (search.value.trim() !== text && document.activeElement !== search) search.value = text
      asOf.textContent = page === undefined ? '' : `as of ${timeOfDay(page.asOfMs)}`
      for (const filter of filters) {
        filter.element.setAttribute('aria-pressed', String((question.get('status') ?? '') === filter.status))
        filter.number.textContent = page === undefined ? '' : countWords(page, filter.status)
      }
      best.hidden = text === ''
      const order = question.get('sort') ?? ''
      sort.value = order === '' && text === '' ? 'newest' : order
      const isOther = isAnswer && sort.value !== 'newest' && page?.order === 'newest'
      tooMany.hidden = !isOther || page.animals.length === 0
      offerCategories(category, question.get('category') ?? '')
    },
  }
}

function option(value: string, words: string) {
  return make('option', { value }, words)
}

export function kindWord(kind: string) {
  return kind === 'removed' ? 'Removed' : statusWord(STATUSES.find((known) => known === kind) ?? null)
}

/** The categories that have a name, and the one chosen. */
function offerCategories(select: HTMLSelectElement, chosen: string) {
  const ids = knownCategories().map(({ id }) => id)
  const offered = [...ids, ...(chosen === '' || ids.includes(chosen) ? [] : [chosen])]
  select.hidden = offered.length === 0
  const options = [option('', 'All categories'), ...offered.map((id) => option(id, categoryWord(id)))]
  const isSame = [...select.options].map(({ text }) => text).join('\n') === options.map(({ text }) => text).join('\n')
  if (!isSame) select.replaceChildren(...options)
  select.value = chosen
}

export function countOf(counts: AnimalPage['counts'], status: string) {
  const { available, pending, sold, none, removed } = counts
  const by: Readonly<Record<string, number>> = { available, pending, sold, none, removed }
  return by[status] ?? available + pending + sold + none
}

/** The removed are counted only if they are shown. */
function countWords({ counts, isCounted }: AnimalPage, status: string) {
  const n = countOf(counts, status)
  if (n === 0 && (status === 'removed' || !isCounted)) return ''
  return isCounted ? figure(n) : `${figure(n)}+`
}

/** As in "51–75 of 4,116". */
export function placeWords({ animals, counts, isCounted, first }: AnimalPage, status: string) {
  if (animals.length === 0) return ''
  const last = (first ?? 1) + animals.length - 1
  const total = Math.max(countOf(counts, status), last)
  const many = isCounted ? figure(total) : `more than ${figure(total)}`
  return first === null ? `of ${many}` : `${figure(first)}–${figure(last)} of ${many}`
}

/** `onTurn` gets the cursor of another page. */
export function pagesOf(onTurn: (cursor: Record<string, string>) => void) {
  let page: AnimalPage | undefined
  const turns = ([first, ahead, behind, last]: readonly [string, string, string, string]) =>
    pager({
      [first]: () => onTurn({}),
      [ahead]: () => onTurn({ after: page?.newer ?? '' }),
      [behind]: () => onTurn({ before: page?.older ?? '' }),
      [last]: () => onTurn({ after: 'end' }),
    })
  const byTime = turns(BY_TIME)
  const inOrder = turns(IN_ORDER)
  return {
    elements: [byTime.element, inOrder.element],
    show(shown: AnimalPage | undefined, where: string) {
      page = shown
      const isByTime = shown === undefined || shown.order === 'newest'
      const words = isByTime ? BY_TIME : IN_ORDER
      const newer = typeof shown?.newer === 'string' ? words.slice(0, 2) : []
      const older = typeof shown?.older === 'string' ? words.slice(2) : []
      byTime.show(isByTime ? [...newer, ...older] : [], isByTime ? where : '')
      inOrder.show(isByTime ? [] : [...newer, ...older], isByTime ? '' : where)
    },
  }
}

export function severalOf({ onSet, onClear }: { onSet: (status: Status) => void; onClear: () => void }) {
  const words = make('p', { 'aria-live': 'polite' })
  const buttons = STATUSES.map((status) =>
    button(statusWord(status), () => onSet(status), {
      class: `status ${status ?? 'none'}`,
      'aria-label': `Set to ${statusWord(status)}`,
    }),
  )
  const element = make(
    'section',
    { class: 'several', 'aria-label': 'Ticked animals', hidden: true },
    words,
    ...buttons,
    button('Clear', onClear, { class: 'plain' }),
  )
  return {
    element,
    show(ticked: number) {
      element.hidden = ticked === 0
      words.textContent = `${count(ticked, 'animal')} ticked. Set to:`
    },
  }
}

export function resultWords({ animals, older }: AnimalPage, question: URLSearchParams) {
  const text = question.get('text') ?? ''
  return `${count(animals.length, 'animal')}${older === null ? '' : ' on this page'}${text === '' ? '' : ` for ${shorten(text, 60)}`}.`
}

/** What is shown instead of animals. */
export function emptyWords({ older, order }: AnimalPage, question: URLSearchParams, onClear: () => void) {
  // A search over very many animals returns them in parts, some of them empty.
  const [, , behind] = order === 'newest' ? BY_TIME : IN_ORDER
  if (older !== null) return [`Nothing among the animals searched so far. Go on with “${behind}”.`]
  const [text, status] = [question.get('text') ?? '', question.get('status') ?? '']
  const category = question.get('category') ?? ''
  if (text === '' && status === '' && category === '')
    return ['There are no animals yet. ', make('a', { href: '#add' }, 'Add the first one')]
  const whose = text === '' ? '' : ` whose name or number has “${shorten(text, 60)}”`
  const which = status === '' || status === 'removed' ? '' : ` with the status ${kindWord(status)}`
  const where = category === '' ? '' : ` in ${categoryWord(category)}`
  const what = status === 'removed' ? 'no removed animal' : 'no animal'
  return [`There is ${what}${whose}${which}${where}. `, button('Show all', onClear, { class: 'plain' })]
}
