/** Menus: an animal's status, of which a chosen entry applies at once, and what can be done with the thing of a row. */

import type { Status } from '../../office-data.ts'
import { icon, make } from './elements.ts'
import { mayChange, STATUSES, statusWord } from './words.ts'

interface Entry {
  readonly word: string
  readonly choose: () => void
  /** Of a menu of which one entry is chosen: whether it is this one. */
  readonly isChosen?: boolean
  /** The class of a dot before it. */
  readonly dot?: string
  /** Cannot be taken back; such an entry is the last one. */
  readonly isDanger?: boolean
}

let open: { anchor: HTMLElement; close: () => void } | undefined

export function isMenuOpen() {
  return open !== undefined
}

/** A button that shows a status and lets people choose another one, but for those who only look. */
export function statusButton(onChoose: (status: Status) => void) {
  const word = make('span')
  let status: Status = null
  const entries = () =>
    STATUSES.map((one) => ({
      word: statusWord(one),
      dot: one ?? 'none',
      isChosen: one === status,
      choose: () => one !== status && onChoose(one),
    }))
  const element = mayChange() ? opener('Status', entries, { class: 'status' }, word) : make('span', {}, word)
  return {
    element,
    /** `whose` names the animal for screen readers. `isBusy`: a change is under way. */
    show(shown: Status, whose: string, isBusy: boolean = false) {
      status = shown
      word.textContent = statusWord(shown)
      element.className = `status ${shown ?? 'none'}`
      if (!mayChange()) return
      element.setAttribute('aria-label', `${statusWord(shown)}, status of ${whose}`)
      element.setAttribute('aria-busy', String(isBusy))
    },
  }
}

/** A button with what can be done; `of` names the thing for screen readers. */
export function actionsButton(of: string, entries: readonly Entry[]) {
  const label = of === '' ? 'Actions' : `Actions, ${of}`
  return opener(label, () => entries, { class: 'bare more', 'aria-label': label, title: 'Actions' }, icon('more'))
}

function opener(label: string, entries: () => readonly Entry[], attributes: Record<string, string>, content: Node) {
  const own = { type: 'button', 'aria-haspopup': 'menu', 'aria-expanded': 'false' }
  const element = make('button', { ...own, ...attributes }, content)
  let wasOpen = false
  // The menu has lost the focus and closed before the click arrives; without this the click would open it again.
  element.addEventListener('pointerdown', () => {
    wasOpen = open?.anchor === element
  })
  element.addEventListener('click', () => {
    if (!wasOpen && element.getAttribute('aria-busy') !== 'true') openMenu(element, label, entries())
    wasOpen = false
  })
  element.addEventListener('keydown', (event) => {
    if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return
    event.preventDefault()
    element.click()
  })
  return element
}

function openMenu(anchor: HTMLElement, label: string, entries: readonly Entry[]) {
  open?.close()
  const items = entries.map(({ word, choose, isChosen, dot, isDanger = false }) => {
    const role = isChosen === undefined ? 'menuitem' : 'menuitemradio'
    const attributes = { type: 'button', role, tabindex: -1, 'aria-checked': isChosen, class: isDanger && 'red' }
    const act = () => {
      close()
      choose()
    }
    const mark = dot === undefined ? undefined : make('span', { class: `dot ${dot}`, 'aria-hidden': 'true' })
    return make('button', { ...attributes, onclick: act }, mark, word)
  })
  const menu = make('div', { class: 'menu', role: 'menu', 'aria-label': label }, ...items)
  // All that is on the page is in a landmark.
  const region = make('section', { 'aria-label': 'Menu' }, menu)
  const close = () => {
    if (open?.anchor !== anchor) return
    open = undefined
    const hadFocus = menu.contains(document.activeElement)
    removeEventListener('scroll', follow, true)
    removeEventListener('resize', close)
    anchor.setAttribute('aria-expanded', 'false')
    if (hadFocus) anchor.focus()
    region.remove()
  }
  /**
   * The page may still be scrolling when the menu opens: the menu follows its button, and closes once the button is out
   * of sight.
   */
  const follow = () => {
    const { top, bottom } = anchor.getBoundingClientRect()
    if (bottom <= 0 || top >= innerHeight) close()
    else place(menu, anchor)
  }
  open = { anchor, close }
  anchor.setAttribute('aria-expanded', 'true')
  // A modal dialog makes the rest of the page inert.
  const layer = anchor.closest('dialog') ?? document.body
  layer.append(region)
  place(menu, anchor)
  const chosen = entries.findIndex(({ isChosen }) => isChosen)
  items[Math.max(0, chosen)]?.focus({ preventScroll: true })
  menu.addEventListener('keydown', (event) => steer(event, items, close))
  menu.addEventListener('focusout', ({ relatedTarget }) => {
    if (!(relatedTarget instanceof Node && menu.contains(relatedTarget))) close()
  })
  addEventListener('scroll', follow, true)
  addEventListener('resize', close)
}

function place(menu: HTMLElement, anchor: HTMLElement) {
  const at = anchor.getBoundingClientRect()
  const { offsetWidth, offsetHeight } = menu
  const below = at.bottom + 4
  const top = below + offsetHeight > innerHeight ? at.top - offsetHeight - 4 : below
  menu.style.top = `${Math.max(4, top)}px`
  menu.style.left = `${Math.max(4, Math.min(at.left, document.documentElement.clientWidth - offsetWidth - 8))}px`
}

function steer(event: KeyboardEvent, items: readonly HTMLElement[], close: () => void) {
  const at = items.findIndex((item) => item.matches(':focus'))
  const letter = event.key.toLowerCase()
  const byLetter = items.find((item) => letter.length === 1 && item.textContent.toLowerCase().startsWith(letter))
  if (event.key === 'ArrowDown') items[(at + 1) % items.length]?.focus()
  else if (event.key === 'ArrowUp') items.at(at - 1)?.focus()
  else if (event.key === 'Home') items[0]?.focus()
  else if (event.key === 'End') items.at(-1)?.focus()
  else if (event.key === 'Escape' || event.key === 'Tab') close()
  else if (byLetter !== undefined && letter !== ' ') byLetter.focus()
  else return
  if (event.key !== 'Tab') event.preventDefault()
}
