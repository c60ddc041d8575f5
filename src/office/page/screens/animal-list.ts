/** The parts of the list of animals. A row keeps its element, so focus and selection survive a refresh. */
import type { ActTarget, Animal, AnimalPage, Filters, Status } from '../../office-data.ts'
import { categoryIn, categoryWord, knownCategories } from '../parts/categories.ts'
import { button, type Child, make, quiet, refill, typed } from '../parts/elements.ts'
import { filtersButton, searchField, select } from '../parts/fields.ts'
import { authorWord } from '../parts/history.ts'
import { actionsButton, statusButton } from '../parts/menu.ts'
import { pager } from '../parts/table.ts'
import {
  count,
  daysSince,
  figure,
  may,
  moment,
  quoted,
  STATUSES,
  shorten,
  statusWord,
  waitWords,
} from '../parts/words.ts'
import { type RowAnimal, type Ticks, tickable, tickRanges } from './ticks.ts'

export const ORDERS: Readonly<Record<string, string>> = {
  match: 'Best match first',
  newest: 'Newest first',
  oldest: 'Longest waiting',
  name: 'By name',
}
const [FIRST, PREVIOUS, NEXT, LAST] = ['First', '‹ Previous', 'Next ›', 'Last']

export const FILTERS: Readonly<Record<keyof Filters, (value: string) => string>> = {
  status: kindWord,
  category: categoryWord,
  import: (n) => `import ${n}`,
  text: (text) => `with ${quoted(text)}`,
}

export function filtersOf(query: URLSearchParams) {
  return new URLSearchParams([...query].filter(([name]) => name in FILTERS))
}

type Ask = (change: Readonly<Record<string, string>>) => void

export function toolbar(onAsk: Ask, onDown: () => void, acts: Parameters<typeof actionsButton>[1]) {
  const search = searchField('Search by name, number or reference', 'Search', (text) => onAsk({ text }))
  search.control.addEventListener('keydown', (event) => {
    if (event.key !== 'ArrowDown' || event.isComposing) return
    event.preventDefault()
    onDown()
  })
  const status = select([], '', { 'aria-label': 'Status', onchange: () => onAsk({ status: status.value }) })
  const category = select([], '', {
    'aria-label': 'Category',
    translate: 'no',
    onchange: () => onAsk({ category: category.value }),
  })
  const sort = select(Object.entries(ORDERS), '', { 'aria-label': 'Order' })
  // The address names an order only if it is not the default, which depends on whether there is a search.
  let isSearch = false
  sort.addEventListener('change', () =>
    onAsk({ sort: sort.value === (isSearch ? 'match' : 'newest') ? '' : sort.value }),
  )
  const source = button('', () => onAsk({ import: '' }), { class: 'plain chip' })
  const choices = make('div', { class: 'choices' }, status, category, sort, actionsButton('', acts))
  const more = filtersButton(choices)
  return {
    element: make('div', { class: 'finding' }, make('h1', {}, 'Animals'), source, more, choices, search),
    show(query: URLSearchParams, page: AnimalPage | undefined) {
      const text = query.get('text') ?? ''
      isSearch = text !== ''
      const { control } = search
      if (control.value.trim() !== text && document.activeElement !== control) control.value = text
      const kinds = ['', ...STATUSES.map((one) => one ?? 'none'), 'removed']
      offer(
        status,
        kinds.map((kind) => [kind, `${kind === '' ? 'All statuses' : kindWord(kind)}${countWords(page, kind)}`]),
        query.get('status') ?? '',
      )
      const categoryId = query.get('category') ?? ''
      const ids = knownCategories().map(({ id }) => id)
      const categoryIds = [...ids, ...(categoryId === '' || ids.includes(categoryId) ? [] : [categoryId])]
      offer(
        category,
        [['', 'All categories'], ...categoryIds.map((id): [string, string] => [id, categoryWord(id)])],
        categoryId,
      )
      category.hidden = categoryIds.length === 0
      const n = query.get('import') ?? ''
      source.hidden = n === ''
      const words = `Import ${n}${page?.importSource ? `, ${quoted(page.importSource, 40, '')}` : ''}`
      refill(source, `${words}\u00a0×`)
      source.setAttribute('aria-label', `${words}: show all animals`)
      for (const option of sort.options) option.hidden = option.value === 'match' && !isSearch
      sort.value = orderOf(query)
      more.show([query.get('status'), categoryId, query.get('sort')].filter(Boolean).length)
    },
  }
}

export function orderOf(query: URLSearchParams) {
  return query.get('sort') || (query.get('text') ? 'match' : 'newest')
}

/** By column title, the orders between which its heading switches. */
const COLUMNS: Readonly<Record<string, Readonly<Record<string, 'ascending' | 'descending'>>>> = {
  Name: { name: 'ascending' },
  Category: {},
  Reference: {},
  Number: {},
  Waits: { oldest: 'descending', newest: 'ascending' },
  Status: {},
}

export function headOf(all: HTMLInputElement, onSort: (order: string) => void) {
  let currentOrder = ''
  const columns = Object.entries(COLUMNS).map(([title, orders]) => {
    const [first = '', second = first] = Object.keys(orders)
    const sort = () => onSort(currentOrder === first ? second : first)
    // Keyboards use the order next to the search, which keeps the way to the rows short.
    const words = first === '' ? title : button(title, sort, { class: 'link', tabindex: -1 })
    return { heading: make('span', { role: 'columnheader', 'data-column': title }, words), orders }
  })
  const ticking = make('span', { role: 'columnheader', class: 'cell' }, make('label', { class: 'tick' }, all))
  const headings = columns.map(({ heading }) => heading)
  return {
    element: make('div', { class: 'row head', role: 'row' }, ticking, ...headings),
    show(order: string) {
      currentOrder = order
      for (const { heading, orders } of columns) {
        if (orders[order] === undefined) heading.removeAttribute('aria-sort')
        else heading.setAttribute('aria-sort', orders[order])
      }
    },
  }
}

function offer(list: HTMLSelectElement, options: readonly (readonly [string, string])[], value: string) {
  const offered = select(options)
  if (list.textContent !== offered.textContent) list.replaceChildren(...offered.children)
  list.value = value
}

function kindWord(kind: string) {
  return kind === 'removed' ? 'Removed' : statusWord(STATUSES.find((status) => status === kind) ?? null)
}

export function countOf(counts: AnimalPage['counts'], status: string) {
  const { available, pending, sold, none, removed } = counts
  const by: Readonly<Record<string, number>> = { available, pending, sold, none, removed }
  return by[status] ?? available + pending + sold + none
}

function countWords(page: AnimalPage | undefined, status: string) {
  const n = page === undefined ? 0 : countOf(page.counts, status)
  return page === undefined || (status === 'removed' && n === 0) ? '' : ` (${figure(n)})`
}

function rangeWords({ animals, counts, first }: AnimalPage, status: string) {
  const last = first + animals.length - 1
  return `${figure(first)}–${figure(last)} of ${figure(Math.max(countOf(counts, status), last))}`
}

export function pagesOf(onTurn: (cursor: Record<string, string>) => void) {
  let page: AnimalPage | undefined
  const { element, show } = pager({
    [FIRST]: () => onTurn({}),
    [PREVIOUS]: () => onTurn({ after: page?.newer ?? '' }),
    [NEXT]: () => onTurn({ before: page?.older ?? '' }),
    [LAST]: () => onTurn({ after: 'end' }),
  })
  return {
    element,
    show(answer: AnimalPage | undefined, status: string) {
      page = answer
      const ahead = typeof answer?.newer === 'string' ? [FIRST, PREVIOUS] : []
      const behind = typeof answer?.older === 'string' ? [NEXT, LAST] : []
      show([...ahead, ...behind], answer === undefined ? '' : rangeWords(answer, status))
    },
  }
}

export function resultWords({ animals, older }: AnimalPage, query: URLSearchParams) {
  const text = query.get('text') ?? ''
  return `${count(animals.length, 'animal')}${older === null ? '' : ' on this page'}${text === '' ? '' : ` for ${shorten(text, 60)}`}.`
}

function open(address: string) {
  location.hash = address
}

export function emptyState(query: URLSearchParams, onAsk: Ask) {
  const [text, status, category, n] = ['text', 'status', 'category', 'import'].map((name) => query.get(name) ?? '')
  if (!text && !status && !category && !n) {
    const adding = may('staff') && button('Add animal', () => open('#add'))
    return [make('p', {}, 'There are no animals yet.'), adding]
  }
  const whose = text ? ` for ${quoted(text)}` : ''
  const which = !status || status === 'removed' ? '' : ` with the status ${quoted(kindWord(status), 60, '')}`
  const where = `${category ? ` in ${categoryIn(category)}` : ''}${n ? ` from import ${n}` : ''}`
  const what = status === 'removed' ? 'No removed animals' : 'No animals'
  const words = make('p', {}, `${what} found${whose}${which}${where}.`)
  const all = () => onAsk(Object.fromEntries(Object.keys(FILTERS).map((name) => [name, ''])))
  const adding =
    text && may('staff') && button(`Add ${quoted(text, 16)}`, () => open(`#add?${new URLSearchParams({ name: text })}`))
  return [words, button('Show all', all, { class: 'plain' }), adding]
}

interface AnimalRow {
  animal: RowAnimal
  readonly element: HTMLElement
  readonly tick: HTMLInputElement
  readonly show: (animal: RowAnimal) => void
}

export function animalRows(
  ticks: Ticks,
  onChoose: (animal: Animal, status: Status) => void,
  onRestore: false | ((animal: Animal) => Promise<void>),
) {
  const list = make('div', { class: 'rows', role: 'rowgroup' })
  const rows: Map<string, AnimalRow> = new Map()
  const busy = new Set<string>()
  const names = () => [...list.querySelectorAll<HTMLElement>('a.name')]
  const focus = (at: number) => names()[at]?.focus()

  list.addEventListener('keydown', (event) => {
    const at = names().findIndex((name) => name.matches(':focus'))
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (at === -1 || step === undefined || at + step < 0) return
    event.preventDefault()
    focus(at + step)
  })

  const visibleRows = () =>
    [...list.children].flatMap((element) => rows.get(element.getAttribute('data-id') ?? '') ?? [])
  tickRanges(list, ticks, visibleRows)

  const rowOf = (animal: RowAnimal) => {
    const row = rows.get(animal.id) ?? makeRow(animal, busy, ticks, onChoose, onRestore)
    rows.set(animal.id, row)
    return row
  }

  return {
    element: list,
    focus,
    ticked() {
      const { length } = visibleRows().filter(({ tick }) => tick.checked)
      return { countHere: length, isPage: length > 0 && length === tickable(visibleRows()).length }
    },
    isHeld: () => list.matches(':hover') || list.contains(document.activeElement),
    tickAll(checked: boolean) {
      ticks.set(tickable(visibleRows()), checked, tickable(visibleRows()))
    },
    showTicks() {
      for (const { tick, animal } of rows.values()) tick.checked = !tick.disabled && ticks.has(animal.id)
    },
    replace(animals: readonly RowAnimal[]) {
      list.parentElement?.classList.toggle(
        'unreferenced',
        animals.every(({ reference }) => !reference),
      )
      const ids = new Set(animals.map(({ id }) => id))
      for (const [id, { element }] of rows) {
        if (ids.has(id)) continue
        element.remove()
        rows.delete(id)
      }
      for (const [at, animal] of animals.entries()) {
        const row = rowOf(animal)
        row.show(animal)
        if (list.children[at] !== row.element) list.insertBefore(row.element, list.children[at] ?? null)
      }
    },
    /** Updates the rows in place. Returns false if these animals need other rows or another order. */
    update(animals: readonly RowAnimal[]) {
      for (const animal of animals) rows.get(animal.id)?.show(animal)
      const ids = [...list.children].map((element) => element.getAttribute('data-id'))
      return ids.length === animals.length && animals.every(({ id }, at) => ids[at] === id)
    },
    isBusy: (animals: readonly ActTarget[]) => animals.some(({ id }) => busy.has(id)),
    setBusy(animals: readonly ActTarget[], isBusy: boolean) {
      for (const { id } of animals) {
        if (isBusy) busy.add(id)
        else busy.delete(id)
        const row = rows.get(id)
        row?.show(row.animal)
      }
    },
  }
}

function makeRow(
  first: RowAnimal,
  busy: ReadonlySet<string>,
  ...[ticks, onChoose, onRestore]: Parameters<typeof animalRows>
): AnimalRow {
  const tick = make('input', { type: 'checkbox' })
  const name = make('a', { href: `#animal/${first.id}`, class: 'name' })
  const category = make('span', { class: 'category', role: 'cell' })
  const referenceCell = make('span', { class: 'reference', role: 'cell' })
  const waits = make('span', { class: 'waits', role: 'cell' })
  const number = make('span', { class: 'id number', role: 'cell' }, first.id)
  const words = quiet()
  const restore = onRestore && button('Restore', () => onRestore(row.animal), { class: 'plain' })
  const badge = make('span', { class: 'badge' }, 'Removed')
  const removed = make('div', { class: 'gone', role: 'cell', hidden: true }, badge, words, restore)
  const status = statusButton((choice) => onChoose(row.animal, choice))
  const cell = (child: Child) => make('span', { class: 'cell', role: 'cell' }, child)
  const element = make(
    'div',
    { class: 'row', role: 'row', 'data-id': first.id },
    cell(make('label', { class: 'tick' }, tick)),
    cell(name),
    make('span', { class: 'facts' }, category, referenceCell, number, waits),
    cell(status),
    removed,
  )
  const row: AnimalRow = {
    animal: first,
    element,
    tick,
    show(animal) {
      const ahead = BigInt(animal.version) - BigInt(row.animal.version)
      if (ahead >= 0n) row.animal = { ...row.animal, ...animal }
      element.classList.toggle('changed', ahead > 0n)
      const current = row.animal
      const { removedAtMs, reference, wait, removedBy, status: now } = current
      const whose = `${current.name.trim() === '' ? 'without a name' : shorten(current.name, 300)}, number ${current.id}`
      tick.setAttribute('aria-label', `Select ${whose}`)
      refill(name, current.name.trim() === '' ? make('em', {}, 'Without a name') : typed(current.name))
      const state = removedAtMs === null ? statusWord(current.status) : 'Removed'
      name.setAttribute('aria-label', `${whose}, ${state === statusWord(null) ? 'no status' : state}`)
      refill(category, typed(categoryWord(current.categoryId)))
      refill(referenceCell, reference ? typed(reference) : undefined)
      const isWaiting = wait && removedAtMs === null && now !== 'sold'
      waits.textContent = isWaiting ? count(daysSince(wait.sinceMs), 'day') : ''
      waits.title = waitWords(current)
      status.show(current.status, whose, busy.has(first.id))
      if (removedAtMs !== null) {
        const who = typeof removedBy === 'string' ? ` by ${authorWord(removedBy)}` : ''
        refill(words, `${moment(removedAtMs)}${who}`)
        if (restore) restore.setAttribute('aria-label', `Restore ${whose}`)
      }
      removed.hidden = removedAtMs === null
      status.element.hidden = removedAtMs !== null
      tick.disabled = !may('staff')
      ticks.see(current)
    },
  }
  return row
}
