/**
 * The rows of the list of animals. A row keeps its element while its animal stays, so that the focus and a ticked box
 * outlive a refresh; no row moves while somebody is about to touch one.
 */

import type { Animal, Status } from '../../office-data.ts'
import { categoryWord } from '../parts/categories.ts'
import { make, typed } from '../parts/elements.ts'
import { lastChange } from '../parts/history.ts'
import { statusButton } from '../parts/status-menu.ts'
import { nameOf } from '../parts/words.ts'

interface Row {
  animal: Animal
  readonly element: HTMLLIElement
  readonly tick: HTMLInputElement
  readonly show: (animal: Animal, how?: { isBusy?: boolean; isNews?: boolean }) => void
}

export function animalRows({
  onChoose,
  onTick,
}: {
  onChoose: (animal: Animal, status: Status) => void
  onTick: () => void
}) {
  const list = make('ul', { class: 'rows', 'aria-label': 'Animals' })
  const rows: Map<string, Row> = new Map()

  const rowOf = (animal: Animal) => {
    const row = rows.get(animal.id) ?? makeRow(animal, onChoose, onTick)
    rows.set(animal.id, row)
    return row
  }

  return {
    element: list,
    /** The animals whose box is ticked. */
    ticked: () => [...rows.values()].filter(({ tick }) => tick.checked).map(({ animal }) => animal),
    size: () => rows.size,
    /** Whether the pointer or the focus is on one of them. */
    isHeld: () => list.matches(':hover') || list.contains(document.activeElement),
    tickAll(checked: boolean) {
      for (const { tick } of rows.values()) tick.checked = checked && !tick.disabled
      onTick()
    },
    /** Shows these animals and no others. */
    replace(animals: readonly Animal[]) {
      const kept = new Set(animals.map(({ id }) => id))
      for (const [id, { element }] of rows) {
        if (kept.has(id)) continue
        element.remove()
        rows.delete(id)
      }
      for (const [at, animal] of animals.entries()) {
        const row = rowOf(animal)
        row.show(animal)
        if (list.children[at] !== row.element) list.insertBefore(row.element, list.children[at] ?? null)
      }
      onTick()
    },
    /**
     * Brings the rows that are there up to date, and leaves each in its place. Tells whether these are all that there
     * is to show.
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
    /** Shows what somebody else made of these. */
    showNews(animals: readonly Animal[]) {
      for (const animal of animals) rows.get(animal.id)?.show(animal, { isNews: true })
    },
  }
}

function makeRow(first: Animal, onChoose: (animal: Animal, status: Status) => void, onTick: () => void): Row {
  const tick = make('input', { type: 'checkbox', onchange: onTick })
  const name = make('a', { href: `#animal/${first.id}`, class: 'name' })
  const category = make('span', { class: 'category' })
  const news = make('p', { class: 'news', hidden: true })
  const removed = make('span', { class: 'badge', hidden: true }, 'Removed')
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
  /** The version that the news is about. */
  let told = ''
  const row: Row = {
    animal: first,
    element,
    tick,
    show(animal, { isBusy = false, isNews = false } = {}) {
      const ahead = BigInt(animal.version) - BigInt(row.animal.version)
      if (ahead >= 0n) row.animal = animal
      element.classList.toggle('changed', ahead > 0n)
      const shown = row.animal
      const whose = nameOf(shown)
      tick.setAttribute('aria-label', `Tick ${whose}`)
      name.replaceChildren(shown.name.trim() === '' ? make('em', {}, 'Without a name') : typed(shown.name))
      category.replaceChildren(typed(categoryWord(shown.categoryId)))
      status.show(shown.status, whose, isBusy)
      // A search by number finds removed animals, too.
      const isRemoved = shown.removedAtMs !== null
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
