/**
 * Setting the status of one or several animals, and undoing it. An animal that another person has changed meanwhile is
 * left alone, and their change is told.
 */

import type { Animal, Status, StatusChange, StatusChanged } from '../../office-data.ts'
import { CallFailed, send } from '../parts/api.ts'
import { toast } from '../parts/notices.ts'
import { count, nameOf, sentenceOf, statusWord } from '../parts/words.ts'

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
    const result = await change(animals, status)
    if (result.changed.length > 0) {
      toast(`${whoAre(result.changed)} set to ${statusWord(status)}.`, {
        undo: () => void undo(animals, result, onUndo),
        about: aboutOnly(result.changed),
      })
    }
    tellRest(result, status)
    return result
  } catch (error) {
    toast(`${whoAre(animals)} could not be set to ${statusWord(status)}. ${failure(error)}`, { isProblem: true })
    return undefined
  }
}

async function undo(before: readonly Animal[], done: StatusChanged, onUndo: (result: StatusChanged) => void) {
  const former = new Map(before.map(({ id, status }) => [id, status]))
  const groups: Map<Status, Animal[]> = new Map()
  for (const animal of done.changed) {
    const status = former.get(animal.id) ?? null
    groups.set(status, [...(groups.get(status) ?? []), animal])
  }
  for (const [status, animals] of groups) {
    try {
      const result = await change(animals, status)
      onUndo(result)
      const about = aboutOnly(result.changed)
      if (result.changed.length > 0) toast(`${whoAre(result.changed)} set back to ${statusWord(status)}.`, { about })
      tellRest(result, status)
    } catch (error) {
      const again = () => void undo(before, { ...done, changed: animals }, onUndo)
      toast(`${whoAre(animals)} could not be set back to ${statusWord(status)}. ${failure(error)}`, {
        isProblem: true,
        undo: again,
      })
    }
  }
}

function change(animals: readonly Animal[], status: Status): Promise<StatusChanged> {
  const body: StatusChange = { animals: animals.map(({ id, version }) => ({ id, version })), status }
  return send('POST', 'api/animals/status', body)
}

function tellRest({ conflicts, missing }: StatusChanged, status: Status) {
  // After a lost answer, the first attempt's own changes come back as conflicts.
  const already = conflicts.filter((animal) => animal.status === status)
  const others = conflicts.filter((animal) => animal.status !== status)
  if (already.length > 0) toast(`${whoAre(already)} had the status ${statusWord(status)} already.`)
  if (others.length > 0) {
    const are = others.map((animal) => `${nameOf(animal)} is ${statusWord(animal.status)}`).slice(0, 3)
    const more = others.length > 3 ? ` and ${count(others.length - 3, 'other')}` : ''
    toast(`Changed by somebody else meanwhile, so left alone: ${are.join(', ')}${more}.`, { isProblem: true })
  }
  if (missing.length > 0) toast(`No longer here: ${count(missing.length, 'animal')}.`, { isProblem: true })
}

function aboutOnly([only, ...others]: readonly Animal[]) {
  return only === undefined || others.length > 0 ? undefined : `animal ${only.id}`
}

function whoAre(animals: readonly Animal[]) {
  const [only] = animals
  return animals.length === 1 && only !== undefined ? nameOf(only) : count(animals.length, 'animal')
}

function failure(error: unknown) {
  const isUnsure = error instanceof CallFailed && error.isUnsure
  return isUnsure
    ? 'No answer came from the service, so it may have been done all the same: look before you try again.'
    : sentenceOf(error)
}
