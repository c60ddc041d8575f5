/** Animals as they are sent to the thread that writes. */
import type { NewPet } from '../../contract/schemas.ts'

/** Name, category and status of each animal in turn: one flat array is cheaper to send than many objects. */
export type FlatPets = (string | bigint | null)[]
export const FLAT_PET = 3

export function flatten(pets: Iterable<NewPet>): FlatPets {
  const flat: FlatPets = []
  for (const { name, categoryId, status } of pets) flat.push(name, categoryId, status ?? null)
  return flat
}
