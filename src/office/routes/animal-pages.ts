/**
 * A page of animals, and where the previous and next pages begin. A text that is a number also finds the animal with
 * that number, removed or not, which comes first on the first page only.
 */
import { INT64_MAX, INT64_MIN, parseInt64 } from '../../contract/int64.ts'
import type { PetStatus } from '../../contract/schemas.ts'
import type { PetRecord, PetRecords } from '../../store/records.ts'

export interface PageQuery {
  readonly text: string
  readonly status: PetStatus | 'none' | undefined
  readonly before: bigint | undefined
  readonly after: bigint | undefined
  readonly limit: number
}

interface Page {
  readonly pets: readonly PetRecord[]
  /** The `after` of the page of newer animals; null on the first page. */
  readonly newer: string | null
  /** The `before` of the page of older animals; null on the last page. */
  readonly older: string | null
}

/** A longer search returns what it has found so far; `older` continues it. */
const SEARCH_MS = 1_000

export async function pageOf(records: PetRecords, query: PageQuery): Promise<Page> {
  const { before, after, limit, text, status } = query
  const numbered = await byNumber(records, query)
  const shown = numbered === undefined || before !== undefined ? limit : Math.max(1, limit - 1)
  // Two more than shown: one tells whether others follow, one may be the animal found by number.
  const found = await records.find({
    text,
    status,
    before,
    after,
    isBrief: true,
    limit: shown + 2,
    withinMs: SEARCH_MS,
  })
  const others = found.pets.filter(({ id }) => id !== numbered?.id)
  if (after === undefined) {
    const pets = others.slice(0, shown)
    const isFirst = before === undefined
    return {
      pets: isFirst && numbered !== undefined ? [numbered, ...pets] : pets,
      newer: isFirst ? null : newerThan(pets, before),
      older: others.length > shown ? (pets.at(-1)?.id ?? null) : (found.stoppedAt?.toString() ?? null),
    }
  }
  const pets = others.slice(-shown)
  const isFirst = others.length <= shown && found.stoppedAt === undefined
  return {
    pets: isFirst && numbered !== undefined ? [numbered, ...pets] : pets,
    newer: isFirst ? null : others.length > shown ? (pets[0]?.id ?? null) : String(found.stoppedAt),
    older: pets.at(-1)?.id ?? String(after === INT64_MAX ? after : after + 1n),
  }
}

/** Where the newer animals begin; a page that has become empty leads back to where it was requested from. */
function newerThan(pets: readonly PetRecord[], before: bigint): string {
  return pets[0]?.id ?? String(before === INT64_MIN ? before : before - 1n)
}

/** A filter by status finds no removed animal. */
async function byNumber(records: PetRecords, { text, status }: PageQuery): Promise<PetRecord | undefined> {
  const id = parseInt64(text)
  const pet = id === undefined ? undefined : await records.get(id)
  if (pet === undefined || status === undefined) return pet
  return pet.removedAtMs === undefined && (pet.status ?? 'none') === status ? pet : undefined
}
