/** Category names, and a field to choose a category by name or number. */
import { foldWord } from '../../../common/fold.ts'
import type { Category } from '../../office-data.ts'
import { get, Latest, send } from './api.ts'
import { MOST_OPTIONS, type Option, offer } from './combobox.ts'
import { confirm } from './dialog.ts'
import { make } from './elements.ts'
import { attempt, field, type Problem } from './fields.ts'
import { may, quoted, readInt64, shorten } from './words.ts'

let categories: readonly Category[] = []
let coming: readonly { readonly id: string; readonly name: string }[] = []
/** Unnamed numbers in use or agreed to, and the names of new categories. */
const acceptable = new Set<string>()

const latest = new Latest()
let namesLoaded: Promise<void> = Promise.resolve()

/** Loads the names. If that fails, the known names stay, and other categories appear by number. */
export function loadCategories() {
  namesLoaded = latest.ask(() => get('/api/categories'), setCategories)
  return namesLoaded
}

export function knownCategories() {
  return categories
}

export function setCategories(names: readonly Category[]) {
  latest.drop()
  categories = names
}

export function showNewCategories(names: typeof coming) {
  coming = names
}

export function categoryWord(id: string) {
  const label = categories.find((category) => category.id === id)?.label ?? coming.find((one) => one.id === id)?.name
  return label === undefined ? `category ${id}` : shorten(label, 60)
}

export function categoryIn(id: string) {
  return quoted(categoryWord(id), 60, '')
}

export function categoryText(id: string) {
  return categories.find((category) => category.id === id)?.label ?? id
}

function fitting(text: string): readonly Category[] {
  const folded = foldWord(text)
  const [first, more]: [Category[], Category[]] = [[], []]
  for (const category of categories) {
    const name = foldWord(category.label)
    if (name.startsWith(folded) || category.id.startsWith(text.trim())) first.push(category)
    else if (name.includes(folded)) more.push(category)
  }
  return [...first, ...more]
}

/** The category that a text means: by name, by number, or by a part of a single name. */
function resolveCategory(text: string): string | undefined {
  const folded = foldWord(text)
  const exact = categories.find(({ label }) => foldWord(label) === folded)?.id ?? readInt64(text)
  if (exact !== undefined) return exact
  const [category, ...others] = categories.filter(({ label }) => foldWord(label).includes(folded))
  return others.length === 0 ? category?.id : undefined
}

function isLabel(name: string) {
  return categories.some(({ label }) => foldWord(label) === foldWord(name))
}

function isKnown(name: string) {
  return isLabel(name) || readInt64(name) !== undefined
}

/** A field for a category. If `makesNew`, a manager can create one by typing a new name. */
export function categoryField(label: string = 'Category', { makesNew = false } = {}) {
  const mayMake = makesNew && may('manager')
  const openIfNamed = (text: string) => categories.length > 0 && document.activeElement === input && open(text)
  const find = (text: string): Option[] => {
    const name = text.trim()
    // The names might arrive after the list is opened.
    if (categories.length === 0) void namesLoaded.then(() => openIfNamed(text))
    const options = fitting(text).map(({ label: value }) => ({
      value,
      note: '',
      isExact: foldWord(value) === foldWord(text),
    }))
    if (!mayMake || name === '' || isKnown(name)) return options
    return [...options.slice(0, MOST_OPTIONS - 1), { value: name, note: 'new category', isExact: acceptable.has(name) }]
  }
  const input = make('input', { autocapitalize: 'none', dir: 'auto' })
  const { element, control, showProblem, required } = field(label, input)
  const open = offer(input, find, (value) => void (isKnown(value) || acceptable.add(value)))
  const chosen = () => required('Choose a category, or type its number.')
  return {
    element,
    control,
    showProblem,
    required: chosen,
    show(id: string) {
      const put = () => {
        control.value = categoryText(id)
      }
      put()
      void namesLoaded.then(() => control.value === id && put())
    },
    /** Returns the category's number, or marks the field and returns undefined. */
    read(text: string = control.value.trim()): string | undefined {
      const id = text === '' ? undefined : resolveCategory(text)
      const instead = may('manager') ? 'type its number' : 'ask a manager to create it'
      if (id !== undefined) showProblem('')
      else if (text === '') chosen()
      else showProblem(`Category ${quoted(text, 40)} does not exist. Choose one from the list, or ${instead}.`)
      return id
    },
    /** Also creates a category or uses an unknown number, if the person agrees and the field still exists. */
    async choose(): Promise<string | undefined> {
      const text = control.value.trim()
      // A fast typist might name a category before the names arrive.
      if (!isLabel(text)) await namesLoaded
      if (!control.isConnected) return undefined
      const isNew = text !== '' && !isKnown(text) && (acceptable.has(text) || resolveCategory(text) === undefined)
      if (mayMake && isNew) return makeCategory(text, { showProblem })
      const id = this.read(text)
      if (id === undefined || (await isWanted(id, control))) return id
      control.focus()
      return undefined
    },
  }
}

async function makeCategory(name: string, problem: Problem): Promise<string | undefined> {
  const text = `Category ${quoted(name)} does not exist yet. It will get the next free number, which programs use.`
  if (!acceptable.has(name) && !(await confirm('Create category', text, { isDanger: false }))) return undefined
  return attempt(problem, async () => {
    setCategories(await send('PUT /api/categories', { names: [{ id: null, label: name }] }))
    return resolveCategory(name)
  })
}

async function isWanted(id: string, control: HTMLElement): Promise<boolean> {
  if (acceptable.has(id) || categories.some((category) => category.id === id)) return true
  try {
    const { animals, older } = await get('/api/animals', { category: id, limit: '1' })
    const isUsed = animals.length > 0 || older !== null
    if (!control.isConnected) return false
    const text = `Category ${id} has no name and no animals yet.`
    if (!isUsed && !(await confirm('Use new category', text, { isDanger: false }))) return false
    acceptable.add(id)
  } catch {
    // If the service does not respond, the number is accepted.
  }
  return control.isConnected
}
