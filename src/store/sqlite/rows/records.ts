/**
 * Reads an animal as the operator sees it, removed or not, from SQLite's rows; used for reading and for changing it.
 */

import { isPetStatus } from '../../../contract/schemas.ts'
import type { PetRecord } from '../../records.ts'
import { BRIEF_NAME } from '../../rules/bounds.ts'
import { IS_THERE } from './pets.ts'

type RecordRow = [
  id: bigint,
  name: string,
  categoryId: bigint,
  status: string | null,
  removedAtMs: bigint | null,
  version: bigint | null,
]

const BRIEFLY = `substr(name, 1, ${BRIEF_NAME + 1})`
const VERSION = '(SELECT max(n) FROM journal WHERE pet_id = id)'
/** One animal by its id, as `toRecord` takes it. */
const live = (name: string) =>
  `SELECT id, ${name}, category_id, status, NULL, ${VERSION} FROM pets WHERE id = ? AND ${IS_THERE}`
export const LIVE = live('name')
/** With only the beginning of the name. */
export const LIVE_BRIEF = live(BRIEFLY)
const removed = (name: string) =>
  `SELECT id, ${name}, category_id, status, removed_at_ms, ${VERSION} FROM removed_pets WHERE id = ?`
export const REMOVED = removed('name')
export const REMOVED_BRIEF = removed(BRIEFLY)
/** Hidden by an undo and not moved to the removed ones yet. */
export const HIDDEN = `
  SELECT pets.id, name, category_id, status, undone_at_ms, (SELECT max(n) FROM journal WHERE pet_id = pets.id)
  FROM pets
  JOIN undone_ranges ON undone_ranges.first_id = (SELECT max(first_id) FROM unfinished_imports WHERE first_id <= pets.id)
  JOIN imports ON imports.n = import_n
  WHERE pets.id = ? AND NOT ${IS_THERE}`

export function toRecord(row: unknown): PetRecord | undefined {
  if (row === undefined) return undefined
  const [id, name, categoryId, status, removedAtMs, version] = row as RecordRow
  return {
    id: id.toString(),
    name,
    categoryId: categoryId.toString(),
    status: isPetStatus(status) ? status : undefined,
    version: version ?? 0n,
    removedAtMs: removedAtMs === null ? undefined : Number(removedAtMs),
  }
}
