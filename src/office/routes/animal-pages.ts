/**
 * A page of animals, where the previous and next pages begin, and how many there are. A text that is a number also
 * finds the animal with that number, removed or not, which comes first on the first page only. A cursor is the number
 * of an animal, with a colon and the beginning of its name in the order of names; `end` is behind every animal.
 */
import { INT64_MAX } from '../../contract/int64.ts'
import type { Choice, PetRecord, PetRecords, Tally } from '../../store/records.ts'
import type { Place } from '../../store/rules/name-order.ts'
import type { PetStore } from '../../store/store.ts'
import { readNumber } from './animals.ts'

export interface PageQuery extends Choice {
  readonly isByName: boolean
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
  readonly isByName: boolean
  readonly stoppedAt?: bigint | undefined
}

interface Page {
  readonly pets: readonly PetRecord[]
  readonly isByName: boolean
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
const TALLY_MS = 300

export async function pageOf(records: PetRecords, all: PetStore, query: PageQuery): Promise<Page> {
  const { before, after, limit } = query
  const numbered = await byNumber(records, query)
  const shown = numbered === undefined || before !== undefined ? limit : Math.max(1, limit - 1)
  // Two more than shown: one tells whether others follow, one may be the animal found by number.
  const { found, isByName, stoppedAt } = await partOf(records, { ...query, limit: shown + 2 })
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
    isByName,
    newer: isFirst ? null : (ahead ?? cursorOf(part[0]) ?? 'end'),
    older: isLast ? null : (behind ?? cursorOf(part.at(-1)) ?? (isNewer ? firstBehind(after) : null)),
    counts: counted.counts,
    isCounted: counted.isComplete,
    first: isFirst ? 1 : counted.isComplete && numbered === undefined && part.length > 0 ? counted.ahead + 1 : null,
  }
}

/**
 * By name if that is asked for and the time suffices; otherwise newest first, as is what goes on from a page that was.
 */
async function partOf(records: PetRecords, query: PageQuery): Promise<Part> {
  const { before, after, isByName } = query
  const place = before ?? (after === 'end' ? undefined : after)
  if (isByName && (place === undefined || place.key !== undefined)) {
    const found = await records.findByName({ ...query, withinMs: SEARCH_MS })
    if (found !== undefined) return { found, isByName }
  }
  const ids = { before: before?.id, after: after === 'end' ? after : after?.id }
  const { pets, stoppedAt } = await records.find({ ...query, ...ids, isBrief: true, withinMs: SEARCH_MS })
  return { found: pets.map((pet) => ({ pet })), isByName: false, stoppedAt }
}

/** Of all animals the store keeps the counts. */
async function tallyOf(
  records: PetRecords,
  all: PetStore,
  query: PageQuery,
  first: Listed | undefined,
): Promise<Tally> {
  const { text, status, categoryId } = query
  const place = first && { id: BigInt(first.pet.id), key: first.key }
  const isAll = text === '' && categoryId === undefined
  const tally = (of: Choice['status']) => records.tally({ text, status: of, categoryId, place, withinMs: TALLY_MS })
  const counted = isAll && place === undefined && status !== 'removed' ? undefined : await tally(status)
  const live = isAll ? { counts: await all.count(), isComplete: true } : undefined
  if (counted === undefined || status === 'removed') {
    const { counts, isComplete } = live ?? (await tally(undefined))
    const removed = counted?.counts.removed ?? 0
    return {
      counts: { ...counts, removed },
      ahead: counted?.ahead ?? 0,
      isComplete: isComplete && (counted?.isComplete ?? true),
    }
  }
  return { ...counted, counts: { ...counted.counts, ...live?.counts } }
}

function cursorOf(listed: Listed | undefined): string | undefined {
  if (listed === undefined) return undefined
  return listed.key === undefined ? listed.pet.id : `${listed.pet.id}:${listed.key}`
}

/** A page that has become empty leads back to where it was asked for. */
function firstBehind(after: Place | 'end'): string | null {
  if (after === 'end') return null
  const id = after.id === INT64_MAX ? after.id : after.id + 1n
  return after.key === undefined ? String(id) : `${id}:${after.key}`
}

/** A filter by status finds no removed animal. */
async function byNumber(records: PetRecords, { text, status, categoryId }: PageQuery): Promise<PetRecord | undefined> {
  const id = readNumber(text)
  const pet = id === undefined ? undefined : await records.get(id)
  if (pet === undefined) return undefined
  if (categoryId !== undefined && pet.categoryId !== String(categoryId)) return undefined
  if (status === undefined) return pet
  const kind = pet.removedAtMs === undefined ? (pet.status ?? 'none') : 'removed'
  return kind === status ? pet : undefined
}
