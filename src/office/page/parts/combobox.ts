/** Offers options while a person types, as the “Editable Combobox With List Autocomplete” of the ARIA practices. */
import { foldWord } from '../../../common/fold.ts'
import { make } from './elements.ts'

export interface Option {
  readonly value: string
  readonly note: string
  /** Whether the text is this value, ignoring case and accents. */
  readonly isExact: boolean
}

export const MOST_OPTIONS = 50
const LIST_HEIGHT = 224

let lists = 0

export function suggest(input: HTMLInputElement, words: readonly string[]) {
  const find = (text: string) => {
    const folded = foldWord(text)
    const fitting = words.filter((word) => foldWord(word).includes(folded))
    return fitting.map((value) => ({ value, note: '', isExact: foldWord(value) === folded }))
  }
  offer(input, find)
}

/** In a dialog the list grows upwards from its field, so that it neither moves nor covers the buttons. */
function placeAbove(input: HTMLElement, list: HTMLElement) {
  const { left, top, width } = input.getBoundingClientRect()
  const maxHeight = `${Math.min(LIST_HEIGHT, top)}px`
  Object.assign(list.style, { left: `${left}px`, bottom: `${innerHeight - top}px`, width: `${width}px`, maxHeight })
}

/** `find` returns the options for a text, the best first. Returns what opens the list for a text. */
export function offer(
  input: HTMLInputElement,
  find: (text: string) => readonly Option[],
  onTake: (value: string) => void = () => {},
) {
  lists += 1
  const listbox = { role: 'listbox', 'aria-label': 'Suggestions' }
  const list = make('ul', { class: 'options', ...listbox, id: `options-${lists}`, hidden: true })
  const own = { role: 'combobox', autocomplete: 'off', 'aria-autocomplete': 'list', 'aria-controls': list.id }
  for (const [name, value] of Object.entries(own)) input.setAttribute(name, value)
  input.after(list)
  input.parentElement?.classList.add('choosing')
  let items: readonly HTMLElement[] = []
  let at = -1

  const highlight = (next: number) => {
    items[at]?.setAttribute('aria-selected', 'false')
    at = next
    items[at]?.setAttribute('aria-selected', 'true')
    items[at]?.scrollIntoView({ block: 'nearest' })
    if (at === -1) input.removeAttribute('aria-activedescendant')
    else input.setAttribute('aria-activedescendant', `${list.id}-${at}`)
  }
  const show = (isShown: boolean) => {
    if (isShown && input.closest('dialog') !== null) placeAbove(input, list)
    list.hidden = !isShown
    input.setAttribute('aria-expanded', String(isShown))
    highlight(-1)
  }
  const take = (value: string) => {
    input.value = value
    onTake(value)
    for (const kind of ['input', 'change']) input.dispatchEvent(new Event(kind, { bubbles: true }))
    show(false)
  }
  const open = (text: string) => {
    const options = find(text).slice(0, MOST_OPTIONS)
    highlight(-1)
    items = options.map(({ value, note }, n) => {
      const name = make('span', { class: 'typed', dir: 'auto', translate: 'no' }, value)
      const attributes = { role: 'option', id: `${list.id}-${n}`, 'aria-selected': false, onclick: () => take(value) }
      const item = make('li', attributes, name, note !== '' && make('span', { class: 'quiet' }, note))
      // Keep the focus in the field.
      item.addEventListener('pointerdown', (event) => event.preventDefault())
      return item
    })
    list.replaceChildren(...items)
    // Hide the list once the text is the only option: it would cover the button below.
    show(items.length > 0 && !(options.length === 1 && options[0]?.isExact))
  }
  const steer = (event: KeyboardEvent) => {
    const { key, isComposing } = event
    if (isComposing) return
    if (key === 'ArrowDown' || key === 'ArrowUp') {
      // Show all: the current value would match only itself.
      if (list.hidden) open('')
      const last = items.length - 1
      highlight(key === 'ArrowDown' ? (at === last ? 0 : at + 1) : at <= 0 ? last : at - 1)
    } else if (key === 'Enter' && at !== -1) items[at]?.click()
    else if (key === 'Escape' && !list.hidden) {
      show(false)
      event.stopPropagation() // a dialog stays open
    } else return
    event.preventDefault()
  }
  input.addEventListener('input', () => input === document.activeElement && open(input.value))
  input.addEventListener('click', () => list.hidden && open(''))
  input.addEventListener('keydown', steer)
  input.addEventListener('blur', () => show(false))
  show(false)
  return open
}
