/** What an operator asks of a database file first, read as it is: for `pets doctor`. */

import { accessSync, constants, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { realFile } from '../../../common/paths.ts'
import { type Examination, keysToWatch } from '../../maintenance.ts'
import type { Row, Sql } from '../../sql.ts'
import { freeBytes } from '../file/disk-space.ts'
import { asUnusable } from '../file/errors.ts'
import { assertFile } from '../file/file-lock.ts'
import { assertKnown, assertOurs, versionOf } from '../file/migrations.ts'
import { withReadOnly } from '../file/read-only.ts'
import { assertOwnWal } from '../file/wal.ts'

/** The step of migration that made the journal. */
const JOURNAL = 5

/** Throws StoreUnusable. */
export function examine(path: string, nowMs: number): Promise<Examination> {
  return withReadOnly(path, async (db) => {
    const file = realFile(path)
    const logBytes = statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0
    const bytes = { bytes: statSync(file).size, logBytes, freeBytes: freeBytes(file) }
    return { ...bytes, clockMs: undefined, ...(await rowsOf(db, nowMs)) }
  })
}

/**
 * Whether this user may serve the database at `path`, as it is: nothing is changed. Throws StoreUnusable, as the start
 * does.
 */
export async function assertServable(path: string): Promise<void> {
  assertFile(path)
  try {
    for (const name of [path, dirname(realFile(path))]) accessSync(name, constants.W_OK)
    assertOwnWal(path)
    using db = new DatabaseSync(path, { readOnly: true })
    assertOurs(db, path)
    assertKnown(versionOf(db), path)
    // A file that is empty becomes a database at the start.
    if (versionOf(db) > 0) await rowsOf(db, 0)
  } catch (error) {
    throw asUnusable(error, `The database ${path} cannot be used`)
  }
}

async function rowsOf(db: DatabaseSync, nowMs: number) {
  const schema = versionOf(db)
  const { keys, used } =
    db
      .prepare('SELECT count(*) AS keys, max(max(created_at_ms), max(coalesce(last_used_at_ms, 0))) AS used FROM keys')
      .get() ?? {}
  const entry = schema < JOURNAL ? 0 : db.prepare('SELECT max(at_ms) AS at FROM journal').get()?.at
  const sql: Sql = async (text) =>
    db.prepare(text, { returnArrays: true, readBigInts: true }).all() as unknown as readonly Row[]
  return {
    schema,
    keys: Number(keys),
    latestMs: Math.max(Number(used), Number(entry)) || undefined,
    ...(await keysToWatch(sql, nowMs)),
  }
}
