/** What surrounds the rows of the list of animals: search, filters, pages, and changes to several animals at once. */

import type { AnimalPage, Status } from '../../office-data.ts'
import { button, make } from '../parts/elements.ts'
import { pager } from '../parts/pager.ts'
import { count, figure, STATUSES, shorten, statusWord, timeOfDay } from '../parts/words.ts'

const TYPING_MS = 200

export function topOf({
  onSearch,
  onFilter,
}: {
  onSearch: (text: string) => void
  onFilter: (status: string) => void
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
    show(question: URLSearchParams, page: AnimalPage | undefined) {
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

function countOf(counts: AnimalPage['counts'], status: string) {
  const { available, pending, sold, none } = counts
  const by: Readonly<Record<string, number>> = { available, pending, sold, none }
  return by[status] ?? available + pending + sold + none
}

export function pagesOf(onTurn: (cursor: Record<string, string>) => void) {
  let page: AnimalPage | undefined
  const turn = (cursor: Record<string, string>) => {
    onTurn(cursor)
    scrollTo(0, 0)
  }
  const buttons = pager({
    Newest: () => turn({}),
    '‹ Newer': () => turn({ after: page?.newer ?? '' }),
    'Older ›': () => turn({ before: page?.older ?? '' }),
  })
  return {
    element: buttons.element,
    show(shown: AnimalPage | undefined) {
      page = shown
      const newer = typeof shown?.newer === 'string' ? ['Newest', '‹ Newer'] : []
      buttons.show([...newer, ...(typeof shown?.older === 'string' ? ['Older ›'] : [])])
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
export function emptyWords({ older }: AnimalPage, question: URLSearchParams, onClear: () => void) {
  // A search over very many animals returns them in parts, some of them empty.
  if (older !== null) return ['Nothing among the animals searched so far. Go on with “Older”.']
  const [text, status] = [question.get('text') ?? '', question.get('status') ?? '']
  if (text === '' && status === '')
    return ['There are no animals yet. ', make('a', { href: '#add' }, 'Add the first one')]
  const word = statusWord(STATUSES.find((known) => known === status) ?? null)
  const whose = text === '' ? '' : ` whose name or number has “${shorten(text, 60)}”`
  const which = status === '' ? '' : ` with the status ${word}`
  return [`There is no animal${whose}${which}. `, button('Show all', onClear, { class: 'plain' })]
}
