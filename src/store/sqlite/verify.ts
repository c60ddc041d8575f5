/** A whole database checked where it is, whether a service runs on it or not. */

import { StoreUnusable } from '../store.ts'
import { isOfSqlite, reason } from './failure.ts'
import { assertOwnLog } from './identity.ts'
import { type Inspection, inspect } from './inspect.ts'
import { openToRead } from './snapshot.ts'

/** Throws StoreUnusable where it cannot be read at all. */
export function verify(path: string): Inspection {
  assertOwnLog(path)
  try {
    const db = openToRead(path)
    try {
      return inspect(db)
    } finally {
      db.close()
    }
  } catch (error) {
    if (!isOfSqlite(error)) throw error
    throw new StoreUnusable(`The database ${path} cannot be read: ${reason(error)}`)
  }
}
