/** Names of categories, and the field to choose one by name or number. */

import type { Category } from '../../office-data.ts'
import { get } from './api.ts'
import { field, make } from './elements.ts'
import { readInt64, shorten } from './words.ts'

let known: readonly Category[] = []

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

let lists = 0

/** A field for a category, with the known names to choose from. */
export function categoryField() {
  lists += 1
  const options = make('datalist', { id: `categories-${lists}` })
  const input = make('input', { list: options.id, autocomplete: 'off', autocapitalize: 'none', dir: 'auto' })
  const { element, control, mark } = field('Category', input)
  element.append(options)
  return {
    element,
    control,
    mark,
    /** Fills the suggestions with the names known now. */
    offer() {
      options.replaceChildren(...known.map(({ id, label }) => make('option', { value: label }, `number ${id}`)))
    },
    show(id: string) {
      control.value = known.find((category) => category.id === id)?.label ?? id
    },
    /** The number of the category; undefined if the field is wrong, which is then marked. */
    read(): string | undefined {
      const text = control.value.trim()
      const wanted = text.toLocaleLowerCase()
      const id = known.find(({ label }) => label.trim().toLocaleLowerCase() === wanted)?.id ?? readInt64(text)
      if (id !== undefined) mark('')
      else if (text === '') mark('Choose a category, or type its number.')
      else mark(`There is no category ${shorten(text, 40)}. Choose one of the list, or type its number.`)
      return id
    },
  }
}
