/** Changes of keys, each with its journal entry. */

import type { Author } from '../../author.ts'
import type { Ban, Key, KeyTerms } from '../../rows.ts'
import { banOf } from '../../rules/bans.ts'
import { bannedValues, editedValues, issuedValues, replacedValues } from '../../rules/journal.ts'
import type { StoredKey, UnbanOutcome } from '../../store.ts'
import type { Connection } from '../file/connection.ts'
import { KEY, NEWEST, toKey } from '../rows/keys.ts'
import { journalWriter } from './journal.ts'

const TERMS = 'plan = ? AND per_minute = ? AND per_day = ? AND label = ?'

function cellsOf({ plan, perMinute, perDay, label }: KeyTerms) {
  return [plan, BigInt(perMinute), BigInt(perDay), label] as const
}

export function keyWrites(connection: Connection) {
  const insert = connection.prepare(`INSERT INTO keys (${KEY}, hash) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`)
  const enter = journalWriter(connection)
  const exists = connection.prepare('SELECT 1 FROM keys WHERE id = ?')
  const inForce = connection.prepare(
    `SELECT 1 FROM keys WHERE id = ? AND revoked_at_ms IS NULL AND coalesce(expires_at_ms > ?, true) AND ${TERMS}`,
  )
  const newestOf = connection.prepare(NEWEST)
  const revoke = connection.prepare('UPDATE keys SET revoked_at_ms = ? WHERE id = ? AND revoked_at_ms IS NULL')
  const expire = connection.prepare(
    'UPDATE keys SET expires_at_ms = min(coalesce(expires_at_ms, ?1), ?1) WHERE id = ?2',
  )
  const markUsed = connection.prepare('UPDATE keys SET last_used_at_ms = ? WHERE id = ?')
  const inheritBan = connection.prepare(
    'UPDATE keys SET (ban, lifted_until_ms) = (SELECT ban, lifted_until_ms FROM keys WHERE id = ?1) WHERE id = ?2',
  )
  const addKey = (key: Key, hash: string) => {
    const { id, lineage, plan, perMinute, perDay, label, createdAtMs, expiresAtMs, revokedAtMs, lastUsedAtMs } = key
    const times = [createdAtMs, expiresAtMs, revokedAtMs, lastUsedAtMs].map((ms) =>
      ms === undefined ? null : BigInt(ms),
    )
    const ban = key.ban === undefined ? null : JSON.stringify(key.ban)
    const lifted = key.liftedUntilMs === undefined ? null : BigInt(key.liftedUntilMs)
    insert.run(id, lineage, plan, BigInt(perMinute), BigInt(perDay), label, ...times, ban, lifted, hash)
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
     * False, and nothing is done, if `id` is not in force any more, or has other terms now, or `newest` is no longer
     * the newest of its lineage.
     */
    replaceKey(id: string, expiresAtMs: number, { key, hash }: StoredKey, by: Author, newest?: string): boolean {
      if (inForce.get(id, BigInt(by.atMs), ...cellsOf(key)) === undefined) return false
      const [last] = newestOf.get(key.lineage) as unknown as [string]
      if (newest !== undefined && last !== newest) return false
      expire.run(BigInt(expiresAtMs), id)
      enter(by, 'rotate key', { keyId: id, to: replacedValues(key, expiresAtMs) })
      addKey(key, hash)
      inheritBan.run(id, key.id)
      enter(by, 'issue key', { keyId: key.id, to: issuedValues(key, id) })
      return true
    },

    markKeysUsed(uses: ReadonlyMap<string, number>): void {
      for (const [id, atMs] of uses) markUsed.run(BigInt(atMs), id)
    },
  }
}

/** Changes of what a key may do: its terms, and bans. */
export function keyTermsWrites(connection: Connection) {
  const enter = journalWriter(connection)
  const edit = connection.prepare(
    `UPDATE keys SET plan = ?, per_minute = ?, per_day = ?, label = ? WHERE id = ? AND ${TERMS} AND revoked_at_ms IS NULL`,
  )
  const noteBan = connection.prepare(
    `UPDATE keys SET ban = json_set(?1, '$.count', coalesce(json_extract(ban, '$.count'), 0) + 1)
     WHERE lineage = ?2 AND json_extract(ban, '$.untilMs') IS NOT ?3`,
  )
  const get = connection.prepare(`SELECT ${KEY} FROM keys WHERE id = ?`)
  const lift = connection.prepare('UPDATE keys SET lifted_until_ms = ? WHERE lineage = ?')
  return {
    editKey(old: Key, terms: KeyTerms, by: Author): boolean {
      if (Number(edit.run(...cellsOf(terms), old.id, ...cellsOf(old)).changes) === 0) return false
      const values = editedValues(old, terms)
      if (values !== undefined) enter(by, 'edit key', { keyId: old.id, ...values })
      return true
    },

    noteBan(lineage: string, ban: Omit<Ban, 'count'>): void {
      noteBan.run(JSON.stringify(ban), lineage, BigInt(ban.untilMs))
    },

    unbanKey(id: string, by: Author): UnbanOutcome {
      const row = get.get(id)
      if (row === undefined) return 'no such key'
      const key = toKey(row)
      const ban = banOf(key, by.atMs)
      if (ban === undefined) return 'not banned'
      lift.run(BigInt(ban.untilMs), key.lineage)
      enter(by, 'unban key', { keyId: id, from: bannedValues(ban) })
      return 'unbanned'
    },
  }
}
