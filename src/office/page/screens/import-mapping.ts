/** How a file is read, as controls, set to what the service proposes. A change makes a mapping, which is read again. */
import type { Order } from '../../../animals-file/mapping.ts'
import type { Candidate, ProposedLine, Upload } from '../../office-data.ts'
import { knownCategories } from '../parts/categories.ts'
import { suggest } from '../parts/combobox.ts'
import { button, type Child, make, quiet } from '../parts/elements.ts'
import { field, select } from '../parts/fields.ts'
import { quoted, STATUSES, shorten, statusWord } from '../parts/words.ts'

const OPEN = '?'
const COLUMNS = ['name', 'category', 'reference', 'arrived', 'status', 'latest']
/** Each line that has a control: its label, and what is asked while it is open. */
const LABELS: Readonly<Record<string, readonly [label: string, question: string]>> = {
  name: ['Name', 'Which column has the names?'],
  category: ['Category', 'Which column has the categories?'],
  reference: ['Reference', 'Which column has the references?'],
  arrived: ['Arrival date', 'Which column has the arrival dates?'],
  status: ['Status', 'Which column has the statuses?'],
  latest: ['Latest row by', 'By which date is a row the latest with its reference?'],
  several: ['Rows with one reference', 'What are rows with one reference?'],
  dates: ['Dates', 'How are the dates written?'],
  sheet: ['Sheet', 'Which sheet has the animals?'],
  list: ['List in the file', 'Which list in the file has the animals?'],
  encoding: ['Encoding', 'Which encoding does the file have?'],
  'list-name': ['Name of this list', 'What is this list called?'],
}
const ORDERS = Object.keys({ 'day first': true, 'month first': true, 'year first': true } satisfies Record<Order, true>)
const REFERENCE_HINT =
  'The reference is the number that another system gives each animal. With it, a newer file of that system updates the animals that are here.'
const ALL = '*'
const EACH = 'each'
const OTHERS = {
  category: [ALL, 'All animals are of one category'],
  latest: [EACH, 'They are different animals'],
} as const

type Option = readonly [value: string, label: string]

export class MappingForm {
  readonly #onChange: (mapping: string, about: string) => void
  #lines: readonly ProposedLine[] = []
  #controls = new Map<string, HTMLElement>()

  /** `about` is the key of the line that was changed, for `focus`. */
  constructor(onChange: (mapping: string, about: string) => void) {
    this.#onChange = onChange
  }

  focus(about: string) {
    this.#controls.get(about)?.focus()
  }

  show({ lines, columns, readAs, notes }: Upload): { questions: Child; rest: Child } {
    this.#controls.clear()
    this.#lines = lines
    const keys = COLUMNS.filter((key) => key !== 'latest' || this.#valueOf(key) !== undefined)
    const others = lines.filter(({ key }) => !COLUMNS.includes(key))
    const all = [
      ...keys.map((key) => ({ isOpen: this.#valueOf(key) === OPEN, part: () => this.#column(key, columns) })),
      ...others.map((line) => ({ isOpen: line.value === OPEN, part: () => this.#line(line) })),
    ]
    const open = all.filter(({ isOpen }) => isOpen).map(({ part }) => part())
    const settled = all.filter(({ isOpen }) => !isOpen).map(({ part }) => part())
    const paragraphs = [readAs, ...notes].map((words) => make('p', { class: 'quiet typed', dir: 'auto' }, words))
    return {
      questions: open.length > 0 && group(open.length === 1 ? 'One question' : `${open.length} questions`, open),
      rest: [paragraphs, lines.length > 0 && [group('Read as', settled, REFERENCE_HINT), this.#asText()]],
    }
  }

  #valueOf(key: string) {
    return this.#lines.find((line) => line.key === key)?.value
  }

  #column(key: string, columns: readonly Candidate[]) {
    const value = this.#valueOf(key) ?? ''
    const line = this.#lines.find((one) => one.key === key)
    const offered = key === 'latest' && line !== undefined ? line.candidates : columns
    const options: Option[] = offered.map((column) => [column.value, labelOf(column)])
    const none: Option = key in OTHERS ? OTHERS[key as keyof typeof OTHERS] : ['', 'No column']
    const control = this.#select(key, key, [none, ...options], value.startsWith(ALL) ? ALL : value)
    if (key !== 'category' || !value.startsWith(ALL)) return control
    return [control, this.#text('category', 'All of them are', value.slice(1).trim(), (text) => `${ALL} ${text}`)]
  }

  #line({ key, value, shows, candidates }: ProposedLine) {
    const [of = '', word = ''] = key.split(/:\s?(.*)/s)
    const label = `${word === '' ? 'Empty' : quoted(word, 40)}${shows === '' ? '' : `, ${shows}`}`
    if (key.startsWith('status:')) return this.#select(key, `Status ${label}`, statusOptions(), value)
    if (key.startsWith('category:')) {
      const words = knownCategories().map(({ label }) => label)
      return this.#text(key, `Category ${label}`, value === OPEN ? '' : value, (text) => text, words)
    }
    if (of === 'missing') return false // the review asks it
    if (of === 'several') return this.#select(key, key, [OTHERS.latest, ['', 'They are one animal']], value)
    const title = word === '' ? `${titled(of)} by a value in` : `${titled(of)} by ${quoted(word, 40)}`
    const choices: Option[] =
      of === 'dates' ? ORDERS.map((order) => [order, order]) : candidates.map((one) => [one.value, labelOf(one)])
    return choices.length > 0
      ? this.#select(key, title, choices, value)
      : this.#text(key, title, value === OPEN ? '' : value)
  }

  #asText() {
    const control = make('textarea', { rows: 8, spellcheck: false, dir: 'auto' }, textOf(this.#lines))
    const area = field('The same as text', control)
    const apply = button('Use this text', () => this.#onChange(area.control.value, 'text'), { class: 'plain' })
    return make('details', {}, make('summary', {}, 'As text'), area, apply)
  }

  #select(key: string, label: string, options: readonly Option[], value: string) {
    const isKnown = value !== OPEN && options.some(([one]) => one === value)
    const given: readonly Option[] = isKnown || value === OPEN ? [] : [[value, shorten(value, 60)]]
    const control = select([...given, ...options], value === OPEN ? undefined : value)
    if (value === OPEN) control.prepend(make('option', { value: OPEN, disabled: true, selected: true }, 'Choose …'))
    control.addEventListener('change', () => this.change(key, control.value))
    return this.#labelled(key, label, control, value === OPEN)
  }

  #text(key: string, label: string, value: string, toValue = (text: string) => text, words: readonly string[] = []) {
    const control = make('input', { value, autocomplete: 'off', dir: 'auto' })
    const labelled = this.#labelled(key, label, control, value === '')
    if (words.length > 0) suggest(control, words)
    control.addEventListener('change', () => this.change(key, toValue(control.value.trim())))
    return labelled
  }

  #labelled(key: string, label: string, control: HTMLInputElement | HTMLSelectElement, isOpen: boolean) {
    this.#controls.set(key, control)
    return field(LABELS[key]?.[isOpen ? 1 : 0] ?? label, control).element
  }

  /** Sends the mapping with this line instead of those that it settles. */
  change(key: string, value: string) {
    const set = key === 'latest' && value === EACH ? 'several' : key
    const isOfColumn = (line: ProposedLine) =>
      line.key.startsWith(`${key}:`) && (key === 'status' || key === 'category')
    const kept = this.#lines.filter((line) => line.key !== key && line.key !== set && !isOfColumn(line))
    const added = key === 'several' && value === '' ? [] : [{ key: set, value }]
    this.#onChange(textOf([...kept, ...added]), key)
  }
}

function textOf(lines: readonly Pick<ProposedLine, 'key' | 'value'>[]) {
  return lines.map(({ key, value }) => `${key} = ${value}`.trimEnd()).join('\n')
}

function labelOf({ value, shows }: Candidate) {
  return shorten(shows === '' ? value : `${value}: ${shows}`, 80)
}

function titled(of: string) {
  const words: Readonly<Record<string, string>> = { none: 'No status', gone: 'Left the shelter', skip: 'No animal' }
  return words[of] ?? (of === 'sold' || of === 'pending' ? statusWord(of) : of)
}

function group(title: string, fields: readonly Child[], hint?: string) {
  const pair = make('div', { class: 'pair' }, fields)
  return make('fieldset', { class: 'meanings' }, make('legend', {}, title), pair, hint && quiet(hint))
}

function statusOptions(): readonly Option[] {
  const statuses = STATUSES.map((status): Option => [status ?? 'none', statusWord(status)])
  return [...statuses, ['gone', 'Left the shelter'], ['skip', 'No animal']]
}
