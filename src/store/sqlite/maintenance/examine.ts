/** What an operator asks of a database file first, read as it is: for `pets doctor`. */

import { accessSync, constants, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { isSystemError } from '../../../common/errors.ts'
import { realFile } from '../../../common/paths.ts'
import { type Examination, endingSql, nearLimitSql, toEnding, toNearLimit } from '../../maintenance.ts'
import type { Row } from '../../sql.ts'
import { StoreUnusable } from '../../store.ts'
import { freeBytes } from '../file/disk-space.ts'
import { isSqliteError, reason } from '../file/errors.ts'
import { assertFile } from '../file/file-lock.ts'
import { assertKnown, assertOurs, versionOf } from '../file/migrations.ts'
import { withReadOnly } from '../file/read-only.ts'
import { assertOwnWal } from '../file/wal.ts'

/** The step of migration that made the journal. */
const JOURNAL = 5

/** Throws StoreUnusable. */
export function examine(path: string, nowMs: number): Examination {
  return withReadOnly(path, (db) => ({ ...filesOf(realFile(path)), ...rowsOf(db, nowMs) }))
}

/**
 * Whether this user may serve the database at `path`, as it is: nothing is changed. Throws StoreUnusable, as the start
 * does.
 */
export function assertServable(path: string): void {
  assertFile(path)
  try {
    for (const name of [path, dirname(realFile(path))]) accessSync(name, constants.W_OK)
    assertOwnWal(path)
    const db = new DatabaseSync(path, { readOnly: true })
    try {
      assertOurs(db, path)
      assertKnown(versionOf(db), path)
      // A file that is empty becomes a database at the start.
      if (versionOf(db) > 0) rowsOf(db, 0)
    } finally {
      db.close()
    }
  } catch (error) {
    if (!isSqliteError(error) && !isSystemError(error)) throw error
    throw new StoreUnusable(`The database ${path} cannot be used: ${reason(error)}`)
  }
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
  const rows = (query: string) => {
    const statement = db.prepare(query)
    statement.setReturnArrays(true)
    statement.setReadBigInts(true)
    return statement.all() as unknown as readonly Row[]
  }
  return {
    schema,
    keys: Number(keys),
    latestMs: Math.max(Number(used), Number(entry)) || undefined,
    nearLimit: rows(nearLimitSql(nowMs)).map(toNearLimit),
    ending: rows(endingSql(nowMs)).map(toEnding),
  }
}
