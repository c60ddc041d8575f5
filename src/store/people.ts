/** People, invitations and sessions. Secrets are hashes. Nothing is cached, so a revocation applies on all nodes. */
import { SESSIONS_OF_ONE, STEP_BACK_MS } from '../rules/bounds.ts'
import { personValues } from '../rules/journal.ts'
import { isLinkOpen } from '../rules/people.ts'
import { ROLES, type Role } from '../rules/roles.ts'
import type { Author } from './author.ts'
import { write } from './journal.ts'
import { numberOf, Repository, type Sql, table, text, type Value } from './sql.ts'

export { SessionEnded } from './errors.ts'

const PERSON = table({
  n: ['bigint', 'people.n'],
  name: 'text',
  /** The compared form of the name, which is unique. */
  folded: 'text',
  role(cell): Role {
    const role = ROLES.find((one) => one === cell)
    if (role === undefined) throw new Error(`a person has a role that this version does not know: ${cell}`)
    return role
  },
  /** Undefined until an invitation is accepted, and after a revocation. */
  passphrase: 'text?',
  createdAtMs: ['int', 'people.created_at_ms'],
  /** To the minute. */
  lastSeenAtMs: 'int?',
  revokedAtMs: 'int?',
  invitationEndsAtMs: 'int?',
})

export type PersonRecord = ReturnType<typeof PERSON.row>

export interface NewInvitation {
  readonly name: string
  readonly folded: string
  readonly role: Role
  readonly hash: string
  readonly endsAtMs: number
}

type NewSession = { readonly hash: string; readonly atMs: number }

const SESSION = table({
  createdAtMs: ['int', 'sessions.created_at_ms'],
  /** To the minute. */
  seenAtMs: 'int',
})

export type SessionRecord = ReturnType<typeof SESSION.row> & { readonly person: PersonRecord }

/** The person who has or had this folded name. */
const OWNER = `FROM people WHERE folded = $1
  OR revoked_at_ms IS NULL AND n IN (SELECT person_n FROM former_names WHERE former_names.folded = $1)`
const MAX_FORMER_NAMES = 3
const OF_LINK = 'FROM people WHERE invitation_hash = $1'
const NO_LINK = 'invitation_hash = NULL, invitation_ends_at_ms = NULL'

export class People extends Repository {
  list(): Promise<readonly PersonRecord[]> {
    return PERSON.select(this.db.read, 'FROM people ORDER BY n')
  }

  find(folded: string): Promise<PersonRecord | undefined> {
    return PERSON.first(this.db.read, 'FROM people WHERE folded = $1', [folded])
  }

  /** Undefined if the invitation was accepted or replaced, or has expired. */
  async invitedPerson(hash: string, nowMs: number): Promise<PersonRecord | undefined> {
    const person = await PERSON.first(this.db.read, OF_LINK, [hash])
    return person && isLinkOpen(person, nowMs) ? person : undefined
  }

  async session(hash: string): Promise<SessionRecord | undefined> {
    const [row] = await this.db.read(
      `SELECT ${SESSION.columns}, ${PERSON.columns} FROM sessions JOIN people ON n = person_n WHERE hash = $1`,
      [hash],
    )
    return row && { person: PERSON.row(row.slice(2)), ...SESSION.row(row) }
  }

  /** If someone has or had the name, returns that person and changes nothing. */
  invite({ name, folded, role, hash, endsAtMs }: NewInvitation, by: Author): Promise<PersonRecord | undefined> {
    return this.#claimName(folded, undefined, async (sql) => {
      await sql(
        `INSERT INTO people (name, folded, role, created_at_ms, invitation_hash, invitation_ends_at_ms)
         VALUES ($1, $2, $3, $4, $5, $6)`,
        [name, folded, role, by.atMs, hash, endsAtMs],
      )
      await write(this.db, sql, by, [{ act: 'invite', to: personValues({ name, role }) }])
      return undefined
    })
  }

  /** Acts under the former name stay the person's. Returns another person who has or had the new name. */
  rename(
    n: bigint,
    { name, folded }: Pick<NewInvitation, 'name' | 'folded'>,
    by: Author,
  ): Promise<PersonRecord | 'too many' | undefined> {
    return this.#claimName(folded, n, async (sql) => {
      const before = await PERSON.first(sql, 'FROM people WHERE n = $1 AND name <> $2', [n, name])
      if (before === undefined) return undefined
      const former = await numberOf(sql, 'SELECT count(*) FROM former_names WHERE person_n = $1', [n])
      if (by.session !== undefined && former >= MAX_FORMER_NAMES) return 'too many'
      const keep = 'INSERT INTO former_names VALUES ($1, $2, $3) ON CONFLICT DO NOTHING'
      await sql(keep, [before.name, before.folded, n])
      await sql('UPDATE people SET name = $1, folded = $2 WHERE n = $3', [name, folded, n])
      const [from, to] = [personValues(before), personValues({ ...before, name })]
      await write(this.db, sql, by, [{ act: 'rename person', from, to }])
      return undefined
    })
  }

  /** Frees a former name. False if nobody had it. */
  freeName(folded: string, by: Author): Promise<boolean> {
    return this.db.write(async (sql) => {
      const freed = await sql('DELETE FROM former_names WHERE folded = $1 RETURNING name', [folded])
      for (const [name] of freed) {
        await write(this.db, sql, by, [{ act: 'free name', from: JSON.stringify({ person: text(name) }) }])
      }
      return freed.length > 0
    })
  }

  /** Passphrase and sessions stay until the link is used. False if the person was revoked or invited since then. */
  async reset(
    { folded, revokedAtMs }: Pick<PersonRecord, 'folded' | 'revokedAtMs'>,
    { hash, endsAtMs }: Pick<NewInvitation, 'hash' | 'endsAtMs'>,
    by: Author,
  ): Promise<boolean> {
    const update = `UPDATE people SET revoked_at_ms = NULL, invitation_hash = $1, invitation_ends_at_ms = $2
      WHERE folded = $3 AND revoked_at_ms IS NOT DISTINCT FROM CAST($4 AS bigint) RETURNING ${PERSON.columns}`
    const result = await this.#for([update, hash, endsAtMs, folded, revokedAtMs], (sql, person) =>
      write(this.db, sql, by, [{ act: 'reset passphrase', to: personValues(person) }]),
    )
    return result !== undefined
  }

  /** Ends the sessions, unless the role is the same. False if the person does not exist. */
  setRole(folded: string, role: Role, by: Author): Promise<boolean> {
    return this.#change(folded, async (sql, person) => {
      if (person.role === role) return
      await sql('UPDATE people SET role = $1 WHERE n = $2', [role, person.n])
      await endSessionsOf(sql, person.n)
      const [from, to] = [personValues(person), personValues({ ...person, role })]
      await write(this.db, sql, by, [{ act: 'change role', from, to }])
    })
  }

  /** Ends all sessions except the author's. False if the person does not exist. */
  signOut(folded: string, by: Author): Promise<boolean> {
    return this.#change(folded, async (sql, person) => {
      if ((await endSessionsOf(sql, person.n, by.session)) === 0) return
      await write(this.db, sql, by, [{ act: 'sign out everywhere', to: personValues(person) }])
    })
  }

  /** Ends an open link and all sessions except the author's. Undefined if the person does not exist. */
  setPassphrase(folded: string, passphrase: string, by: Author): Promise<PersonRecord | undefined> {
    const update = `UPDATE people SET passphrase = $1, ${NO_LINK} WHERE folded = $2 RETURNING ${PERSON.columns}`
    return this.#for([update, passphrase, folded], async (sql, { n }) => {
      await endSessionsOf(sql, n, by.session)
      await write(this.db, sql, by, [{ act: 'change passphrase' }])
    })
  }

  /** Also ends the person's other sessions. Undefined if the invitation does not exist. */
  accept(hash: string, passphrase: string, session: NewSession): Promise<PersonRecord | undefined> {
    return this.db.write(async (sql) => {
      const person = await PERSON.first(sql, `${OF_LINK} ${this.db.dialect.forUpdate}`, [hash])
      if (person === undefined || !isLinkOpen(person, session.atMs)) return undefined
      await sql(`UPDATE people SET passphrase = $1, ${NO_LINK} WHERE n = $2`, [passphrase, person.n])
      await endSessionsOf(sql, person.n)
      await beginSession(sql, person, session)
      await write(this.db, sql, { who: person.name, atMs: session.atMs }, [{ act: 'accept invitation' }])
      return { ...person, passphrase, invitationEndsAtMs: undefined }
    })
  }

  /** Ends sessions and invitation, and deletes the passphrase. False if the person does not exist. */
  revoke(folded: string, by: Author): Promise<boolean> {
    return this.#change(folded, async (sql, person) => {
      if (person.revokedAtMs !== undefined) return
      const update = `UPDATE people SET passphrase = NULL, ${NO_LINK}, revoked_at_ms = $1 WHERE n = $2`
      await sql(update, [by.atMs, person.n])
      await endSessionsOf(sql, person.n)
      await write(this.db, sql, by, [{ act: 'revoke person', from: personValues(person) }])
    })
  }

  /** False if the person was revoked, or `passphrase` is no longer the stored hash. */
  async beginSession(n: bigint, passphrase: string, session: NewSession): Promise<boolean> {
    const select = `SELECT ${PERSON.columns} FROM people WHERE n = $1 AND passphrase = $2 ${this.db.dialect.forUpdate}`
    const result = await this.#for([select, n, passphrase], async (sql, person) => {
      await beginSession(sql, person, session)
      await write(this.db, sql, { who: person.name, atMs: session.atMs }, [{ act: 'sign in' }])
    })
    return result !== undefined
  }

  async noteSeen(hash: string, atMs: number): Promise<void> {
    await this.db.write(async (sql) => {
      const person = 'SELECT person_n FROM sessions WHERE hash = $2'
      await sql(`UPDATE people SET last_seen_at_ms = $1 WHERE n = (${person})`, [atMs, hash])
      const later = 'CASE WHEN seen_at_ms < $1 THEN $1 ELSE seen_at_ms END'
      await sql(`UPDATE sessions SET seen_at_ms = ${later} WHERE hash = $2`, [atMs, hash])
    })
  }

  /** Returns the person of the session. */
  endSession(hash: string, atMs: number): Promise<PersonRecord | undefined> {
    return this.db.write(async (sql) => {
      const [row] = await sql('DELETE FROM sessions WHERE hash = $1 RETURNING person_n', [hash])
      const person = row && (await PERSON.first(sql, 'FROM people WHERE n = $1', [row[0]]))
      if (person !== undefined) await write(this.db, sql, { who: person.name, atMs }, [{ act: 'sign out' }])
      return person
    })
  }

  /** Runs `work` unless another person has or had the name. Changes of names wait for each other. */
  #claimName<T>(folded: string, n: bigint | undefined, work: (sql: Sql) => Promise<T>): Promise<PersonRecord | T> {
    return this.db.write(async (sql) => {
      await this.db.dialect.lock(sql, 'former_names')
      const owner = await PERSON.first(sql, OWNER, [folded])
      return owner !== undefined && owner.n !== n ? owner : work(sql)
    })
  }

  async #change(folded: string, work: (sql: Sql, person: PersonRecord) => Promise<void>): Promise<boolean> {
    const select = `SELECT ${PERSON.columns} FROM people WHERE folded = $1 ${this.db.dialect.forUpdate}`
    return (await this.#for([select, folded], work)) !== undefined
  }

  #for([statement, ...values]: [string, ...Value[]], work: (sql: Sql, person: PersonRecord) => Promise<unknown>) {
    return this.db.write(async (sql) => {
      const [row] = await sql(statement, values)
      const person = row && PERSON.row(row)
      if (person !== undefined) await work(sql, person)
      return person
    })
  }
}

/**
 * Ends sessions from a clock that was ahead, and the oldest beyond SESSIONS_OF_ONE. Expired sessions stay, because the
 * clock might be wrong for a moment.
 */
async function beginSession(sql: Sql, { n }: PersonRecord, { hash, atMs }: NewSession): Promise<void> {
  const newest =
    'SELECT hash FROM sessions WHERE person_n = $1 ORDER BY seen_at_ms > $3, created_at_ms DESC, hash LIMIT $2'
  const values = [n, SESSIONS_OF_ONE - 1, atMs + STEP_BACK_MS]
  await sql(`DELETE FROM sessions WHERE person_n = $1 AND hash NOT IN (${newest})`, values)
  await sql('INSERT INTO sessions VALUES ($1, $2, $3, $3)', [hash, n, atMs])
  await sql('UPDATE people SET last_seen_at_ms = $1 WHERE n = $2', [atMs, n])
}

/** All except this hash. Resolves to their number. */
async function endSessionsOf(sql: Sql, n: bigint, exceptHash = ''): Promise<number> {
  return (await sql('DELETE FROM sessions WHERE person_n = $1 AND hash <> $2 RETURNING 1', [n, exceptHash])).length
}
