/** What an operator asks of a database file first, read as it is: for `pets doctor`. */
import { statSync } from 'node:fs'
import type { DatabaseSync } from 'node:sqlite'
import { isOfSystem } from '../../../common/errors.ts'
import { nearLimitSql } from '../../near-limit.ts'
import { StoreUnusable } from '../../store.ts'
import type { Examination } from '../../upkeep.ts'
import { assertFile, realFile, shareToRead } from '../file/claim.ts'
import { isOfSqlite, reason } from '../file/failure.ts'
import { assertOwnLog } from '../file/identity.ts'
import { versionOf } from '../file/migrations.ts'
import { openToRead } from '../file/open-to-read.ts'
import { freeBytes } from '../file/room.ts'

/** The step of migration that made the journal. */
const JOURNAL = 5

/** Throws StoreUnusable. */
export function examine(path: string, nowMs: number): Examination {
  assertFile(path)
  const using = shareToRead(path)
  try {
    assertOwnLog(path)
    const db = openToRead(path)
    try {
      return { ...filesOf(realFile(path)), ...rowsOf(db, nowMs) }
    } finally {
      db.close()
    }
  } catch (error) {
    if (!isOfSqlite(error) && !isOfSystem(error)) throw error
    throw new StoreUnusable(`The database ${path} cannot be read: ${reason(error)}`)
  } finally {
    using?.release()
  }
}

function filesOf(path: string) {
  const logBytes = statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0
  return { bytes: statSync(path).size, logBytes, freeBytes: freeBytes(path), clockMs: undefined }
}

function rowsOf(db: DatabaseSync, nowMs: number) {
  const schema = versionOf(db)
  const [keys, used] = rowOf(
    db,
    'SELECT count(*), max(max(created_at_ms), max(coalesce(last_used_at_ms, 0))) FROM keys',
  )
  const [entry] = schema < JOURNAL ? [null] : rowOf(db, 'SELECT max(at_ms) FROM journal')
  const latestMs = Math.max(Number(used ?? 0), Number(entry ?? 0))
  const near = db.prepare(nearLimitSql(nowMs))
  near.setReturnArrays(true)
  const rows = near.all() as unknown as readonly (readonly [string, string, number, number])[]
  return {
    schema,
    keys: Number(keys),
    latestMs: latestMs === 0 ? undefined : latestMs,
    nearLimit: rows.map(([id, label, perDay, usedToday]) => ({ id, label, perDay, usedToday })),
  }
}

function rowOf(db: DatabaseSync, sql: string): readonly (number | null)[] {
  return Object.values(db.prepare(sql).get() ?? {}) as (number | null)[]
}
