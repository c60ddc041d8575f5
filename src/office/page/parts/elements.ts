/** Builds elements. Typed text becomes a text node or an attribute, never markup. */
import { shorten } from './words.ts'

type Attribute = string | number | boolean | ((event: Event) => unknown) | undefined
export type Attributes = Readonly<Record<string, Attribute>>
export type Child = Node | string | false | undefined | { readonly element: Node } | readonly Child[]

/** A function becomes a listener, true an attribute without a value; false omits it, except in `aria-…`. */
export function make<T extends keyof HTMLElementTagNameMap>(
  tag: T,
  attributes: Attributes = {},
  ...children: Child[]
): HTMLElementTagNameMap[T] {
  const element = document.createElement(tag)
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === 'function') element.addEventListener(name.replace(/^on/, ''), value)
    else if (typeof value === 'boolean' && !name.startsWith('aria-')) element.toggleAttribute(name, value)
    else if (value !== undefined) element.setAttribute(name, String(value))
  }
  return fill(element, ...children)
}

export function fill<T extends Element>(element: T, ...children: Child[]): T {
  for (const child of children) {
    if (typeof child === 'string') element.append(sentence(child))
    else if (child instanceof Node) element.append(child)
    else if (child) fill(element, ...('element' in child ? [child.element] : child))
  }
  return element
}

/** Each `quoted` text becomes a `bdi`: it does not reorder the words around it, and no browser translates it. */
function sentence(text: string): Node | string {
  const parts = text.split(/\u2068([^\u2068\u2069]*)\u2069/)
  if (parts.length === 1) return text
  return make('span', {}, ...parts.map((part, at) => (at % 2 === 0 ? part : make('bdi', { translate: 'no' }, part))))
}

export function byId(id: string): HTMLElement {
  const element = document.getElementById(id)
  if (element === null) throw new Error(`the page lacks its #${id}`)
  return element
}

/** Replaces an element's content. The focus stays on the control with the same label. */
export function refill(element: Element, ...children: Child[]) {
  const focused = document.activeElement
  const had = element.contains(focused) ? focused : null
  element.replaceChildren()
  fill(element, ...children)
  refocus(had)
}

const CONTROLS = 'a, button, input, select, textarea, [tabindex]'

function labelOf(control: Element) {
  return control.getAttribute('aria-label') ?? control.getAttribute('href') ?? control.textContent
}

/** Returns the focus to a control, to its replacement, or to the screen's title. */
export function refocus(before: Element | null) {
  if (!(before instanceof HTMLElement && before.matches(CONTROLS))) return
  const label = labelOf(before)
  const all = [...document.querySelectorAll<HTMLElement>(`:is(main, dialog) :is(${CONTROLS})`)]
  const now = before.isConnected ? before : all.find((one) => label !== '' && labelOf(one) === label)
  if (now === undefined) focusTitle()
  else now.focus({ preventScroll: true })
}

export function focusTitle() {
  document.querySelector<HTMLElement>('main h1')?.focus({ preventScroll: true })
}

export function announce(words: string) {
  refill(byId('announcement'), words)
}

/** No browser translates a typed text. It is shortened, and the title contains all of it. */
export function typed(text: string, className: string = '') {
  const attributes = { class: `typed ${className}`, dir: 'auto', translate: 'no', title: text }
  return make('span', attributes, shorten(text, 300))
}

export function button(label: string, work: () => unknown, attributes: Attributes = {}) {
  let isBusy = false
  const onclick = async () => {
    if (isBusy) return
    isBusy = true
    try {
      await work()
    } finally {
      isBusy = false
    }
  }
  return make('button', { type: 'button', ...attributes, onclick }, label)
}

export function line(...children: Child[]) {
  return make('p', { class: 'typed', dir: 'auto' }, ...children)
}

export function quiet(...children: Child[]) {
  return make('p', { class: 'quiet' }, ...children)
}

export function titled(title: string, ...beside: Child[]) {
  return make('div', { class: 'heading' }, make('h1', {}, title), ...beside)
}

export function card(title: string, ...children: Child[]) {
  return make('section', { class: 'card' }, make('h2', {}, title), ...children)
}

export function untitled(label: string, ...children: Child[]) {
  return make('section', { class: 'card', 'aria-label': label }, ...children)
}

export function actions(...buttons: Child[]) {
  return make('div', { class: 'actions' }, ...buttons)
}
