/** The journal: how its entries (../rules/journal.ts) are read, and written in the transaction of the change. */

import { SESSION_MS } from '../rules/bounds.ts'
import { JOURNAL_ACTS, type JournalAct } from '../rules/journal.ts'
import type { Author } from './author.ts'
import { SessionEnded } from './errors.ts'
import { big, type Database, type InputTable, type Sql, selectIds, table } from './sql.ts'

/** An act, its subject, the values before and after, and the number of the entry that it takes back. */
export interface NewEntry {
  readonly act: JournalAct
  readonly petId?: bigint
  readonly keyId?: string
  readonly from?: string | undefined
  readonly to?: string | undefined
  readonly undoes?: bigint | undefined
}

const NEW_ENTRY = table({
  act: 'text',
  petId: 'bigint',
  keyId: 'text',
  from: ['text', 'from_values'],
  to: ['text', 'to_values'],
  undoes: 'bigint',
  partOf: 'bigint',
})

/** Entries that one statement writes. */
export const JOURNAL_BATCH_SIZE = 1_000

/** Of entries that are about no animal and no key: by it they are found, by their act, in an index of their own. */
export const OF_NO_SUBJECT = 'pet_id IS NULL AND key_id IS NULL'

/** Gives an import or a sync, or what is to be undone as one, its number. */
export async function addImport(
  sql: Sql,
  { atMs, who }: Author,
  source: string,
  animals: number | bigint,
): Promise<bigint> {
  const add = 'INSERT INTO imports (at_ms, who, source, animals) VALUES ($1, $2, $3, $4) RETURNING n'
  const [n = 0n] = await selectIds(sql, add, [atMs, who, source, animals])
  return n
}

/**
 * Writes entries in their order, after that of the act that they are the first part of, if they are, and returns the
 * number of that. Throws SessionEnded if the session of the author has ended. To be called last in a
 * transaction: a revocation that comes later waits for the commit, and one that was committed before is seen.
 */
export async function write(
  { dialect }: Pick<Database, 'dialect'>,
  sql: Sql,
  by: Author,
  entries: readonly NewEntry[],
): Promise<bigint | undefined> {
  const { atMs, who, session } = by
  if (session !== undefined) {
    const select = `SELECT 1 FROM sessions WHERE hash = $1 AND created_at_ms > $2 ${dialect.forShare}`
    if ((await sql(select, [session, atMs - SESSION_MS])).length === 0) throw new SessionEnded()
  }
  const insert = ({ from, values }: InputTable, returning = '') =>
    sql(
      `INSERT INTO journal (at_ms, who, ${NEW_ENTRY.columns})
       SELECT CAST($1 AS bigint), CAST($2 AS text), ${NEW_ENTRY.columns} FROM ${from} ORDER BY place ${returning}`,
      [atMs, who, ...values],
    )
  const { types, cells } = NEW_ENTRY
  let { partOf } = by
  if (typeof partOf === 'object') {
    const [[n] = []] =
      entries.length === 0 ? [] : await insert(dialect.inputTable(types, [cells(partOf)], 3), 'RETURNING n')
    partOf = n === undefined ? undefined : big(n)
  }
  for (let first = 0; first < entries.length; first += JOURNAL_BATCH_SIZE) {
    const rows = entries.slice(first, first + JOURNAL_BATCH_SIZE).map((entry) => cells({ ...entry, partOf }))
    await insert(dialect.inputTable(types, rows, 3))
  }
  return partOf
}

export type JournalEntry = ReturnType<typeof ENTRY.row>

export const ENTRY = table({
  /** Counts up from 1. */
  n: 'bigint',
  atMs: 'int',
  who: 'text',
  act(cell): JournalAct {
    const act = JOURNAL_ACTS.find((one) => one === cell)
    if (act === undefined) throw new Error(`the journal holds an act that this version does not know: ${cell}`)
    return act
  },
  /** Decimal; undefined if the entry is not about a single animal. */
  petId: 'text?',
  keyId: 'text?',
  /** The values before and after, as JSON objects. */
  from: ['text?', 'from_values'],
  to: ['text?', 'to_values'],
  /** The number of the entry that this one takes back. */
  undoes: 'bigint?',
})
