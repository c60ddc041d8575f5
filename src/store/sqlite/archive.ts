/** The whole content of a SQLite file, for `pets copy`. */
import type { Eventual } from '../../common/eventual.ts'
import type { Usage } from '../../contract/limits.ts'
import type { Archive, PetRow, StoredKey } from '../store.ts'
import type { Database } from './database.ts'
import { IS_THERE } from './import-operations.ts'
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
}
