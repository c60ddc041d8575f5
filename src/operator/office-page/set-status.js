/**
 * Setting the status of one animal or of several at once, and undoing it. An animal that somebody else has changed meanwhile stays
 * as it is; what they did is told.
 */
import { CallFailed, send } from './api.js'
import { toast } from './toast.js'
import { count, nameOf, sentenceOf, statusWord } from './words.js'

/** @import { Animal, Status, StatusChange, StatusChanged } from '../office-data.ts' */

/**
 * Resolves to what has come of it, or to undefined if it failed, which has been told. `onUndo` gets what comes of undoing it.
 * @param {readonly Animal[]} animals as they were when the status was chosen
 * @param {Status} status
 * @param {(result: StatusChanged) => void} onUndo
 * @returns {Promise<StatusChanged | undefined>}
 */
export async function setStatus(animals, status, onUndo) {
  try {
    const result = await change(animals, status)
    if (result.changed.length > 0) {
      toast(`${whoAre(result.changed)} set to ${statusWord(status)}.`, {
        undo: () => void undo(animals, result, onUndo),
      })
    }
    tellRest(result)
    return result
  } catch (error) {
    toast(`${whoAre(animals)} could not be set to ${statusWord(status)}. ${failure(error)}`, { isProblem: true })
    return undefined
  }
}

/**
 * @param {readonly Animal[]} before
 * @param {StatusChanged} done
 * @param {(result: StatusChanged) => void} onUndo
 */
async function undo(before, done, onUndo) {
  const former = new Map(before.map(({ id, status }) => [id, status]))
  /** @type {Map<Status, Animal[]>} */
  const groups = new Map()
  for (const animal of done.changed) {
    const status = former.get(animal.id) ?? null
    groups.set(status, [...(groups.get(status) ?? []), animal])
  }
  for (const [status, animals] of groups) {
    try {
      const result = await change(animals, status)
      onUndo(result)
      if (result.changed.length > 0) toast(`${whoAre(result.changed)} set back to ${statusWord(status)}.`)
      tellRest(result)
    } catch (error) {
      const again = () => void undo(before, { ...done, changed: animals }, onUndo)
      toast(`${whoAre(animals)} could not be set back to ${statusWord(status)}. ${failure(error)}`, {
        isProblem: true,
        undo: again,
      })
    }
  }
}

/**
 * @param {readonly Animal[]} animals
 * @param {Status} status
 * @returns {Promise<StatusChanged>}
 */
function change(animals, status) {
  /** @type {StatusChange} */
  const body = { animals: animals.map(({ id, version }) => ({ id, version })), status }
  return send('POST', 'api/animals/status', body)
}

/** @param {StatusChanged} result */
function tellRest({ conflicts, missing }) {
  if (conflicts.length > 0) {
    const are = conflicts.map((animal) => `${nameOf(animal)} is ${statusWord(animal.status)}`).slice(0, 3)
    const more = conflicts.length > 3 ? ` and ${count(conflicts.length - 3, 'other')}` : ''
    toast(`Changed by somebody else meanwhile, so left alone: ${are.join(', ')}${more}.`, { isProblem: true })
  }
  if (missing.length > 0) toast(`No longer here: ${count(missing.length, 'animal')}.`, { isProblem: true })
}

/** @param {readonly Animal[]} animals */
function whoAre(animals) {
  const [only] = animals
  return animals.length === 1 && only !== undefined ? nameOf(only) : count(animals.length, 'animal')
}

/** @param {unknown} error */
function failure(error) {
  const isUnsure = error instanceof CallFailed && error.isUnsure
  return isUnsure
    ? 'No answer came from the service, so it may have been done all the same: look before you try again.'
    : sentenceOf(error)
}
