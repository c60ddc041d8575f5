/** Reads the journal (../rules/journal.ts), and writes it in the transaction of the change. */
import { SESSION_MS } from '../rules/bounds.ts'
import { JOURNAL_ACTS, type JournalAct } from '../rules/journal.ts'
import type { AnimalMembers } from '../rules/members.ts'
import type { Author } from './author.ts'
import { SessionEnded } from './errors.ts'
import { big, type Database, type Sql, selectIds, table } from './sql.ts'

/** The status is `left` while an animal without one has left. */
const STATES = { statusWas: 'text?', statusNow: 'text?', categoryWas: 'bigint?', categoryNow: 'bigint?' } as const

type State = Pick<AnimalMembers, 'status' | 'categoryId'>

/** `before` is undefined if the entry adds the animal. */
export function statesOf(before: State | undefined, after: State) {
  return {
    statusWas: before && (before.status ?? 'none'),
    statusNow: after.status ?? 'none',
    categoryWas: before?.categoryId,
    categoryNow: after.categoryId,
  }
}

export interface NewEntry extends Partial<Omit<ReturnType<typeof NEW_ENTRY.row>, 'act' | 'petId' | 'partOf'>> {
  readonly act: JournalAct
  readonly petId?: bigint
}

const NEW_ENTRY = table({
  act: 'text',
  petId: 'bigint?',
  keyId: 'text?',
  importN: 'bigint?',
  from: ['text?', 'from_values'],
  to: ['text?', 'to_values'],
  ...STATES,
  undoes: 'bigint?',
  partOf: 'bigint?',
})

/** A person changed or moved an animal that has left, and gave it no status. A sync that lists it brings it back. */
const IS_STILL_AWAY = "status_was = 'none' AND status_now = 'none' AND (import_n IS NULL OR act = 'remove')"
const AWAY = '(SELECT pet_id AS away_id FROM arrivals WHERE left_ms IS NOT NULL) AS away ON away_id = pet_id'

export const JOURNAL_BATCH_SIZE = 1_000

/** Entries about neither an animal nor a key, which a separate index finds by act. */
export const OF_NO_SUBJECT = 'pet_id IS NULL AND key_id IS NULL'

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

/** Marks what the entries undo. Throws SessionEnded. Call it last, so that a revocation is seen or waits. */
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
  const { columns, types, cells } = NEW_ENTRY
  const selected = columns
    .replace('status_was', "CASE WHEN status_was = 'none' AND away_id IS NOT NULL THEN 'left' ELSE status_was END")
    .replace('status_now', `CASE WHEN ${IS_STILL_AWAY} AND away_id IS NOT NULL THEN 'left' ELSE status_now END`)
  const insert = async (some: readonly (NewEntry & { readonly partOf?: bigint | undefined })[]) => {
    const { from, values } = dialect.inputTable(types, some.map(cells), 3)
    const rows = await sql(
      `INSERT INTO journal (at_ms, who, ${columns})
       SELECT CAST($1 AS bigint), CAST($2 AS text), ${selected}
       FROM ${from} LEFT JOIN ${AWAY} ORDER BY place RETURNING n, undoes`,
      [atMs, who, ...values],
    )
    const undone = rows.filter(([, undoes]) => undoes !== null)
    if (undone.length > 0) {
      const marks = dialect.inputTable({ undo_n: 'bigint', undone_n: 'bigint' }, undone)
      // The undo of an undo refers to the entry that applies again.
      await sql(
        `UPDATE journal SET undone_by = CASE WHEN undone_by IS NULL OR pet_id IS NULL THEN undo_n END
         FROM ${marks.from} WHERE n = undone_n`,
        marks.values,
      )
    }
    return big(rows[0]?.[0])
  }
  let { partOf } = by
  if (typeof partOf === 'object') partOf = entries.length === 0 ? undefined : await insert([partOf])
  for (let first = 0; first < entries.length; first += JOURNAL_BATCH_SIZE)
    await insert(entries.slice(first, first + JOURNAL_BATCH_SIZE).map((entry) => ({ ...entry, partOf })))
  return partOf
}

export type JournalEntry = ReturnType<typeof ENTRY.row>

export const ENTRY = table({
  n: 'bigint',
  atMs: 'int',
  who: 'text',
  act(cell): JournalAct {
    const act = JOURNAL_ACTS.find((one) => one === cell)
    if (act === undefined) throw new Error(`the journal holds an act that this version does not know: ${cell}`)
    return act
  },
  /** Decimal; undefined unless the entry is about a single animal. */
  petId: 'text?',
  keyId: 'text?',
  from: ['text?', 'from_values'],
  to: ['text?', 'to_values'],
  importN: 'bigint?',
  ...STATES,
  /** The entry that this one undoes or, after an undo of an undo, applies again. */
  undoes: 'bigint?',
  undoneBy: 'bigint?',
})

/** Whether a later entry currently changes the same. */
export const isSince = (n: string) => `undone_by IS NULL AND coalesce(undoes, 0) <= ${n}`

export const IN_EFFECT = 'undoes IS NULL AND undone_by IS NULL'
