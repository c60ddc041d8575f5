/** The parts around the rows of the list of animals: search and filters, pages, what is done with several at once. */
import { button, make } from './elements.js'
import { count, figure, STATUSES, shorten, statusWord, timeOfDay } from './words.js'

/** @import { AnimalPage, Status } from '../office-data.ts' */

const TYPING_MS = 200

/** @param {{ onSearch: (text: string) => void, onFilter: (status: string) => void }} acts */
export function topOf({ onSearch, onFilter }) {
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
  const filters = ['', ...STATUSES.map((status) => status ?? 'none')].map((status) => {
    const number = make('span', { class: 'quiet number' })
    const word = status === '' ? 'All' : statusWord(STATUSES.find((known) => known === status) ?? null)
    return {
      status,
      number,
      element: make('button', { type: 'button', class: 'filter', onclick: () => onFilter(status) }, word, number),
    }
  })
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
  )
  return {
    element,
    /** @param {URLSearchParams} question @param {AnimalPage | undefined} page */
    show(question, page) {
      const text = question.get('text') ?? ''
      if (search.value.trim() !== text && document.activeElement !== search) search.value = text
      asOf.textContent = page === undefined ? '' : `as of ${timeOfDay(page.asOfMs)}`
      for (const filter of filters) {
        filter.element.setAttribute('aria-pressed', String((question.get('status') ?? '') === filter.status))
        filter.number.textContent = page === undefined || text !== '' ? '' : figure(countOf(page.counts, filter.status))
      }
    },
  }
}

/** @param {AnimalPage['counts']} counts @param {string} status */
function countOf(counts, status) {
  const { available, pending, sold, none } = counts
  /** @type {Readonly<Record<string, number>>} */
  const by = { available, pending, sold, none }
  return by[status] ?? available + pending + sold + none
}

/** @param {(cursor: Record<string, string>) => void} onTurn */
export function pagesOf(onTurn) {
  /** @type {AnimalPage | undefined} */
  let page
  /** @param {Record<string, string>} cursor */
  const turn = (cursor) => {
    onTurn(cursor)
    scrollTo(0, 0)
  }
  const first = button('Newest', () => turn({}), { class: 'plain' })
  const newer = button('‹ Newer', () => turn({ after: page?.newer ?? '' }), { class: 'plain' })
  const older = button('Older ›', () => turn({ before: page?.older ?? '' }), { class: 'plain' })
  const element = make('nav', { class: 'pages', 'aria-label': 'Pages' }, first, newer, older)
  return {
    element,
    /** @param {AnimalPage | undefined} shown */
    show(shown) {
      page = shown
      const hasNewer = typeof shown?.newer === 'string'
      first.disabled = !hasNewer
      newer.disabled = !hasNewer
      older.disabled = typeof shown?.older !== 'string'
      element.hidden = newer.disabled && older.disabled
    },
  }
}

/** @param {{ onSet: (status: Status) => void, onClear: () => void }} acts */
export function severalOf({ onSet, onClear }) {
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
    /** @param {number} ticked */
    show(ticked) {
      element.hidden = ticked === 0
      words.textContent = `${count(ticked, 'animal')} ticked. Set to:`
    },
  }
}

/** @param {AnimalPage} page @param {URLSearchParams} question */
export function resultWords({ animals, older }, question) {
  const text = question.get('text') ?? ''
  return `${count(animals.length, 'animal')}${older === null ? '' : ' on this page'}${text === '' ? '' : ` for ${shorten(text, 60)}`}.`
}

/**
 * What stands in place of animals.
 * @param {AnimalPage} page
 * @param {URLSearchParams} question
 * @param {() => void} onClear
 */
export function emptyWords({ older }, question, onClear) {
  // A search of very many animals is answered in parts.
  if (older !== null) return ['Nothing among the animals searched so far. Go on with “Older”.']
  const [text, status] = [question.get('text') ?? '', question.get('status') ?? '']
  if (text === '' && status === '')
    return ['There are no animals yet. ', make('a', { href: '#add' }, 'Add the first one')]
  const word = statusWord(STATUSES.find((known) => known === status) ?? null)
  const whose = text === '' ? '' : ` whose name or number has “${shorten(text, 60)}”`
  const which = status === '' ? '' : ` with the status ${word}`
  return [`There is no animal${whose}${which}. `, button('Show all', onClear, { class: 'plain' })]
}
