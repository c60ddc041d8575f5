/** The categories: their names, several saved in one act, what is in them, and the words for statuses. */

import { Latest } from '../../../../pages/parts/latest.ts'
import type { Category, CategoryInUse, MergeSummary, Session } from '../../../office-data.ts'
import { get, send } from '../../parts/api.ts'
import { loadCategories, useCategories } from '../../parts/categories.ts'
import { button, field, make, onSubmit } from '../../parts/elements.ts'
import type { Parameters, Shown } from '../../parts/screen.ts'
import { table } from '../../parts/table.ts'
import { toast } from '../../parts/toast.ts'
import { troubleNotice } from '../../parts/trouble.ts'
import { count, figure, readInt64, sentenceOf } from '../../parts/words.ts'
import { mergeInto, mergesList } from './merging.ts'
import { statusWords } from './words.ts'

/** Rows without a name beyond these are named by their number. */
const UNNAMED_SHOWN = 100

export function showCategories(container: HTMLElement, _session: Session, _parameters: Parameters): Shown {
  const trouble = troubleNotice()
  const latest = new Latest()
  const form = nameForm((line) => void mergeInto(line, load))
  const merges = mergesList(() => load())
  const words = statusWords()
  const load = () =>
    latest.ask(
      async () => {
        const used: readonly CategoryInUse[] = await get('api/categories/used')
        const past: readonly MergeSummary[] = await get('api/categories/merges')
        await loadCategories()
        return { used, past }
      },
      ({ used, past }) => {
        trouble.hide()
        form.show(used)
        merges.show(past)
      },
      (error) => trouble.show(`The categories could not be loaded. ${sentenceOf(error)}`, () => void load()),
    )
  onSubmit(form.element, async () => {
    if (await form.save()) await load()
  })
  container.append(
    make('div', { class: 'heading' }, make('h1', {}, 'Categories')),
    trouble.element,
    make('section', { class: 'card', 'aria-label': 'Names of categories' }, form.element),
    merges.element,
    words.element,
  )
  void load()
  return {
    end: () => latest.drop(),
    unsaved: () => (form.isChanged() || words.isChanged() ? 'What you have typed here is not saved yet.' : ''),
  }
}

function nameForm(onMerge: (line: CategoryInUse) => void) {
  let inputs: readonly { readonly line: CategoryInUse; readonly input: HTMLInputElement }[] = []
  const inputOf = (line: CategoryInUse) => {
    const label = `Name of category ${line.id}`
    const input = make('input', { value: line.label ?? '', 'aria-label': label, dir: 'auto', autocomplete: 'off' })
    inputs = [...inputs, { line, input }]
    return input
  }
  const merge = (line: CategoryInUse) =>
    button('Merge…', () => onMerge(line), { class: 'plain', 'aria-label': `Merge category ${line.id} into another` })
  const shown = table<CategoryInUse>('Categories', [
    { title: 'Number', cell: ({ id }) => id, className: 'number' },
    { title: 'Name', cell: inputOf },
    { title: 'Animals', cell: animalsIn, className: 'number' },
    { title: 'Merge', cell: (line) => make('div', { class: 'few' }, merge(line)), className: 'acts' },
  ])
  const note = make('p', { class: 'quiet' })
  const number = field('Another number', make('input', { inputmode: 'numeric', autocomplete: 'off' }))
  const name = field('Its name', make('input', { dir: 'auto', autocomplete: 'off' }))
  const problem = make('p', { class: 'problem', role: 'alert' })
  const element = make(
    'form',
    {},
    make('p', { class: 'quiet' }, 'Only people see names. An empty name leaves the number.'),
    shown.element,
    note,
    make('div', { class: 'pair' }, number.element, name.element),
    problem,
    make('div', { class: 'actions' }, make('button', { type: 'submit' }, 'Save names')),
  )
  const changes = () =>
    inputs.flatMap(({ line: { id, label }, input }) =>
      input.value === (label ?? '') ? [] : [{ id, label: input.value.trim() === '' ? null : input.value.trim() }],
    )
  return {
    element,
    isChanged: () => changes().length > 0 || number.control.value !== '' || name.control.value !== '',
    show(used: readonly CategoryInUse[]) {
      const unnamed = used.filter(({ label }) => label === null).sort((a, b) => b.animals - a.animals)
      const left = new Set(unnamed.slice(UNNAMED_SHOWN))
      inputs = []
      shown.show(used.filter((line) => !left.has(line)))
      shown.element.hidden = used.length === 0
      note.textContent = left.size === 0 ? '' : `${count(left.size, 'number')} with fewer animals, without a name.`
      for (const { control } of [number, name]) control.value = ''
    },
    /** All names or none; false if there was nothing to save, or it is refused, which is told. */
    async save(): Promise<boolean> {
      number.mark('')
      problem.textContent = ''
      const id = readInt64(number.control.value)
      const label = name.control.value.trim()
      if (id === undefined && (label !== '' || number.control.value !== '')) {
        number.mark('Type the number of the category, a whole one.')
        return false
      }
      const names = [...changes(), ...(id !== undefined && label !== '' ? [{ id, label }] : [])]
      if (names.length === 0) {
        toast('There is nothing to save.')
        return false
      }
      try {
        useCategories(await send<readonly Category[]>('PUT', 'api/categories', { names }))
        inputs = inputs.map(({ line, input }) => ({ line: { ...line, label: input.value }, input }))
        for (const { control } of [number, name]) control.value = ''
        toast(`${count(names.length, 'name')} saved.`)
        return true
      } catch (error) {
        problem.textContent = sentenceOf(error)
        return false
      }
    },
  }
}

function animalsIn({ id, animals, removed }: CategoryInUse) {
  const link = make('a', { href: `#animals?category=${id}`, class: 'lone' }, figure(animals))
  return removed === 0 ? link : make('div', {}, link, make('p', { class: 'quiet' }, `and ${figure(removed)} removed`))
}
