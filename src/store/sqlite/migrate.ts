/** Migrates a file, under a lock, and refuses one that is not ours or is newer than this software. */
import type { DatabaseSync } from 'node:sqlite'
import { StoreUnusable } from '../store.ts'
import { MIGRATIONS } from './migrations.ts'

/** Marks a file as ours ("pets" in ASCII), so that the database of another program is never migrated. */
export const APPLICATION_ID = 0x70657473

/** Throws StoreUnusable, or what SQLite throws. */
export function migrate(db: DatabaseSync, path: string): void {
  assertOurs(db, path)
  db.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL')
  if (versionOf(db) === MIGRATIONS.length) return
  db.exec('BEGIN IMMEDIATE')
  try {
    const from = versionOf(db)
    assertKnown(from, path)
    for (const migration of MIGRATIONS.slice(from)) db.exec(migration)
    db.exec(`PRAGMA application_id = ${APPLICATION_ID}; PRAGMA user_version = ${MIGRATIONS.length}; COMMIT`)
  } catch (error) {
    if (db.isTransaction) db.exec('ROLLBACK')
    throw error
  }
}

/** Throws StoreUnusable when the file is some other program's; one that is empty may become ours. */
export function assertOurs(db: DatabaseSync, path: string): void {
  // One statement, so that both are of one instant: another process may be making the file ours right now.
  const { id, tables } =
    db
      .prepare('SELECT application_id AS id, (SELECT count(*) FROM sqlite_schema) AS tables FROM pragma_application_id')
      .get() ?? {}
  if (id !== APPLICATION_ID && tables !== 0) {
    throw new StoreUnusable(`${path} is a SQLite database of some other program; name another file with --database.`)
  }
}

/** Throws StoreUnusable when this version of the software does not know the file's. */
export function assertKnown(version: number, path: string): void {
  if (version <= MIGRATIONS.length) return
  throw new StoreUnusable(
    `${path} was written by a newer version of this software (schema ${version}, this one knows ${MIGRATIONS.length}); update the software.`,
  )
}

export function versionOf(db: DatabaseSync): number {
  return Number(db.prepare('PRAGMA user_version').get()?.user_version)
}
