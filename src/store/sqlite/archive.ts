/** The whole content of a SQLite file, for `pets copy`. */
import type { Eventual } from '../../common/eventual.ts'
import type { Usage } from '../../contract/limits.ts'
import { ARCHIVED_ROWS, type ArchivedTable, type Cells } from '../archived.ts'
import type { PetRow } from '../rows.ts'
import type { Archive, StoredKey } from '../store.ts'
import type { Database } from './database.ts'
import { IS_THERE, LAST_GIVEN_ID } from './import-operations.ts'
import type { SqliteKeys } from './keys.ts'
import type { SqliteUsage } from './usage.ts'
import type { Writer } from './writer.ts'

export interface ArchiveParts {
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

  putPets(pets: readonly PetRow[]): Eventual<void> {
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
    const key = columns.slice(0, keyColumns).map(([column]) => column)
    const beyond = after === undefined ? '' : `WHERE (${key}) > (${key.map(() => 'CAST(? AS INTEGER)')})`
    const texts = columns.map(([column]) => `CAST(${column} AS TEXT)`)
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
