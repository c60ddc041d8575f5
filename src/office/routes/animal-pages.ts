/**
 * A page of animals, where the previous and next pages begin, and how many there are. A text that is a number also
 * finds the animal with that number, removed or not, which comes first on the first page only. A cursor is the number
 * of an animal, with a colon and its key in an order by keys; `end` is behind every animal. Oldest first is read as
 * newest first, backwards.
 */
import { INT64_MAX, INT64_MIN } from '../../contract/int64.ts'
import type { PetStatus } from '../../contract/schemas.ts'
import type { Choice, PetRecord, PetRecords, Tally } from '../../store/records.ts'
import { fold, wordsOf } from '../../store/rules/fold.ts'
import type { Order, Place } from '../../store/rules/name-order.ts'
import type { PetStore } from '../../store/store.ts'
import { readNumber } from './animals.ts'
import { OfficeRefusal } from './routes.ts'

export interface PageQuery extends Choice {
  /** Undefined is newest first. */
  readonly order: Order | 'oldest' | undefined
  readonly before: Place | undefined
  readonly after: Place | 'end' | undefined
  readonly limit: number
}

interface Listed {
  readonly pet: PetRecord
  readonly key?: string
}

interface Part {
  readonly found: readonly Listed[]
  readonly order: Order | 'oldest' | undefined
  readonly stoppedAt?: bigint | undefined
}

interface Page {
  readonly pets: readonly PetRecord[]
  readonly order: Order | 'newest' | 'oldest'
  /** The `after` of the page ahead; null on the first page. */
  readonly newer: string | null
  /** The `before` of the page behind; null on the last page. */
  readonly older: string | null
  readonly counts: Tally['counts']
  readonly isCounted: boolean
  /** The place of the first animal, from 1 on; null if the time did not suffice to count. */
  readonly first: number | null
}

/** A longer search returns what it has found so far; `older` continues it. */
const SEARCH_MS = 1_000
/** Who searches has typed a letter, and waits; who wants all by name has said so. */
const ORDER_MS: Readonly<Record<Order, number>> = { match: 300, name: SEARCH_MS }
/** An order that has begun is gone on with: pages in two orders would not hold every animal once. */
const GO_ON_MS = 10 * SEARCH_MS
const TALLY_MS = 300
const TOO_SLOW = 'This page takes too long to put together. Go to the first page, or search for more of the name.'

export async function pageOf(records: PetRecords, all: PetStore, query: PageQuery): Promise<Page> {
  const { before, after, limit } = query
  const known = await byNumber(records, query)
  const numbered = known !== undefined && isOfStatus(known, query.status) ? known : undefined
  const shown = numbered === undefined || before !== undefined ? limit : Math.max(1, limit - 1)
  // Two more than shown: one tells whether others follow, one may be the animal found by number.
  const { found, order, stoppedAt } = await partOf(records, { ...query, limit: shown + 2 })
  const others = found.filter(({ pet }) => pet.id !== numbered?.id)
  const isNewer = after !== undefined
  const part = isNewer ? others.slice(-shown) : others.slice(0, shown)
  const isWhole = others.length <= shown && stoppedAt === undefined
  const isFirst = isNewer ? isWhole : before === undefined
  const ahead = isNewer && others.length <= shown ? stoppedAt?.toString() : undefined
  const behind = isNewer || others.length > shown ? undefined : stoppedAt?.toString()
  const isLast = after === 'end' || (!isNewer && isWhole)
  const pets = part.map(({ pet }) => pet)
  const counted = await tallyOf(records, all, query, isFirst ? undefined : part[0])
  return {
    pets: isFirst && numbered !== undefined ? [numbered, ...pets] : pets,
    order: order ?? 'newest',
    newer: isFirst ? null : (ahead ?? cursorOf(part[0]) ?? 'end'),
    older: isLast ? null : (behind ?? cursorOf(part.at(-1)) ?? (isNewer ? firstBehind(after, order) : null)),
    counts: withNumbered(counted.counts, known, query),
    isCounted: counted.isComplete,
    first: isFirst ? 1 : numbered === undefined && part.length > 0 ? counted.place : null,
  }
}

/**
 * In the order asked for if the time suffices; otherwise newest first, as is what goes on from a page that was. Throws
 * OfficeRefusal if the time does not suffice to go on.
 */
async function partOf(records: PetRecords, query: PageQuery): Promise<Part> {
  const { before, after, order } = query
  const place = before ?? (after === 'end' ? undefined : after)
  if (order === 'oldest') {
    const ids = { before: after && place?.id, after: after ? undefined : (before?.id ?? ('end' as const)) }
    const { pets, stoppedAt } = await records.find({ ...query, ...ids, isBrief: true, withinMs: SEARCH_MS })
    return { found: pets.map((pet) => ({ pet })).reverse(), order, stoppedAt }
  }
  if (order !== undefined && (place === undefined || place.key !== undefined)) {
    const found = await records.findInOrder({ ...query, order, withinMs: place ? GO_ON_MS : ORDER_MS[order] })
    if (found !== undefined) return { found, order }
    if (place !== undefined) throw new OfficeRefusal(503, 'unavailable', TOO_SLOW)
  }
  const ids = { before: before?.id, after: after === 'end' ? after : after?.id }
  const { pets, stoppedAt } = await records.find({ ...query, ...ids, isBrief: true, withinMs: SEARCH_MS })
  return { found: pets.map((pet) => ({ pet })), order: undefined, stoppedAt }
}

/**
 * Of all animals the store keeps the counts, which may be some seconds old: the place is found from those that were
 * counted together with the animals ahead.
 */
async function tallyOf(
  records: PetRecords,
  all: PetStore,
  query: PageQuery,
  first: Listed | undefined,
): Promise<Pick<Tally, 'counts' | 'isComplete'> & { readonly place: number | null }> {
  const { text, status, categoryId, order } = query
  const place = first && { id: BigInt(first.pet.id), key: first.key }
  const isAll = text === '' && categoryId === undefined
  const keyed = order === 'oldest' ? undefined : order
  const tally = (of: Choice['status']) =>
    records.tally({ text, status: of, categoryId, place, order: keyed, withinMs: TALLY_MS })
  const counted = isAll && place === undefined && status !== 'removed' ? undefined : await tally(status)
  const live = isAll ? { counts: await all.count(), isComplete: true } : undefined
  if (counted === undefined || status === 'removed') {
    const { counts, isComplete } = live ?? (await tally(undefined))
    const removed = counted?.counts.removed ?? 0
    return {
      counts: { ...counts, removed },
      place: counted === undefined ? 1 : placeOf(counted, query),
      isComplete: isComplete && (counted?.isComplete ?? true),
    }
  }
  // All animals are counted even where the time did not suffice to count those ahead.
  const { counts, isComplete } = live ?? counted
  return { counts: { ...counted.counts, ...counts }, place: placeOf(counted, query), isComplete }
}

/**
 * The place of the animal whose number ahead has been counted, from 1 on; read backwards, those are behind it. Null if
 * the time did not suffice.
 */
function placeOf({ counts, ahead, isComplete }: Tally, { order, status }: PageQuery): number | null {
  if (!isComplete) return null
  if (order !== 'oldest') return ahead + 1
  const { available, pending, sold, none } = counts
  return Math.max(1, (status === undefined ? available + pending + sold + none : counts[status]) - ahead)
}

function cursorOf(listed: Listed | undefined): string | undefined {
  if (listed === undefined) return undefined
  return listed.key === undefined ? listed.pet.id : `${listed.pet.id}:${listed.key}`
}

/** A page that has become empty leads back to where it was asked for. */
function firstBehind(after: Place | 'end', order: Part['order']): string | null {
  if (after === 'end') return null
  if (order === 'oldest') return String(after.id === INT64_MIN ? after.id : after.id - 1n)
  const id = after.id === INT64_MAX ? after.id : after.id + 1n
  return after.key === undefined ? String(id) : `${id}:${after.key}`
}

/** The animal whose number the text is, whatever its status. */
async function byNumber(records: PetRecords, { text, categoryId }: PageQuery): Promise<PetRecord | undefined> {
  const id = readNumber(text)
  const pet = id === undefined ? undefined : await records.get(id)
  return categoryId === undefined || pet?.categoryId === String(categoryId) ? pet : undefined
}

function kindOf({ removedAtMs, status }: PetRecord): PetStatus | 'none' | 'removed' {
  return removedAtMs === undefined ? (status ?? 'none') : 'removed'
}

/** A filter by status finds no removed animal. */
function isOfStatus(pet: PetRecord, status: Choice['status']): boolean {
  return status === undefined || kindOf(pet) === status
}

/** Whether a search finds the animal by its name, so that it has been counted. */
function isNamed({ name }: PetRecord, text: string): boolean {
  const folded = fold(name)
  return wordsOf(text).every((word) => folded.includes(fold(word)))
}

/** With the animal that only its number has found; removed ones count only among removed ones. */
function withNumbered(
  counts: Tally['counts'],
  pet: PetRecord | undefined,
  { text, status }: PageQuery,
): Tally['counts'] {
  if (pet === undefined || isNamed(pet, text)) return counts
  const kind = kindOf(pet)
  if (kind === 'removed' && status !== kind) return counts
  return { ...counts, [kind]: counts[kind] + 1 }
}
