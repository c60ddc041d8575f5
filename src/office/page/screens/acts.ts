/** Acts on animals of the list and their undo. Animals that someone else has changed are left as they are. */

import type { ActResult, ActTarget, Animal, Status } from '../../office-data.ts'
import { send } from '../parts/api.ts'
import { categoryIn } from '../parts/categories.ts'
import { lastChange } from '../parts/history.ts'
import { closeToasts, toast } from '../parts/toasts.ts'
import { count, sentenceOf, statusIn, whoIs } from '../parts/words.ts'

type UndoableAct = Pick<ActResult, 'n' | 'animals' | 'done'>

export type ActRequest =
  | { readonly act: 'edit'; readonly status: Status }
  | { readonly act: 'edit'; readonly categoryId: string }
  | { readonly act: 'remove' | 'restore' }

/** Returns undefined after a failure. `animals` are as they were when the act was chosen. */
export async function actOn(
  targets: readonly (Animal | ActTarget)[],
  request: ActRequest,
  onUndo?: (result: ActResult) => void,
): Promise<ActResult | undefined> {
  // An earlier undo would conflict with this act.
  closeToasts(aboutAll(targets))
  try {
    const body = { ...request, animals: versionsOf(targets) }
    const result = await send('POST /api/animals/acts', body, {}, { isSlow: true })
    const { changed } = result
    const undo = changed === 0 ? {} : { undo: () => void undoAct(result, onUndo) }
    tell(result.animals, result.done, doneWords(request), undo)
    // After a lost response, the first attempt's own changes come back as conflicts.
    const already = result.conflicts.filter((one) => isAs(one, request))
    const conflicts = result.conflicts.filter((one) => !isAs(one, request))
    tell(already, already.length, `already ${doneWords(request)}`)
    // Wait: a later act on them closes this notification.
    await reportLeft({ ...result, left: result.left - already.length, conflicts })
    return result
  } catch (error) {
    const who = whoAre(targets, targets.length)
    toast(`${who}: ${sentenceOf(error)}`, { isProblem: true, about: aboutAll(targets) })
    return undefined
  }
}

function tell(animals: readonly Animal[], done: number, words: string, undo: { readonly undo?: () => void } = {}) {
  const was = done === 1 ? 'was' : 'were'
  if (done > 0) toast(`${whoAre(animals, done)} ${was} ${words}.`, { ...undo, about: aboutAll(animals) })
}

export async function undoAct(act: UndoableAct, onUndo: (result: ActResult) => void = () => {}) {
  try {
    const result = await undoOf(act)
    onUndo(result)
    tell(result.animals, result.done, 'restored to the previous state')
    void reportLeft(result)
  } catch (error) {
    const undo = () => void undoAct(act, onUndo)
    const about = aboutAll(act.animals)
    toast(`${whoAre(act.animals, act.done)}: ${sentenceOf(error)}`, { isProblem: true, undo, about })
  }
}

function undoOf({ n, animals }: UndoableAct): Promise<ActResult> {
  if (n !== null) return send('POST /api/animals/acts/:n/undo', {}, { n }, { isSlow: true })
  return send('POST /api/animals/acts', { act: 'undo', animals: versionsOf(animals) })
}

function versionsOf(animals: readonly ActTarget[]) {
  return animals.map(({ id, version }) => ({ id, version }))
}

async function reportLeft({ left, conflicts, isWhole }: Pick<ActResult, 'left' | 'conflicts' | 'isWhole'>) {
  if (left === 0) return
  const examples = conflicts.slice(0, 3)
  const changes = await Promise.all(examples.map(async (animal) => `${whoIs(animal)}: ${await lastChange(animal)}`))
  const rest = count(left - examples.length, examples.length === 0 ? 'animal' : 'other')
  const why = isWhole
    ? `Left unchanged, because someone else has changed ${left > conflicts.length ? 'or removed ' : ''}them`
    : 'Stopped partway because it took too long. Repeat it for the rest'
  const all = [...changes, ...(left > examples.length ? [`${rest}.`] : [])].join(' ')
  toast(`${why}: ${all}`, { isProblem: true, about: aboutAll(examples) })
}

function doneWords(request: ActRequest) {
  if (request.act !== 'edit') return `${request.act}d`
  return 'categoryId' in request ? `moved to ${categoryIn(request.categoryId)}` : `set to ${statusIn(request.status)}`
}

function isAs(animal: Animal, request: ActRequest) {
  if (request.act !== 'edit') return (animal.removedAtMs !== null) === (request.act === 'remove')
  if (animal.removedAtMs !== null) return false
  return 'categoryId' in request ? animal.categoryId === request.categoryId : animal.status === request.status
}

function aboutAll(animals: readonly ActTarget[]) {
  return animals.map(({ id }) => `animal ${id}`)
}

function whoAre([only]: readonly (Animal | ActTarget)[], done: number) {
  return done === 1 && only !== undefined && 'name' in only ? whoIs(only) : count(done, 'animal')
}
