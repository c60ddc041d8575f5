/**
 * What a running service says of itself to commands: noted in the lock file PATH.serving, so that it holds as long
 * as the lock does, however the service ends.
 */
import { existsSync } from 'node:fs'
import type { ServiceNote } from '../../maintenance.ts'
import { isSqliteError } from './errors.ts'
import { type FileLock, lockPath } from './file-lock.ts'
import { isServed, openAlone } from './identity.ts'

export function noteService({ file: lock }: FileLock, note: ServiceNote): void {
  if (!lock.isTransaction) lock.exec('BEGIN IMMEDIATE')
  lock.exec('CREATE TABLE IF NOT EXISTS service (note TEXT)')
  lock.exec('DELETE FROM service')
  lock.prepare('INSERT INTO service VALUES (?)').run(JSON.stringify(note))
  lock.exec('COMMIT') // an exclusive lock stays
}

/** Takes back what a service has noted, this one or one that was killed. */
export function forgetService({ file: lock }: FileLock): void {
  if (lock.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'service'").get() === undefined) return
  if (!lock.isTransaction) lock.exec('BEGIN IMMEDIATE')
  lock.exec('DROP TABLE service; COMMIT')
}

/** Undefined where no service runs on the database, or one that notes nothing, as before it serves. */
export function readServiceNote(path: string): ServiceNote | undefined {
  const file = lockPath(path, 'serving')
  if (!existsSync(file) || !isServed(path)) return undefined
  const db = openAlone(file)
  try {
    const row = db.prepare('SELECT note FROM service').get()
    return row === undefined ? undefined : (JSON.parse(String(row.note)) as ServiceNote)
  } catch (error) {
    if (!isSqliteError(error)) throw error
    return undefined
  } finally {
    db.close()
  }
}
