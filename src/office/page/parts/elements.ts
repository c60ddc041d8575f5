/**
 * Helpers for every screen: make elements, announce to screen readers, and build forms whose fields name their own
 * problems. Whatever people have typed becomes a text node or an attribute here, never markup.
 */
import { shorten } from './words.ts'

type Attribute = string | number | boolean | ((event: Event) => void) | undefined
type Child = Node | string | undefined

/**
 * A new element. An attribute that is a function listens to an event (`onclick`); true sets an attribute without a
 * value, false and undefined leave it out, but for `aria-…`, where they are words.
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
  element.append(...children.filter((child) => child !== undefined))
  return element
}

/** The element with this id, which must be there. */
export function byId(id: string): HTMLElement {
  const found = document.getElementById(id)
  if (found === null) throw new Error(`the page lacks its #${id}`)
  return found
}

/** Makes a screen reader say a sentence; nothing visible changes. */
export function announce(sentence: string) {
  byId('announcement').textContent = sentence
}

/**
 * A text that somebody has typed, such as a name: it may be written from right to left and may be very long, so it is
 * cut, and in a list its box never grows beyond some lines. The whole of it is its title.
 */
export function typed(text: string, className: string = '') {
  return make('span', { class: `typed ${className}`, dir: 'auto', title: text }, shorten(text, 300))
}

/** A button that does something on this page. */
export function button(label: string, work: () => void, attributes: Readonly<Record<string, Attribute>> = {}) {
  return make('button', { type: 'button', ...attributes, onclick: () => work() }, label)
}

let fields = 0

/** A control with its label, a hint if there is one, and a place for its problem. */
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
    /** Shows what is wrong with the field and takes the focus there; an empty sentence clears it. */
    mark(sentence: string) {
      problem.textContent = sentence
      if (sentence === '') control.removeAttribute('aria-invalid')
      else {
        control.setAttribute('aria-invalid', 'true')
        control.focus()
      }
    },
  }
}

/** Runs the action of a form, one at a time, and shows on its button that it is busy. */
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
