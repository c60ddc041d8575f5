/** What an operator asks of a database file first, read as it is: for `pets doctor`. */
import { statSync } from 'node:fs'
import type { DatabaseSync } from 'node:sqlite'
import { type Examination, nearLimitSql, toNearLimit } from '../../maintenance.ts'
import { freeBytes } from '../file/disk-space.ts'
import { realFile } from '../file/file-lock.ts'
import { versionOf } from '../file/migrations.ts'
import { withReadOnly } from '../file/read-only.ts'

/** The step of migration that made the journal. */
const JOURNAL = 5

/** Throws StoreUnusable. */
export function examine(path: string, nowMs: number): Examination {
  return withReadOnly(path, (db) => ({ ...filesOf(realFile(path)), ...rowsOf(db, nowMs) }))
}

function filesOf(path: string) {
  const logBytes = statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0
  return { bytes: statSync(path).size, logBytes, freeBytes: freeBytes(path), clockMs: undefined }
}

function rowsOf(db: DatabaseSync, nowMs: number) {
  const schema = versionOf(db)
  const { keys, used } =
    db
      .prepare('SELECT count(*) AS keys, max(max(created_at_ms), max(coalesce(last_used_at_ms, 0))) AS used FROM keys')
      .get() ?? {}
  const entry = schema < JOURNAL ? 0 : db.prepare('SELECT max(at_ms) AS at FROM journal').get()?.at
  const near = db.prepare(nearLimitSql(nowMs))
  near.setReturnArrays(true)
  return {
    schema,
    keys: Number(keys),
    latestMs: Math.max(Number(used), Number(entry)) || undefined,
    nearLimit: (near.all() as unknown as readonly (readonly unknown[])[]).map(toNearLimit),
  }
}
