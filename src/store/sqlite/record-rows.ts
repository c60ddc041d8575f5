/**
 * Reads an animal as the operator sees it, removed or not, from SQLite's rows; used for reading and for changing it.
 */
import { isPetStatus } from '../../contract/schemas.ts'
import type { PetRecord } from '../records.ts'
import { IS_THERE } from './import-operations.ts'

type RecordRow = [
  id: bigint,
  name: string,
  categoryId: bigint,
  status: string | null,
  removedAtMs: bigint | null,
  version: bigint | null,
]

const VERSION = '(SELECT max(n) FROM journal WHERE pet_id = id)'
/** One animal by its id, as `toRecord` takes it. */
export const LIVE = `SELECT id, name, category_id, status, NULL, ${VERSION} FROM pets WHERE id = ? AND ${IS_THERE}`
export const REMOVED = `SELECT id, name, category_id, status, removed_at_ms, ${VERSION} FROM removed_pets WHERE id = ?`

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
