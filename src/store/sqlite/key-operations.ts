/** What changes keys, with an entry in the journal each. */
import { type Author, issuedValues, replacedValues } from '../records.ts'
import type { Key } from '../rows.ts'
import type { StoredKey } from '../store.ts'
import type { Connection } from './connection.ts'
import { journalWriter } from './journal.ts'

export function keyOperations(connection: Connection) {
  const insert = connection.prepare(
    `INSERT INTO keys (id, lineage, plan, per_minute, per_day, label, created_at_ms, expires_at_ms, revoked_at_ms,
      last_used_at_ms, hash) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  )
  const enter = journalWriter(connection)
  const exists = connection.prepare('SELECT 1 FROM keys WHERE id = ?')
  const revoke = connection.prepare('UPDATE keys SET revoked_at_ms = ? WHERE id = ? AND revoked_at_ms IS NULL')
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
    addKey(key: Key, hash: string, by: Author): void {
      addKey(key, hash)
      enter(by, 'issue key', { keyId: key.id, to: issuedValues(key) })
    },

    /** Adds those whose id is not there yet. */
    putKeys(keys: readonly StoredKey[]): void {
      for (const { key, hash } of keys) if (exists.get(key.id) === undefined) addKey(key, hash)
    },

    /** False when there is no such key. */
    revokeKey(id: string, by: Author): boolean {
      if (Number(revoke.run(BigInt(by.atMs), id).changes) === 0) return exists.get(id) !== undefined
      enter(by, 'revoke key', { keyId: id })
      return true
    },

    replaceKey(id: string, expiresAtMs: number, { key, hash }: StoredKey, by: Author): void {
      expire.run(BigInt(expiresAtMs), id)
      enter(by, 'rotate key', { keyId: id, to: replacedValues(key, expiresAtMs) })
      addKey(key, hash)
      enter(by, 'issue key', { keyId: key.id, to: issuedValues(key, id) })
    },

    markKeysUsed(uses: ReadonlyMap<string, number>): void {
      for (const [id, atMs] of uses) markUsed.run(BigInt(atMs), id)
    },
  }
}

function orNull(value: number | undefined): bigint | null {
  return value === undefined ? null : BigInt(value)
}
