/**
 * A text field with a list of what fits the text typed: the pattern "Editable Combobox With List Autocomplete" of the
 * ARIA Authoring Practices. The focus stays in the field; arrows move through the list, Enter takes an entry, and
 * Escape closes the list.
 */
import { make } from './elements.ts'

interface Option {
  readonly value: string
  /** Beside the value, as its number. */
  readonly note: string
  /** The text is the value itself, however it is written. */
  readonly isExact: boolean
}

/** More are found by typing more. */
const MOST = 50

let lists = 0

/** `find` gives the options that fit a text, the best first. */
export function combobox(find: (text: string) => readonly Option[]) {
  lists += 1
  const list = make('ul', {
    class: 'options',
    role: 'listbox',
    id: `options-${lists}`,
    'aria-label': 'What fits',
    hidden: true,
  })
  const input = make('input', {
    ...{ role: 'combobox', 'aria-expanded': false, 'aria-controls': list.id, 'aria-autocomplete': 'list' },
    ...{ autocomplete: 'off', autocapitalize: 'none', dir: 'auto' },
  })
  let items: readonly HTMLElement[] = []
  let at = -1

  const close = () => {
    list.hidden = true
    at = -1
    input.setAttribute('aria-expanded', 'false')
    input.removeAttribute('aria-activedescendant')
  }
  const take = (value: string) => {
    input.value = value
    close()
    input.dispatchEvent(new Event('input', { bubbles: true }))
    close()
  }
  const open = (text: string) => {
    const found = find(text).slice(0, MOST)
    items = found.map(({ value, note }, n) => {
      const name = make('span', { class: 'typed', dir: 'auto' }, value)
      const item = make('li', { role: 'option', id: `${list.id}-${n}`, 'aria-selected': false }, name)
      item.append(make('span', { class: 'quiet' }, note))
      // Before the field loses the focus.
      item.addEventListener('pointerdown', (event) => event.preventDefault())
      item.addEventListener('click', () => take(value))
      return item
    })
    list.replaceChildren(...items)
    at = -1
    input.removeAttribute('aria-activedescendant')
    // What is written out needs no list over the button below.
    list.hidden = items.length === 0 || (found.length === 1 && found[0]?.isExact === true)
    input.setAttribute('aria-expanded', String(!list.hidden))
  }
  const mark = (next: number) => {
    items[at]?.setAttribute('aria-selected', 'false')
    at = next
    items[at]?.setAttribute('aria-selected', 'true')
    items[at]?.scrollIntoView({ block: 'nearest' })
    if (at === -1) input.removeAttribute('aria-activedescendant')
    else input.setAttribute('aria-activedescendant', `${list.id}-${at}`)
  }
  const steer = (event: KeyboardEvent) => {
    const { key } = event
    if (key === 'ArrowDown' || key === 'ArrowUp') {
      // What is chosen already would be the only one that fits.
      if (list.hidden) open('')
      const last = items.length - 1
      mark(key === 'ArrowDown' ? (at === last ? 0 : at + 1) : at <= 0 ? last : at - 1)
    } else if (key === 'Enter' && at !== -1) take(items[at]?.firstElementChild?.textContent ?? '')
    else if (key === 'Escape' && !list.hidden) {
      close()
      event.stopPropagation() // a dialog stays open
    } else return
    event.preventDefault()
  }
  input.addEventListener('input', () => open(input.value))
  input.addEventListener('click', () => list.hidden && open(''))
  input.addEventListener('keydown', steer)
  input.addEventListener('blur', close)
  return { input, list }
}
