/** Where animals came from, in PostgreSQL. */

import type { Author } from '../author.ts'
import type { Known, OriginQuery, PetOrigins } from '../origins.ts'
import type { PetRecord } from '../records.ts'
import {
  countOfKey,
  gatheredSource,
  idsBy,
  type KnownRow,
  knownOf,
  rangesOfKey,
  toKnown,
  toMinute,
  undoneIds,
} from '../rules/origins.ts'
import type { Database } from './connection/database.ts'
import { LIVE, toRecord } from './records.ts'

const bind = (n: number, type: string) => `$${n}::${type}`

const KNOWN = knownOf('SELECT unnest($1::bigint[]) AS id')

const GATHER = `
  WITH ranges (first_id, last_id) AS (${rangesOfKey(bind, 'true')}), gathered AS (
    INSERT INTO imports (at_ms, who, source, animals)
    SELECT $3::bigint, $4, $5, sum(last_id - first_id + 1) FROM ranges HAVING count(*) > 0 RETURNING n
  ), kept AS (
    INSERT INTO import_ranges SELECT n, first_id, last_id FROM gathered CROSS JOIN ranges
  )
  SELECT n FROM gathered`

export class PostgresOrigins implements PetOrigins {
  readonly #database: Database

  constructor(database: Database) {
    this.#database = database
  }

  async known(ids: readonly bigint[]): Promise<readonly Known[]> {
    return toKnown(ids, (await this.#database.patientQuery(KNOWN, [ids])) as unknown as KnownRow[])
  }

  async find({ by, sinceMs, limit }: OriginQuery): Promise<readonly PetRecord[]> {
    const found = await this.#database.patientQuery(idsBy(bind, 'true'), [
      ...[by ?? null, toMinute(sinceMs), sinceMs, limit],
    ])
    const rows = await this.#database.query(`${LIVE} WHERE id = ANY($1::bigint[]) ORDER BY id DESC`, [
      found.map(([id]) => id),
    ])
    return rows.map(toRecord)
  }

  async count(keyId: string, sinceMs: number): Promise<number> {
    const [row] = await this.#database.patientQuery(countOfKey(bind, 'true'), [keyId, toMinute(sinceMs)])
    return Number(row?.[0])
  }

  gather(keyId: string, sinceMs: number, by: Author): Promise<bigint | undefined> {
    return this.#database.transaction('BEGIN', async (query) => {
      const values = [keyId, toMinute(sinceMs), by.atMs, by.who, gatheredSource(keyId, sinceMs)]
      const [row] = await query(GATHER, values)
      return row === undefined ? undefined : BigInt(row[0] ?? '')
    })
  }

  async undone(importN: bigint, limit: number): Promise<readonly bigint[]> {
    const rows = await this.#database.patientQuery(undoneIds(bind), [importN, limit])
    return rows.map(([id]) => BigInt(id ?? ''))
  }
}
