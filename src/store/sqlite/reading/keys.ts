/** Keys in SQLite. Keys are cached until another process commits, so a revocation there takes effect at once (O7). */
import type { Eventual } from '../../../common/eventual.ts'
import type { Author } from '../../author.ts'
import type { Ban, Key, KeyTerms } from '../../rows.ts'
import type { FoundKeys, KeyQuery, KeySearch, KeyStore, StoredKey, UnbanOutcome } from '../../store.ts'
import { KEY, NEWEST, toKey } from '../rows/keys.ts'
import type { Writer } from '../writing/writer.ts'
import type { Database } from './database.ts'
import { SqliteKeySearch } from './key-search.ts'

export class SqliteKeys implements KeyStore {
  readonly #database: Database
  readonly #writer: Writer
  readonly #found = new Map<string, Key>()
  readonly #search: SqliteKeySearch
  readonly #sql

  constructor(database: Database, writer: Writer) {
    this.#database = database
    this.#writer = writer
    this.#search = new SqliteKeySearch(database, (id) => this.get(id))
    this.#sql = {
      find: database.prepare(`SELECT ${KEY} FROM keys WHERE hash = ?`),
      get: database.prepare(`SELECT ${KEY} FROM keys WHERE id = ?`),
      list: database.prepare(`SELECT ${KEY} FROM keys ORDER BY created_at_ms, id LIMIT ?`),
      listAfter: database.prepare(
        `SELECT ${KEY} FROM keys WHERE (created_at_ms, id) > (?, ?) ORDER BY created_at_ms, id LIMIT ?`,
      ),
      newestOf: database.prepare(NEWEST),
      count: database.prepare('SELECT count(*) FROM keys'),
      stored: database.prepare(`SELECT ${KEY}, hash FROM keys ORDER BY created_at_ms, id`),
    }
  }

  forget(): void {
    this.#found.clear()
  }

  find(hash: string): Key | undefined {
    this.#database.look()
    const known = this.#found.get(hash)
    if (known !== undefined) return known
    const row = this.#database.read(() => this.#sql.find.get(hash))
    if (row === undefined) return undefined
    const key = toKey(row)
    this.#found.set(hash, key)
    return key
  }

  add(key: Key, hash: string, by: Author): Eventual<void> {
    return this.#writer.run('addKey', key, hash, by)
  }

  get(id: string): Key | undefined {
    const row = this.#database.read(() => this.#sql.get.get(id))
    return row && toKey(row)
  }

  list({ limit, after }: KeyQuery): readonly Key[] {
    const rows = this.#database.read(() =>
      after === undefined
        ? this.#sql.list.all(limit)
        : this.#sql.listAfter.all(BigInt(after.createdAtMs), after.id, limit),
    )
    return rows.map(toKey)
  }

  search(query: KeySearch): Promise<FoundKeys> {
    return this.#search.search(query)
  }

  newestOf(lineage: string): Key | undefined {
    const row = this.#database.read(() => this.#sql.newestOf.get(lineage))
    return row && toKey(row)
  }

  count(): number {
    const [count] = this.#database.read(() => this.#sql.count.get()) as unknown as [bigint]
    return Number(count)
  }

  /** Every key with its hash, oldest first. */
  stored(): readonly StoredKey[] {
    const rows = this.#database.read(() => this.#sql.stored.all()) as unknown as (readonly unknown[])[]
    return rows.map((row) => ({ key: toKey(row), hash: String(row.at(-1)) }))
  }

  revoke(id: string, by: Author): Eventual<boolean> {
    return this.#writer.run('revokeKey', id, by)
  }

  replace(id: string, expiresAtMs: number, successor: StoredKey, by: Author, newest?: string): Eventual<boolean> {
    return this.#writer.run('replaceKey', id, expiresAtMs, successor, by, newest)
  }

  edit(old: Key, terms: KeyTerms, by: Author): Eventual<boolean> {
    return this.#writer.run('editKey', old, terms, by)
  }

  markUsed(uses: ReadonlyMap<string, number>): Eventual<void> {
    return this.#writer.run('markKeysUsed', uses)
  }

  noteBan(lineage: string, ban: Omit<Ban, 'count'>): Eventual<void> {
    return this.#writer.run('noteBan', lineage, ban)
  }

  unban(id: string, by: Author): Eventual<UnbanOutcome> {
    return this.#writer.run('unbanKey', id, by)
  }
}
