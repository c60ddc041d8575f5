/** The whole content of a SQLite file, for `pets copy`. */

import type { Eventual } from '../../../common/eventual.ts'
import type { Usage } from '../../../contract/limits.ts'
import type { StoredPet } from '../../rows.ts'
import type { ArchivedTable, Cells } from '../../rules/archived-tables.ts'
import { ARCHIVED_ROWS } from '../../rules/bounds.ts'
import type { Archive, StoredKey } from '../../store.ts'
import type { Database } from '../reading/database.ts'
import type { SqliteKeys } from '../reading/keys.ts'
import type { SqliteUsage } from '../reading/usage.ts'
import { IS_THERE, LAST_GIVEN_ID } from '../rows/pets.ts'
import type { Writer } from '../writing/writer.ts'

interface ArchiveParts {
  readonly database: Database
  readonly writer: Writer
  readonly keys: SqliteKeys
  readonly usage: SqliteUsage
}

export class SqliteArchive implements Archive {
  readonly #parts: ArchiveParts

  constructor(parts: ArchiveParts) {
    this.#parts = parts
  }

  lastPetId(): bigint | undefined {
    const { database } = this.#parts
    const last = database.prepare(`SELECT id FROM pets WHERE ${IS_THERE} ORDER BY id DESC LIMIT 1`)
    const row = database.read(() => last.get()) as unknown as [bigint] | undefined
    return row?.[0]
  }

  putPets(pets: readonly StoredPet[]): Eventual<void> {
    return this.#parts.writer.run('putPets', pets)
  }

  keys(): readonly StoredKey[] {
    return this.#parts.keys.stored()
  }

  putKeys(keys: readonly StoredKey[]): Eventual<void> {
    return this.#parts.writer.run('putKeys', keys)
  }

  usages(): ReadonlyMap<string, Usage> {
    return this.#parts.usage.load()
  }

  putUsages(usages: ReadonlyMap<string, Usage>): Promise<void> {
    return this.#parts.usage.save(usages, new Set())
  }

  rows({ name, columns, keyColumns }: ArchivedTable, after: Cells | undefined): readonly Cells[] {
    const { database } = this.#parts
    const names = Object.keys(columns)
    const key = names.slice(0, keyColumns)
    const given = key.map((column) => `CAST(? AS ${columns[column] === 'text' ? 'TEXT' : 'INTEGER'})`)
    const beyond = after === undefined ? '' : `WHERE (${key}) > (${given})`
    const texts = names.map((column) => `CAST(${column} AS TEXT)`)
    const select = database.prepare(`SELECT ${texts} FROM ${name} ${beyond} ORDER BY ${key} LIMIT ${ARCHIVED_ROWS}`)
    return database.read(() => select.all(...(after ?? []))) as unknown as Cells[]
  }

  putRows(table: ArchivedTable, rows: readonly Cells[]): Eventual<void> {
    return this.#parts.writer.run('putRows', table, rows)
  }

  lastGivenId(): bigint {
    const { database } = this.#parts
    const [id] = database.read(() => database.prepare(LAST_GIVEN_ID).get()) as unknown as [bigint]
    return id
  }

  giveIdsAfter(id: bigint): Eventual<void> {
    return this.#parts.writer.run('giveIdsAfter', id)
  }
}
