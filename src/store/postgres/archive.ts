/** The whole content of a PostgreSQL database, for `pets copy`. */

import type { Usage } from '../../contract/limits.ts'
import type { StoredPet } from '../rows.ts'
import type { ArchivedTable, Cells } from '../rules/archived-tables.ts'
import { ARCHIVED_ROWS } from '../rules/bounds.ts'
import type { Archive, StoredKey } from '../store.ts'
import type { Database } from './connection/database.ts'
import { giveIdsAfter } from './ids.ts'
import { insertKeys, storedKeys } from './keys.ts'

const USAGE_COLUMNS = 'subject, minute, minute_count, day, day_count, refused_at_ms, banned_until_ms, ban_limit'

export class PostgresArchive implements Archive {
  readonly #database: Database

  constructor(database: Database) {
    this.#database = database
  }

  async lastPetId(): Promise<bigint | undefined> {
    const [row] = await this.#database.query('SELECT max(id) FROM pets')
    return typeof row?.[0] === 'string' ? BigInt(row[0]) : undefined
  }

  async putPets(pets: readonly StoredPet[]): Promise<void> {
    const last = pets.at(-1)
    if (last === undefined) return
    await this.#database.transaction('BEGIN', async (query) => {
      await query(
        `INSERT INTO pets (id, name, category_id, status) SELECT * FROM unnest($1::bigint[], $2::text[], $3::bigint[], $4::text[])`,
        [
          pets.map(({ id }) => id),
          pets.map(({ name }) => name),
          pets.map(({ categoryId }) => categoryId),
          pets.map(({ status }) => status ?? null),
        ],
      )
      await giveIdsAfter(query, BigInt(last.id))
    })
  }

  keys(): Promise<readonly StoredKey[]> {
    return storedKeys(this.#database.query)
  }

  async putKeys(keys: readonly StoredKey[]): Promise<void> {
    await insertKeys(this.#database.query, keys, { keepExisting: true })
  }

  async usages(): Promise<ReadonlyMap<string, Usage>> {
    const rows = await this.#database.patientQuery(
      `SELECT ${USAGE_COLUMNS.replace('refused_at_ms', 'array_to_json(refused_at_ms)')} FROM counters`,
    )
    return new Map(
      rows.map(([subject, minute, minuteCount, day, dayCount, refusedAtMs, bannedUntilMs, banLimit]) => [
        subject ?? '',
        {
          minute: Number(minute),
          minuteCount: Number(minuteCount),
          day: Number(day),
          dayCount: Number(dayCount),
          refusedAtMs: JSON.parse(refusedAtMs ?? '[]') as number[],
          bannedUntilMs: Number(bannedUntilMs),
          banLimit: Number(banLimit),
        },
      ]),
    )
  }

  async putUsages(usages: ReadonlyMap<string, Usage>): Promise<void> {
    const list = [...usages.values()]
    await this.#database.patientQuery(
      `
      INSERT INTO counters (${USAGE_COLUMNS})
      SELECT subject, minute, minute_count, day, day_count, refused_at_ms::bigint[], banned_until_ms, ban_limit
      FROM unnest($1::text[], $2::bigint[], $3::bigint[], $4::bigint[], $5::bigint[], $6::text[], $7::bigint[], $8::bigint[])
        AS usage (${USAGE_COLUMNS})
      ORDER BY subject
      ON CONFLICT (subject) DO UPDATE SET (${USAGE_COLUMNS}) = ROW (${USAGE_COLUMNS.replace(/\w+/g, 'excluded.$&')})`,
      [
        [...usages.keys()],
        list.map(({ minute }) => minute),
        list.map(({ minuteCount }) => minuteCount),
        list.map(({ day }) => day),
        list.map(({ dayCount }) => dayCount),
        list.map(({ refusedAtMs }) => `{${refusedAtMs.join(',')}}`),
        list.map(({ bannedUntilMs }) => bannedUntilMs),
        list.map(({ banLimit }) => banLimit),
      ],
    )
  }

  rows({ name, columns, keyColumns }: ArchivedTable, after: Cells | undefined): Promise<readonly Cells[]> {
    // Qualified, because the bare name means the result's column, which is text and sorts 10 before 2.
    const names = Object.keys(columns)
    const key = names.slice(0, keyColumns).map((column) => `${name}.${column}`)
    const beyond =
      after === undefined ? '' : `WHERE (${key}) > (${key.map((_, n) => `$${n + 1}::${Object.values(columns)[n]}`)})`
    return this.#database.patientQuery(
      `SELECT ${names.map((column) => `${column}::text`)} FROM ${name} ${beyond} ORDER BY ${key} LIMIT ${ARCHIVED_ROWS}`,
      after ?? [],
    ) as Promise<readonly Cells[]>
  }

  /** The sequences of the journal, of imports and of people continue after the rows put. */
  async putRows({ name, columns, keyColumns, isReplaced }: ArchivedTable, rows: readonly Cells[]): Promise<void> {
    const names = Object.keys(columns)
    const values = names.slice(keyColumns)
    const replacing = `(${names.slice(0, keyColumns)}) DO UPDATE SET (${values}) = ROW (${values.map((of) => `excluded.${of}`)})`
    await this.#database.transaction('BEGIN', async (query) => {
      await query(
        `INSERT INTO ${name} (${names})
         SELECT * FROM unnest(${Object.values(columns).map((type, n) => `$${n + 1}::${type}[]`)})
         ON CONFLICT ${isReplaced ? replacing : 'DO NOTHING'}`,
        names.map((_, n) => rows.map((row) => row[n] ?? null)),
      )
      if (names[0] === 'n') {
        await query(`SELECT setval(pg_get_serial_sequence('${name}', 'n'), max(n)) FROM ${name} HAVING max(n) > 0`)
      }
    })
  }

  async lastGivenId(): Promise<bigint> {
    const [row] = await this.#database.query('SELECT CASE WHEN is_called THEN last_value ELSE 0 END FROM pet_ids')
    return BigInt(row?.[0] ?? '0')
  }

  async giveIdsAfter(id: bigint): Promise<void> {
    await giveIdsAfter(this.#database.query, id)
  }
}
