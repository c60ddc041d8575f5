/**
 * People and sessions in PostgreSQL: each act is one transaction with its journal entry, which locks the row of the
 * person first. Nothing is cached, so a revocation on one node ends the sessions on all.
 */

import type { Author } from '../author.ts'
import type { NewInvitation, NewLink, NewSession, PeopleStore, PersonRecord, SessionRecord } from '../people.ts'
import { SESSIONS_OF_ONE } from '../rules/bounds.ts'
import { personValues } from '../rules/journal.ts'
import { isRole, type Role } from '../rules/roles.ts'
import { StoreUnavailable } from '../store.ts'
import type { Database } from './connection/database.ts'
import { TRIES, wantsRepeating } from './connection/errors.ts'
import type { Query, Row } from './connection/query.ts'
import { enter } from './journal.ts'

const PERSON = 'n, name, folded, role, passphrase, created_at_ms, last_seen_at_ms, revoked_at_ms, invitation_ends_at_ms'
const OF_SESSION = PERSON.replace(/\w+/g, 'people.$&')

export class PostgresPeople implements PeopleStore {
  readonly #database: Database

  constructor(database: Database) {
    this.#database = database
  }

  async list(): Promise<readonly PersonRecord[]> {
    return (await this.#database.query(`SELECT ${PERSON} FROM people ORDER BY n`)).map(toPerson)
  }

  find(folded: string): Promise<PersonRecord | undefined> {
    return one(this.#database.query, `SELECT ${PERSON} FROM people WHERE folded = $1`, [folded])
  }

  invited(hash: string, nowMs: number): Promise<PersonRecord | undefined> {
    const sql = `SELECT ${PERSON} FROM people WHERE invitation_hash = $1 AND invitation_ends_at_ms > $2::bigint`
    return one(this.#database.query, sql, [hash, nowMs])
  }

  async session(hash: string): Promise<SessionRecord | undefined> {
    const [row] = await this.#database.query(
      `SELECT ${OF_SESSION}, sessions.created_at_ms, seen_at_ms FROM sessions JOIN people ON n = person_n WHERE hash = $1`,
      [hash],
    )
    if (row === undefined) return undefined
    const [createdAtMs, seenAtMs] = row.slice(-2)
    return { person: toPerson(row), createdAtMs: Number(createdAtMs), seenAtMs: Number(seenAtMs) }
  }

  invite({ name, folded, role, hash, endsAtMs }: NewInvitation, by: Author): Promise<boolean> {
    return this.#database.transaction('BEGIN', async (query) => {
      const added = await query(
        `INSERT INTO people (name, folded, role, created_at_ms, invitation_hash, invitation_ends_at_ms)
         VALUES ($1, $2, $3, $4::bigint, $5, $6::bigint) ON CONFLICT (folded) DO NOTHING RETURNING n`,
        [name, folded, role, by.atMs, hash, endsAtMs],
      )
      if (added.length === 0) return false
      await enter(query, by, 'invite', [{ to: personValues({ name }, role) }])
      return true
    })
  }

  reset(
    { folded, revokedAtMs }: Pick<PersonRecord, 'folded' | 'revokedAtMs'>,
    { hash, endsAtMs }: NewLink,
    by: Author,
  ): Promise<boolean> {
    return this.#database.transaction('BEGIN', async (query) => {
      const sql = `UPDATE people SET revoked_at_ms = NULL, invitation_hash = $1, invitation_ends_at_ms = $2::bigint
        WHERE folded = $3 AND revoked_at_ms IS NOT DISTINCT FROM $4::bigint RETURNING ${PERSON}`
      const person = await one(query, sql, [hash, endsAtMs, folded, revokedAtMs ?? null])
      if (person === undefined) return false
      await enter(query, by, 'reset passphrase', [{ to: personValues(person, person.role) }])
      return true
    })
  }

  setRole(folded: string, role: Role, by: Author): Promise<boolean> {
    return this.#endingSessions(folded, async (query, person) => {
      if (person.role === role) return
      await query('UPDATE people SET role = $1 WHERE n = $2::bigint', [role, person.n])
      await endSessionsOf(query, person.n)
      const [from, to] = [personValues(person, person.role), personValues(person, role)]
      await enter(query, by, 'change role', [{ from, to }])
    })
  }

  signOut(folded: string, by: Author): Promise<boolean> {
    return this.#endingSessions(folded, async (query, person) => {
      if ((await endSessionsOf(query, person.n)) === 0) return
      await enter(query, by, 'sign out everywhere', [{ to: personValues(person, person.role) }])
    })
  }

  accept(hash: string, passphrase: string, session: NewSession): Promise<PersonRecord | undefined> {
    return this.#database.transaction('BEGIN', async (query) => {
      const sql = `UPDATE people SET passphrase = $1, invitation_hash = NULL, invitation_ends_at_ms = NULL
        WHERE invitation_hash = $2 AND invitation_ends_at_ms > $3::bigint RETURNING ${PERSON}`
      const person = await one(query, sql, [passphrase, hash, session.atMs])
      if (person === undefined) return undefined
      await endSessionsOf(query, person.n)
      await beginSession(query, person, session)
      await enter(query, { who: person.name, atMs: session.atMs }, 'accept invitation', [{}])
      return person
    })
  }

  revoke(folded: string, by: Author): Promise<boolean> {
    return this.#endingSessions(folded, async (query, person) => {
      if (person.revokedAtMs !== undefined) return
      await query(
        `UPDATE people SET passphrase = NULL, invitation_hash = NULL, invitation_ends_at_ms = NULL,
           revoked_at_ms = $1::bigint
         WHERE n = $2::bigint`,
        [by.atMs, person.n],
      )
      await endSessionsOf(query, person.n)
      await enter(query, by, 'revoke person', [{ from: personValues(person, person.role) }])
    })
  }

  /**
   * Does `work` for this person, whose row is locked; false if there is none. Two people who shut each other out at the
   * same moment wait for each other's sessions: the server ends one of the two transactions, which then finds its own
   * session ended.
   */
  async #endingSessions(folded: string, work: (query: Query, person: PersonRecord) => Promise<void>): Promise<boolean> {
    for (let left = TRIES - 1; ; left -= 1) {
      try {
        return await this.#database.transaction('BEGIN', async (query) => {
          const person = await one(query, `SELECT ${PERSON} FROM people WHERE folded = $1 FOR UPDATE`, [folded])
          if (person === undefined) return false
          await work(query, person)
          return true
        })
      } catch (error) {
        if (left === 0 || !(error instanceof StoreUnavailable && wantsRepeating(error.cause))) throw error
      }
    }
  }

  beginSession(n: bigint, passphrase: string, session: NewSession): Promise<boolean> {
    return this.#database.transaction('BEGIN', async (query) => {
      const sql = `SELECT ${PERSON} FROM people WHERE n = $1::bigint AND passphrase = $2 FOR UPDATE`
      const person = await one(query, sql, [n, passphrase])
      if (person === undefined) return false
      await beginSession(query, person, session)
      await enter(query, { who: person.name, atMs: session.atMs }, 'sign in', [{}])
      return true
    })
  }

  async noteSeen(hash: string, atMs: number): Promise<void> {
    await this.#database.change(
      `WITH seen AS (
         UPDATE sessions SET seen_at_ms = greatest(seen_at_ms, $1::bigint) WHERE hash = $2 RETURNING person_n
       )
       UPDATE people SET last_seen_at_ms = $1::bigint FROM seen WHERE n = person_n`,
      [atMs, hash],
    )
  }

  endSession(hash: string, atMs: number): Promise<PersonRecord | undefined> {
    return this.#database.transaction('BEGIN', async (query) => {
      const sql = `DELETE FROM sessions USING people WHERE hash = $1 AND n = person_n RETURNING ${OF_SESSION}`
      const person = await one(query, sql, [hash])
      if (person !== undefined) await enter(query, { who: person.name, atMs }, 'sign out', [{}])
      return person
    })
  }
}

async function beginSession(query: Query, { n }: PersonRecord, { hash, atMs }: NewSession): Promise<void> {
  await query(
    `DELETE FROM sessions WHERE hash IN
       (SELECT hash FROM sessions WHERE person_n = $1::bigint ORDER BY created_at_ms DESC, hash OFFSET $2)`,
    [n, SESSIONS_OF_ONE - 1],
  )
  await query('INSERT INTO sessions VALUES ($1, $2::bigint, $3::bigint, $3::bigint)', [hash, n, atMs])
  await query('UPDATE people SET last_seen_at_ms = $1::bigint WHERE n = $2::bigint', [atMs, n])
}

/** How many there were. */
async function endSessionsOf(query: Query, n: bigint): Promise<number> {
  return (await query('DELETE FROM sessions WHERE person_n = $1::bigint RETURNING 1', [n])).length
}

async function one(query: Query, sql: string, values: readonly unknown[]): Promise<PersonRecord | undefined> {
  const [row] = await query(sql, values)
  return row === undefined ? undefined : toPerson(row)
}

/** `row` begins with the columns of PERSON. */
function toPerson(row: Row): PersonRecord {
  const [n, name, folded, role, passphrase, createdAtMs, lastSeenAtMs, revokedAtMs, invitationEndsAtMs] = row
  if (!isRole(role)) throw new Error(`${name} has a role that this version does not know: ${role}`)
  return {
    n: BigInt(n ?? ''),
    name: name ?? '',
    folded: folded ?? '',
    role,
    passphrase: passphrase ?? undefined,
    createdAtMs: Number(createdAtMs),
    lastSeenAtMs: typeof lastSeenAtMs === 'string' ? Number(lastSeenAtMs) : undefined,
    revokedAtMs: typeof revokedAtMs === 'string' ? Number(revokedAtMs) : undefined,
    invitationEndsAtMs: typeof invitationEndsAtMs === 'string' ? Number(invitationEndsAtMs) : undefined,
  }
}
