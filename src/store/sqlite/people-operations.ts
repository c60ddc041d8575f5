/** What changes people, invitations and sessions; the acts of people leave journal entries. */
import {
  IDLE_MS,
  invitedValues,
  type NewInvitation,
  type NewSession,
  type PersonRecord,
  revokedValues,
  SESSION_MS,
  SESSIONS_OF_ONE,
} from '../people.ts'
import type { Author } from '../records.ts'
import type { Connection } from './connection.ts'
import { journalWriter } from './journal.ts'
import { PERSON, toPerson } from './person-rows.ts'

export function peopleOperations(connection: Connection) {
  const enter = journalWriter(connection)
  const byFolded = connection.prepare(`SELECT ${PERSON} FROM people WHERE folded = ?`)
  const add = connection.prepare('INSERT INTO people (name, folded, role, created_at_ms) VALUES (?, ?, ?, ?)')
  const invite = connection.prepare(
    'UPDATE people SET role = ?, revoked_at_ms = NULL, invitation_hash = ?, invitation_ends_at_ms = ? WHERE folded = ?',
  )
  const endSessionsOf = connection.prepare('DELETE FROM sessions WHERE person_n = ?')

  return {
    /** False if the name is another spelling of somebody else's. */
    invitePerson(invitation: NewInvitation, by: Author): boolean {
      const { name, folded, role, hash, endsAtMs } = invitation
      const person = toPerson(byFolded.get(folded))
      if (person !== undefined && person.name !== name) return false
      if (person === undefined) add.run(name, folded, role, BigInt(by.atMs))
      else if (person.role !== role) endSessionsOf.run(person.n)
      invite.run(role, hash, BigInt(endsAtMs), folded)
      enter(by, 'invite', invitedValues(invitation, person?.role))
      return true
    },

    acceptInvitation(hash: string, passphrase: string, session: NewSession): PersonRecord | undefined {
      const accept = connection.prepare(
        `UPDATE people SET passphrase = ?, invitation_hash = NULL, invitation_ends_at_ms = NULL
         WHERE invitation_hash = ? AND invitation_ends_at_ms > ? RETURNING ${PERSON}`,
      )
      const person = toPerson(accept.get(passphrase, hash, BigInt(session.atMs)))
      if (person === undefined) return undefined
      endSessionsOf.run(person.n)
      begin(connection, person, session)
      enter({ who: person.name, atMs: session.atMs }, 'accept invitation', {})
      return person
    },

    /** False if there is no such person. */
    revokePerson(folded: string, by: Author): boolean {
      const person = toPerson(byFolded.get(folded))
      if (person === undefined) return false
      if (person.revokedAtMs !== undefined) return true
      connection
        .prepare(
          `UPDATE people SET passphrase = NULL, invitation_hash = NULL, invitation_ends_at_ms = NULL, revoked_at_ms = ?
           WHERE n = ?`,
        )
        .run(BigInt(by.atMs), person.n)
      endSessionsOf.run(person.n)
      enter(by, 'revoke person', revokedValues(person))
      return true
    },

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

    endSession(hash: string): void {
      connection.prepare('DELETE FROM sessions WHERE hash = ?').run(hash)
    },
  }
}

function begin(connection: Connection, person: PersonRecord, { hash, atMs }: NewSession): void {
  const [now, tooOld, idle] = [BigInt(atMs), BigInt(atMs - SESSION_MS), BigInt(atMs - IDLE_MS)]
  connection.prepare('DELETE FROM sessions WHERE created_at_ms <= ? OR seen_at_ms <= ?').run(tooOld, idle)
  connection
    .prepare(
      `DELETE FROM sessions WHERE hash IN
        (SELECT hash FROM sessions WHERE person_n = ? ORDER BY created_at_ms DESC, hash LIMIT -1 OFFSET ?)`,
    )
    .run(person.n, SESSIONS_OF_ONE - 1)
  connection.prepare('INSERT INTO sessions VALUES (?, ?, ?, ?)').run(hash, person.n, now, now)
  connection.prepare('UPDATE people SET last_seen_at_ms = ? WHERE n = ?').run(now, person.n)
}
