/** Changes of people and invitations, each with its journal entry. */

import type { Author } from '../../author.ts'
import type { NewInvitation, NewLink, NewSession, PersonRecord } from '../../people.ts'
import { personValues } from '../../rules/journal.ts'
import type { Role } from '../../rules/roles.ts'
import type { Connection } from '../file/connection.ts'
import { PERSON, toPerson } from '../rows/people.ts'
import { journalWriter } from './journal.ts'
import { begin } from './sessions.ts'

export function peopleWrites(connection: Connection) {
  const enter = journalWriter(connection)
  const byFolded = connection.prepare(`SELECT ${PERSON} FROM people WHERE folded = ?`)
  const endSessionsOf = connection.prepare('DELETE FROM sessions WHERE person_n = ?')

  return {
    /** False if the name is taken. */
    invitePerson({ name, folded, role, hash, endsAtMs }: NewInvitation, by: Author): boolean {
      const add = connection.prepare(
        `INSERT INTO people (name, folded, role, created_at_ms, invitation_hash, invitation_ends_at_ms)
         VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (folded) DO NOTHING`,
      )
      if (Number(add.run(name, folded, role, BigInt(by.atMs), hash, BigInt(endsAtMs)).changes) === 0) return false
      enter(by, 'invite', { to: personValues({ name }, role) })
      return true
    },

    /** False if the person was revoked or let back in meanwhile. */
    resetPerson(
      { folded, revokedAtMs }: Pick<PersonRecord, 'folded' | 'revokedAtMs'>,
      { hash, endsAtMs }: NewLink,
      by: Author,
    ): boolean {
      const reset = connection.prepare(
        `UPDATE people SET revoked_at_ms = NULL, invitation_hash = ?, invitation_ends_at_ms = ?
         WHERE folded = ? AND revoked_at_ms IS ? RETURNING ${PERSON}`,
      )
      const seen = revokedAtMs === undefined ? null : BigInt(revokedAtMs)
      const person = toPerson(reset.get(hash, BigInt(endsAtMs), folded, seen))
      if (person === undefined) return false
      enter(by, 'reset passphrase', { to: personValues(person, person.role) })
      return true
    },

    /** False if there is no such person. */
    setRole(folded: string, role: Role, by: Author): boolean {
      const person = toPerson(byFolded.get(folded))
      if (person === undefined) return false
      if (person.role === role) return true
      connection.prepare('UPDATE people SET role = ? WHERE n = ?').run(role, person.n)
      endSessionsOf.run(person.n)
      enter(by, 'change role', { from: personValues(person, person.role), to: personValues(person, role) })
      return true
    },

    /** False if there is no such person. */
    signOutPerson(folded: string, by: Author): boolean {
      const person = toPerson(byFolded.get(folded))
      if (person === undefined) return false
      if (Number(endSessionsOf.run(person.n).changes) === 0) return true
      enter(by, 'sign out everywhere', { to: personValues(person, person.role) })
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
      enter(by, 'revoke person', { from: personValues(person, person.role) })
      return true
    },
  }
}
