/** Merging a category into another one, and the past merges, each of which can be undone. */

import type { CategoryInUse, Merged, MergeSummary } from '../../../office-data.ts'
import { send } from '../../parts/api.ts'
import { ask } from '../../parts/ask.ts'
import { categoryField, categoryWord } from '../../parts/categories.ts'
import { confirm } from '../../parts/dialog.ts'
import { button, make, typed } from '../../parts/elements.ts'
import { authorWord } from '../../parts/history.ts'
import { table } from '../../parts/table.ts'
import { toast } from '../../parts/toast.ts'
import { count, figure, moment, quoted, sentenceOf, shorten } from '../../parts/words.ts'

/** Asks into which other one. */
export async function mergeInto({ id, label, animals, removed }: CategoryInUse, onDone: () => Promise<void>) {
  const name = nameOf(id, label)
  const into = categoryField('Into category')
  const others = removed === 0 ? '' : `, and ${count(removed, 'removed one')},`
  const text = `${count(animals, 'animal')}${others} of ${name} ${animals === 1 && removed === 0 ? 'goes' : 'go'} to the category that you choose, all at once. ${
    label === null ? 'Nothing else changes.' : `The name ${quoted(label)} is gone.`
  } You can undo it; animals that somebody has changed by then stay.`
  const problem = make('p', { class: 'problem', role: 'alert' })
  const merged = await ask(`Merge ${name}`, 'Merge', [make('p', {}, text), into.element, problem], async () => {
    const chosen = into.read()
    if (chosen === undefined) return undefined
    try {
      const done: Merged = await send('POST', 'api/categories/merge', { from: id, into: chosen }, { isSlow: true })
      return { ...done, into: chosen }
    } catch (error) {
      problem.textContent = sentenceOf(error)
      return undefined
    }
  })
  if (merged === undefined) return
  toast(`${count(merged.animals, 'animal')} went to ${categoryWord(merged.into)}.`, {
    undo: () => void askUndo({ n: merged.n, from: id, label }, onDone),
    about: `merge ${merged.n}`,
  })
  await onDone()
}

/** Asks first: Ctrl+Z for something else must not move thousands of animals. */
async function askUndo(
  { n, from, label }: Pick<MergeSummary, 'n' | 'from' | 'label'>,
  onDone: () => Promise<void>,
): Promise<void> {
  const text =
    'Its animals go back to the category that they had, with its name, but for those that somebody has changed since.'
  if (!(await confirm(`Undo the merge of ${nameOf(from, label)}?`, text, 'Undo the merge'))) return
  try {
    const undone: { readonly back: number; readonly kept: number } = await send(
      'POST',
      `api/categories/merges/${n}/undo`,
      {},
      { isSlow: true },
    )
    const rest = undone.kept === 0 ? '' : ` ${count(undone.kept, 'animal')} stayed, changed since.`
    toast(`The merge is undone: ${count(undone.back, 'animal')} went back.${rest}`, { about: `merge ${n}` })
  } catch (error) {
    toast(`The merge may still be there. ${sentenceOf(error)}`, { isProblem: true })
  }
  await onDone()
}

export function mergesList(onDone: () => Promise<void>) {
  const shown = table<MergeSummary>('Merges', [
    { title: 'When', cell: ({ atMs }) => moment(atMs) },
    { title: 'What', cell: ({ from, label, into }) => typed(`${nameOf(from, label)} into ${categoryWord(into)}`) },
    { title: 'By', cell: ({ who }) => typed(authorWord(who)) },
    { title: 'Animals', cell: ({ animals }) => figure(animals), className: 'number' },
    { title: 'Undo', cell: (line) => undoCell(line), className: 'acts' },
  ])
  const element = make('section', { class: 'card apart', hidden: true }, make('h2', {}, 'Merges'), shown.element)
  const undoCell = (line: MergeSummary) => {
    if (line.undoneAtMs !== null) return make('span', { class: 'quiet' }, `undone ${moment(line.undoneAtMs)}`)
    return button('Undo …', () => void askUndo(line, onDone), {
      class: 'plain',
      'aria-label': `Undo the merge of ${nameOf(line.from, line.label)}, ${moment(line.atMs)}`,
    })
  }
  return {
    element,
    show(merges: readonly MergeSummary[]) {
      element.hidden = merges.length === 0
      shown.show(merges)
    },
  }
}

function nameOf(id: string, label: string | null) {
  return label === null ? `category ${id}` : shorten(label, 60)
}
