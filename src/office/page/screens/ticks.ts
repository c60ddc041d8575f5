/** The selected animals of the list, which can be every match, and the bar with what can be done to them. */
import type { ActTarget, Animal, ListedAnimal } from '../../office-data.ts'
import { button, focusTitle, make } from '../parts/elements.ts'
import { actionsButton, dotOf } from '../parts/menu.ts'
import { count, figure, STATUSES, statusIn, statusWord } from '../parts/words.ts'
import type { ActRequest } from './acts.ts'

export type RowAnimal = Animal & Partial<ListedAnimal>

export class Ticks {
  /** As they were when selected, or last shown. */
  #ticked = new Map<string, RowAnimal | ActTarget>()
  readonly #onChange
  isAll = false
  /** Counts changes by people: the response to an earlier request must not replace a newer selection. */
  changes = 0

  constructor(onChange: () => void) {
    this.#onChange = onChange
  }

  get targets(): readonly (RowAnimal | ActTarget)[] {
    return [...this.#ticked.values()]
  }

  get animals(): readonly RowAnimal[] {
    return this.targets.filter((one) => 'name' in one)
  }

  get size() {
    return this.#ticked.size
  }

  has(id: string) {
    return this.#ticked.has(id)
  }

  /** If all matches were selected, only those of the page stay. */
  set(animals: readonly RowAnimal[], isTicked: boolean, pageAnimals: readonly RowAnimal[]) {
    if (this.isAll) this.#replace(pageAnimals, false)
    for (const animal of animals) {
      if (isTicked) this.#ticked.set(animal.id, animal)
      else this.#ticked.delete(animal.id)
    }
    this.#change()
  }

  tickFound(animals: readonly ActTarget[]) {
    this.#replace(animals, true)
    this.#change()
  }

  see(animal: RowAnimal) {
    if (!this.isAll && this.has(animal.id)) this.#ticked.set(animal.id, animal)
  }

  clear() {
    this.#replace([], false)
    this.#change()
  }

  drop(these: readonly ActTarget[]) {
    for (const { id } of these) this.#ticked.delete(id)
    this.isAll = false
    this.#change()
  }

  #change() {
    this.changes += 1
    this.#onChange()
  }

  #replace(these: readonly (RowAnimal | ActTarget)[], isAll: boolean) {
    this.#ticked = new Map(these.map((one) => [one.id, one]))
    this.isAll = isAll
  }
}

interface TickRow {
  readonly animal: RowAnimal
  readonly tick: HTMLInputElement
}

export function tickable(rows: readonly TickRow[]) {
  return rows.filter(({ tick }) => !tick.disabled).map(({ animal }) => animal)
}

/** Lets people select rows; with Shift, by mouse or space bar, a range. */
export function tickRanges(list: HTMLElement, ticks: Ticks, rows: () => readonly TickRow[]) {
  let last = ''
  list.addEventListener('click', ({ target, shiftKey }) => {
    const all = rows()
    const at = all.findIndex(({ tick }) => tick === target)
    const row = all[at]
    if (row === undefined) return
    const from = shiftKey ? all.findIndex(({ animal }) => animal.id === last) : -1
    const range = from === -1 ? [row] : all.slice(Math.min(from, at), Math.max(from, at) + 1)
    last = row.animal.id
    ticks.set(tickable(range), row.tick.checked, tickable(all))
  })
  list.addEventListener('mousedown', (event) => {
    if (event.shiftKey && event.target instanceof Element && event.target.closest('.tick')) event.preventDefault()
  })
}

export function bulkBar(
  ticks: Ticks,
  onAct: (title: string, request: ActRequest) => Promise<void>,
  onFound: () => Promise<void>,
  acts: Parameters<typeof actionsButton>[1],
) {
  const words = make('p', { 'aria-live': 'polite' })
  const sets = STATUSES.map((status) => {
    const title = `Set to ${statusWord(status)}`
    const set = button(statusIn(status), () => onAct(title, { act: 'edit', status }), {
      class: 'status',
      'aria-label': title,
    })
    set.prepend(make('span', { class: dotOf(status), 'aria-hidden': 'true' }))
    return set
  })
  const more = actionsButton('selected animals', acts)
  const restore = button('Restore', () => onAct('Restore animals', { act: 'restore' }))
  const all = button('', onFound, { class: 'plain' })
  const clear = button('Clear', () => ticks.clear(), { class: 'plain' })
  const attributes = { class: 'several', 'aria-label': 'Selected animals', hidden: true }
  const element = make('section', attributes, words, all, ...sets, restore, more, clear)
  return {
    element,
    /** `countHere`: selected on this page. `isPage`: the whole page is selected, so all `total` matches can be. */
    show(countHere: number, total: number, isPage: boolean, isRemoved: boolean) {
      const { isAll, size } = ticks
      const hadFocus = element.contains(document.activeElement)
      element.hidden = size === 0
      if (hadFocus && element.hidden) focusTitle()
      const elsewhere = isAll || size === countHere ? '' : `, ${figure(size - countHere)} on other pages`
      const which = `${isAll ? `All ${count(size, 'matching animal')}` : count(size, 'animal')} selected`
      all.textContent = `Select all ${figure(total)}`
      all.hidden = isAll || !isPage || total <= size
      words.textContent = `${which}${elsewhere}. ${isRemoved || !all.hidden ? '' : 'Set to:'}`
      restore.hidden = !isRemoved
      for (const one of [...sets, more]) one.hidden = isRemoved
    },
  }
}
