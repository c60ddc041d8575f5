/** Adds animals from the API, with their counts by status and the keys that created them. */
import type { DatabaseSync } from 'node:sqlite'
import { cellsAt, MEMBER_COLUMNS, type MemberValue, STORED_MEMBERS } from '../../rows.ts'

const PET_VALUES = STORED_MEMBERS.length
const STATUS = STORED_MEMBERS.indexOf('status')

export type Creator = readonly [keyId: string | undefined, animals: number]

export function petWriter(connection: DatabaseSync) {
  const insert = connection.prepare(`INSERT INTO pets (${MEMBER_COLUMNS}) VALUES (${MEMBER_COLUMNS.map(() => '?')})`)
  const addToCount = connection.prepare('UPDATE pet_counts SET n = n + ? WHERE status = ?')
  const lengthen = connection.prepare(`
    UPDATE created_ranges SET last_id = ?
    WHERE first_id = (SELECT max(first_id) FROM created_ranges) AND last_id = ? AND key_id = ? AND minute = ?`)
  const addRange = connection.prepare('INSERT INTO created_ranges VALUES (?, ?, ?, ?)')
  return {
    /** Returns the first of the consecutive new ids. */
    create(pets: readonly MemberValue[]): bigint {
      let last = 0n
      const countOf = new Map<string, number>()
      for (let i = 0; i < pets.length; i += PET_VALUES) {
        last = BigInt(insert.run(...cellsAt(pets, i)).lastInsertRowid)
        const status = String(pets[i + STATUS] ?? 'none')
        countOf.set(status, (countOf.get(status) ?? 0) + 1)
      }
      for (const [status, n] of countOf) addToCount.run(n, status)
      return last - BigInt(pets.length / PET_VALUES - 1)
    },

    /** Records the key of these animals. A range is extended within the same minute. */
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
  }
}
