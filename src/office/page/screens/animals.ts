/**
 * The list of animals, the office's first screen: search, filter by status, set the status of one or several. It
 * refreshes itself unless a person is at work in it. A failure is shown, and rows of an earlier query are never shown
 * under a newer one.
 */

import type { ActResult, ActTarget, Animal, AnimalPage } from '../../office-data.ts'
import { currentSession, get, Latest, prefetch } from '../parts/api.ts'
import { categoryField, loadCategories } from '../parts/categories.ts'
import { ask, confirm } from '../parts/dialog.ts'
import { announce, button, fill, focusTitle, make, refill } from '../parts/elements.ts'
import { attemptOrToast, loading } from '../parts/notices.ts'
import { isInUse } from '../parts/polling.ts'
import { type Parameters, pushAddress, replaceAddress, screenSignal } from '../parts/screen.ts'
import { count, may, timeOfDay } from '../parts/words.ts'
import { type ActRequest, actOn } from './acts.ts'
import {
  animalRows,
  countOf,
  emptyState,
  FILTERS,
  filtersOf,
  headOf,
  orderOf,
  pagesOf,
  resultWords,
  toolbar,
} from './animal-list.ts'
import { firstSteps } from './first-steps.ts'
import { askExport, printAll, printCards } from './print-export.ts'
import { bulkBar, Ticks } from './ticks.ts'

const PAGE = 25
/** Query parameters that stay when the page is turned. */
const STICKY_PARAMETERS = [...Object.keys(FILTERS), 'sort']

export function showAnimals({ query }: Parameters) {
  const steps = may('manager') ? firstSteps(currentSession().role) : undefined
  const list = new AnimalList(query, steps?.loaded)
  void loadCategories().then(() => list.redraw())
  // Whatever link is followed, Back leads to the place that was left.
  const note = ({ target }: Event) => {
    const link = target instanceof Element ? target.closest('a') : null
    if (link !== null) notePlace(link.closest('.row')?.getAttribute('data-id') ?? '')
  }
  addEventListener('click', note, { capture: true, signal: screenSignal() })
  return [steps, list.elements]
}

export function prefetchAnimals({ query }: Parameters) {
  prefetch('/api/animals', pageOf(query))
  prefetch('/api/categories')
}

function pageOf(query: URLSearchParams) {
  return new URLSearchParams([...query, ['limit', String(PAGE)]])
}

/** Notes in the present entry of the browser's history which place of the list is left. */
function notePlace(id: string) {
  history.replaceState({ top: document.body.scrollTop, id }, '')
}

function goBackTo(place: unknown, rows: HTMLElement) {
  if (typeof place !== 'object' || place === null || !('top' in place && 'id' in place)) return
  const link = rows.querySelector(`[data-id="${CSS.escape(String(place.id))}"] .name`)
  if (link instanceof HTMLElement) link.focus({ preventScroll: true })
  document.body.scrollTop = Number(place.top)
}

class AnimalList {
  #query
  /** What is to be shown above it before its rows are. */
  #above
  /** The latest answer, with its query. */
  #answer: { page: AnimalPage; of: string } | undefined
  readonly #counts = new Latest()
  readonly #card = make('section', { class: 'card list', 'aria-label': 'List' })
  readonly #loader = loading(
    (problem) =>
      this.#answer === undefined
        ? `The animals could not be loaded. ${problem}`
        : `${problem} This is the list as it was at ${timeOfDay(this.#answer.page.asOfMs)}; it may have changed since.`,
    async (isOwn) => {
      const of = this.#query.toString()
      this.#counts.drop()
      const page = get('/api/animals', pageOf(this.#query), { isUnattended: isOwn })
      const [answer] = await Promise.all([page, this.#above])
      return { of, isOwn, page: answer }
    },
    (answer) => this.#show(answer),
    () => this.#fail(),
    this.#card,
  )
  /** The number of changes under way. */
  #acting = 0
  /** The scroll position and animal to return to once the rows are shown. */
  #place: unknown = history.state

  readonly #newer = button('Show the newer list', () => this.#showLatest(), { class: 'plain', hidden: true })
  readonly #empty = make('div', { class: 'empty', hidden: true })
  readonly #ticks = new Ticks(() => this.#showTicked())
  readonly #rows = animalRows(
    this.#ticks,
    (animal, status) => void this.#act([animal], { act: 'edit', status }),
    may('staff') && ((animal) => this.#restore(animal)),
  )
  readonly #top = toolbar(
    (change) => void this.#ask({ ...change, ...this.#waitingIf(change.sort === 'oldest') }),
    () => this.#rows.focus(0),
    [
      { word: 'Print list', choose: () => void printAll(this.#query) },
      { word: 'Print cage cards', choose: () => void printCards(this.#query) },
      may('manager') && { word: 'Export list', choose: () => void askExport(this.#query) },
    ],
  )
  readonly #all = make('input', { type: 'checkbox', 'aria-label': 'Tick all on this page', disabled: !may('staff') })
  readonly #head = headOf(this.#all, (sort) => void this.#ask({ sort }))
  readonly #table = make('div', { role: 'table', 'aria-label': 'Animals', hidden: true }, this.#head, this.#rows)
  readonly #pages = pagesOf((cursor) => void this.#turn(cursor))
  readonly #several = bulkBar(
    this.#ticks,
    (title, request) => this.#actOnTicked(title, request),
    () => this.#tickFound(),
    [
      { word: 'Change category', choose: () => void this.#changeCategory() },
      { word: 'Print cage cards', choose: () => void printCards(this.#query, this.#ticks.animals) },
      {
        word: 'Remove animals',
        choose: () => void this.#actOnTicked('Remove animals', { act: 'remove' }),
        isDanger: true,
      },
    ],
  )

  constructor(query: URLSearchParams, above: Promise<void> | undefined) {
    this.#query = new URLSearchParams(query)
    this.#above = above
    this.#all.addEventListener('change', () => this.#rows.tickAll(this.#all.checked))
    fill(this.#card, this.#table, this.#empty, this.#pages)
    this.#pages.show(undefined, '')
    this.#drawTop()
    this.#loader.begin({
      polls: () => this.#acting === 0 && this.#ticks.size === 0,
      // An act of a screen before is taken back by its notice.
      follows: () => this.#acting === 0 && void this.#loader.load(!this.#loader.isWaiting()),
    })
  }

  get elements() {
    return [this.#top, this.#loader, this.#newer, this.#card, this.#several]
  }

  /** Redraws when the names of categories have been loaded. */
  redraw() {
    this.#rows.update(this.#answer?.page.animals ?? [])
    this.#drawTop()
  }

  /** The heading shows the current query; old counts stay until new ones arrive. */
  #drawTop() {
    this.#top.show(this.#query, this.#answer?.page)
    this.#head.show(orderOf(this.#query))
  }

  /** `isOwn`: not asked for by the person, so no row may move under the pointer. */
  #show({ page, of, isOwn }: { page: AnimalPage; of: string; isOwn: boolean }) {
    // All animals of the page that the address names are gone.
    if (page.animals.length === 0 && /(before|after)=(?!end)/.test(of)) return void this.#ask({ after: 'end' })
    this.#answer = { page, of }
    if (isOwn && this.#rows.isHeld() && isInUse()) this.#newer.hidden = this.#rows.update(page.animals)
    else this.#showLatest()
    this.#drawTop()
    if (!isOwn) announce(resultWords(page, this.#query))
    // Who does something else already stays there.
    if (document.activeElement?.matches('body, h1')) goBackTo(this.#place, this.#rows.element)
    this.#place = undefined
  }

  #ask(change: Readonly<Record<string, string>>, note: (hash: string) => void = replaceAddress) {
    const parameters = [...STICKY_PARAMETERS, 'before', 'after'].flatMap((name) => {
      const value = change[name] ?? (STICKY_PARAMETERS.includes(name) ? this.#query.get(name) : null) ?? ''
      return value === '' ? [] : [[name, value]]
    })
    this.#query = new URLSearchParams(parameters)
    note(parameters.length === 0 ? '#animals' : `#animals?${this.#query}`)
    this.#drawTop()
    // Ticks last while pages are turned, or the order changes.
    if (Object.keys(change).some((name) => name in FILTERS)) this.#ticks.clear()
    return this.#loader.load()
  }

  /** "Waits longest first" filters by available, unless a status is chosen: what is adopted does not wait. */
  #waitingIf(isWanted: boolean) {
    return isWanted && !this.#query.get('status') ? { status: 'available' } : {}
  }

  /** Each page is an entry of the browser's history. */
  async #turn(cursor: Record<string, string>) {
    notePlace('')
    const loading = this.#ask(cursor, pushAddress)
    document.body.scrollTop = 0
    await loading
  }

  async #restore(animal: Animal) {
    await this.#act([animal], { act: 'restore' })
    const at = this.#answer?.page.animals.findIndex(({ id }) => id === animal.id) ?? 0
    await this.#loader.load()
    // The button that was pressed may be gone with its row.
    if (document.activeElement !== document.body) return
    const next = [...this.#rows.element.querySelectorAll<HTMLElement>('a.name')].slice(0, at + 1).at(-1)
    if (next === undefined) focusTitle()
    else next.focus()
  }

  #showLatest() {
    this.#newer.hidden = true
    if (this.#answer === undefined) return
    const { page } = this.#answer
    const isEmpty = page.animals.length === 0
    this.#rows.replace(page.animals)
    this.#showTicked()
    this.#pages.show(page, this.#query.get('status') ?? '')
    this.#card.hidden = false
    this.#table.hidden = isEmpty
    this.#empty.hidden = !isEmpty
    const show = (change: Readonly<Record<string, string>>) => void this.#ask(change)
    if (isEmpty) refill(this.#empty, emptyState(this.#query, show))
  }

  #fail() {
    if (this.#answer?.of === this.#query.toString()) return
    // Rows of another query would look like its result.
    this.#answer = undefined
    this.#rows.replace([])
    this.#newer.hidden = true
    this.#card.hidden = true
    this.#drawTop()
  }

  #showTicked() {
    this.#rows.showTicks()
    const { countHere, isPage } = this.#rows.ticked()
    const status = this.#query.get('status') ?? ''
    const total = this.#answer === undefined ? 0 : countOf(this.#answer.page.counts, status)
    this.#several.show(countHere, total, isPage, status === 'removed')
    this.#all.checked = isPage
    this.#all.indeterminate = countHere > 0 && !isPage
  }

  /** What is found now is what is meant, whatever is found when it is done. */
  async #tickFound() {
    const { changes } = this.#ticks
    const animals = await attemptOrToast('ticks', () => get('/api/animals/found', filtersOf(this.#query)))
    if (animals !== undefined && changes === this.#ticks.changes) this.#ticks.tickFound(animals)
  }

  async #changeCategory() {
    const category = categoryField('Category', { makesNew: true })
    const categoryId = await ask('Change category', [category], () => category.choose())
    if (categoryId !== undefined) await this.#actOnTicked('Change category', { act: 'edit', categoryId })
  }

  /** Asks first if it is about more than what is seen, or takes animals out. */
  async #actOnTicked(title: string, request: ActRequest) {
    const { targets, size, isAll } = this.#ticks
    const what = `${isAll ? 'All ' : ''}${count(size, 'animal')}${isAll ? ' that are found' : ''}`
    const text = `${what}. Undo takes it back, but for what somebody changes meanwhile.`
    if ((isAll || request.act === 'remove') && !(await confirm(title, text, { isDanger: request.act === 'remove' })))
      return
    const result = await this.#act(targets, request, isAll)
    if (result !== undefined) this.#ticks.drop(targets)
  }

  /** Nothing of what is under way for one of them: it would meet that as what somebody else did. */
  async #act(targets: readonly (Animal | ActTarget)[], request: ActRequest, isAll = false) {
    if (this.#rows.isBusy(targets)) return undefined
    const isMoved = request.act !== 'edit' || isAll
    this.#acting += 1
    this.#rows.setBusy(targets, true)
    const result = await actOn(targets, request, (undoResult) => this.#apply(undoResult, isMoved))
    this.#acting -= 1
    this.#rows.setBusy(targets, false)
    if (result !== undefined) this.#apply(result, isMoved)
    else if (!this.#loader.isWaiting()) await this.#loader.load(true)
    return result
  }

  /** Loads the list again where rows come or go. One that is on its way may be as it was before. */
  #apply({ animals, conflicts, left }: ActResult, isMoved: boolean) {
    this.#rows.update([...animals, ...conflicts])
    if (isMoved || this.#loader.isWaiting() || left > conflicts.length) return void this.#loader.load()
    this.#loader.drop()
    void this.#loadCounts()
  }

  #loadCounts() {
    const first = new URLSearchParams([...filtersOf(this.#query), ['sort', 'newest'], ['limit', '1']])
    const show = ({ counts }: AnimalPage) => {
      if (this.#answer === undefined) return
      this.#answer = { ...this.#answer, page: { ...this.#answer.page, counts } }
      this.#drawTop()
    }
    // The next refresh tells that the service is gone.
    return this.#counts.ask(() => get('/api/animals', first), show)
  }
}
