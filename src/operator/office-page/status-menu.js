/** The status of an animal as a button, and the menu that it opens: one choice, and it is done. */
import { make } from './elements.js'
import { STATUSES, statusWord } from './words.js'

/** @import { Status } from '../office-data.ts' */

/** @type {{ anchor: HTMLElement, close: () => void } | undefined} */
let open

/** Whether somebody is choosing a status right now. */
export function isMenuOpen() {
  return open !== undefined
}

/**
 * A button that shows a status and lets people choose another one.
 * @param {(status: Status) => void} onChoose
 */
export function statusButton(onChoose) {
  const word = make('span')
  const element = make(
    'button',
    { type: 'button', class: 'status', 'aria-haspopup': 'menu', 'aria-expanded': 'false' },
    word,
  )
  /** @type {Status} */
  let status = null
  let wasOpen = false
  // A click on the button of an open menu has closed the menu before it arrives.
  element.addEventListener('pointerdown', () => {
    wasOpen = open?.anchor === element
  })
  element.addEventListener('click', () => {
    if (!wasOpen && element.getAttribute('aria-busy') !== 'true') openMenu(element, status, onChoose)
    wasOpen = false
  })
  element.addEventListener('keydown', (event) => {
    if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return
    event.preventDefault()
    element.click()
  })
  return {
    element,
    /**
     * @param {Status} shown
     * @param {string} whose the name of the animal, for people who do not see where the button stands
     * @param {boolean} [isBusy] while the change is under way
     */
    show(shown, whose, isBusy = false) {
      status = shown
      word.textContent = statusWord(shown)
      element.className = `status ${shown ?? 'none'}`
      element.setAttribute('aria-label', `${statusWord(shown)}, status of ${whose}`)
      element.setAttribute('aria-busy', String(isBusy))
    },
  }
}

/**
 * @param {HTMLElement} anchor
 * @param {Status} current
 * @param {(status: Status) => void} onChoose
 */
function openMenu(anchor, current, onChoose) {
  open?.close()
  const items = STATUSES.map((status) =>
    make(
      'button',
      {
        type: 'button',
        role: 'menuitemradio',
        tabindex: -1,
        'aria-checked': status === current,
        onclick: () => choose(status),
      },
      make('span', { class: `dot ${status ?? 'none'}`, 'aria-hidden': 'true' }),
      statusWord(status),
    ),
  )
  const menu = make('div', { class: 'menu', role: 'menu', 'aria-label': 'Status' }, ...items)
  const close = () => {
    if (open?.anchor !== anchor) return
    open = undefined
    const hadFocus = menu.contains(document.activeElement)
    removeEventListener('scroll', close, true)
    removeEventListener('resize', close)
    anchor.setAttribute('aria-expanded', 'false')
    if (hadFocus) anchor.focus()
    menu.remove()
  }
  /** @param {Status} status */
  const choose = (status) => {
    close()
    if (status !== current) onChoose(status)
  }
  open = { anchor, close }
  anchor.setAttribute('aria-expanded', 'true')
  // Where the button is in a dialog, the page below takes no clicks.
  const layer = anchor.closest('dialog') ?? document.body
  layer.append(menu)
  place(menu, anchor)
  items[STATUSES.indexOf(current)]?.focus({ preventScroll: true })
  menu.addEventListener('keydown', (event) => steer(event, items, close))
  menu.addEventListener('focusout', ({ relatedTarget }) => {
    if (!(relatedTarget instanceof Node && menu.contains(relatedTarget))) close()
  })
  addEventListener('scroll', close, true)
  addEventListener('resize', close)
}

/** @param {HTMLElement} menu @param {HTMLElement} anchor */
function place(menu, anchor) {
  const at = anchor.getBoundingClientRect()
  const { offsetWidth, offsetHeight } = menu
  const below = at.bottom + 4
  const top = below + offsetHeight > innerHeight ? at.top - offsetHeight - 4 : below
  menu.style.top = `${Math.max(4, top)}px`
  menu.style.left = `${Math.max(4, Math.min(at.left, document.documentElement.clientWidth - offsetWidth - 8))}px`
}

/**
 * @param {KeyboardEvent} event
 * @param {readonly HTMLElement[]} items
 * @param {() => void} close
 */
function steer(event, items, close) {
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
