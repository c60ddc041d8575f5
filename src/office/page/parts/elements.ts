/**
 * Builds elements, and announcements for screen readers. What people have typed becomes a text node or an attribute here,
 * never markup.
 */
import { shorten } from './words.ts'

type Attribute = string | number | boolean | ((event: Event) => unknown) | undefined
export type Attributes = Readonly<Record<string, Attribute>>
/** A part stands for its element; false and undefined stand for nothing. */
export type Child = Node | string | false | undefined | { readonly element: Node } | readonly Child[]

/**
 * A new element. A function is an event listener (`onclick`), true an attribute without a value; false and undefined
 * omit the attribute, except that `aria-…` takes booleans as words.
 */
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

/** Adds to what an element holds. */
export function fill<T extends Element>(element: T, ...children: Child[]): T {
  for (const child of children) {
    if (typeof child === 'string') element.append(sentence(child))
    else if (child instanceof Node) element.append(child)
    else if (child) fill(element, ...('element' in child ? [child.element] : child))
  }
  return element
}

/**
 * A sentence as one node, in which what people have typed (`quoted`) becomes an element of its own: it does not reorder
 * the words around it, and no browser translates it.
 */
function sentence(text: string): Node | string {
  const parts = text.split(/\u2068([^\u2068\u2069]*)\u2069/)
  if (parts.length === 1) return text
  return make('span', {}, ...parts.map((part, at) => (at % 2 === 0 ? part : make('bdi', { translate: 'no' }, part))))
}

/** Throws if there is none. */
export function byId(id: string): HTMLElement {
  const element = document.getElementById(id)
  if (element === null) throw new Error(`the page lacks its #${id}`)
  return element
}

/** Replaces what an element holds. The focus stays on a control that is made anew. */
export function refill(element: Element, ...children: Child[]) {
  const focused = document.activeElement
  const had = element.contains(focused) ? focused : null
  element.replaceChildren()
  fill(element, ...children)
  refocus(had)
}

/** The controls of a screen, each of which is known by its label, by where it leads, or by its words. */
const CONTROLS = 'a, button, input, select, textarea, [tabindex]'

function labelOf(control: Element) {
  return control.getAttribute('aria-label') ?? control.getAttribute('href') ?? control.textContent
}

/** Gives the focus back to what had it, or to the control in its place; if there is none, to the screen's title. */
export function refocus(before: Element | null) {
  if (!(before instanceof HTMLElement && before.matches(CONTROLS))) return
  const label = labelOf(before)
  const all = [...document.querySelectorAll<HTMLElement>(`:is(main, dialog) :is(${CONTROLS})`)]
  const now = before.isConnected ? before : all.find((one) => label !== '' && labelOf(one) === label)
  if (now === undefined) focusTitle()
  else now.focus({ preventScroll: true })
}

/** For a control that is gone. */
export function focusTitle() {
  document.querySelector<HTMLElement>('main h1')?.focus({ preventScroll: true })
}

/** Makes screen readers speak; changes nothing visible. */
export function announce(words: string) {
  refill(byId('announcement'), words)
}

/**
 * A text that a person has typed. No browser translates it. It may be right-to-left, and of any length: it is cut here,
 * and limited to some lines in a list. The title holds all of it.
 */
export function typed(text: string, className: string = '') {
  const attributes = { class: `typed ${className}`, dir: 'auto', translate: 'no', title: text }
  return make('span', attributes, shorten(text, 300))
}

/** A button that is pressed again does nothing until its work is done. */
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

/** A paragraph in which what people have typed may be all. */
export function line(...children: Child[]) {
  return make('p', { class: 'typed', dir: 'auto' }, ...children)
}

/** A paragraph of secondary text. */
export function quiet(...children: Child[]) {
  return make('p', { class: 'quiet' }, ...children)
}

/** The title of a screen, and what stands beside it. */
export function titled(title: string, ...beside: Child[]) {
  return make('div', { class: 'heading' }, make('h1', {}, title), ...beside)
}

export function card(title: string, ...children: Child[]) {
  return make('section', { class: 'card' }, make('h2', {}, title), ...children)
}

/** A card whose title only screen readers tell. */
export function untitled(label: string, ...children: Child[]) {
  return make('section', { class: 'card', 'aria-label': label }, ...children)
}

export function actions(...buttons: Child[]) {
  return make('div', { class: 'actions' }, ...buttons)
}
