/** Forms: fields that show their own problems, and what is sent once at a time. */
import { SEARCH_LENGTH } from '../../../rules/search.ts'
import { type Attributes, actions, button, type Child, make, refill } from './elements.ts'
import { datedAt, dayInFull, instantOf, sentenceOf } from './words.ts'

export function submitButton(label: string, attributes: Attributes = {}) {
  return make('button', { type: 'submit', ...attributes }, label)
}

const TYPING_MS = 200

/** Calls `work` when the person has stopped typing, or has chosen, in this field or form. */
export function onPause(element: HTMLElement, work: () => void) {
  let timer = 0
  // What is being composed, as in Japanese, is no word yet.
  for (const kind of ['input', 'compositionend']) {
    element.addEventListener(kind, (event) => {
      clearTimeout(timer)
      if (event instanceof InputEvent && event.isComposing) return
      // The screen may have been left in the meantime.
      timer = window.setTimeout(() => element.isConnected && work(), TYPING_MS)
    })
  }
}

/** A field that searches as one types, and immediately by Enter. */
export function searchField(label: string, placeholder: string, onSearch: (text: string) => void) {
  const control = make('input', {
    type: 'search',
    autocomplete: 'off',
    spellcheck: false,
    maxlength: SEARCH_LENGTH,
    placeholder,
    'aria-label': label,
    dir: 'auto',
  })
  const search = () => onSearch(control.value.trim())
  onPause(control, search)
  const onsubmit = (event: Event) => {
    event.preventDefault()
    search()
  }
  return { element: make('form', { class: 'search', role: 'search', onsubmit }, control), control }
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

/** Where a form says what is wrong, when no field of it is. */
export function problemLine() {
  const element = make('p', { class: 'problem', role: 'alert', dir: 'auto' })
  return { element, showProblem: (words: string) => refill(element, words) }
}

/** What `work` returns; undefined if it was refused, and the problem is shown. */
export async function attempt<T>({ showProblem }: Problem, work: () => Promise<T>): Promise<T | undefined> {
  showProblem('')
  try {
    return await work()
  } catch (error) {
    showProblem(sentenceOf(error))
    return undefined
  }
}

/** A field, or a line, that shows a problem; an empty sentence clears it. */
export interface Problem {
  readonly showProblem: (words: string) => void
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
  const help = hint !== undefined && make('p', { class: 'quiet', id: `${id}-hint` }, hint)
  control.setAttribute('aria-describedby', help ? `${help.id} ${problem.id}` : problem.id)
  const element = make('div', { class: 'field' }, make('label', { for: id }, label), control, help, problem)
  return {
    element,
    control,
    /** Shows the problem and focuses the field, unless the person has gone on; an empty sentence clears it. */
    showProblem(words: string) {
      refill(problem, words)
      if (words === '') return control.removeAttribute('aria-invalid')
      control.setAttribute('aria-invalid', 'true')
      const { activeElement } = document
      const before = control.form === null ? undefined : sending.get(control.form)
      if (before === undefined || before === activeElement || activeElement?.contains(control)) control.focus()
    },
  }
}

export function textField(label: string, attributes: Attributes = {}, hint?: string) {
  return field(label, make('input', { autocomplete: 'off', dir: 'auto', ...attributes }), hint)
}

/** With a button that shows what is typed. */
export function passphraseField(label: string, autocomplete: 'current-password' | 'new-password', hint?: string) {
  const labelled = field(label, make('input', { type: 'password', autocomplete, spellcheck: false }), hint)
  const { control } = labelled
  const show = () => {
    const isShown = control.type === 'password'
    control.type = isShown ? 'text' : 'password'
    showing.setAttribute('aria-pressed', String(isShown))
  }
  const showing = button('Show passphrase', show, { class: 'link', 'aria-pressed': false })
  control.after(showing)
  return labelled
}

/** `options` are values with their words. */
export function select(
  options: readonly (readonly [value: string, words: string])[],
  selectedValue?: string,
  attributes: Attributes = {},
) {
  const items = options.map(([value, words]) => make('option', { value, selected: value === selectedValue }, words))
  return make('select', attributes, items)
}

/** Words to choose from while somebody types in this field. */
export function suggest(control: HTMLInputElement, words: readonly string[]) {
  const options = words.map((value) => make('option', { value }))
  control.after(make('datalist', { id: `${control.id}-choices` }, options))
  control.setAttribute('list', `${control.id}-choices`)
}

/** A tick or one of several answers, with its words beside it. */
export function choice(control: HTMLInputElement, ...words: Child[]) {
  return make('label', { class: 'choice' }, control, words)
}

/**
 * A field for a day, or for a day and a time. The browser shows it in a form of its own, so below it stands how it
 * reads, in that of all texts of the office; `hint` while it is empty.
 */
export function dayField(label: string, type: 'date' | 'datetime-local', hint: string = '') {
  const labelled = field(label, make('input', { type }), hint)
  const { control } = labelled
  const note = labelled.element.querySelector('.quiet')
  const show = () => {
    const atMs = instantOf(control.value)
    const words = type === 'date' ? dayInFull : datedAt
    if (note !== null) note.textContent = Number.isNaN(atMs) ? hint : words(atMs)
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

/** A form that ends with its buttons. A refusal of what it sends is marked at the last part that can say it. */
export function formOf(parts: readonly Child[], work: () => Promise<void>, ...buttons: Child[]) {
  const form = make('form', { class: 'draft' }, parts, actions(buttons))
  const problem = parts.findLast(
    (part): part is Problem & { element: Node } => typeof part === 'object' && 'showProblem' in part,
  )
  onSubmit(form, problem === undefined ? work : () => attempt(problem, work))
  return form
}

/** What the browser fills in by itself, where it keeps the passphrase. */
const KEPT = '[autocomplete="current-password"]:autofill'

/** Whether something is typed or chosen in such a form, of the screen or of a dialog, and not sent. */
export function isAnythingUnsent() {
  const inputs = [...document.querySelectorAll<HTMLInputElement>(`.draft input:not(${KEPT})`)]
  const isTyped = inputs.some(({ value, defaultValue }) => value !== defaultValue)
  return isTyped || document.querySelector('.draft option:checked:not([selected]), [data-unsent]') !== null
}

/** The forms whose action is under way, with what had the focus when it began. */
const sending = new Map<HTMLFormElement, Element | null>()

/** Runs the form's action, once at a time, and marks its button as busy. Clears the problems that were shown before. */
export function onSubmit(form: HTMLFormElement, work: () => Promise<void>) {
  form.noValidate = true
  form.addEventListener('submit', async (event) => {
    event.preventDefault()
    if (sending.has(form)) return
    sending.set(form, document.activeElement)
    for (const problem of form.querySelectorAll('.problem:is([id], [role])')) problem.replaceChildren()
    for (const control of form.querySelectorAll('[aria-invalid]')) control.removeAttribute('aria-invalid')
    const submit = form.querySelector('button[type="submit"]')
    submit?.setAttribute('aria-disabled', 'true')
    try {
      await work()
    } finally {
      sending.delete(form)
      submit?.removeAttribute('aria-disabled')
    }
  })
}
