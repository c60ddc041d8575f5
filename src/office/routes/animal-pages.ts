/**
 * A page of animals with its counts and the cursors of the previous and next page. A cursor is the number of animals
 * before the page; `end` means the last page. A text that is a number also finds the removed animal with that number,
 * which comes first on the first page.
 */

import { type Choice, idOf, type Order } from '../../rules/search.ts'
import type { PetRecords } from '../../store/records.ts'
import type { PetRecord } from '../../store/rows.ts'
import type { Tally } from '../../store/search.ts'

export interface PageQuery extends Choice {
  readonly order: Order
  /** How many animals to skip; 'end' asks for the last page. */
  readonly offset: number | 'end'
  readonly limit: number
}

interface Page {
  readonly pets: readonly PetRecord[]
  /** Cursor of the previous page; null on the first. */
  readonly newer: string | null
  /** Cursor of the next page; null on the last. */
  readonly older: string | null
  readonly counts: Tally
  /** The place of the first animal, from 1 on. */
  readonly first: number
}

export async function pageOf(records: PetRecords, query: PageQuery): Promise<Page> {
  const { status, limit } = query
  const counts = await records.tally(query)
  const { available, pending, sold, none } = counts
  const all = status === undefined ? available + pending + sold + none : counts[status]
  const offset = query.offset === 'end' ? Math.max(0, Math.ceil(all / limit) - 1) * limit : query.offset
  const pets = await records.find({ ...query, offset, isBrief: true })
  const removed = offset === 0 && status === undefined ? await removedOf(records, query) : []
  return {
    pets: [...removed, ...pets],
    counts: status === 'removed' ? counts : { ...counts, removed: 0 },
    first: offset + 1,
    newer: offset === 0 ? null : String(Math.max(0, offset - limit)),
    older: offset + limit >= all ? null : String(offset + limit),
  }
}

/** The removed animal whose number the text is. */
async function removedOf(records: PetRecords, { text, categoryId, importN }: Choice): Promise<readonly PetRecord[]> {
  const id = importN === undefined ? idOf(text) : undefined
  const pet = id === undefined ? undefined : await records.get(id)
  const isMeant = pet?.removedAtMs !== undefined && (categoryId ?? BigInt(pet.categoryId)) === BigInt(pet.categoryId)
  return pet !== undefined && isMeant ? [pet] : []
}
