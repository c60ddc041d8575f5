/** Changes of keys, each with its journal entry. */

import type { Author } from '../../records.ts'
import type { Key } from '../../rows.ts'
import { issuedValues, replacedValues } from '../../rules/journal.ts'
import type { StoredKey } from '../../store.ts'
import type { Connection } from '../file/connection.ts'
import { KEY, NEWEST } from '../rows/keys.ts'
import { journalWriter } from './journal.ts'

export function keyWrites(connection: Connection) {
  const insert = connection.prepare(`INSERT INTO keys (${KEY}, hash) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`)
  const enter = journalWriter(connection)
  const exists = connection.prepare('SELECT 1 FROM keys WHERE id = ?')
  const inForce = connection.prepare(
    'SELECT 1 FROM keys WHERE id = ? AND revoked_at_ms IS NULL AND coalesce(expires_at_ms > ?, true)',
  )
  const newestOf = connection.prepare(NEWEST)
  const revoke = connection.prepare('UPDATE keys SET revoked_at_ms = ? WHERE id = ? AND revoked_at_ms IS NULL')
  const expire = connection.prepare(
    'UPDATE keys SET expires_at_ms = min(coalesce(expires_at_ms, ?1), ?1) WHERE id = ?2',
  )
  const markUsed = connection.prepare('UPDATE keys SET last_used_at_ms = ? WHERE id = ?')
  const addKey = (key: Key, hash: string) => {
    const { id, lineage, plan, perMinute, perDay, label, createdAtMs, expiresAtMs, revokedAtMs, lastUsedAtMs } = key
    const times = [createdAtMs, expiresAtMs, revokedAtMs, lastUsedAtMs].map((ms) =>
      ms === undefined ? null : BigInt(ms),
    )
    insert.run(id, lineage, plan, BigInt(perMinute), BigInt(perDay), label, ...times, hash)
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

    /**
     * False, and nothing is done, if `id` is not in force any more, or `newest` is no longer the newest of its lineage.
     */
    replaceKey(id: string, expiresAtMs: number, { key, hash }: StoredKey, by: Author, newest?: string): boolean {
      if (inForce.get(id, BigInt(by.atMs)) === undefined) return false
      const [last] = newestOf.get(key.lineage) as unknown as [string]
      if (newest !== undefined && last !== newest) return false
      expire.run(BigInt(expiresAtMs), id)
      enter(by, 'rotate key', { keyId: id, to: replacedValues(key, expiresAtMs) })
      addKey(key, hash)
      enter(by, 'issue key', { keyId: key.id, to: issuedValues(key, id) })
      return true
    },

    markKeysUsed(uses: ReadonlyMap<string, number>): void {
      for (const [id, atMs] of uses) markUsed.run(BigInt(atMs), id)
    },
  }
}
