/** What a file does that updates the animals that are here, before it is done and after. */

import type { UpdateFound, Upload } from '../../office-data.ts'
import { make, typed } from '../parts/elements.ts'
import { count, figure, statusWord } from '../parts/words.ts'

/** As in "2 added, 1 changed". Empty if nothing is done. */
export function updateWords({ added, adopted, changed, restored, marked, removed }: UpdateFound['counts']) {
  const parts: readonly (readonly [number, string])[] = [
    [added, 'added'],
    [adopted, 'found here and given the reference'],
    [changed, 'changed'],
    [restored, 'restored'],
    [marked, `set to ${statusWord('sold')}`],
    [removed, 'removed'],
  ]
  return parts.flatMap(([n, word]) => (n === 0 ? [] : [`${figure(n)} ${word}`])).join(', ')
}

/** Why nothing can be updated, or what will be. */
export function updateParts({ animals, badRows, update }: Upload): readonly HTMLElement[] {
  if (update === null) return []
  if (badRows > 0) return [problem('Correct the bad rows first: a file that updates is taken as a whole.')]
  const { counts, unclear, unlisted, repeats, repeated } = update
  if (repeated.length > 0) {
    const rows = repeated.map(({ reference, lines }) =>
      make('li', {}, make('strong', { class: 'number' }, `Lines ${lines.join(', ')}`), ' ', typed(reference)),
    )
    const words = 'Several rows with the same reference differ. Correct the file, or choose another column.'
    return [problem(words), make('div', { class: 'problems' }, make('ul', {}, ...rows))]
  }
  const does = updateWords(counts)
  const gone = counts.marked + counts.removed
  return [
    make(
      'p',
      {},
      make('strong', {}, does === '' ? `${count(animals, 'animal')}, all here as in the file.` : `${does}.`),
    ),
    ...note(repeats > 0, `${count(repeats, 'row')} left out, as the file has the same row before.`),
    ...note(unclear > 0 && counts.added > 0, `${unclearWords(unclear)} here, but which is which is not clear.`),
    ...note(
      unlisted > gone,
      `${count(unlisted, 'animal')} of the last file ${unlisted === 1 ? 'is' : 'are'} not in this one.`,
    ),
  ]
}

/** Undefined if nothing is to be agreed to. */
export function agreeWords({ update }: Upload): string | undefined {
  const { tooMany } = update ?? {}
  return tooMany
    ? `${figure(tooMany.changed)} of ${count(tooMany.of, 'animal')} of the last file change or go`
    : undefined
}

/** Whether the file would change anything, and may. */
export function canUpdate({ badRows, update }: Upload) {
  return update !== null && badRows === 0 && update.repeated.length === 0 && updateWords(update.counts) !== ''
}

function unclearWords(n: number) {
  return n === 1 ? '1 of the added looks like an animal' : `${figure(n)} of the added look like animals`
}

function problem(words: string) {
  return make('p', { class: 'problem' }, words)
}

function note(isSo: boolean, words: string) {
  return isSo ? [make('p', { class: 'quiet' }, words)] : []
}
