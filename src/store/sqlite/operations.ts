/**
 * Every change of the file, by name; each runs within a transaction. Arguments and results can be sent between threads,
 * because the service runs these in its writer thread (writer-thread.ts) and a command in its only thread.
 */
import type { Usage } from '../../contract/limits.ts'
import type { NewPet } from '../../contract/schemas.ts'
import type { Key, PetRow, StoredKey } from '../store.ts'
import { categoryOperations } from './category-operations.ts'
import type { Connection } from './connection.ts'
import { importOperations } from './import-operations.ts'
import { recordOperations } from './record-operations.ts'
import { stagingOperations } from './staging-operations.ts'
import { undoOperations } from './undo-operations.ts'

/** Name, category and status of each animal in turn: one flat array is cheaper to send than many objects. */
export type FlatPets = (string | bigint | null)[]
export const FLAT_PET = 3

export type Operations = ReturnType<typeof operations>

export function operations(connection: Connection) {
  return {
    ...petOperations(connection),
    ...keyOperations(connection),
    ...usageOperations(connection),
    ...stagingOperations(connection),
    ...importOperations(connection),
    ...categoryOperations(connection),
    ...recordOperations(connection),
    ...undoOperations(connection),
  }
}

function petOperations(connection: Connection) {
  const insert = connection.prepare('INSERT INTO pets (name, category_id, status) VALUES (?, ?, ?)')
  const insertWithId = connection.prepare('INSERT INTO pets (id, name, category_id, status) VALUES (?, ?, ?, ?)')
  const addToCount = connection.prepare('UPDATE pet_counts SET n = n + ? WHERE status = ?')
  const count = (statuses: Iterable<string | null | undefined>) => {
    const added = new Map<string, number>()
    for (const status of statuses) added.set(status ?? 'none', (added.get(status ?? 'none') ?? 0) + 1)
    for (const [status, n] of added) addToCount.run(n, status)
  }
  return {
    /** Returns the first of the new ids; the others are consecutive. */
    createPets(pets: FlatPets): bigint {
      let last = 0n
      const statuses: (string | null)[] = []
      for (let i = 0; i < pets.length; i += FLAT_PET) {
        const [name, categoryId, status] = [pets[i] as string, pets[i + 1] as bigint, pets[i + 2] as string | null]
        last = BigInt(insert.run(name, categoryId, status).lastInsertRowid)
        statuses.push(status)
      }
      count(statuses)
      return last - BigInt(statuses.length - 1)
    },

    /** Adds animals with their ids. */
    putPets(pets: readonly PetRow[]): void {
      for (const { id, name, categoryId, status } of pets) {
        insertWithId.run(BigInt(id), name, BigInt(categoryId), status ?? null)
      }
      count(pets.map(({ status }) => status))
    },
  }
}

export function flatten(pets: Iterable<NewPet>): FlatPets {
  const flat: FlatPets = []
  for (const { name, categoryId, status } of pets) flat.push(name, categoryId, status ?? null)
  return flat
}

function keyOperations(connection: Connection) {
  const insert = connection.prepare(
    `INSERT INTO keys (id, lineage, plan, per_minute, per_day, label, created_at_ms, expires_at_ms, revoked_at_ms,
      last_used_at_ms, hash) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  )
  const exists = connection.prepare('SELECT 1 FROM keys WHERE id = ?')
  const revoke = connection.prepare('UPDATE keys SET revoked_at_ms = coalesce(revoked_at_ms, ?) WHERE id = ?')
  const expire = connection.prepare(
    'UPDATE keys SET expires_at_ms = min(coalesce(expires_at_ms, ?1), ?1) WHERE id = ?2',
  )
  const markUsed = connection.prepare('UPDATE keys SET last_used_at_ms = ? WHERE id = ?')
  const addKey = (key: Key, hash: string) => {
    const { id, lineage, plan, perMinute, perDay, label, createdAtMs, expiresAtMs, revokedAtMs, lastUsedAtMs } = key
    const numbers = [BigInt(createdAtMs), orNull(expiresAtMs), orNull(revokedAtMs), orNull(lastUsedAtMs)]
    insert.run(id, lineage, plan, BigInt(perMinute), BigInt(perDay), label, ...numbers, hash)
  }
  return {
    addKey(key: Key, hash: string): void {
      addKey(key, hash)
    },

    /** Adds the keys whose id does not exist yet. */
    putKeys(keys: readonly StoredKey[]): void {
      for (const { key, hash } of keys) if (exists.get(key.id) === undefined) addKey(key, hash)
    },

    /** False if there is no such key. */
    revokeKey(id: string, atMs: number): boolean {
      return Number(revoke.run(BigInt(atMs), id).changes) > 0
    },

    replaceKey(id: string, expiresAtMs: number, successor: Key, hash: string): void {
      expire.run(BigInt(expiresAtMs), id)
      addKey(successor, hash)
    },

    markKeysUsed(uses: ReadonlyMap<string, number>): void {
      for (const [id, atMs] of uses) markUsed.run(BigInt(atMs), id)
    },
  }
}

function orNull(value: number | undefined): bigint | null {
  return value === undefined ? null : BigInt(value)
}

function usageOperations(connection: Connection) {
  const save = connection.prepare('INSERT OR REPLACE INTO counters VALUES (?, ?, ?, ?, ?, ?, ?, ?)')
  const drop = connection.prepare('DELETE FROM counters WHERE subject = ?')
  return {
    saveUsage(used: ReadonlyMap<string, Usage>, spent: Iterable<string>): void {
      for (const subject of spent) drop.run(subject)
      for (const [subject, usage] of used) {
        save.run(
          subject,
          BigInt(usage.minute),
          BigInt(usage.minuteCount),
          BigInt(usage.day),
          BigInt(usage.dayCount),
          JSON.stringify(usage.refusedAtMs),
          BigInt(usage.bannedUntilMs),
          BigInt(usage.banLimit),
        )
      }
    },
  }
}
