/** Pages of what a search finds, newest first or in another order, and how many there are. */

import { INT64_MAX, INT64_MIN } from '../../../contract/int64.ts'
import type { FindQuery, OrderedQuery, Tally, TallyQuery } from '../../records.ts'
import { comparePlaces, keysIn, type Place } from '../../rules/name-order.ts'
import { beyond } from './ranges.ts'
import type { SqliteSearch } from './search.ts'

type KeyedPlace = Place & { readonly key: string }

/** The ids found, newest first, and where to continue if the time was over. */
export async function find(
  search: SqliteSearch,
  query: FindQuery,
  onIndexed?: (names: number) => void,
): Promise<{ ids: readonly bigint[]; stoppedAt: bigint | undefined }> {
  const { limit, after, withinMs = Infinity } = query
  const ids: bigint[] = []
  const course = { from: start(query), withinMs, onIndexed, wanted: () => limit - ids.length }
  const next = await search.each(query, course, ({ id }) => ids.push(id))
  const isOlder = after === undefined
  return {
    ids: isOlder ? ids : ids.toReversed(),
    stoppedAt: next === undefined ? undefined : beyond(isOlder ? 'newer' : 'older', next),
  }
}

/** The places of a page, in their order; undefined if the time was over. No more of them are held than it has. */
export async function findInOrder(
  search: SqliteSearch,
  query: OrderedQuery,
): Promise<readonly KeyedPlace[] | undefined> {
  const { order, text, status, categoryId, limit, before, after, withinMs } = query
  const way = after === undefined ? 1 : -1
  const bound = after === 'end' ? undefined : (after ?? before)
  const keyOf = keysIn(order, text)
  const best: KeyedPlace[] = []
  const stoppedAt = await search.each({ text, status, categoryId }, { from: INT64_MAX, withinMs }, ({ id, name }) => {
    const place = { id, key: keyOf(name) }
    if (bound !== undefined && way * comparePlaces(place, bound) <= 0) return
    const at = best.findLastIndex((other) => way * comparePlaces(other, place) < 0) + 1
    if (at === limit) return
    best.splice(at, 0, place)
    best.splice(limit)
  })
  if (stoppedAt !== undefined) return undefined
  return way === 1 ? best : best.toReversed()
}

export async function tally(search: SqliteSearch, query: TallyQuery): Promise<Tally> {
  const { text, categoryId, status, place, order = 'name', withinMs } = query
  const keyOf = keysIn(order, text)
  const counts = { available: 0, pending: 0, sold: 0, none: 0, removed: 0 }
  let ahead = 0
  const chosen = { text, categoryId, status: status === 'removed' ? status : undefined }
  const stoppedAt = await search.each(chosen, { from: INT64_MAX, withinMs }, (one) => {
    counts[one.status] += 1
    if (place === undefined || (status !== undefined && status !== one.status)) return
    const key = place.key === undefined ? undefined : keyOf(one.name)
    if (comparePlaces({ id: one.id, key }, place) < 0) ahead += 1
  })
  return { counts, ahead, isComplete: stoppedAt === undefined }
}

/** The first id to look at. */
function start({ before, after }: FindQuery): bigint | undefined {
  if (after === 'end') return INT64_MIN
  if (after !== undefined) return beyond('newer', after)
  return before === undefined ? INT64_MAX : beyond('older', before)
}
