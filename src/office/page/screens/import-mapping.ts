/**
 * Selects for what the columns and values of a file mean, preset to what the server understood. The choices stay in
 * the browser: a system's file comes every week, and without its reference its animals would be added again.
 */

import { MISSING } from '../../../rules/sync.ts'
import type { FileMapping, SyncSettings, Upload } from '../../office-data.ts'
import { categoryWord, knownCategories } from '../parts/categories.ts'
import { type Child, make, quiet } from '../parts/elements.ts'
import { choice, field, select, suggest, textField } from '../parts/fields.ts'
import { useStorage } from '../parts/storage.ts'
import { count, quoted, STATUSES, shorten, statusWord } from '../parts/words.ts'

/** Most choices kept for the next file; the server accepts only so many. */
const MAX_RULES = 200
/** Its member `update` keeps its name, so that what was chosen is there after an update of the service. */
const KEPT_AS = 'import choices'
const COLUMNS = { name: 'Name', categoryId: 'Category', status: 'Status' } as const
const WORDS = { categoryId: 'Categories', status: 'Statuses' } as const

/** The rule of what an empty category means. It is of one file: the next may hold other animals. */
const ALL_ARE = 'categoryId:'

type Column = keyof typeof COLUMNS
type Word = FileMapping['words'][number]
type Option = readonly [value: string, label: string]

interface ChoiceState {
  /** Rules as for `--map`, keyed by column or value. */
  readonly rules: ReadonlyMap<string, string>
  /** Undefined until somebody chooses; null if the file only adds animals. */
  readonly sync?: SyncSettings | null
  /** For this file only. */
  readonly makesCategories?: boolean
}

export class Choices {
  #onChange
  #state = recalled()
  #controls = new Map<string, HTMLElement>()

  /** `about` is the key for `focus`; `undo` reverts the choice. */
  constructor(onChange: (about: string, undo: () => void) => void) {
    this.#onChange = onChange
  }

  get isAny() {
    return this.#state.rules.size > 0 || this.sync !== undefined
  }

  get rules(): readonly string[] {
    return [...this.#state.rules.values()]
  }

  get sync() {
    return this.#state.sync ?? undefined
  }

  get makesCategories() {
    return this.#state.makesCategories === true
  }

  /**
   * Applies the choices of the last file, except those for columns that this one does not have. The column that looks
   * like the reference is chosen, unless somebody has chosen "No column".
   */
  keepFor(mapping: FileMapping | null) {
    const isHere = (about: string, rule: string) =>
      (about.includes(':') && about !== ALL_ARE) ||
      rule === `${about}=` ||
      mapping?.headings.includes(rule.slice(about.length + 1))
    const { rules, sync } = this.#state
    const validRules = new Map(mapping === null ? [] : [...rules].filter(([about, rule]) => isHere(about, rule)))
    const proposed = mapping?.reference ? { reference: mapping.reference, missing: 'keep' as const } : undefined
    const isThere = sync && mapping?.headings.includes(sync.reference)
    const next = isThere || sync === null ? sync : proposed
    this.#state = { rules: validRules, ...(next !== undefined && { sync: next }) }
  }

  forget() {
    this.#choose({ rules: new Map() })
  }

  #choose(state: ChoiceState) {
    this.#state = state
    const { rules, sync } = state
    useStorage((storage) => storage.setItem(KEPT_AS, JSON.stringify({ rules: [...rules], update: sync })))
  }

  show({ found, unreadable }: Upload) {
    this.#controls.clear()
    if (found === null) return []
    const isUnreadable = unreadable !== null
    const columns = (['name', 'categoryId'] as const).map((column) => this.#column(column, found, isUnreadable))
    const status = this.#column('status', found, isUnreadable)
    const kind = found.columns.categoryId === null ? [this.#kindOfAll()] : []
    const words = (['categoryId', 'status'] as const).map((of) => {
      const isSaid = (word: Word) => kind.length > 0 && `${word.field}:${word.word}` === ALL_ARE
      const fields = found.words.filter((word) => word.field === of && !isSaid(word)).map((word) => this.#word(word))
      if (fields.length === 0) return undefined
      if (of === 'status') return group(WORDS[of], fields)
      const isNew = found.words.some(({ field, meaning }) => field === 'categoryId' && meaning === null)
      return group(WORDS[of], fields, UNNAMED, (isNew || this.makesCategories) && this.#newCategories())
    })
    const more = `The file has ${count(found.moreWords, 'other word')}. Is a column right that has so many?`
    return [
      group('Columns', [...columns, ...kind, status, this.#reference(found)], REFERENCE_HINT),
      this.sync && group('Animals of the last file that this one has no more', [this.#missing(this.sync)]),
      words,
      found.moreWords > 0 && quiet(more),
    ]
  }

  focus(about: string) {
    this.#controls.get(about)?.focus()
  }

  #column(column: Column, { columns, headings }: FileMapping, isUnreadable: boolean) {
    const options: Option[] = headings.map((heading) => [heading, shorten(heading, 60)])
    const now = columns[column]
    const mayBeNone = column === 'status' || (column === 'categoryId' && this.#state.rules.has(ALL_ARE))
    const none: readonly Option[] = mayBeNone ? [['', 'No column']] : []
    const isOpen = now === null && (column === 'status' ? isUnreadable : !mayBeNone)
    return this.#select(column, COLUMNS[column], [...none, ...options], isOpen ? undefined : (now ?? ''))
  }

  /** The kind of all animals, where no column says it: one that is there, or a new one. */
  #kindOfAll() {
    const now = this.#state.rules.get(ALL_ARE)?.slice(ALL_ARE.length + 1) ?? ''
    const { element, control } = textField('All of them are', { dir: undefined, value: now, placeholder: 'As in Dogs' })
    const words = knownCategories().map(({ label }) => label)
    suggest(control, words)
    this.#listen(ALL_ARE, control, () => this.#ruled(ALL_ARE, control.value.trim()))
    return element
  }

  #reference({ headings }: FileMapping) {
    const options: Option[] = headings.map((heading) => [heading, shorten(heading, 60)])
    const { missing = 'keep', reference = '' } = this.sync ?? {}
    return this.#select('reference', 'Reference', [['', 'No column'], ...options], reference, (answer) => ({
      ...this.#state,
      sync: answer === '' ? null : { missing, reference: answer },
    }))
  }

  #missing({ reference, missing }: SyncSettings) {
    const options: readonly Option[] = [
      ['keep', 'Stay as they are'],
      ['sold', `Become ${statusWord('sold')}`],
      ['remove', 'Are removed'],
    ]
    return this.#select('missing', 'What becomes of them', options, missing, (answer) => ({
      ...this.#state,
      sync: { reference, missing: MISSING.find((value) => value === answer) ?? missing },
    }))
  }

  #newCategories() {
    const control = make('input', { type: 'checkbox', checked: this.makesCategories })
    this.#listen('newCategories', control, () => ({ ...this.#state, makesCategories: control.checked }))
    return choice(control, make('span', {}, 'Names that are not here become new categories'))
  }

  #word({ field, word, rows, meaning }: Word) {
    const label = `${word === '' ? 'Empty' : quoted(word, 40)}, ${count(rows, 'row')}`
    const options = field === 'status' ? statusOptions() : categoryOptions(meaning)
    return this.#select(`${field}:${word}`, label, options, meaning ?? undefined)
  }

  #ruled(about: string, value: string): ChoiceState {
    const rules = [...this.#state.rules].filter(([other]) => other !== about).slice(1 - MAX_RULES)
    const isTakenBack = about === ALL_ARE && value === ''
    return {
      ...this.#state,
      rules: new Map([...rules, ...(isTakenBack ? [] : [[about, `${about}=${value}`] as const])]),
    }
  }

  /** A list of which nothing is chosen yet says so. Without `choose`, what is chosen makes a rule. */
  #select(
    about: string,
    label: string,
    options: readonly Option[],
    current: string | undefined,
    choose: (value: string) => ChoiceState = (value) => this.#ruled(about, value),
  ) {
    const control = select(options, current)
    const open = make('option', { value: '', disabled: true, selected: true }, 'Choose …')
    if (current === undefined) control.prepend(open)
    this.#listen(about, control, () => choose(control.value))
    const labelled = field(label, control, current === undefined ? 'Not understood yet.' : undefined)
    labelled.element.classList.toggle('open', current === undefined)
    return labelled.element
  }

  #listen(about: string, control: HTMLElement, choose: () => ChoiceState) {
    control.addEventListener('change', () => {
      const before = this.#state
      this.#choose(choose())
      this.#onChange(about, () => this.#choose(before))
    })
    this.#controls.set(about, control)
  }
}

/** What was chosen last in this browser; another version may have written it. */
function recalled(): ChoiceState {
  try {
    const { rules, update: sync }: { rules: unknown[]; update?: SyncSettings | null } = JSON.parse(
      useStorage((storage) => storage.getItem(KEPT_AS)) ?? '',
    )
    const pairs = rules.flatMap((one) => (Array.isArray(one) && one.length === 2 ? [[`${one[0]}`, `${one[1]}`]] : []))
    const isSync = sync === null || (typeof sync?.reference === 'string' && MISSING.includes(sync.missing))
    return { rules: new Map(pairs as [string, string][]), ...(isSync && sync !== undefined && { sync }) }
  } catch {
    return { rules: new Map() }
  }
}

const REFERENCE_HINT =
  'The reference is the number that another system gives each animal. With it, a newer file of that system updates the animals that are here.'
const UNNAMED = 'A category that is not offered has no name yet: “Categories” gives it one.'

function group(title: string, fields: readonly Child[], hint?: string, before?: Child) {
  const pair = make('div', { class: 'pair' }, fields)
  return make('fieldset', { class: 'meanings' }, make('legend', {}, title), before, pair, hint && quiet(hint))
}

function statusOptions(): readonly Option[] {
  return [...STATUSES.map((status): Option => [status ?? '', statusWord(status)]), ['gone', 'Not here any more']]
}

function categoryOptions(meaning: string | null): readonly Option[] {
  const options: Option[] = knownCategories().map(({ id, label }) => [id, shorten(label, 60)])
  const isNamed = meaning === null || options.some(([id]) => id === meaning)
  return isNamed ? options : [[meaning, categoryWord(meaning)], ...options]
}
