/**
 * What readers and writers both know of animals in the file: which of them are there, which ids were given, and how
 * animals are sent to the thread that writes.
 */
import type { NewPet } from '../../../contract/schemas.ts'

/**
 * An animal of an unfinished import does not exist for readers, nor does one of an import that is being undone. The
 * ranges never overlap, so only the last one that begins before an id can hold it.
 */
export const IS_THERE = `coalesce(
  (SELECT last_id FROM unfinished_imports WHERE first_id <= pets.id ORDER BY first_id DESC LIMIT 1) < pets.id, true)`

/** The greatest id that was given, also to animals that are no more; 0 when there was none. */
export const LAST_GIVEN_ID =
  "SELECT max(coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'pets'), 0), coalesce((SELECT max(id) FROM pets), 0))"

/** The ranges of ids whose animals are not there, greatest ids first. */
export const HIDDEN_RANGES = 'SELECT first_id, last_id FROM unfinished_imports ORDER BY first_id DESC'

/** Ids from the one to the other. */
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
