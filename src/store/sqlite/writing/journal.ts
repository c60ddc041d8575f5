/** The statement that writes a journal entry, unless the session of its author has ended. */

import type { Author } from '../../author.ts'
import { SessionEnded } from '../../people.ts'
import { SESSION_MS } from '../../rules/bounds.ts'
import type { JournalAct } from '../../rules/journal.ts'
import type { Connection } from '../file/connection.ts'

/** The subject of an entry, and the values before and after, as JSON objects. */
interface Entry {
  readonly petId?: bigint
  readonly keyId?: string
  readonly from?: string
  readonly to?: string
}

/** Writes one entry, in the transaction of the change. Throws SessionEnded. */
type Enter = (by: Author, act: JournalAct, entry: Entry) => void

export function journalWriter(connection: Connection): Enter {
  const enter = connection.prepare(
    'INSERT INTO journal (at_ms, who, act, pet_id, key_id, from_values, to_values) VALUES (?, ?, ?, ?, ?, ?, ?)',
  )
  const assertSession = sessionAssertion(connection)
  return (by, act, { petId, keyId, from, to }) => {
    assertSession(by)
    const { atMs, who } = by
    enter.run(BigInt(atMs), who, act, petId ?? null, keyId ?? null, from ?? null, to ?? null)
  }
}

/** The result throws SessionEnded if the change is made in a session that does not hold any more. */
export function sessionAssertion(connection: Connection): (by: Author) => void {
  const find = connection.prepare('SELECT 1 FROM sessions WHERE hash = ? AND created_at_ms > ?')
  return ({ session, atMs }) => {
    if (session === undefined) return
    if (find.get(session, BigInt(atMs - SESSION_MS)) === undefined) throw new SessionEnded()
  }
}
