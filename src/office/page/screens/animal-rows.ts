/**
 * The rows of the list of animals. A row keeps its element while its animal stays, so focus and ticks survive a
 * refresh; rows do not move while one is pointed at or focused.
 */

import type { Animal, Status } from '../../office-data.ts'
import { categoryWord } from '../parts/categories.ts'
import { button, make, typed } from '../parts/elements.ts'
import { authorWord, lastChange } from '../parts/history.ts'
import { statusButton } from '../parts/status-menu.ts'
import { moment, nameOf } from '../parts/words.ts'

interface Row {
  animal: Animal
  readonly element: HTMLLIElement
  readonly tick: HTMLInputElement
  readonly show: (animal: Animal, how?: { isBusy?: boolean; isNews?: boolean; by?: string | undefined }) => void
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

  const rowOf = (animal: Animal) => {
    const row = rows.get(animal.id) ?? makeRow(animal, works, mayRestore)
    rows.set(animal.id, row)
    return row
  }

  return {
    element: list,
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
    replace(animals: readonly Animal[], removedBy: Readonly<Record<string, string>> = {}) {
      const kept = new Set(animals.map(({ id }) => id))
      for (const [id, { element }] of rows) {
        if (kept.has(id)) continue
        element.remove()
        rows.delete(id)
      }
      for (const [at, animal] of animals.entries()) {
        const row = rowOf(animal)
        row.show(animal, { by: removedBy[animal.id] })
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
    make('span', { class: 'facts' }, category, make('span', { class: 'id number' }, first.id)),
    status.element,
    removed,
    news,
  )
  /** The version that the news describes. */
  let told = ''
  /** Who removed it; kept while the row is shown anew, for instance with the names of categories. */
  let remover: string | undefined
  const row: Row = {
    animal: first,
    element,
    tick,
    show(animal, { isBusy = false, isNews = false, by } = {}) {
      const ahead = BigInt(animal.version) - BigInt(row.animal.version)
      if (ahead >= 0n) row.animal = animal
      if (ahead > 0n || by !== undefined) remover = by
      element.classList.toggle('changed', ahead > 0n)
      const shown = row.animal
      const whose = nameOf(shown)
      tick.setAttribute('aria-label', `Tick ${whose}`)
      name.replaceChildren(shown.name.trim() === '' ? make('em', {}, 'Without a name') : typed(shown.name))
      category.replaceChildren(typed(categoryWord(shown.categoryId)))
      status.show(shown.status, whose, isBusy)
      // A search by number finds removed animals too.
      const { removedAtMs } = shown
      const isRemoved = removedAtMs !== null
      if (removedAtMs !== null) {
        const who = remover === undefined ? '' : ` by ${authorWord(remover)}`
        words.textContent = `${moment(removedAtMs)}${who}`
        removed.querySelector('button')?.setAttribute('aria-label', `Restore ${whose}`)
      }
      removed.hidden = !isRemoved
      status.element.hidden = isRemoved
      tick.disabled = isRemoved
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
