/**
 * What is done to one or several animals of the list, and undoing it: a status, a category, removal and return. What
 * another person has changed meanwhile is left alone, and told.
 */

import type { ActResult, ActTarget, Animal, Status } from '../../office-data.ts'
import { CallFailed, send } from '../parts/api.ts'
import { categoryIn } from '../parts/categories.ts'
import { lastChange } from '../parts/history.ts'
import { closeToasts, toast } from '../parts/notices.ts'
import { count, sentenceOf, statusIn, whoIs } from '../parts/words.ts'

/** What an undo needs of an act. */
type UndoableAct = Pick<ActResult, 'n' | 'animals' | 'done'>

export type ActRequest =
  | { readonly act: 'edit'; readonly status: Status }
  | { readonly act: 'edit'; readonly categoryId: string }
  | { readonly act: 'remove' | 'restore' }

/**
 * Resolves to the result, or to undefined after a failure, which has been told. `animals` are as they were when the act
 * was chosen. `onUndo` gets the result of undoing.
 */
export async function actOn(
  targets: readonly (Animal | ActTarget)[],
  request: ActRequest,
  onUndo?: (result: ActResult) => void,
): Promise<ActResult | undefined> {
  // Undoing what was done before would meet this act.
  closeToasts(aboutAll(targets))
  try {
    const result = await send(
      'POST /api/animals/acts',
      { ...request, animals: versionsOf(targets) },
      {},
      { isSlow: true },
    )
    const { changed } = result
    const undo = changed === 0 ? {} : { undo: () => void undoAct(result, onUndo) }
    tell(result.animals, result.done, isWords(result.done, request), undo)
    // After a lost answer, the first attempt's own changes come back as conflicts.
    const already = result.conflicts.filter((one) => isAs(one, request))
    const conflicts = result.conflicts.filter((one) => !isAs(one, request))
    tell(already, already.length, `${isWords(already.length, request)} already`)
    // Before another act on them: its notice would go for this one, as if it were older.
    await reportLeft({ ...result, left: result.left - already.length, conflicts })
    return result
  } catch (error) {
    const who = whoAre(targets, targets.length)
    toast(`${who}: this could not be done. ${failure(error)}`, { isProblem: true, about: aboutAll(targets) })
    return undefined
  }
}

/** Shows that `done` animals are as wished, the first of which are `animals`; nothing if there are none. */
function tell(animals: readonly Animal[], done: number, words: string, undo: { readonly undo?: () => void } = {}) {
  if (done > 0) toast(`${whoAre(animals, done)} ${words}.`, { ...undo, about: aboutAll(animals) })
}

export async function undoAct(act: UndoableAct, onUndo: (result: ActResult) => void = () => {}) {
  try {
    const result = await undoOf(act)
    onUndo(result)
    const [only] = result.animals
    const before = act.animals.find(({ id }) => id === only?.id)
    // Where its category came back, or nobody knows what, the status says nothing.
    const now =
      result.done === 1 && only?.removedAtMs === null && before?.categoryId === only.categoryId
        ? `${isWords(1, { act: 'edit', status: only.status })} again`
        : `${result.done === 1 ? 'is' : 'are'} as before`
    if (result.done > 0) toast(`${whoAre(result.animals, result.done)} ${now}.`, { about: aboutAll(result.animals) })
    void reportLeft(result)
  } catch (error) {
    const undo = () => void undoAct(act, onUndo)
    const about = aboutAll(act.animals)
    toast(`${whoAre(act.animals, act.done)}: it could not be undone. ${failure(error)}`, {
      isProblem: true,
      undo,
      about,
    })
  }
}

/** An act on one animal has no number. */
function undoOf({ n, animals }: UndoableAct): Promise<ActResult> {
  if (n !== null) return send('POST /api/animals/acts/:n/undo', {}, { n }, { isSlow: true })
  return send('POST /api/animals/acts', { act: 'undo', animals: versionsOf(animals) })
}

function versionsOf(animals: readonly ActTarget[]) {
  return animals.map(({ id, version }) => ({ id, version }))
}

/** Of the first ones also who has changed them, how and when. */
async function reportLeft({ left, conflicts, isWhole }: Pick<ActResult, 'left' | 'conflicts' | 'isWhole'>) {
  if (left === 0) return
  const examples = conflicts.slice(0, 3)
  const changes = await Promise.all(examples.map(async (animal) => `${whoIs(animal)}: ${await lastChange(animal)}`))
  const rest = count(left - examples.length, examples.length === 0 ? 'animal' : 'other')
  const why = isWhole
    ? `Changed by somebody else meanwhile${left > conflicts.length ? ', or gone' : ''}, so left alone`
    : 'It took too long. Do it again for the rest'
  const all = [...changes, ...(left > examples.length ? [`${rest}.`] : [])].join(' ')
  toast(`${why}: ${all}`, { isProblem: true, about: aboutAll(examples) })
}

/** As in "is Adopted", "have no status", "are in Dogs now" and "is removed". */
function isWords(n: number, request: ActRequest) {
  const [is, has] = n === 1 ? ['is', 'has'] : ['are', 'have']
  if (request.act !== 'edit') return `${is} ${request.act}d`
  if ('categoryId' in request) return `${is} in ${categoryIn(request.categoryId)} now`
  return request.status === null ? `${has} no status` : `${is} ${statusIn(request.status)}`
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

function failure(error: unknown) {
  const isUnsure = error instanceof CallFailed && error.isUnsure
  return isUnsure
    ? 'No answer came from the service, so it may have been done all the same: look before you try again.'
    : sentenceOf(error)
}
