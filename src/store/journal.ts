/**
 * What the journal says: its acts, and the values of an entry before and after, as JSON objects, an int64 with all its
 * digits; and how entries are written, in the transaction of the change.
 */
import type { Author } from './author.ts'
import { SESSION_MS } from './bounds.ts'
import { SessionEnded } from './errors.ts'
import type { Ban, Key, KeyTerms } from './rows.ts'
import { big, type Database, type Sql, table, type Value } from './sql.ts'

export const JOURNAL_ACTS = [
  'add',
  'edit',
  'remove',
  'restore',
  'purge',
  'label',
  'merge',
  'undo merge',
  'word',
  'shelter',
  'import',
  'sync',
  'undo import',
  'issue key',
  'revoke key',
  'rotate key',
  'edit key',
  'ban key',
  'unban key',
  'invite',
  'accept invitation',
  'revoke person',
  'sign in',
  'sign out',
  'sign out everywhere',
  'reset passphrase',
  'change passphrase',
  'change role',
  'rename person',
  'export',
] as const
export type JournalAct = (typeof JOURNAL_ACTS)[number]

/** For a category that was named, or whose name was removed. */
export function labelValues(categoryId: bigint, label: string | undefined): string {
  return `{"categoryId":${categoryId},"label":${JSON.stringify(label ?? null)}}`
}

/** For a merge, and for its undo: the category that got the animals, and how many. Its number comes first. */
export function mergeValues(n: bigint, categoryId: bigint, animals: number | bigint): string {
  return `{"merge":${n},"categoryId":${categoryId},"animals":${animals}}`
}

/** For a word that a shelter has for a status; null is the interface's. */
export function wordValues(status: string, word: string | undefined): string {
  return JSON.stringify({ of: status, word: word ?? null })
}

/** For an import or a sync. Its number comes first: engines find the entry by it. */
export function importedValues(n: bigint, animals: number, source: string): string {
  return `{"import":${n},"animals":${animals},"source":${JSON.stringify(source)}}`
}

/** For the undo of an import: how many animals it removed, and of a sync how many it put back as they were. */
export function undoneValues(n: bigint, removed: number, putBack?: number): string {
  return `{"import":${n},"animals":${removed}${putBack === undefined ? '' : `,"putBack":${putBack}`}}`
}

interface Exported {
  readonly text: string
  readonly status: string | undefined
  readonly categoryId?: bigint | undefined
  readonly importN?: bigint | undefined
}

/** For an export; without a filter it is one of all animals. */
export function exportedValues(format: string, { text, status, categoryId, importN }: Exported): string {
  const category = categoryId === undefined ? '' : `,"categoryId":${categoryId}`
  const ofImport = importN === undefined ? '' : `,"import":${importN}`
  return `${JSON.stringify({ format, text: text || undefined, status }).slice(0, -1)}${category}${ofImport}}`
}

/** For a person invited or revoked, or given a new link, role or name. */
export function personValues({ name }: { readonly name: string }, role: string): string {
  return JSON.stringify({ person: name, role })
}

/** For a key that was issued, or that replaces `replaced`. */
export function issuedValues({ plan, perMinute, perDay, label, expiresAtMs }: Key, replaced?: string): string {
  return JSON.stringify({ plan, perMinute, perDay, label, expires: isoOf(expiresAtMs), replaces: replaced })
}

/** For a key that was replaced. */
export function replacedValues(successor: Key, expiresAtMs: number): string {
  return JSON.stringify({ successor: successor.id, expires: isoOf(expiresAtMs) })
}

/** For a key that gets its expiry back; null if it has none. */
export function expiryValue(expiresAtMs: number | undefined): string {
  return JSON.stringify({ expires: isoOf(expiresAtMs) ?? null })
}

/** Before and after, for a key that was edited: the terms that differ; undefined where none does. */
export function editedValues(old: KeyTerms, now: KeyTerms): { readonly from: string; readonly to: string } | undefined {
  const names = (['plan', 'perMinute', 'perDay', 'label'] as const).filter((name) => old[name] !== now[name])
  const valuesOf = (terms: KeyTerms) => JSON.stringify(Object.fromEntries(names.map((name) => [name, terms[name]])))
  return names.length === 0 ? undefined : { from: valuesOf(old), to: valuesOf(now) }
}

/** For a ban that has begun, or was lifted. */
export function bannedValues({ atMs, untilMs }: Pick<Ban, 'atMs' | 'untilMs'>): string {
  return JSON.stringify({ banned: isoOf(atMs), until: isoOf(untilMs) })
}

function isoOf(atMs: number | undefined): string | undefined {
  return atMs === undefined ? undefined : new Date(atMs).toISOString()
}

/** The subject of an entry, its values before and after, and the number of the entry that it takes back. */
export interface Entry {
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
})

/** Entries that one statement writes. */
const JOURNAL_BATCH_SIZE = 1_000

/** Gives an import or a sync, or what is to be undone as one, its number. */
export async function addImport(
  sql: Sql,
  { atMs, who }: Author,
  source: string,
  animals: number | bigint,
): Promise<bigint> {
  const add = 'INSERT INTO imports (at_ms, who, source, animals) VALUES ($1, $2, $3, $4) RETURNING n'
  const [[n] = []] = await sql(add, [atMs, who, source, animals])
  return big(n)
}

/** Writes entries of one act; see `writeAll`. */
export function write(
  db: Pick<Database, 'dialect'>,
  sql: Sql,
  by: Author,
  act: JournalAct,
  ...entries: readonly Entry[]
): Promise<void> {
  return writeAll(
    db,
    sql,
    by,
    entries.map((entry) => [act, entry] as const),
  )
}

/**
 * Writes entries in their order. Throws SessionEnded if the session of the author has ended. To be called last in a
 * transaction: a revocation that comes later waits for the commit, and one that was committed before is seen.
 */
export async function writeAll(
  { dialect }: Pick<Database, 'dialect'>,
  sql: Sql,
  by: Author,
  entries: readonly (readonly [JournalAct, Entry])[],
): Promise<void> {
  const { atMs, who, session } = by
  if (session !== undefined) {
    const select = `SELECT 1 FROM sessions WHERE hash = $1 AND created_at_ms > $2 ${dialect.forShare}`
    if ((await sql(select, [session, atMs - SESSION_MS])).length === 0) throw new SessionEnded()
  }
  for (let first = 0; first < entries.length; first += JOURNAL_BATCH_SIZE) {
    const rows = entries.slice(first, first + JOURNAL_BATCH_SIZE)
    const { columns, types, cells } = NEW_ENTRY
    const given = dialect.given(
      types,
      rows.map(([act, entry]) => cells({ act, ...entry })),
      3,
    )
    await sql(
      `INSERT INTO journal (at_ms, who, ${columns})
       SELECT CAST($1 AS bigint), CAST($2 AS text), ${columns} FROM ${given.from} ORDER BY place`,
      [atMs, who, ...given.values],
    )
  }
}

export interface JournalEntry extends Omit<ReturnType<typeof ENTRY.row>, 'act' | 'undoes'> {
  readonly act: JournalAct
  /** The number of the entry that this one takes back. */
  readonly undoes?: bigint
}

const ENTRY = table({
  /** Counts up from 1. */
  n: 'bigint',
  atMs: 'int',
  who: 'text',
  act: 'text',
  /** Decimal; undefined if the entry is not about a single animal. */
  petId: 'text?',
  keyId: 'text?',
  /** The values before and after, as JSON objects. */
  from: ['text?', 'from_values'],
  to: ['text?', 'to_values'],
  undoes: 'bigint?',
})

/** The entries of the journal of which this is true. */
export async function readEntries(
  sql: Sql,
  condition: string,
  values: readonly Value[],
): Promise<readonly JournalEntry[]> {
  const entries = await ENTRY.select(sql, `FROM journal WHERE ${condition}`, values)
  return entries.map(({ act: name, undoes, ...entry }) => {
    const act = JOURNAL_ACTS.find((one) => one === name)
    if (act === undefined) throw new Error(`the journal holds an act that this version does not know: ${name}`)
    return { ...entry, act, ...(undoes !== undefined && { undoes }) }
  })
}
