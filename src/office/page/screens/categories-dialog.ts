/** The dialog in which managers name categories; the interface has only their numbers. */

import type { Category } from '../../office-data.ts'
import { send } from '../parts/api.ts'
import { knownCategories, loadCategories, useCategories } from '../parts/categories.ts'
import { openDialog } from '../parts/dialog.ts'
import { button, field, make, onSubmit } from '../parts/elements.ts'
import { readInt64, sentenceOf } from '../parts/words.ts'

/** Resolves on closing, to whether a name was saved. */
export async function nameCategories() {
  await loadCategories()
  const saved = await openDialog('Categories', (close: (result?: boolean) => void) => {
    const rows = knownCategories().map((category) => ({
      category,
      name: field(`Number ${category.id}`, make('input', { value: category.label, dir: 'auto', autocomplete: 'off' })),
    }))
    const number = field('Another number', make('input', { inputmode: 'numeric', autocomplete: 'off' }))
    const name = field('Its name', make('input', { dir: 'auto', autocomplete: 'off' }))
    const problem = make('p', { class: 'problem', role: 'alert' })
    const actions = make(
      'div',
      { class: 'actions' },
      button('Cancel', () => close(), { class: 'plain' }),
    )
    actions.append(make('button', { type: 'submit' }, 'Save'))
    const form = make('form', {}, ...rows.map((row) => row.name.element))
    form.append(make('div', { class: 'pair' }, number.element, name.element), problem, actions)
    onSubmit(form, async () => {
      number.mark('')
      const label = name.control.value.trim()
      const id = readInt64(number.control.value)
      if (id === undefined && (label !== '' || number.control.value !== '')) {
        return number.mark('Type the number of the category, a whole one.')
      }
      const changed = rows.flatMap(({ category, name: { control } }) =>
        control.value === category.label ? [] : [{ id: category.id, label: control.value.trim() }],
      )
      if (id !== undefined && label !== '') changed.push({ id, label })
      try {
        for (const { id, label } of changed) await save(id, label)
        close(changed.length > 0)
      } catch (error) {
        problem.textContent = sentenceOf(error)
      }
    })
    return [
      make('p', { class: 'quiet' }, 'Names are shown here in the office only. An empty name leaves the number.'),
      form,
    ]
  })
  return saved === true
}

async function save(id: string, label: string) {
  const now: readonly Category[] = await send('PUT', `api/categories/${id}`, { label: label === '' ? null : label })
  useCategories(now)
}
