/** The exclusive right to do what only one process may do with a file at a time: serve it, or import into it. */
import { realpathSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { StoreUnusable } from '../store.ts'
import { isBusy, reason } from './failure.ts'

/**
 * Takes an exclusive lock on the file PATH.PURPOSE, which the operating system releases when the process ends, however
 * it ends. Returns the function that releases it. Throws StoreUnusable with the message `taken` if another process
 * holds the lock.
 */
export function claim(path: string, purpose: 'serving' | 'importing', taken: string): () => void {
  let lock: DatabaseSync | undefined
  try {
    // Next to the file itself, whatever links lead to it.
    const held = new DatabaseSync(`${realpathSync(path)}.${purpose}`, { timeout: 0 })
    lock = held
    held.exec('PRAGMA journal_mode = MEMORY; PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE')
    return () => held.close()
  } catch (error) {
    lock?.close()
    throw new StoreUnusable(isBusy(error) ? taken : `The database ${path} cannot be used: ${reason(error)}`)
  }
}
