/** The whole of a SQLite file as it is, for `pets copy`. */
import type { Usage } from '../../contract/limits.ts'
import type { Archive, PetRow, StoredKey } from '../store.ts'
import type { Database } from './database.ts'
import type { SqliteKeys } from './keys.ts'
import { SqliteUsage } from './usage.ts'

export class SqliteArchive implements Archive {
  readonly #database: Database
  readonly #keys: SqliteKeys

  constructor(database: Database, keys: SqliteKeys) {
    this.#database = database
    this.#keys = keys
  }

  lastPetId(): bigint | undefined {
    const [last] = this.#database.read(() => this.#database.prepare('SELECT max(id) FROM pets').get()) as unknown as [
      bigint | null,
    ]
    return last ?? undefined
  }

  putPets(pets: readonly PetRow[]): void {
    const insert = this.#database.prepare('INSERT INTO pets (id, name, category_id, status) VALUES (?, ?, ?, ?)')
    const addToCount = this.#database.prepare('UPDATE pet_counts SET n = n + 1 WHERE status = ?')
    this.#database.write(() => {
      for (const { id, name, categoryId, status } of pets) {
        insert.run(BigInt(id), name, BigInt(categoryId), status ?? null)
        addToCount.run(status ?? 'none')
      }
    })
  }

  keys(): readonly StoredKey[] {
    return this.#keys.stored()
  }

  putKeys(keys: readonly StoredKey[]): void {
    for (const { key, hash } of keys) if (this.#keys.get(key.id) === undefined) this.#keys.add(key, hash)
  }

  usages(): ReadonlyMap<string, Usage> {
    return new SqliteUsage(this.#database).load()
  }

  putUsages(usages: ReadonlyMap<string, Usage>): void {
    new SqliteUsage(this.#database).save(usages, [])
  }
}
