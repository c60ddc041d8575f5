/**
 * What says where an animal came from, in the SQL that both engines understand: `created_ranges` for keys, the ranges
 * of imports, and the journal for people. A range of `created_ranges` holds the consecutive ids of animals that one key
 * created in one minute, so a busy key takes little room, and nothing moves with an animal that is changed or removed.
 * Values are bound by their numbers, which each engine writes in its own way.
 */
import { MINUTE_MS } from '../../common/clock.ts'
import type { Known, Origin } from '../origins.ts'

type Bind = (n: number, type: 'text' | 'bigint') => string

/**
 * What says where the animals of `ids`, a query with the column `id`, came from, and their references: the first row of
 * an animal holds. What is gathered to be undone is an import too, so imports come last, but what a sync has added is
 * known by its entry of the journal.
 */
export function knownOf(ids: string): string {
  return `
    WITH ids AS (${ids})
    SELECT id, 'reference' AS kind, reference AS who, 0 AS at_ms, NULL AS import_n, 0 AS place
    FROM ids JOIN pet_references ON pet_id = id
    UNION ALL SELECT id, 'key', key_id, minute * ${MINUTE_MS}, NULL, 1
    FROM ids JOIN created_ranges ON first_id = (SELECT max(first_id) FROM created_ranges WHERE first_id <= id)
    WHERE last_id >= id
    UNION ALL SELECT id, 'person', who, at_ms, to_values, 2 FROM ids JOIN journal ON pet_id = id AND act = 'add'
    UNION ALL SELECT id, 'import', who, at_ms, CAST(n AS text), 3
    FROM import_ranges CROSS JOIN ids JOIN imports ON n = import_n
    WHERE first_id <= (SELECT max(id) FROM ids) AND last_id >= (SELECT min(id) FROM ids) AND id BETWEEN first_id AND last_id
    ORDER BY place, at_ms`
}

/** Bound: who, or null; minutes; ms; the greatest number of ids. */
export function idsBy(bind: Bind, isThere: string): string {
  const [who, minute, ms] = [bind(1, 'text'), bind(2, 'bigint'), bind(3, 'bigint')]
  const ifBy = (condition: string) => `(${who} IS NULL OR ${condition})`
  return `
    SELECT pets.id FROM created_ranges JOIN pets ON pets.id BETWEEN first_id AND last_id
    WHERE minute >= ${minute} AND ${ifBy(`key_id = ${who}`)} AND ${isThere}
    UNION SELECT pets.id FROM imports JOIN import_ranges ON import_n = imports.n
      JOIN pets ON pets.id BETWEEN first_id AND last_id
    WHERE at_ms >= ${ms} AND ${ifBy(`who = ${who} OR CAST(imports.n AS text) = ${who}`)} AND ${isThere}
    UNION SELECT pets.id FROM journal JOIN pets ON pets.id = pet_id
    WHERE act = 'add' AND at_ms >= ${ms} AND ${ifBy(`who = ${who}`)} AND ${isThere}
    ORDER BY id DESC LIMIT ${bind(4, 'bigint')} + 0`
}

const ofKey = (bind: Bind, isThere: string) => `
  FROM created_ranges JOIN pets ON pets.id BETWEEN first_id AND last_id
  WHERE key_id = ${bind(1, 'text')} AND minute >= ${bind(2, 'bigint')} AND ${isThere}`

/** Bound: the key's id; minutes. */
export function countOfKey(bind: Bind, isThere: string): string {
  return `SELECT count(*) ${ofKey(bind, isThere)}`
}

/** The animals of a key that are there, as ranges of ids without gaps. Bound: the key's id; minutes. */
export function rangesOfKey(bind: Bind, isThere: string): string {
  return `
    SELECT min(id), max(id) FROM (SELECT pets.id, pets.id - row_number() OVER (ORDER BY pets.id) AS run ${ofKey(bind, isThere)}) AS runs
    GROUP BY run`
}

/** An undo removes only what has no entry since; so one of a removal is about another. Bound: the import; a number. */
export function undoneIds(bind: Bind): string {
  return `
    SELECT removed_pets.id FROM imports JOIN import_ranges ON import_n = imports.n
    JOIN removed_pets ON removed_pets.id BETWEEN first_id AND last_id
    WHERE imports.n = ${bind(1, 'bigint')} AND undone_at_ms IS NOT NULL
      AND NOT EXISTS (SELECT 1 FROM journal WHERE pet_id = removed_pets.id AND act = 'remove'
        AND journal.n = (SELECT max(n) FROM journal WHERE pet_id = removed_pets.id))
    ORDER BY removed_pets.id LIMIT ${bind(2, 'bigint')} + 0`
}

export function toMinute(ms: number): bigint {
  return BigInt(Math.floor(ms / MINUTE_MS))
}

/** What `pets imports` shows as the source of animals that were gathered to be undone. */
export function gatheredSource(keyId: string, sinceMs: number): string {
  return `key ${keyId} since ${new Date(Number(toMinute(sinceMs)) * MINUTE_MS).toISOString().slice(0, 16)}Z`
}

export type KnownRow = readonly [
  id: bigint | string | null,
  kind: string | null,
  who: string | null,
  atMs: bigint | string | null,
  importN: string | null,
]

/** Of each of `ids` what the rows say of it, in the order in which `knownOf` gives them. */
export function toKnown(ids: readonly bigint[], rows: readonly KnownRow[]): readonly Known[] {
  const references = new Map<string, string>()
  const origins = new Map<string, Origin>()
  for (const [id, kind, text, atMs, importN] of rows) {
    const [pet, who] = [String(id), text ?? '']
    if (kind === 'reference') references.set(pet, who)
    else if (!origins.has(pet)) origins.set(pet, toOrigin(kind, who, Number(atMs), importN ?? ''))
  }
  return ids.map((id) => ({ origin: origins.get(`${id}`), reference: references.get(`${id}`) }))
}

/** Of what a sync has added, `importN` is the text of its entry (`syncedValues`). */
function toOrigin(kind: string | null, who: string, atMs: number, importN: string): Origin {
  if (kind === 'key') return { kind, who, atMs, importN: undefined }
  const [, synced = importN] = /^\{"import":(\d+)/.exec(importN) ?? []
  return /^\d+$/.test(synced)
    ? { kind: 'import', who, atMs, importN: BigInt(synced) }
    : { kind: 'person', who, atMs, importN: undefined }
}
