/** Checks a whole database in place, also under a running service. */

import { StoreUnusable } from '../../store.ts'
import type { Inspection } from '../../upkeep.ts'
import { assertFile, shareToRead } from '../file/claim.ts'
import { isOfSqlite, reason } from '../file/failure.ts'
import { assertOwnLog } from '../file/identity.ts'
import { openToRead } from '../file/open-to-read.ts'
import { inspect } from './inspect.ts'

/** Throws StoreUnusable if it cannot be read at all. */
export function verify(path: string): Inspection {
  assertFile(path)
  const using = shareToRead(path)
  try {
    assertOwnLog(path)
    const db = openToRead(path)
    try {
      return inspect(db)
    } finally {
      db.close()
    }
  } catch (error) {
    if (!isOfSqlite(error)) throw error
    throw new StoreUnusable(`The database ${path} cannot be read: ${reason(error)}`)
  } finally {
    using?.release()
  }
}
