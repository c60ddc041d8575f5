/**
 * Shared by readers and writers: which animals are visible, which ids were given, and how animals are sent to the
 * writer thread.
 */
import type { NewPet } from '../../../contract/schemas.ts'

/**
 * True for an animal that is visible: not of an unfinished import, nor of one being undone. Ranges never overlap, so
 * only the last one that begins at or before an id can hold it.
 */
export const IS_THERE = `coalesce(
  (SELECT last_id FROM unfinished_imports WHERE first_id <= pets.id ORDER BY first_id DESC LIMIT 1) < pets.id, true)`

/** The greatest id ever given, also to animals since deleted; 0 if none was. */
export const LAST_GIVEN_ID =
  "SELECT max(coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'pets'), 0), coalesce((SELECT max(id) FROM pets), 0))"

/** The ranges of ids of hidden animals, greatest first. */
export const HIDDEN_RANGES = 'SELECT first_id, last_id FROM unfinished_imports ORDER BY first_id DESC'

/** From `first` to `last`, both included. */
export interface IdRange {
  readonly first: bigint
  readonly last: bigint
}

/** The values of each animal in turn: one flat array is cheaper to send than many objects. */
export type FlatPets = (string | bigint | null)[]
/** Name, category and status. */
export const CREATED_VALUES = 3
/** Name, category, status and an id of its own. */
export const STAGED_VALUES = 4

export function flatten(pets: Iterable<NewPet>): FlatPets {
  const flat: FlatPets = []
  for (const { name, categoryId, status } of pets) flat.push(name, categoryId, status ?? null)
  return flat
}
