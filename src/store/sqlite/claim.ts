/** The right to do alone what only one process may do with a file at a time: serve it, import into it, back it up. */
import { existsSync, realpathSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { StoreUnusable } from '../store.ts'
import { isBusy, reason } from './failure.ts'

export type Purpose = 'serving' | 'importing' | 'backing-up'

/** A command that only reads the file may hold it for a moment. */
const PATIENCE_MS = 250

/** The file PATH.PURPOSE, beside the file itself whatever links it was named by. */
export function claimFile(path: string, purpose: Purpose): string {
  const file = existsSync(path) ? realpathSync(path) : join(realpathSync(dirname(path)), basename(path))
  return `${file}.${purpose}`
}

/**
 * Takes an exclusive lock on the claim's file, which the operating system lets go when the process ends, however it ends.
 * Returns what releases it. Throws StoreUnusable; `taken` is what it says when another process holds the lock.
 */
export function claim(path: string, purpose: Purpose, taken: string): () => void {
  let lock: DatabaseSync | undefined
  try {
    const held = new DatabaseSync(claimFile(path, purpose), { timeout: PATIENCE_MS })
    lock = held
    held.exec('PRAGMA journal_mode = MEMORY; PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE')
    return () => held.close()
  } catch (error) {
    lock?.close()
    throw new StoreUnusable(isBusy(error) ? taken : `The database ${path} cannot be used: ${reason(error)}`)
  }
}
