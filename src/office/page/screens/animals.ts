/** The list of animals. It refreshes unless a person is using it; rows never appear under a newer query. */

import type { ActResult, ActTarget, Animal, AnimalPage } from '../../office-data.ts'
import { currentSession, get, prefetch } from '../parts/api.ts'
import { categoryField, loadCategories } from '../parts/categories.ts'
import { ask, confirm } from '../parts/dialog.ts'
import { announce, button, fill, focusTitle, make, refill } from '../parts/elements.ts'
import { load } from '../parts/load.ts'
import { isInUse } from '../parts/polling.ts'
import { type Parameters, pushAddress, replaceAddress, screenSignal } from '../parts/screen.ts'
import { attemptOrToast } from '../parts/toasts.ts'
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
const STICKY_PARAMETERS = [...Object.keys(FILTERS), 'sort']

export function showAnimals({ query }: Parameters) {
  const steps = may('manager') ? firstSteps(currentSession().role) : undefined
  const list = new AnimalList(query, steps?.loaded)
  void loadCategories().then(() => list.redraw())
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

/** Keeps the scroll position and the animal in the browser's history. */
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
  #above
  #answer: { page: AnimalPage; of: string } | undefined
  readonly #card = make('section', { class: 'card list', 'aria-label': 'List' })
  readonly #loader = load({
    what: (problem) =>
      this.#answer === undefined
        ? `The animals could not be loaded. ${problem}`
        : `${problem} This is the list as of ${timeOfDay(this.#answer.page.asOfMs)}. It might have changed since then.`,
    get: async (isOwn) => {
      const of = this.#query.toString()
      const page = get('/api/animals', pageOf(this.#query), { isUnattended: isOwn })
      const [answer] = await Promise.all([page, this.#above])
      return { of, isOwn, page: answer }
    },
    show: (answer) => this.#show(answer),
    onFail: () => this.#fail(),
    list: this.#card,
    polls: () => this.#acting === 0 && this.#ticks.size === 0,
    follows: () => this.#acting === 0 && void this.#loader.again(!this.#loader.isWaiting()),
  })
  #acting = 0
  #place: unknown = history.state

  readonly #newer = button('Show newer list', () => this.#showLatest(), { class: 'plain', hidden: true })
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
  readonly #all = make('input', { type: 'checkbox', 'aria-label': 'Select all on this page', disabled: !may('staff') })
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
  }

  get elements() {
    return [this.#top, this.#loader, this.#newer, this.#card, this.#several]
  }

  redraw() {
    this.#rows.update(this.#answer?.page.animals ?? [])
    this.#drawTop()
  }

  #drawTop() {
    this.#top.show(this.#query, this.#answer?.page)
    this.#head.show(orderOf(this.#query))
  }

  /** `isOwn`: nobody asked for it, so no row can move under the pointer. */
  #show({ page, of, isOwn }: { page: AnimalPage; of: string; isOwn: boolean }) {
    if (page.animals.length === 0 && /(before|after)=(?!end)/.test(of)) return void this.#ask({ after: 'end' })
    this.#answer = { page, of }
    if (isOwn && this.#rows.isHeld() && isInUse()) this.#newer.hidden = this.#rows.update(page.animals)
    else this.#showLatest()
    this.#drawTop()
    if (!isOwn) announce(resultWords(page, this.#query))
    // Keep the focus of a person who does something else.
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
    if (Object.keys(change).some((name) => name in FILTERS)) this.#ticks.clear()
    return this.#loader.again()
  }

  /** "Longest waiting" filters by available unless a status is chosen. */
  #waitingIf(isWanted: boolean) {
    return isWanted && !this.#query.get('status') ? { status: 'available' } : {}
  }

  async #turn(cursor: Record<string, string>) {
    notePlace('')
    const loading = this.#ask(cursor, pushAddress)
    document.body.scrollTop = 0
    await loading
  }

  async #restore(animal: Animal) {
    await this.#act([animal], { act: 'restore' })
    const at = this.#answer?.page.animals.findIndex(({ id }) => id === animal.id) ?? 0
    await this.#loader.again()
    // The button might be gone with its row.
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

  /** Selects the animals that match now, even if the results change before the act runs. */
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

  /** Asks first if the act affects more than is visible, or removes animals. */
  async #actOnTicked(title: string, request: ActRequest) {
    const { targets, size, isAll } = this.#ticks
    const what = isAll ? `All ${count(size, 'matching animal')}` : count(size, 'animal')
    const text = `${what}. You can undo this, except for animals that someone else changes in the meantime.`
    if ((isAll || request.act === 'remove') && !(await confirm(title, text, { isDanger: request.act === 'remove' })))
      return
    const result = await this.#act(targets, request, isAll)
    if (result !== undefined) this.#ticks.drop(targets)
  }

  /** Does nothing if a change to one of them is in progress: the two would conflict. */
  async #act(targets: readonly (Animal | ActTarget)[], request: ActRequest, isAll = false) {
    if (this.#rows.isBusy(targets)) return undefined
    const isMoved = request.act !== 'edit' || isAll
    this.#acting += 1
    this.#rows.setBusy(targets, true)
    const result = await actOn(targets, request, (undoResult) => this.#apply(undoResult, isMoved))
    this.#acting -= 1
    this.#rows.setBusy(targets, false)
    if (result !== undefined) this.#apply(result, isMoved)
    else if (!this.#loader.isWaiting()) await this.#loader.again(true)
    return result
  }

  /** Loads the list again: counts and waits change too. No row moves for a status that the person has set. */
  #apply({ animals, conflicts, left }: ActResult, isMoved: boolean) {
    this.#rows.update([...animals, ...conflicts])
    void this.#loader.again(!isMoved && !this.#loader.isWaiting() && left <= conflicts.length)
  }
}
