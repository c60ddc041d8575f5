/** The categories with their names and numbers of animals. An empty one can be deleted. */

import type { CategoriesInUse, CategoryInUse, CategoryName } from '../../office-data.ts'
import { get, send } from '../parts/api.ts'
import { loadCategories, setCategories } from '../parts/categories.ts'
import { ask } from '../parts/dialog.ts'
import { button, make, quiet, titled, typed, untitled } from '../parts/elements.ts'
import { textField } from '../parts/fields.ts'
import { load } from '../parts/load.ts'
import { table } from '../parts/table.ts'
import { attemptOrToast, toast } from '../parts/toasts.ts'
import { count, figure, quoted, readInt64 } from '../parts/words.ts'

export function showCategories() {
  const list = table<CategoryInUse>('Categories', [
    { title: 'Name', cell: ({ id, label }) => (label === null ? quiet(`Category ${id}`) : typed(label)) },
    { title: 'Animals', cell: animalsIn, className: 'number' },
    { title: 'Edit', isTitleUnseen: true, cell: editButtons, className: 'acts' },
  ])
  const note = quiet()
  const loader = load({
    what: 'The categories',
    async get() {
      const used = await get('/api/categories/used')
      await loadCategories()
      return used
    },
    show({ categories, others }: CategoriesInUse) {
      list.show(categories)
      list.element.hidden = categories.length === 0
      note.textContent =
        others === 0 ? '' : `${count(others, 'more category', 'more categories')} without a name, with fewer animals.`
    },
    follows: true,
  })
  return [titled('Categories', button('Add category', addCategory)), loader, untitled('All categories', list, note)]
}

function animalsIn({ id, animals, removed }: CategoryInUse) {
  const link = make('a', { href: `#animals?category=${id}`, class: 'lone' }, figure(animals))
  return removed === 0 ? link : make('div', {}, link, quiet(`and ${figure(removed)} removed`))
}

function editButtons(category: CategoryInUse) {
  const { id, label, animals, removed } = category
  const name = label ?? `category ${id}`
  const edit = button('Edit', () => editCategory(category), { class: 'plain', 'aria-label': `Edit ${name}` })
  const isEmpty = label !== null && animals + removed === 0
  const remove = () => deleteCategory(id, label ?? '')
  return make(
    'div',
    { class: 'few' },
    edit,
    isEmpty && button('Delete', remove, { class: 'plain', 'aria-label': `Delete ${name}` }),
  )
}

async function save(name: CategoryName) {
  setCategories(await send('PUT /api/categories', { names: [name] }))
  return name
}

async function addCategory() {
  const number = textField(
    'Number',
    { dir: undefined, inputmode: 'numeric' },
    'Leave empty to use the next free number.',
  )
  const name = textField('Name', { name: 'label', autofocus: true })
  const added = await ask('Add category', [number, name], async () => {
    const label = name.required('Type a name.')
    const typedNumber = number.control.value.trim()
    const id = typedNumber === '' ? null : readInt64(typedNumber)
    if (id === undefined) number.showProblem('Type a whole number, or leave this empty.')
    return id === undefined || label === undefined ? undefined : save({ id, label })
  })
  if (added !== undefined) toast(`${quoted(added.label ?? '')} was added.`)
}

async function editCategory({ id, label }: CategoryInUse) {
  const name = textField('Name', { name: 'label', value: label ?? '', autofocus: true })
  const number = quiet(`Programs use the number of this category, ${id}.`)
  const saved = await ask('Save name', [number, name], () => save({ id, label: name.control.value.trim() || null }))
  if (saved !== undefined) toast('Name saved.')
}

async function deleteCategory(id: string, label: string) {
  const about = `category ${id}`
  const deleted = await attemptOrToast(about, () => save({ id, label: null }))
  const undo = () => void attemptOrToast(about, () => save({ id, label }))
  if (deleted !== undefined) toast(`${quoted(label)} was deleted.`, { undo, about: [about] })
}
