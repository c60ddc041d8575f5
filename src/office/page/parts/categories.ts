/** Names of categories, and the field to choose one by name or number. */

import { foldWord } from '../../../common/fold.ts'
import type { AnimalPage, Category } from '../../office-data.ts'
import { get } from './api.ts'
import { combobox } from './combobox.ts'
import { confirm } from './dialog.ts'
import { field } from './elements.ts'
import { readInt64, shorten } from './words.ts'

let known: readonly Category[] = []
/** Numbers without a name that are used, or wanted. */
const agreed = new Set<string>()

/** Loads the names. If that fails, those already known stay. */
export async function loadCategories() {
  try {
    known = await get('api/categories')
  } catch {
    // A category without a name is shown by its number.
  }
}

export function knownCategories() {
  return known
}

export function useCategories(categories: readonly Category[]) {
  known = categories
}

/** The name of a category, or its number. */
export function categoryWord(id: string) {
  const label = known.find((category) => category.id === id)?.label
  return label === undefined ? `category ${id}` : shorten(label, 60)
}

/** Those with the text in their name, first those that begin with it, or whose number begins with it. */
function fitting(text: string): readonly Category[] {
  const wanted = foldWord(text)
  const [first, more]: [Category[], Category[]] = [[], []]
  for (const category of known) {
    const name = foldWord(category.label)
    if (name.startsWith(wanted) || category.id.startsWith(text.trim())) first.push(category)
    else if (name.includes(wanted)) more.push(category)
  }
  return [...first, ...more]
}

/** The number that a text means: of a name, a number itself, or of the only name that the text is a part of. */
function meantBy(text: string): string | undefined {
  const wanted = foldWord(text)
  const exact = known.find(({ label }) => foldWord(label) === wanted)?.id ?? readInt64(text)
  if (exact !== undefined) return exact
  const [found, ...others] = known.filter(({ label }) => foldWord(label).includes(wanted))
  return others.length === 0 ? found?.id : undefined
}

/** A field for a category, with the known names to choose from. */
export function categoryField(label: string = 'Category') {
  const { input, list } = combobox((text) =>
    fitting(text).map(({ id, label: value }) => ({
      value,
      note: `number ${id}`,
      isExact: foldWord(value) === foldWord(text),
    })),
  )
  const { element, control, mark } = field(label, input)
  element.classList.add('choosing')
  control.after(list)
  return {
    element,
    control,
    mark,
    show(id: string) {
      control.value = known.find((category) => category.id === id)?.label ?? id
    },
    /** The number of the category; undefined if the field is wrong, which is then marked. */
    read(): string | undefined {
      const text = control.value.trim()
      const id = text === '' ? undefined : meantBy(text)
      if (id !== undefined) mark('')
      else if (text === '') mark('Choose a category, or type its number.')
      else mark(`There is no category ${shorten(text, 40)}. Choose one of the list, or type its number.`)
      return id
    },
  }
}

/** Asks about a number that no animal has and that has no name; false if it is not wanted. */
export async function isWanted(id: string): Promise<boolean> {
  if (agreed.has(id) || known.some((category) => category.id === id)) return true
  try {
    const { animals, older }: AnimalPage = await get(`api/animals?category=${id}&limit=1`)
    const isUsed = animals.length > 0 || older !== null
    if (!isUsed && !(await confirm('Use a new category', `There is no animal in category ${id} yet.`))) {
      return false
    }
    agreed.add(id)
  } catch {
    // Without an answer nothing is known against it.
  }
  return true
}
