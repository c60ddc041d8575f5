/** Where animals came from, and when. A row of `created_ranges` has consecutive ids of one key and one minute. */
import { DAY_MS, MINUTE_MS } from '../common/clock.ts'
import type { TextMember } from '../rules/members.ts'
import { textsOf } from './animals.ts'
import { type AnimalRecord, animalsOfTable } from './rows.ts'
import { IN_RANGE, Repository, selectIds, table } from './sql.ts'

export interface Origin {
  readonly kind: 'key' | 'person' | 'import'
  /** A key's id, a person's name, or `cli` and the name of the system user. */
  readonly who: string
  /** Unix ms; for a key, to the minute. */
  readonly atMs: number
  readonly importN: bigint | undefined
}

interface OriginQuery {
  /** A key's id, an author's name or the number of an import. */
  readonly by: string | undefined
  /** Unix ms; for keys, to the minute before. */
  readonly sinceMs: number
  readonly limit: number
}

export interface Provenance extends Readonly<Partial<Record<TextMember, string | undefined>>> {
  readonly origin: Origin | undefined
  readonly cameOnMs: number | undefined
  readonly returnedMs: number | undefined
  /** When a list said that it left, unless it returned. */
  readonly leftMs: number | undefined
}

const ORIGIN = table({ id: 'bigint', kind: 'text', who: 'text', atMs: 'int', importN: 'bigint?' })

const ARRIVAL = table({ petId: 'bigint', day: 'int?', returnedMs: 'int?', leftMs: 'int?' })

export class Origins extends Repository {
  async provenance(ids: readonly bigint[]): Promise<readonly Provenance[]> {
    const { dialect, read } = this.db
    const texts = await textsOf(this.db, read, ids)
    const list = dialect.inputTable(
      { id: 'bigint' },
      ids.map((id) => [id]),
    )
    const rows = await ORIGIN.select(read, originsOf(list.from), list.values)
    const origins = new Map(rows.map((row) => [row.id, toOrigin(row)]))
    const days = await ARRIVAL.select(read, `FROM arrivals WHERE ${dialect.isIn('pet_id', 1)}`, [ids])
    const arrivals = new Map(days.map(({ petId, ...arrival }) => [petId, arrival]))
    return ids.map((id) => {
      const { day, returnedMs, leftMs } = arrivals.get(id) ?? {}
      return { origin: origins.get(id), cameOnMs: day && day * DAY_MS, returnedMs, leftMs, ...texts(id) }
    })
  }

  async find({ by, sinceMs, limit }: OriginQuery): Promise<readonly AnimalRecord[]> {
    const [who, minute, ms] = ['CAST($1 AS text)', 'CAST($2 AS bigint)', 'CAST($3 AS bigint)']
    const ifBy = (condition: string) => `(${who} IS NULL OR ${condition})`
    const ids = `
      SELECT pets.id FROM created_ranges JOIN pets ON pets.id ${IN_RANGE}
      WHERE minute >= ${minute} AND ${ifBy(`key_id = ${who}`)}
      UNION SELECT pets.id FROM imports JOIN import_ranges ON import_n = imports.n
        JOIN pets ON pets.id ${IN_RANGE}
      WHERE at_ms >= ${ms} AND ${ifBy(`who = ${who} OR CAST(imports.n AS text) = ${who}`)}
      UNION SELECT pets.id FROM journal JOIN pets ON pets.id = pet_id
      WHERE act = 'add' AND at_ms >= ${ms} AND ${ifBy(`who = ${who}`)}
      ORDER BY id DESC LIMIT $4`
    const values = [by, Math.floor(sinceMs / MINUTE_MS), sinceMs, limit]
    return animalsOfTable('pets').select(this.db.scan, `FROM pets WHERE id IN (${ids}) ORDER BY id DESC`, values)
  }

  /** Animals that the undo of an import removed, and nobody else has removed since. */
  async undone(importN: bigint, limit: number): Promise<readonly bigint[]> {
    return selectIds(
      this.db.scan,
      `SELECT removed_pets.id FROM imports JOIN import_ranges ON import_n = imports.n
       JOIN removed_pets ON removed_pets.id ${IN_RANGE}
       WHERE imports.n = $1 AND undone_at_ms IS NOT NULL
         AND NOT EXISTS (SELECT 1 FROM journal WHERE pet_id = removed_pets.id AND act = 'remove'
           AND part_of IS DISTINCT FROM (SELECT max(n) FROM journal WHERE import_n = $1 AND act = 'undo import')
           AND journal.n = (SELECT max(n) FROM journal WHERE pet_id = removed_pets.id))
       ORDER BY removed_pets.id LIMIT $2`,
      [importN, limit],
    )
  }
}

/** Follows FROM. PostgreSQL does not know that only one range contains an animal, so it is looked up first. */
export const ofKeys = (animals: string) => `(
  WITH sought AS MATERIALIZED (
    SELECT *, (SELECT max(first_id) FROM created_ranges WHERE first_id <= id) AS range_id FROM ${animals}
  ) SELECT * FROM sought) AS sought CROSS JOIN created_ranges WHERE first_id = range_id AND id <= last_id`

export const ofImports = (animals: string) => `(
  WITH spans AS MATERIALIZED (
    SELECT n, who, at_ms, (SELECT min(first_id) FROM import_ranges WHERE import_n = n) AS lowest,
      (SELECT last_id FROM import_ranges WHERE import_n = n ORDER BY first_id DESC LIMIT 1) AS highest FROM imports
  ), sought AS MATERIALIZED (
    SELECT *, (SELECT max(first_id) FROM import_ranges WHERE import_n = n AND first_id <= id) AS range_id
    FROM spans CROSS JOIN ${animals} WHERE id BETWEEN lowest AND highest
  ) SELECT * FROM sought) AS sought CROSS JOIN import_ranges WHERE import_n = n AND first_id = range_id AND id <= last_id`

/** 2.1 could record the animals of a key as an import, so imports come last. */
const originsOf = (list: string) => `FROM (
  WITH ids AS MATERIALIZED (SELECT id FROM ${list})
  SELECT id, 'key' AS kind, key_id AS who, minute * ${MINUTE_MS} AS at_ms, CAST(NULL AS bigint) AS import_n, 1 AS place FROM ${ofKeys('ids')}
  UNION ALL SELECT id, 'person', who, at_ms, import_n, 2 FROM ids JOIN journal ON pet_id = id AND act = 'add'
  UNION ALL SELECT id, 'import', who, at_ms, n, 3 FROM ${ofImports('ids')}
  ) AS noted ORDER BY place DESC, at_ms DESC`

function toOrigin({ kind, who, atMs, importN }: ReturnType<typeof ORIGIN.row>): Origin {
  return { kind: kind === 'key' ? kind : importN === undefined ? 'person' : 'import', who, atMs, importN }
}
