/**
 * Adds animals and keeps their counts by status in the same transaction; statements on animals that several writes
 * share.
 */
import type { StoredPet } from '../../rows.ts'
import type { Connection } from '../file/connection.ts'
import { CREATED_VALUES, type FlatPets } from '../rows/pets.ts'
import { searchWrites } from './search-index.ts'

/** Adds an animal with its id, category and status. */
export const INSERT_WITH_ID = 'INSERT INTO pets (id, name, category_id, status) VALUES (?, ?, ?, ?)'
/** Shows the animals of a range that was hidden; the range is bound by its first id. */
export const SHOW_RANGE = 'DELETE FROM unfinished_imports WHERE first_id = ?'

/** The key that created the next so many animals of a batch; undefined if none is noted. */
export type Creator = readonly [keyId: string | undefined, animals: number]

/** Adds to the count of a status; no status is one of its own. */
type AddToCount = (status: string | null | undefined, n: number | bigint) => void

export function countWriter(connection: Connection): AddToCount {
  const add = connection.prepare('UPDATE pet_counts SET n = n + ? WHERE status = ?')
  return (status, n) => {
    add.run(n, status ?? 'none')
  }
}

export function petWrites(connection: Connection) {
  const search = searchWrites(connection)
  const insert = connection.prepare('INSERT INTO pets (name, category_id, status) VALUES (?, ?, ?)')
  const insertWithId = connection.prepare(INSERT_WITH_ID)
  const addToCount = countWriter(connection)
  const lengthen = connection.prepare(`
    UPDATE created_ranges SET last_id = ?
    WHERE first_id = (SELECT max(first_id) FROM created_ranges) AND last_id = ? AND key_id = ? AND minute = ?`)
  const addRange = connection.prepare('INSERT INTO created_ranges VALUES (?, ?, ?, ?)')
  const count = (statuses: Iterable<string | null | undefined>) => {
    const added = new Map<string, number>()
    for (const status of statuses) added.set(status ?? 'none', (added.get(status ?? 'none') ?? 0) + 1)
    for (const [status, n] of added) addToCount(status, n)
  }
  return {
    /** Returns the first of the new ids; the others are consecutive. */
    createPets(pets: FlatPets): bigint {
      let last = 0n
      const statuses: (string | null)[] = []
      for (let i = 0; i < pets.length; i += CREATED_VALUES) {
        const [name, categoryId, status] = [pets[i] as string, pets[i + 1] as bigint, pets[i + 2] as string | null]
        last = BigInt(insert.run(name, categoryId, status).lastInsertRowid)
        statuses.push(status)
      }
      count(statuses)
      return last - BigInt(statuses.length - 1)
    },

    /** Notes who created the animals from this id on: a range that goes on becomes longer, in the same minute. */
    noteCreators(firstId: bigint, creators: readonly Creator[], minute: number): void {
      let id = firstId
      for (const [keyId, animals] of creators) {
        const last = id + BigInt(animals) - 1n
        if (keyId !== undefined && Number(lengthen.run(last, id - 1n, keyId, BigInt(minute)).changes) === 0) {
          addRange.run(id, last, BigInt(minute), keyId)
        }
        id = last + 1n
      }
    },

    /** Adds animals with their ids. */
    putPets(pets: readonly StoredPet[]): void {
      for (const { id, name, categoryId, status } of pets) {
        insertWithId.run(BigInt(id), name, BigInt(categoryId), status ?? null)
        search.noteName(BigInt(id))
      }
      count(pets.map(({ status }) => status))
    },
  }
}
