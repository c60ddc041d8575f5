/** Reads and writes everything for `pets copy`, with ids, hashes and counts. The schema names the tables. */
import type { Counter } from '../contract/limits.ts'
import { ARCHIVED_ROWS } from '../rules/bounds.ts'
import { saveCounters, selectCounters, toCounters } from './counter-rows.ts'
import { MEMBER_COLUMNS, MEMBER_TYPES, newCells, type StoredAnimal } from './rows.ts'
import { big, type Dialect, type Methods, Repository, text } from './sql.ts'

export type ArchivedTable = { readonly name: string } & Awaited<ReturnType<Dialect['columnsOf']>>

export type Cells = readonly (string | null)[]

/** Tables that are copied otherwise, derived, left over from 2.1, or valid in one database only, such as sessions. */
const OTHERS =
  'pets counters pet_counts changes identity pets_schema sessions additions ledger ledger_saves nodes'.split(' ')

export type Archive = Methods<Archives>

export class Archives extends Repository {
  async lastPetId(): Promise<bigint | undefined> {
    const [row] = await this.db.scan('SELECT max(id) FROM pets')
    return row === undefined || row[0] === null ? undefined : big(row[0])
  }

  /** Adds animals with their ids in one commit. Ids assigned later are greater. */
  async putAnimals(pets: readonly StoredAnimal[]): Promise<void> {
    const last = pets.at(-1)
    if (last === undefined) return
    const columns = `id, ${MEMBER_COLUMNS}`
    const rows = pets.map((pet) => [
      BigInt(pet.id),
      ...newCells({ ...pet, categoryId: BigInt(pet.categoryId), status: pet.status ?? null }),
    ])
    const input = this.db.dialect.inputTable({ id: 'bigint', ...MEMBER_TYPES }, rows)
    await this.db.write(async (sql) => {
      await sql(`INSERT INTO pets (${columns}) SELECT ${columns} FROM ${input.from} ORDER BY id`, input.values)
      await this.db.dialect.addToCounts(sql, input.from, input.values)
      await this.db.dialect.reserveIdsUpTo(sql, BigInt(last.id))
    })
  }

  async counters(): Promise<ReadonlyMap<string, Counter>> {
    return toCounters(await this.db.scan(selectCounters(this.db.dialect)))
  }

  putCounters(counters: ReadonlyMap<string, Counter>): Promise<void> {
    return saveCounters(this.db, counters)
  }

  async tables(): Promise<readonly ArchivedTable[]> {
    const { dialect } = this.db
    const names = (await this.db.scan(dialect.tables))
      .map(([name]) => text(name))
      .filter((one) => !OTHERS.includes(one))
    return Promise.all(names.sort().map(async (name) => ({ name, ...(await dialect.columnsOf(this.db.scan, name)) })))
  }

  /** The next rows of a table in the order of its key. Empty at the end. */
  async rows({ name, columns, keyColumns }: ArchivedTable, after: Cells | undefined): Promise<readonly Cells[]> {
    const names = Object.keys(columns)
    const key = names.slice(0, keyColumns).map((column) => `${name}.${column}`)
    const last = key.map((_, n) => `CAST($${n + 1} AS ${Object.values(columns)[n]})`)
    const beyond = after === undefined ? '' : `WHERE (${key}) > (${last})`
    const rows = await this.db.scan(
      `SELECT ${names} FROM ${name} ${beyond} ORDER BY ${key} LIMIT ${ARCHIVED_ROWS}`,
      after ?? [],
    )
    return rows.map((row) => row.map((cell) => (cell === null ? null : String(cell))))
  }

  async putRows({ name, columns, keyColumns }: ArchivedTable, rows: readonly Cells[]): Promise<void> {
    const names = Object.keys(columns)
    const types = Object.values(columns)
    const typed = rows.map((row) =>
      row.map((cell, n) => (cell !== null && types[n] === 'bigint' ? BigInt(cell) : cell)),
    )
    const input = this.db.dialect.inputTable(columns, typed)
    const values = names.slice(keyColumns).map((column) => `${column} = excluded.${column}`)
    await this.db.write(async (sql) => {
      await sql(
        `INSERT INTO ${name} (${names}) SELECT ${names} FROM ${input.from} WHERE true
         ON CONFLICT (${names.slice(0, keyColumns)}) ${values.length === 0 ? 'DO NOTHING' : `DO UPDATE SET ${values}`}`,
        input.values,
      )
      if (names[0] === 'n') await this.db.dialect.continueAfter(sql, name)
    })
  }

  /** The greatest id ever assigned, also to deleted animals (R4); 0 if there was none. */
  async lastGivenId(): Promise<bigint> {
    const [row] = await this.db.scan(this.db.dialect.lastGivenId)
    return big(row?.[0])
  }

  reserveIdsUpTo(id: bigint): Promise<void> {
    return this.db.write((sql) => this.db.dialect.reserveIdsUpTo(sql, id))
  }
}
