/**
 * Setting the status of one or several animals, and undoing it. An animal that another person has changed meanwhile is
 * left alone, and their change is told.
 */

import type { Animal, Status, StatusChange, StatusChanged, Undoing } from '../../office-data.ts'
import { CallFailed, send } from '../parts/api.ts'
import { toast } from '../parts/notices.ts'
import { count, sentenceOf, statusIn, whoIs } from '../parts/words.ts'

/**
 * Resolves to the result, or to undefined after a failure, which has been told. `animals` are as they were when the
 * status was chosen. `onUndo` gets the result of undoing.
 */
export async function setStatus(
  animals: readonly Animal[],
  status: Status,
  onUndo: (result: StatusChanged) => void,
): Promise<StatusChanged | undefined> {
  try {
    const body: StatusChange = { animals: versionsOf(animals), status }
    const result: StatusChanged = await send('POST', 'api/animals/status', body)
    if (result.changed.length > 0) {
      const undo = () => void takeBack(result.changed, onUndo)
      toast(`${whoAre(result.changed)} ${isWords(result.changed, status)}.`, { undo, about: aboutAll(result.changed) })
    }
    // After a lost answer, the first attempt's own changes come back as conflicts.
    const already = result.conflicts.filter((animal) => animal.status === status)
    if (already.length > 0)
      toast(`${whoAre(already)} ${isWords(already, status)} already.`, { about: aboutAll(already) })
    reportConflicts(result, (animal) => animal.status !== status)
    return result
  } catch (error) {
    toast(`${whoAre(animals)}: the status could not be set. ${failure(error)}`, {
      isProblem: true,
      about: aboutAll(animals),
    })
    return undefined
  }
}

async function takeBack(animals: readonly Animal[], onUndo: (result: StatusChanged) => void) {
  try {
    const body: Undoing = { animals: versionsOf(animals) }
    const result: StatusChanged = await send('POST', 'api/animals/undo', body)
    onUndo(result)
    const [only] = result.changed
    const now =
      result.changed.length === 1 && only !== undefined ? ` ${isWords([only], only.status)} again` : ' are as before'
    if (only !== undefined) toast(`${whoAre(result.changed)}${now}.`, { about: aboutAll(result.changed) })
    reportConflicts(result)
  } catch (error) {
    const undo = () => void takeBack(animals, onUndo)
    toast(`${whoAre(animals)}: it could not be undone. ${failure(error)}`, {
      isProblem: true,
      undo,
      about: aboutAll(animals),
    })
  }
}

function versionsOf(animals: readonly Animal[]) {
  return animals.map(({ id, version }) => ({ id, version }))
}

function reportConflicts({ conflicts, missing }: StatusChanged, isOther: (animal: Animal) => boolean = () => true) {
  const others = conflicts.filter(isOther)
  if (others.length > 0) {
    const are = others.map((animal) => `${whoIs(animal)} ${isWords([animal], animal.status)}`).slice(0, 3)
    const more = others.length > 3 ? ` and ${count(others.length - 3, 'other')}` : ''
    toast(`Changed by somebody else meanwhile, so left alone: ${are.join(', ')}${more}.`, {
      isProblem: true,
      about: aboutAll(others),
    })
  }
  if (missing.length > 0) toast(`No longer here: ${count(missing.length, 'animal')}.`, { isProblem: true })
}

/** As in "is Adopted" and "have no status". */
function isWords({ length }: readonly Animal[], status: Status) {
  if (status === null) return length === 1 ? 'has no status' : 'have no status'
  return `${length === 1 ? 'is' : 'are'} ${statusIn(status)}`
}

function aboutAll(animals: readonly Animal[]) {
  return animals.map(({ id }) => `animal ${id}`)
}

function whoAre(animals: readonly Animal[]) {
  const [only] = animals
  return animals.length === 1 && only !== undefined ? whoIs(only) : count(animals.length, 'animal')
}

function failure(error: unknown) {
  const isUnsure = error instanceof CallFailed && error.isUnsure
  return isUnsure
    ? 'No answer came from the service, so it may have been done all the same: look before you try again.'
    : sentenceOf(error)
}
