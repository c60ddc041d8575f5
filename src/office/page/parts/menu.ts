/** Menus: set an animal's status, or choose an action for a row. */

import type { Status } from '../../office-data.ts'
import { icon } from './drawings.ts'
import { make, refill } from './elements.ts'
import { may, STATUSES, statusIn, statusWord } from './words.ts'

interface MenuEntry {
  readonly word: string
  readonly choose: () => void
  readonly isChosen?: boolean
  readonly dot?: string
  /** Cannot be undone; such an entry comes last. */
  readonly isDanger?: boolean
}

export function dotOf(status: Status) {
  return `dot ${status ?? 'none'}`
}

export function statusButton(onChoose: (status: Status) => void) {
  const dot = make('span', { 'aria-hidden': 'true' })
  const word = make('span')
  let status: Status = null
  const entries = () =>
    STATUSES.map((one) => ({
      word: statusIn(one),
      dot: dotOf(one),
      isChosen: one === status,
      choose: () => one !== status && onChoose(one),
    }))
  const element = may('staff')
    ? opener('Status', entries, { class: 'status' }, dot, word)
    : make('span', { class: 'status' }, dot, word)
  return {
    element,
    show(current: Status, whose: string, isBusy: boolean = false) {
      status = current
      refill(word, statusIn(current))
      dot.className = dotOf(current)
      if (!may('staff')) return
      element.setAttribute('aria-label', `${statusWord(current)}, status of ${whose}`)
      element.setAttribute('aria-busy', String(isBusy))
    },
  }
}

export function actionsButton(of: string, entries: readonly (MenuEntry | false)[]) {
  const label = of === '' ? 'Actions' : `Actions, ${of}`
  return opener(
    label,
    () => entries.filter((entry) => entry !== false),
    { class: 'bare more', 'aria-label': label, title: 'Actions' },
    icon('more'),
  )
}

/** The browser places the menu (status.css), closes it and returns the focus. */
function opener(
  label: string,
  entries: () => readonly MenuEntry[],
  attributes: Record<string, string>,
  ...content: Node[]
) {
  const element = make('button', { type: 'button', 'aria-haspopup': 'menu', ...attributes }, content)
  element.addEventListener('click', (event) => {
    if (element.getAttribute('aria-busy') === 'true') event.preventDefault()
    else element.popoverTargetElement ??= menuOf(element, label, entries())
  })
  element.addEventListener('keydown', (event) => {
    if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return
    event.preventDefault()
    element.click()
  })
  return element
}

/** Removed from the page when it closes, so that the next menu shows current values. */
function menuOf(source: HTMLElement, label: string, entries: readonly MenuEntry[]) {
  const menu = make('div', { class: 'menu', popover: 'auto', role: 'menu', 'aria-label': label })
  const first = entries.find(({ isChosen }) => isChosen) ?? entries[0]
  const items = entries.map((entry) => item(entry, menu, entry === first))
  menu.append(...items)
  menu.addEventListener('toggle', ({ newState }) => newState === 'closed' && menu.remove())
  menu.addEventListener('keydown', (event) => steer(event, items, menu))
  // A modal dialog makes the rest of the page inert. Elsewhere the menu must be inside a landmark.
  source.closest('dialog, main')?.append(menu)
  return menu
}

function item({ word, choose, isChosen, dot, isDanger = false }: MenuEntry, menu: HTMLElement, autofocus: boolean) {
  const role = isChosen === undefined ? 'menuitem' : 'menuitemradio'
  const dotElement = dot !== undefined && make('span', { class: dot, 'aria-hidden': 'true' })
  const onclick = () => {
    menu.hidePopover()
    choose()
  }
  const own = { type: 'button', role, tabindex: -1, 'aria-checked': isChosen, autofocus }
  return make('button', { ...own, class: isDanger && 'red', onclick }, dotElement, word)
}

function steer(event: KeyboardEvent, items: readonly HTMLElement[], menu: HTMLElement) {
  const at = items.findIndex((item) => item.matches(':focus'))
  const letter = event.key.toLowerCase()
  const byLetter = items.find((item) => letter.length === 1 && item.textContent.toLowerCase().startsWith(letter))
  const to = { ArrowDown: items[(at + 1) % items.length], ArrowUp: items.at(at - 1), Home: items[0], End: items.at(-1) }
  const next = to[event.key as keyof typeof to] ?? (letter === ' ' ? undefined : byLetter)
  if (event.key === 'Tab') menu.hidePopover()
  if (next === undefined) return
  event.preventDefault()
  next.focus()
}
