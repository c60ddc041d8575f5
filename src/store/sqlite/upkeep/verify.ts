/** Checks a whole database in place, also under a running service. */

import { DatabaseSync } from 'node:sqlite'
import { StoreUnusable } from '../../store.ts'
import type { Inspection } from '../../upkeep.ts'
import { assertFile, shareToRead } from '../file/claim.ts'
import { FORGET_INDEX } from '../file/empty-index.ts'
import { isOfSqlite, reason } from '../file/failure.ts'
import { assertOwnLog } from '../file/identity.ts'
import { openToRead, PATIENCE_MS } from '../file/open-to-read.ts'
import { inspect } from './inspect.ts'

/**
 * Makes the next search rebuild the index. Without write access that is left to a search, which checks what it uses.
 */
function forgetIndex(path: string): void {
  const db = new DatabaseSync(path, { timeout: PATIENCE_MS })
  try {
    db.exec(FORGET_INDEX)
  } catch (error) {
    if (!isOfSqlite(error)) throw error
  } finally {
    db.close()
  }
}

/** Throws StoreUnusable if it cannot be read at all. */
export function verify(path: string): Inspection {
  assertFile(path)
  const using = shareToRead(path)
  try {
    assertOwnLog(path)
    const db = openToRead(path)
    try {
      const inspection = inspect(db)
      if (inspection.isIndexWrong) forgetIndex(path)
      return inspection
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
