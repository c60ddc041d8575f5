/** Begins, uses and ends sessions; beginning and ending write journal entries. */

import type { NewSession, PersonRecord } from '../../people.ts'
import { SESSIONS_OF_ONE } from '../../rules/bounds.ts'
import type { Connection } from '../file/connection.ts'
import { PERSON, toPerson } from '../rows/people.ts'
import { journalWriter } from './journal.ts'

export function sessionWrites(connection: Connection) {
  const enter = journalWriter(connection)
  return {
    beginSession(n: bigint, passphrase: string, session: NewSession): boolean {
      const person = toPerson(
        connection.prepare(`SELECT ${PERSON} FROM people WHERE n = ? AND passphrase = ?`).get(n, passphrase),
      )
      if (person === undefined) return false
      begin(connection, person, session)
      enter({ who: person.name, atMs: session.atMs }, 'sign in', {})
      return true
    },

    noteSeen(hash: string, atMs: number): void {
      const note = connection.prepare(
        'UPDATE sessions SET seen_at_ms = max(seen_at_ms, ?) WHERE hash = ? RETURNING person_n',
      )
      const row = note.get(BigInt(atMs), hash) as unknown as [bigint] | undefined
      if (row === undefined) return
      connection.prepare('UPDATE people SET last_seen_at_ms = ? WHERE n = ?').run(BigInt(atMs), row[0])
    },

    endSession(hash: string, atMs: number): PersonRecord | undefined {
      const whose = connection.prepare('DELETE FROM sessions WHERE hash = ? RETURNING person_n').get(hash)
      if (whose === undefined) return undefined
      const [n] = whose as unknown as [bigint]
      const person = toPerson(connection.prepare(`SELECT ${PERSON} FROM people WHERE n = ?`).get(n))
      if (person !== undefined) enter({ who: person.name, atMs }, 'sign out', {})
      return person
    },
  }
}

/**
 * Ends the person's oldest sessions beyond SESSIONS_OF_ONE. Expired ones are not deleted here: expiry is checked on
 * use, and a clock that is wrong for a moment must not end any for good.
 */
export function begin(connection: Connection, person: PersonRecord, { hash, atMs }: NewSession): void {
  const now = BigInt(atMs)
  connection
    .prepare(
      `DELETE FROM sessions WHERE hash IN
        (SELECT hash FROM sessions WHERE person_n = ? ORDER BY created_at_ms DESC, hash LIMIT -1 OFFSET ?)`,
    )
    .run(person.n, SESSIONS_OF_ONE - 1)
  connection.prepare('INSERT INTO sessions VALUES (?, ?, ?, ?)').run(hash, person.n, now, now)
  connection.prepare('UPDATE people SET last_seen_at_ms = ? WHERE n = ?').run(now, person.n)
}
