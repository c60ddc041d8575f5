/**
 * Builds elements, form fields that show their own problems, icons, charts of bars, and announcements for screen
 * readers. What people have typed becomes a text node or an attribute here, never markup.
 */
import { dated, dayInFull, sentenceOf, shorten } from './words.ts'

type Attribute = string | number | boolean | ((event: Event) => void) | undefined
type Child = Node | string | undefined

/**
 * A new element. A function is an event listener (`onclick`), true an attribute without a value; false and undefined
 * omit the attribute, except that `aria-…` takes booleans as words.
 */
export function make<T extends keyof HTMLElementTagNameMap>(
  tag: T,
  attributes: Readonly<Record<string, Attribute>> = {},
  ...children: Child[]
): HTMLElementTagNameMap[T] {
  const element = document.createElement(tag)
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === 'function') element.addEventListener(name.replace(/^on/, ''), value)
    else if (typeof value === 'boolean' && !name.startsWith('aria-')) element.toggleAttribute(name, value)
    else if (value !== undefined) element.setAttribute(name, String(value))
  }
  element.append(...children.map((child) => (typeof child === 'string' ? sentence(child) : (child ?? ''))))
  return element
}

/**
 * A sentence as one node, in which what people have typed (`quoted`) becomes an element of its own: it does not reorder
 * the words around it, and no browser translates it.
 */
export function sentence(text: string): Node | string {
  const parts = text.split(/\u2068([^\u2068\u2069]*)\u2069/)
  if (parts.length === 1) return text
  return make('span', {}, ...parts.map((part, at) => (at % 2 === 0 ? part : make('bdi', { translate: 'no' }, part))))
}

/** The element with this id; throws if there is none. */
export function byId(id: string): HTMLElement {
  const found = document.getElementById(id)
  if (found === null) throw new Error(`the page lacks its #${id}`)
  return found
}

/** Replaces what is in an element, and keeps the focus on the control with the same label. */
export function replaceIn(element: Element, children: readonly Node[]) {
  const focused = document.activeElement
  const label = element.contains(focused) ? (focused?.getAttribute('aria-label') ?? null) : null
  element.replaceChildren(...children)
  if (label === null) return
  const same = element.querySelector(`[aria-label="${CSS.escape(label)}"]`)
  if (same instanceof HTMLElement) same.focus()
}

/** Makes screen readers speak; changes nothing visible. */
export function announce(words: string) {
  byId('announcement').replaceChildren(sentence(words))
}

/**
 * A text that a person has typed. No browser translates it. It may be right-to-left, and of any length: it is cut here, and limited to some lines
 * in a list. The title holds all of it.
 */
export function typed(text: string, className: string = '') {
  const attributes = { class: `typed ${className}`, dir: 'auto', translate: 'no', title: text }
  return make('span', attributes, shorten(text, 300))
}

export function button(label: string, work: () => void, attributes: Readonly<Record<string, Attribute>> = {}) {
  return make('button', { type: 'button', ...attributes, onclick: () => work() }, label)
}

/** A button that unfolds filters where the page is as narrow as a phone; elsewhere they are always seen. */
export function filtersButton(filters: HTMLElement) {
  filters.classList.add('foldable')
  const fold = () => element.setAttribute('aria-expanded', String(filters.classList.toggle('open')))
  const element = button('Filters', fold, { class: 'plain filters', 'aria-expanded': false })
  return {
    element,
    /** How many of them are set. */
    show(set: number) {
      element.textContent = set === 0 ? 'Filters' : `Filters (${set})`
    },
  }
}

/** The title of a screen, and what stands beside it. */
export function titled(title: string, ...beside: Child[]) {
  return make('div', { class: 'heading' }, make('h1', {}, title), ...beside)
}

export function card(title: string, ...children: Child[]) {
  return make('section', { class: 'card' }, make('h2', {}, title), ...children)
}

export function actions(...buttons: readonly Node[]) {
  return make('div', { class: 'actions' }, ...buttons)
}

/** Where a form says what is wrong, when no field of it is. */
export function problemLine() {
  const element = make('p', { class: 'problem', role: 'alert', dir: 'auto' })
  return { element, mark: (words: string) => element.replaceChildren(sentence(words)) }
}

/** What `work` returns; undefined if it was refused, which is marked. */
export async function attempt<T>({ mark }: Problem, work: () => Promise<T>): Promise<T | undefined> {
  mark('')
  try {
    return await work()
  } catch (error) {
    mark(sentenceOf(error))
    return undefined
  }
}

/** A field, or a line, that shows a problem; an empty sentence clears it. */
export interface Problem {
  readonly mark: (words: string) => void
}

let fields = 0

/** A control with its label, an optional hint, and a place for its problem. */
export function field<T extends HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement>(
  label: string,
  control: T,
  hint?: string,
) {
  fields += 1
  const id = `field-${fields}`
  control.id = id
  const problem = make('p', { class: 'problem', id: `${id}-problem` })
  const help = hint === undefined ? undefined : make('p', { class: 'quiet', id: `${id}-hint` }, hint)
  control.setAttribute('aria-describedby', help === undefined ? problem.id : `${help.id} ${problem.id}`)
  const element = make('div', { class: 'field' }, make('label', { for: id }, label), control, help, problem)
  return {
    element,
    control,
    /** Shows the problem and focuses the field; an empty sentence clears it. */
    mark(words: string) {
      problem.replaceChildren(sentence(words))
      if (words === '') control.removeAttribute('aria-invalid')
      else {
        control.setAttribute('aria-invalid', 'true')
        control.focus()
      }
    },
  }
}

/**
 * A field for a day, or for a day and a time. The browser shows it in a form of its own, so below it stands how it
 * reads, in that of all texts of the office; `hint` while it is empty.
 */
export function dayField(label: string, type: 'date' | 'datetime-local', hint: string = '') {
  const labelled = field(label, make('input', { type }), hint)
  const { control } = labelled
  const words = labelled.element.querySelector('.quiet')
  const show = () => {
    const atMs = new Date(type === 'date' ? `${control.value}T00:00` : control.value).getTime()
    if (words !== null) words.textContent = Number.isNaN(atMs) ? hint : (type === 'date' ? dayInFull : dated)(atMs)
  }
  control.addEventListener('input', show)
  return {
    ...labelled,
    /** Sets the value, as the browser writes it. */
    fill(value: string) {
      control.value = value
      show()
    },
  }
}

/** A form that ends with its button, and with what stands beside it. */
export function formOf(children: readonly Child[], act: string, work: () => Promise<void>, ...beside: Node[]) {
  const form = make('form', {}, ...children, actions(make('button', { type: 'submit' }, act), ...beside))
  onSubmit(form, work)
  return form
}

/** Runs the form's action, once at a time, and marks its button as busy. */
export function onSubmit(form: HTMLFormElement, work: () => Promise<void>) {
  let isBusy = false
  form.noValidate = true
  form.addEventListener('submit', async (event) => {
    event.preventDefault()
    if (isBusy) return
    isBusy = true
    const submit = form.querySelector('button[type="submit"]')
    submit?.setAttribute('aria-disabled', 'true')
    try {
      await work()
    } finally {
      isBusy = false
      submit?.removeAttribute('aria-disabled')
    }
  })
}

const PATHS: Readonly<Record<string, string>> = {
  animals: 'M4 6h16M4 12h16M4 18h10',
  search: 'M11 4a7 7 0 1 0 0 14a7 7 0 0 0 0-14M16 16l4.5 4.5',
  add: 'M12 5v14M5 12h14',
  import: 'M12 4v10M8 10.5l4 4l4-4M5 16v3.5h14V16',
  categories: 'M4.5 5h6v6h-6zM13.5 5h6v6h-6zM4.5 14h6v6h-6zM13.5 14h6v6h-6z',
  settings: 'M4 7h9M17 7h3M13 5v4h4v-4zM4 17h3M11 17h9M7 15v4h4v-4z',
  keys: 'M8 8.5a3.75 3.75 0 1 0 0 7.5a3.75 3.75 0 0 0 0-7.5M11.5 12H21v3.5M17 12v3',
  people:
    'M9 5.5a3.25 3.25 0 1 0 0 6.5a3.25 3.25 0 0 0 0-6.5M3 19c0-3.5 2.5-5 6-5s6 1.5 6 5M16 6a3 3 0 0 1 0 6M18 14.5c2 .7 3 2.2 3 4.5',
  journal: 'M6 4h12v16H6zM9.5 8.5h5M9.5 12h5M9.5 15.5h3',
  report: 'M4.5 6h15v14h-15zM4.5 10.5h15M8.5 3.5v4M15.5 3.5v4M9 14.5h6M9 17h4',
  guide: 'M12 6.5C10 5 7.5 4.5 4 4.5v13c3.5 0 6 .5 8 2c2-1.5 4.5-2 8-2v-13c-3.5 0-6 .5-8 2zM12 6.5v13',
  dashboard: 'M4 20h16M6.5 16v-4M12 16V6M17.5 16V9.5',
  more: 'M5 11a1 1 0 1 0 0 2a1 1 0 1 0 0-2M12 11a1 1 0 1 0 0 2a1 1 0 1 0 0-2M19 11a1 1 0 1 0 0 2a1 1 0 1 0 0-2',
}

export function icon(name: string) {
  return svg(
    'svg',
    { viewBox: '0 0 24 24', class: 'icon', 'aria-hidden': 'true' },
    svg('path', { d: PATHS[name] ?? '' }),
  )
}

export function svg(tag: string, attributes: Readonly<Record<string, string | number>>, ...children: readonly Node[]) {
  const element = document.createElementNS('http://www.w3.org/2000/svg', tag)
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, String(value))
  element.append(...children)
  return element
}

const HEIGHT = 100
const WIDTH = 10

interface Bar {
  /** Shown under the pointer, as in "3 March: 1,200 admitted". */
  readonly title: string
  readonly green: number
  /** Above the green part. */
  readonly red: number
}

/** What the colours of a chart stand for, and what of them it counts, as in "Requests an hour". */
interface Legend {
  readonly unit: string
  readonly green: string
  readonly red: string
}

/** `name` is for screen readers; `first` and `last` stand below its ends. */
export function barChart(
  name: string,
  bars: readonly Bar[],
  [first, last]: readonly [string, string],
  { unit, ...colours }: Legend,
) {
  const highest = roundUp(Math.max(...bars.map(({ green, red }) => green + red)))
  const shapes = bars.map(({ title, green, red }, at) => {
    let top = HEIGHT
    const boxes = Object.entries({ green, red }).map(([colour, n]) => {
      const height = (HEIGHT * n) / highest
      top -= height
      return svg('rect', { x: at * WIDTH + 1, y: top, width: WIDTH - 2, height, class: colour })
    })
    const words = svg('title', {})
    words.textContent = title
    // All of its column answers the pointer, however low the bar is.
    const column = svg('rect', { x: at * WIDTH, y: 0, width: WIDTH, height: HEIGHT, class: 'column' })
    return svg('g', {}, words, column, ...boxes)
  })
  const box = `0 0 ${bars.length * WIDTH} ${HEIGHT}`
  const attributes = { viewBox: box, preserveAspectRatio: 'none', class: 'bars', role: 'img', 'aria-label': name }
  const lines = [0, HEIGHT / 2].map((y) => svg('path', { d: `M0 ${y}H${bars.length * WIDTH}`, class: 'line' }))
  const chart = svg('svg', attributes, ...lines, ...shapes)
  const scale = [highest, highest / 2, 0].map((n) => make('span', {}, n.toLocaleString('en')))
  const keys = Object.entries(colours).map(([colour, words]) => {
    const swatch = svg(
      'svg',
      { viewBox: '0 0 1 1', class: 'swatch' },
      svg('rect', { width: 1, height: 1, class: colour }),
    )
    return make('span', {}, swatch, words)
  })
  return make(
    'figure',
    { class: 'chart' },
    make('p', { class: 'legend quiet' }, `${unit}:`, ...keys),
    make('p', { class: 'scale quiet number', 'aria-hidden': 'true' }, ...scale),
    chart,
    make('p', { class: 'ends quiet', 'aria-hidden': 'true' }, make('span', {}, first), make('span', {}, last)),
  )
}

/** A scale that ends at a round number, with a whole one in its middle. */
function roundUp(n: number): number {
  const unit = 10 ** Math.floor(Math.log10(Math.max(1, n)))
  return unit * ([2, 4, 6, 8].find((times) => times * unit >= n) ?? 10)
}
