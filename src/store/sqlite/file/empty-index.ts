/**
 * The search's index as it is when it holds nothing, and how it takes the place of one that is wrong
 * (writing/search-index.ts).
 */
import type { DatabaseSync } from 'node:sqlite'
import { INT64_MIN } from '../../../contract/int64.ts'

/** As the migration that released it. */
export const CREATE_INDEX =
  "CREATE VIRTUAL TABLE pet_names USING fts5 (name, content = '', contentless_delete = 1, tokenize = 'trigram')"
/** From here the next search builds the index anew. */
export const FORGET_INDEX = `UPDATE pet_search SET indexed_to = ${INT64_MIN}`

/**
 * Puts an empty index in the place of one that may be damaged, without reading it, as `DROP TABLE` would. Its pages
 * stay unused until the file is copied by a backup. To be called before anything else touches the index in this
 * transaction.
 */
export function emptyIndex(db: Pick<DatabaseSync, 'exec' | 'enableDefensive'>): void {
  db.enableDefensive(false)
  try {
    db.exec(`
      PRAGMA writable_schema = ON;
      DELETE FROM sqlite_schema WHERE name = 'pet_names' OR name GLOB 'pet_names_*'`)
  } finally {
    db.exec('PRAGMA writable_schema = RESET')
    db.enableDefensive(true)
  }
  db.exec(`${CREATE_INDEX}; ${FORGET_INDEX}`)
}
