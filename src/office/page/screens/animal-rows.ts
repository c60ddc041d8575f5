/**
 * The rows of the list of animals. A row keeps its element while its animal stays, so focus and ticks survive a
 * refresh; rows do not move while one is pointed at or focused.
 */

import type { Animal, AnimalPage, Status } from '../../office-data.ts'
import { categoryWord } from '../parts/categories.ts'
import { button, make, typed } from '../parts/elements.ts'
import { authorWord, lastChange } from '../parts/history.ts'
import { statusButton } from '../parts/menu.ts'
import { moment, shortDay, shorten, statusWord } from '../parts/words.ts'

/** What is known of an animal besides itself; it stays while the row is shown anew. */
interface Besides {
  readonly reference?: string | null
  readonly sinceMs?: number | null
  readonly removedBy?: string | undefined
}

interface Row {
  animal: Animal
  readonly element: HTMLLIElement
  readonly tick: HTMLInputElement
  readonly show: (animal: Animal, how?: { isBusy?: boolean; isNews?: boolean; besides?: Besides }) => void
}

export interface Works {
  readonly onChoose: (animal: Animal, status: Status) => void
  readonly onTick: () => void
  readonly onRestore: (animal: Animal) => void
}

export function animalRows(works: Works, mayRestore: boolean) {
  const { onTick } = works
  const list = make('ul', { class: 'rows', 'aria-label': 'Animals' })
  const rows: Map<string, Row> = new Map()
  const names = () => [...list.querySelectorAll<HTMLElement>('a.name')]
  const focus = (at: number) => names()[at]?.focus()

  // The arrows go from name to name.
  list.addEventListener('keydown', (event) => {
    const at = names().findIndex((name) => name.matches(':focus'))
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (at === -1 || step === undefined || at + step < 0) return
    event.preventDefault()
    focus(at + step)
  })

  const rowOf = (animal: Animal) => {
    const row = rows.get(animal.id) ?? makeRow(animal, works, mayRestore)
    rows.set(animal.id, row)
    return row
  }

  return {
    element: list,
    focus,
    /** The animals that are ticked. */
    ticked: () => [...rows.values()].filter(({ tick }) => tick.checked).map(({ animal }) => animal),
    size: () => rows.size,
    /** Whether a row has the pointer or the focus. */
    isHeld: () => list.matches(':hover') || list.contains(document.activeElement),
    tickAll(checked: boolean) {
      for (const { tick } of rows.values()) tick.checked = checked && !tick.disabled
      onTick()
    },
    /** Shows exactly these animals. */
    replace({ animals, known, removedBy }: Pick<AnimalPage, 'animals' | 'known' | 'removedBy'>) {
      const kept = new Set(animals.map(({ id }) => id))
      for (const [id, { element }] of rows) {
        if (kept.has(id)) continue
        element.remove()
        rows.delete(id)
      }
      for (const [at, animal] of animals.entries()) {
        const row = rowOf(animal)
        row.show(animal, { besides: { ...known[animal.id], removedBy: removedBy[animal.id] } })
        if (list.children[at] !== row.element) list.insertBefore(row.element, list.children[at] ?? null)
      }
      onTick()
    },
    /**
     * Updates the rows in place. False if the list would have to change otherwise to show exactly these animals in this
     * order.
     */
    update(animals: readonly Animal[]) {
      for (const animal of animals) rows.get(animal.id)?.show(animal)
      const shown = [...list.children].map((element) => element.getAttribute('data-id'))
      return shown.length === animals.length && animals.every(({ id }, at) => shown[at] === id)
    },
    setBusy(animals: readonly Animal[], isBusy: boolean) {
      for (const { id } of animals) {
        const row = rows.get(id)
        row?.show(row.animal, { isBusy })
      }
    },
    /** Updates these rows and tells who changed them. */
    showNews(animals: readonly Animal[]) {
      for (const animal of animals) rows.get(animal.id)?.show(animal, { isNews: true })
    },
  }
}

function makeRow(first: Animal, { onChoose, onTick, onRestore }: Works, mayRestore: boolean): Row {
  const tick = make('input', { type: 'checkbox', onchange: onTick })
  const name = make('a', { href: `#animal/${first.id}`, class: 'name' })
  const category = make('span', { class: 'category' })
  const reference = make('span', { class: 'reference' })
  const since = make('span', { class: 'since' })
  const number = make('span', { class: 'id number' }, first.id)
  const news = make('p', { class: 'news', hidden: true })
  const words = make('p', { class: 'quiet' })
  const removed = make('div', { class: 'gone', hidden: true }, make('span', { class: 'badge' }, 'Removed'), words)
  if (mayRestore) removed.append(button('Restore', () => onRestore(row.animal), { class: 'plain' }))
  const status = statusButton((chosen) => onChoose(row.animal, chosen))
  const element = make(
    'li',
    { class: 'row', 'data-id': first.id },
    make('label', { class: 'tick' }, tick),
    name,
    make('span', { class: 'facts' }, category, reference, number, since),
    status.element,
    removed,
    news,
  )
  /** The version that the news describes. */
  let told = ''
  let known: Besides = {}
  const row: Row = {
    animal: first,
    element,
    tick,
    show(animal, { isBusy = false, isNews = false, besides } = {}) {
      const ahead = BigInt(animal.version) - BigInt(row.animal.version)
      if (ahead >= 0n) row.animal = animal
      if (besides !== undefined) known = besides
      element.classList.toggle('changed', ahead > 0n)
      const shown = row.animal
      const { removedAtMs } = shown
      const whose = `${shown.name.trim() === '' ? 'without a name' : shorten(shown.name, 60)}, number ${shown.id}`
      tick.setAttribute('aria-label', `Tick ${whose}`)
      name.replaceChildren(shown.name.trim() === '' ? make('em', {}, 'Without a name') : typed(shown.name))
      const state = removedAtMs === null ? statusWord(shown.status) : 'Removed'
      name.setAttribute('aria-label', `${whose}, ${state === statusWord(null) ? 'no status' : state}`)
      category.replaceChildren(typed(categoryWord(shown.categoryId)))
      reference.replaceChildren(typed(known.reference ?? ''))
      since.textContent = typeof known.sinceMs === 'number' ? shortDay(known.sinceMs) : ''
      status.show(shown.status, whose, isBusy)
      if (removedAtMs !== null) {
        const who = known.removedBy === undefined ? '' : ` by ${authorWord(known.removedBy)}`
        words.textContent = `${moment(removedAtMs)}${who}`
        removed.querySelector('button')?.setAttribute('aria-label', `Restore ${whose}`)
      }
      // A search by number finds removed animals too.
      removed.hidden = removedAtMs === null
      status.element.hidden = removedAtMs !== null
      tick.disabled = removedAtMs !== null
      if (isBusy || told !== shown.version) news.hidden = true
      if (isNews) void tell(shown)
    },
  }
  const tell = async (animal: Animal) => {
    const sentence = await lastChange(animal)
    if (row.animal.version !== animal.version) return
    told = animal.version
    news.textContent = sentence
    news.hidden = false
  }
  row.show(first)
  return row
}
