/** Adds an animal in somebody's name, once: the token of the form that it comes from is kept for some time. */
import type { NewPet } from '../../contract/schemas.ts'
import { type Added, type Author, addedValues, ONCE_KEPT_MS } from '../records.ts'
import type { Connection } from './connection.ts'
import type { FlatPets } from './flat-pets.ts'
import { journalWriter } from './journal.ts'
import { LIVE, REMOVED, toRecord } from './record-rows.ts'

/** `createPets` adds animals, with all that depends on it, and returns the first id. */
export function additionOperations(connection: Connection, createPets: (pets: FlatPets) => bigint) {
  const enter = journalWriter(connection)
  const find = connection.prepare('SELECT pet_id FROM additions WHERE once = ?')
  const keep = connection.prepare('INSERT INTO additions VALUES (?, ?, ?)')
  const forget = connection.prepare('DELETE FROM additions WHERE at_ms < ?')
  const live = connection.prepare(LIVE)
  const removed = connection.prepare(REMOVED)
  return {
    addPet(pet: NewPet, by: Author, once: string): Added {
      forget.run(BigInt(by.atMs - ONCE_KEPT_MS))
      const [known] = (find.get(once) ?? []) as unknown as [bigint?]
      if (known !== undefined) return { pet: toRecord(live.get(known) ?? removed.get(known)), isNew: false }
      const id = createPets([pet.name, pet.categoryId, pet.status ?? null])
      keep.run(once, id, BigInt(by.atMs))
      enter(by, 'add', { petId: id, to: addedValues(pet) })
      return { pet: toRecord(live.get(id)), isNew: true }
    },
  }
}
