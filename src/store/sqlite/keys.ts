/** Keys in SQLite. Found ones are kept in memory until another process commits, so a revocation there counts at once (O7). */
import type { Eventual } from '../../common/eventual.ts'
import { isPlan } from '../../contract/plans.ts'
import type { Key, KeyStore, StoredKey } from '../store.ts'
import type { Database } from './database.ts'
import type { Writer } from './writer.ts'

type KeyRow = [string, string, string, bigint, bigint, string, bigint, bigint | null, bigint | null, bigint | null]

const COLUMNS =
  'id, lineage, plan, per_minute, per_day, label, created_at_ms, expires_at_ms, revoked_at_ms, last_used_at_ms'

export class SqliteKeys implements KeyStore {
  readonly #database: Database
  readonly #writer: Writer
  readonly #found = new Map<string, Key>()
  readonly #sql

  constructor(database: Database, writer: Writer) {
    this.#database = database
    this.#writer = writer
    this.#sql = {
      find: database.prepare(`SELECT ${COLUMNS} FROM keys WHERE hash = ?`),
      list: database.prepare(`SELECT ${COLUMNS} FROM keys ORDER BY created_at_ms, id`),
      stored: database.prepare(`SELECT ${COLUMNS}, hash FROM keys ORDER BY created_at_ms, id`),
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

  add(key: Key, hash: string): Eventual<void> {
    return this.#writer.run('addKey', key, hash)
  }

  list(): readonly Key[] {
    return this.#database.read(() => this.#sql.list.all()).map(toKey)
  }

  /** Every key with its hash, oldest first. */
  stored(): readonly StoredKey[] {
    const rows = this.#database.read(() => this.#sql.stored.all()) as unknown as [...KeyRow, string][]
    return rows.map((row) => ({ key: toKey(row), hash: row[10] }))
  }

  revoke(id: string, atMs: number): Eventual<boolean> {
    return this.#writer.run('revokeKey', id, atMs)
  }

  replace(id: string, expiresAtMs: number, successor: Key, hash: string): Eventual<void> {
    return this.#writer.run('replaceKey', id, expiresAtMs, successor, hash)
  }

  markUsed(uses: ReadonlyMap<string, number>): Eventual<void> {
    return this.#writer.run('markKeysUsed', uses)
  }
}

function orUndefined(value: bigint | null): number | undefined {
  return value === null ? undefined : Number(value)
}

function toKey(row: unknown): Key {
  const [id, lineage, plan, perMinute, perDay, label, createdAtMs, expiresAtMs, revokedAtMs, lastUsedAtMs] =
    row as KeyRow
  if (!isPlan(plan)) throw new Error(`key ${id} is on a plan that this version does not know: ${plan}`)
  return {
    id,
    lineage,
    plan,
    perMinute: Number(perMinute),
    perDay: Number(perDay),
    label,
    createdAtMs: Number(createdAtMs),
    expiresAtMs: orUndefined(expiresAtMs),
    revokedAtMs: orUndefined(revokedAtMs),
    lastUsedAtMs: orUndefined(lastUsedAtMs),
  }
}
