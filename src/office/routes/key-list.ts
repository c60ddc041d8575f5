/**
 * The list of keys: found by label or id, in one of three orders, by pages. Only two orders are the store's. Use today
 * is in the counters and refusals are in this process, so for these at most LOOKED_AT keys are examined and put first;
 * the others follow in the store's order.
 */
import { DAY_MS } from '../../common/clock.ts'
import { printable } from '../../common/printable.ts'
import { stateOf } from '../../domain/keys.ts'
import type { Key } from '../../store/rows.ts'
import type { KeySearch } from '../../store/store.ts'
import type { KeyPage, OfficeKey } from '../key-data.ts'
import type { OfficeOptions } from './routes.ts'

export const KEYS_PER_PAGE = 50
/** Keys examined for an order by use today (those used last) or by refusals (those refused most). */
export const LOOKED_AT = 1_000

export const KEY_SORTS = ['newest', 'used', 'refused'] as const
export type KeySort = (typeof KEY_SORTS)[number]

interface KeyListQuery {
  readonly text: string
  readonly sort: KeySort
  /** From 1; a number past the last page gives the last page. */
  readonly page: number
}

type Options = Pick<OfficeOptions, 'store' | 'access' | 'metrics' | 'clock'>

/** The keys put first, and how the store is asked for the others. */
interface Ahead {
  readonly keys: readonly Key[]
  readonly others: Pick<KeySearch, 'order' | 'except'>
  /** How many keys at the beginning of the store's order are among those put first. */
  readonly overlap: number
}

export async function listKeys(query: KeyListQuery, options: Options): Promise<Omit<KeyPage, 'refusedSinceMs'>> {
  const { keys: store } = options.store
  const [total, ahead] = await Promise.all([store.count(), keysAhead(query, options)])
  const pageFrom = async (offset: number) => {
    const first = ahead.keys.slice(offset, offset + KEYS_PER_PAGE)
    const others = await store.search({
      text: query.text,
      ...ahead.others,
      offset: Math.max(0, offset - ahead.keys.length) + ahead.overlap,
      limit: KEYS_PER_PAGE - first.length,
    })
    return { found: others.found + ahead.keys.length - ahead.overlap, keys: [...first, ...others.keys] }
  }
  let page = query.page
  let { found, keys } = await pageFrom((page - 1) * KEYS_PER_PAGE)
  const pages = Math.max(1, Math.ceil(found / KEYS_PER_PAGE))
  if (page > pages) {
    page = pages
    keys = (await pageFrom((page - 1) * KEYS_PER_PAGE)).keys
  }
  return { total, found, page, pages, keys: await Promise.all(keys.map((key) => toOfficeKey(key, options))) }
}

async function keysAhead({ text, sort }: KeyListQuery, options: Options): Promise<Ahead> {
  if (sort === 'used') return usedToday(text, options)
  if (sort === 'refused') return refusedMost(text, options)
  return { keys: [], others: { order: 'newest' }, overlap: 0 }
}

/** They are also the first of the store's order by last use, which the others follow. */
async function usedToday(text: string, { store, access, clock }: Options): Promise<Ahead> {
  const latest = await store.keys.search({ text, order: 'used', offset: 0, limit: LOOKED_AT })
  const nowMs = clock.now()
  const today = latest.keys.filter(({ lastUsedAtMs = 0 }) => lastUsedAtMs >= nowMs - (nowMs % DAY_MS))
  const used = await Promise.all(today.map(async (key) => ({ key, ...(await access.lookAtKey(key)) })))
  const keys = used.sort((a, b) => b.dayUsed - a.dayUsed).map(({ key }) => key)
  return { keys, others: { order: 'used' }, overlap: keys.length }
}

async function refusedMost(text: string, { store, metrics }: Options): Promise<Ahead> {
  const refused = metrics.refusedByKey
  const ids = [...refused.keys()].sort((a, b) => (refused.get(b) ?? 0) - (refused.get(a) ?? 0)).slice(0, LOOKED_AT)
  const { keys } = await store.keys.search({ text, order: 'newest', offset: 0, limit: LOOKED_AT, among: ids })
  const place = new Map(ids.map((id, index) => [id, index]))
  const sorted = keys.toSorted((a, b) => (place.get(a.id) ?? 0) - (place.get(b.id) ?? 0))
  return { keys: sorted, others: { order: 'newest', except: ids }, overlap: 0 }
}

export async function toOfficeKey(key: Key, { access, metrics, clock }: Options): Promise<OfficeKey> {
  const { id, plan, label, perMinute, perDay, createdAtMs, expiresAtMs = null, lastUsedAtMs = null, ban = null } = key
  const { banned, bannedUntilMs = null, minuteUsed, dayUsed } = await access.lookAtKey(key)
  return {
    id,
    label: printable(label),
    plan,
    state: stateOf(key, clock.now(), banned),
    createdAtMs,
    expiresAtMs,
    lastUsedAtMs,
    minute: { limit: perMinute, used: minuteUsed },
    day: { limit: perDay, used: dayUsed },
    refused: metrics.refusedByKey.get(id) ?? 0,
    bannedUntilMs,
    ban,
  }
}
