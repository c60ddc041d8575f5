/** People and sessions in SQLite: reads here, changes by the writer (../writing/people.ts). Nothing is cached. */

import type { Eventual } from '../../../common/eventual.ts'
import type { Author } from '../../author.ts'
import type { NewInvitation, NewLink, NewSession, PeopleStore, PersonRecord, SessionRecord } from '../../people.ts'
import type { Role } from '../../rules/roles.ts'
import { PERSON, toPerson } from '../rows/people.ts'
import type { Writer } from '../writing/writer.ts'
import type { Database } from './database.ts'

export class SqlitePeople implements PeopleStore {
  readonly #database: Database
  readonly #writer: Writer
  readonly #sql

  constructor(database: Database, writer: Writer) {
    this.#database = database
    this.#writer = writer
    const ofSession = PERSON.split(', ').map((column) => `people.${column}`)
    this.#sql = {
      list: database.prepare(`SELECT ${PERSON} FROM people ORDER BY n`),
      find: database.prepare(`SELECT ${PERSON} FROM people WHERE folded = ?`),
      invited: database.prepare(`SELECT ${PERSON} FROM people WHERE invitation_hash = ? AND invitation_ends_at_ms > ?`),
      session: database.prepare(
        `SELECT ${ofSession}, sessions.created_at_ms, seen_at_ms FROM sessions JOIN people ON n = person_n WHERE hash = ?`,
      ),
    }
  }

  list(): readonly PersonRecord[] {
    return this.#database.read(() => this.#sql.list.all()).flatMap((row) => toPerson(row) ?? [])
  }

  find(folded: string): PersonRecord | undefined {
    return toPerson(this.#database.read(() => this.#sql.find.get(folded)))
  }

  invited(hash: string, nowMs: number): PersonRecord | undefined {
    return toPerson(this.#database.read(() => this.#sql.invited.get(hash, BigInt(nowMs))))
  }

  session(hash: string): SessionRecord | undefined {
    const row = this.#database.read(() => this.#sql.session.get(hash)) as unknown as bigint[] | undefined
    const person = toPerson(row)
    if (row === undefined || person === undefined) return undefined
    const [createdAtMs, seenAtMs] = row.slice(-2)
    return { person, createdAtMs: Number(createdAtMs), seenAtMs: Number(seenAtMs) }
  }

  invite(invitation: NewInvitation, by: Author): Eventual<boolean> {
    return this.#writer.run('invitePerson', invitation, by)
  }

  reset(
    { folded, revokedAtMs }: Pick<PersonRecord, 'folded' | 'revokedAtMs'>,
    link: NewLink,
    by: Author,
  ): Eventual<boolean> {
    return this.#writer.run('resetPerson', { folded, revokedAtMs }, link, by)
  }

  setRole(folded: string, role: Role, by: Author): Eventual<boolean> {
    return this.#writer.run('setRole', folded, role, by)
  }

  signOut(folded: string, by: Author): Eventual<boolean> {
    return this.#writer.run('signOutPerson', folded, by)
  }

  accept(hash: string, passphrase: string, session: NewSession): Eventual<PersonRecord | undefined> {
    return this.#writer.run('acceptInvitation', hash, passphrase, session)
  }

  revoke(folded: string, by: Author): Eventual<boolean> {
    return this.#writer.run('revokePerson', folded, by)
  }

  beginSession(n: bigint, passphrase: string, session: NewSession): Eventual<boolean> {
    return this.#writer.run('beginSession', n, passphrase, session)
  }

  noteSeen(hash: string, atMs: number): Eventual<void> {
    return this.#writer.run('noteSeen', hash, atMs)
  }

  endSession(hash: string, atMs: number): Eventual<PersonRecord | undefined> {
    return this.#writer.run('endSession', hash, atMs)
  }
}
