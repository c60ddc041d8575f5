/** The categories: their names, several saved in one act, what is in them, and merging them. */

import type { CategoriesInUse, CategoryInUse, MergeSummary } from '../../office-data.ts'
import { get, send } from '../parts/api.ts'
import { categoryField, categoryIn, categoryWord, loadCategories, setCategories } from '../parts/categories.ts'
import { ask, confirm } from '../parts/dialog.ts'
import { Draft } from '../parts/draft.ts'
import { button, make, quiet, titled, typed, untitled } from '../parts/elements.ts'
import { formOf, problemLine, submitButton, textField } from '../parts/fields.ts'
import { authorWord } from '../parts/history.ts'
import { attemptOrToast, loading, toast } from '../parts/notices.ts'
import { table, undoCell } from '../parts/table.ts'
import { count, figure, moment, quoted, readInt64 } from '../parts/words.ts'

export function showCategories() {
  const form = nameForm()
  const merges = mergesList()
  const { begin, element } = loading(
    'The categories',
    async () => {
      const used = await get('/api/categories/used')
      const past = await get('/api/categories/merges')
      await loadCategories()
      return { used, past }
    },
    ({ used, past }) => {
      form.show(used)
      merges.show(past)
    },
  )
  begin({ follows: true })
  return [titled('Categories'), element, untitled('Names of categories', form), merges]
}

function nameForm() {
  const draft = new Draft()
  const inputs: Record<string, HTMLInputElement> = {}
  /** A field that is there stays, with the cursor in it. */
  const inputOf = ({ id }: CategoryInUse) => {
    inputs[id] ??= make('input', { 'aria-label': `Name of category ${id}`, dir: 'auto', autocomplete: 'off' })
    return inputs[id]
  }
  const merge = (line: CategoryInUse) =>
    button('Merge', () => mergeInto(line), { class: 'plain', 'aria-label': `Merge category ${line.id}` })
  const namesTable = table<CategoryInUse>('Categories', [
    { title: 'Number', cell: ({ id }) => id, className: 'number' },
    { title: 'Name', cell: inputOf },
    { title: 'Animals', cell: animalsIn, className: 'number' },
    { title: 'Merge', cell: (line) => make('div', { class: 'few' }, merge(line)), className: 'acts' },
  ])
  const note = quiet()
  const number = textField('Its number', { dir: undefined, inputmode: 'numeric' }, 'Empty: the next one that is free.')
  const name = textField('Another category')
  // What is typed before the categories have loaded stays.
  draft.fill({ name, number }, {})
  const hint = 'People see the name, programs the number. A category without a name is shown by its number.'
  const parts = [quiet(hint), namesTable, note, make('div', { class: 'pair' }, name, number), problemLine()]
  /** All names or none. */
  const save = async () => {
    const { name: added = '', number: numberText = '', ...changed } = draft.typed
    const id = numberText.trim() === '' ? null : readInt64(numberText)
    if (id === undefined) return number.mark('Type a whole number, or nothing.')
    const names = [...Object.entries(changed), ...(added.trim() === '' ? [] : [[id, added] as const])].map(
      ([id, text]) => ({ id, label: text.trim() || null }),
    )
    if (names.length === 0) return toast('There is nothing to save.')
    setCategories(await draft.save(() => send('PUT /api/categories', { names })))
    toast(`${count(names.length, 'name')} saved.`)
  }
  return {
    element: formOf(parts, save, submitButton('Save names')),
    show({ categories: lines, others }: CategoriesInUse) {
      namesTable.show(lines)
      const fields = Object.fromEntries(lines.map((line) => [line.id, { control: inputOf(line) }]))
      draft.fill({ ...fields, name, number }, Object.fromEntries(lines.map(({ id, label }) => [id, label])))
      namesTable.element.hidden = lines.length === 0
      note.textContent = others === 0 ? '' : `${count(others, 'number')} with fewer animals, without a name.`
    },
  }
}

function animalsIn({ id, animals, removed }: CategoryInUse) {
  const link = make('a', { href: `#animals?category=${id}`, class: 'lone' }, figure(animals))
  return removed === 0 ? link : make('div', {}, link, quiet(`and ${figure(removed)} removed`))
}

/** Asks into which other one. */
async function mergeInto({ id, label, animals, removed }: CategoryInUse) {
  const name = nameOf(id, label)
  const into = categoryField('Into category')
  const others = removed === 0 ? '' : `, and ${count(removed, 'removed one')},`
  const text = `${count(animals, 'animal')}${others} of ${name} ${animals === 1 && removed === 0 ? 'goes' : 'go'} to the category that you choose, all at once. ${
    label === null ? 'Nothing else changes.' : `The name ${quoted(label)} is gone.`
  } You can undo it; animals that somebody has changed by then stay.`
  const merge = await ask('Merge', [make('p', {}, text), into, problemLine()], async () => {
    const target = into.read()
    if (target === undefined) return undefined
    const result = await send('POST /api/categories/merge', { from: id, into: target }, {}, { isSlow: true })
    return { ...result, into: target }
  })
  if (merge === undefined) return
  toast(`${count(merge.animals, 'animal')} went to ${categoryIn(merge.into)}.`, {
    undo: () => void askUndo({ n: merge.n, from: id, label }),
    about: [`merge ${merge.n}`],
  })
}

/** Asks first: Ctrl+Z for something else must not move thousands of animals. */
async function askUndo({ n, from, label }: Pick<MergeSummary, 'n' | 'from' | 'label'>): Promise<void> {
  const text = 'go back to it, with its name, except those that somebody has changed since.'
  if (!(await confirm('Undo merge', `The animals of ${nameOf(from, label)} ${text}`, { isDanger: false }))) return
  const work = async () => {
    const result = await send('POST /api/categories/merges/:n/undo', {}, { n }, { isSlow: true })
    const rest = result.kept === 0 ? '' : ` ${count(result.kept, 'animal')} stayed, changed since.`
    toast(`The merge is undone: ${count(result.back, 'animal')} went back.${rest}`, { about: [`merge ${n}`] })
  }
  await attemptOrToast(`merge ${n}`, work, 'The merge may still be there. ')
}

function mergesList() {
  const undo = (line: MergeSummary) => undoCell('Undo merge', nameOf(line.from, line.label), line, () => askUndo(line))
  const mergesTable = table<MergeSummary>('Merges', [
    { title: 'When', cell: ({ atMs }) => moment(atMs) },
    { title: 'What', cell: ({ from, label, into }) => typed(`${nameOf(from, label)} into ${categoryWord(into)}`) },
    { title: 'By', cell: ({ who }) => typed(authorWord(who)) },
    { title: 'Animals', cell: ({ animals }) => figure(animals), className: 'number' },
    { title: 'Undo', cell: undo, className: 'acts' },
  ])
  const element = make('section', { class: 'card apart', hidden: true }, make('h2', {}, 'Merges'), mergesTable)
  return {
    element,
    show(merges: readonly MergeSummary[]) {
      element.hidden = merges.length === 0
      mergesTable.show(merges)
    },
  }
}

function nameOf(id: string, label: string | null) {
  return label === null ? `category ${id}` : quoted(label, 60, '')
}
