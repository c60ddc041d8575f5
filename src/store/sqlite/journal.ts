/** The statement that writes a journal entry. */
import type { Author, JournalAct } from '../records.ts'
import type { Connection } from './connection.ts'

/** The subject of an entry, and the values before and after, as JSON objects. */
export interface Entry {
  readonly petId?: bigint
  readonly keyId?: string
  readonly from?: string
  readonly to?: string
}

/** Writes one entry, in the transaction of the change. */
export type Enter = (by: Author, act: JournalAct, entry: Entry) => void

export function journalWriter(connection: Connection): Enter {
  const enter = connection.prepare(
    'INSERT INTO journal (at_ms, who, act, pet_id, key_id, from_values, to_values) VALUES (?, ?, ?, ?, ?, ?, ?)',
  )
  return ({ atMs, who }, act, { petId, keyId, from, to }) => {
    enter.run(BigInt(atMs), who, act, petId ?? null, keyId ?? null, from ?? null, to ?? null)
  }
}
