/** What a backup holds, and whether it is of the same database as another: for the schedule that removes old ones. */
import type { DatabaseSync } from 'node:sqlite'
import type { SeenBackup } from '../../maintenance.ts'
import { StoreUnusable } from '../../store.ts'
import { isSqliteError } from '../file/errors.ts'
import { openReadOnly } from '../file/read-only.ts'

/** What is no backup, or of a newer version, is nobody's. */
export function lookAtBackup(file: string, newest: string): SeenBackup {
  try {
    using db = openReadOnly(file, 'alone')
    db.prepare('ATTACH ? AS newest').run(newest)
    return { isOwn: isSameRegister(db), animals: animalsIn(db) }
  } catch (error) {
    if (!isSqliteError(error) && !(error instanceof StoreUnusable)) throw error
    return { isOwn: false, animals: 0 }
  }
}

/** By its counts, which every version keeps. */
export function animalsIn(db: DatabaseSync): number {
  return Number(db.prepare('SELECT sum(n) AS n FROM main.pet_counts').get()?.n)
}

/** Backups of versions before 2.1.0 name no register: one of the same database has a key in common. */
function isSameRegister(db: DatabaseSync): boolean {
  const isNamed = "SELECT 1 FROM sqlite_schema WHERE name = 'shelter'"
  const registers = "SELECT value FROM main.shelter WHERE member = 'register'"
  const named = db.prepare(isNamed).get() && db.prepare(registers).get()
  const same =
    named === undefined
      ? 'SELECT 1 FROM main.keys JOIN newest.keys USING (id) LIMIT 1'
      : `SELECT 1 FROM newest.shelter WHERE member = 'register' AND value = (${registers})`
  return db.prepare(same).get() !== undefined
}
