/** Forms: fields that show their own problems, and submits that run once at a time. */
import { SEARCH_LENGTH } from '../../../rules/search.ts'
import type { OfficeError } from '../../office-data.ts'
import { CallFailed } from './api.ts'
import { type Attributes, actions, button, type Child, make, refill } from './elements.ts'
import { datedAt, dayInFull, instantOf, sentenceOf } from './words.ts'

export function submitButton(label: string, attributes: Attributes = {}) {
  return make('button', { type: 'submit', ...attributes }, label)
}

const TYPING_MS = 200

export function onPause(element: HTMLElement, work: () => void) {
  let timer = 0
  // Text that is still being composed, as in Japanese, is not a word yet.
  for (const kind of ['input', 'compositionend']) {
    element.addEventListener(kind, (event) => {
      clearTimeout(timer)
      if (event instanceof InputEvent && event.isComposing) return
      timer = window.setTimeout(() => element.isConnected && work(), TYPING_MS)
    })
  }
}

/** A field that searches while the person types, or immediately on Enter. */
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

export function filtersButton(filters: HTMLElement) {
  filters.classList.add('foldable')
  const fold = () => element.setAttribute('aria-expanded', String(filters.classList.toggle('open')))
  const element = button('Filters', fold, { class: 'plain filters', 'aria-expanded': false })
  return {
    element,
    show(set: number) {
      element.textContent = set === 0 ? 'Filters' : `Filters (${set})`
    },
  }
}

export function problemLine() {
  const element = make('p', { class: 'problem', role: 'alert', dir: 'auto' })
  const showProblem = (words: string) => refill(element, words)
  shownBy.set(element, showProblem)
  return { element, showProblem }
}

/** Returns what `work` returns, or shows its refusal and returns undefined. */
export async function attempt<T>({ showProblem }: Problem, work: () => Promise<T>): Promise<T | undefined> {
  showProblem('')
  try {
    return await work()
  } catch (error) {
    showProblem(sentenceOf(error))
    return undefined
  }
}

export interface Problem {
  readonly showProblem: (words: string) => void
}

let fields = 0

/** By control, and by place for a problem, what shows a problem there. */
const shownBy = new WeakMap<Element, Problem['showProblem']>()

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
  const showProblem = (words: string) => {
    refill(problem, words)
    if (words === '') control.removeAttribute('aria-invalid')
    else control.setAttribute('aria-invalid', 'true')
  }
  shownBy.set(control, showProblem)
  shownBy.set(problem, showProblem)
  return {
    element,
    control,
    showProblem,
    /** What is typed; undefined if it is blank, which these words then say. */
    required(words: string): string | undefined {
      const text = control.value.trim()
      if (text !== '') return text
      showProblem(words)
    },
  }
}

export function textField(label: string, attributes: Attributes = {}, hint?: string) {
  return field(label, make('input', { autocomplete: 'off', dir: 'auto', ...attributes }), hint)
}

export function passphraseField(label: string, autocomplete: 'current-password' | 'new-password', hint?: string) {
  const labelled = field(
    label,
    make('input', { type: 'password', name: 'passphrase', autocomplete, spellcheck: false }),
    hint,
  )
  const { control } = labelled
  const show = () => {
    const isShown = control.type === 'password'
    control.type = isShown ? 'text' : 'password'
    showing.setAttribute('aria-pressed', String(isShown))
  }
  const showing = button('Show passphrase', show, { class: 'link', 'aria-pressed': false })
  control.after(showing)
  const required = (words: string) => (control.value === '' ? labelled.required(words) : control.value)
  return { ...labelled, required }
}

export function select(
  options: readonly (readonly [value: string, words: string])[],
  selectedValue?: string,
  attributes: Attributes = {},
) {
  const items = options.map(([value, words]) => make('option', { value, selected: value === selectedValue }, words))
  return make('select', attributes, items)
}

export function choice(control: HTMLInputElement, ...words: Child[]) {
  return make('label', { class: 'choice' }, control, words)
}

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
    fill(value: string) {
      control.value = value
      show()
    },
  }
}

export function formOf(parts: readonly Child[], work: () => Promise<void>, ...buttons: Child[]) {
  const form = make('form', { class: 'draft' }, parts, actions(buttons))
  onSubmit(form, work)
  return form
}

const KEPT = '[autocomplete="current-password"]:autofill'

/** Whether a form contains anything typed or chosen that was not sent. */
export function isAnythingUnsent() {
  const inputs = [...document.querySelectorAll<HTMLInputElement>(`.draft input:not(${KEPT})`)]
  const isTyped = inputs.some(({ value, defaultValue }) => value !== defaultValue)
  return isTyped || document.querySelector('.draft option:checked:not([selected])') !== null
}

export function showProblems(form: HTMLFormElement, error: unknown): boolean {
  const { problems = {} } = ((error instanceof CallFailed && error.body) || {}) as Partial<OfficeError>
  const shown = Object.entries(problems).map(([name, words]) => {
    const control = form.querySelector(`[name="${name}"]`)
    if (control !== null) shownBy.get(control)?.(words)
    return control !== null
  })
  return shown.includes(true)
}

function showRefusal(form: HTMLFormElement, error: unknown) {
  const words = sentenceOf(error)
  if (showProblems(form, error)) return
  const last = [...form.querySelectorAll('.problem')].findLast((place) => shownBy.has(place))
  if (last !== undefined) shownBy.get(last)?.(words)
}

export function focusWrong(form: HTMLFormElement) {
  form.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus()
}

/** Shows all problems together, and focuses the first wrong field unless the person has moved the focus. */
export function onSubmit(form: HTMLFormElement, work: () => Promise<void>) {
  form.noValidate = true
  let isBusy = false
  form.addEventListener('submit', async (event) => {
    event.preventDefault()
    if (isBusy) return
    isBusy = true
    const focused = document.activeElement
    for (const place of form.querySelectorAll('.problem')) shownBy.get(place)?.('')
    const submit = form.querySelector('button[type="submit"]')
    submit?.setAttribute('aria-disabled', 'true')
    try {
      await work().catch((error: unknown) => showRefusal(form, error))
    } finally {
      isBusy = false
      submit?.removeAttribute('aria-disabled')
      const { activeElement } = document
      if (activeElement === focused || activeElement?.contains(form)) focusWrong(form)
    }
  })
}
