/**
 * Reconstructs the states of one animal from its entries in the journal. An entry holds only the values that it
 * changes. So the other values are found backwards from the animal as it is now, or, if it was purged, from any entry
 * that holds them.
 */
import type { JournalEntry } from '../store/journal.ts'
import type { Touched } from '../store/report.ts'

/** What is known of an animal in the shelter; undefined if unknown. */
interface KnownKind {
  categoryId: bigint | undefined
  /** Null if the animal has no status. */
  status: string | null | undefined
}

/** `gone`: the animal is not added yet, is removed, or is purged. */
export type State = Readonly<KnownKind> | 'gone'

export interface Move {
  readonly atMs: number
  readonly before: State
  readonly after: State
}

/** The changes of state in order, without entries that were undone and without their undos. */
export function statesOf({ cameAtMs, now, undone, entries: all }: Touched): readonly Move[] {
  const entries = standing(all)
  const values = filled(entries, now)
  const stateAt = (place: number): State => values[place] ?? unknownKind()
  const [first] = entries
  const begins = all[0]?.act === 'add'
  let isThere = !begins && first?.act !== 'restore' && first?.act !== 'purge'
  const moves: Move[] = []
  const came = !begins && undone === undefined
  if (came && cameAtMs !== undefined) moves.push({ atMs: cameAtMs, before: 'gone', after: stateAt(0) })
  for (const [place, { atMs, act }] of entries.entries()) {
    const before = isThere ? stateAt(place) : 'gone'
    if (act === 'add' || act === 'restore') isThere = true
    if (act === 'remove' || act === 'purge') isThere = false
    moves.push({ atMs, before, after: isThere ? stateAt(place + 1) : 'gone' })
  }
  return moves
}

/** The entries that were not undone. An undo that was itself undone has no effect. */
function standing(entries: readonly JournalEntry[]): readonly JournalEntry[] {
  if (entries.every(({ undoes }) => undoes === undefined)) return entries
  const undone = new Set<bigint>()
  const kept = entries.toReversed().filter(({ n, undoes }) => {
    if (undone.has(n)) return false
    if (undoes !== undefined) undone.add(undoes)
    return undoes === undefined
  })
  return kept.reverse()
}

/** The values before the first entry, and after each. All objects have one shape, since a report has many thousands. */
function filled(entries: readonly JournalEntry[], now: Touched['now']): readonly KnownKind[] {
  const values = [unknownKind()]
  for (const [place, { act, from, to }] of entries.entries()) {
    const after = unknownKind()
    values.push(after)
    take(values[place], from)
    if (act === 'add') after.status = null
    take(after, to)
  }
  const last = values[entries.length]
  if (last !== undefined && now !== undefined) {
    last.categoryId = now.categoryId
    last.status = now.status
  }
  // A value that an entry does not hold is the same before and after it.
  for (let place = 1; place < values.length; place += 1) fill(values[place], values[place - 1])
  for (let place = values.length - 1; place > 0; place -= 1) fill(values[place - 1], values[place])
  return values
}

function unknownKind(): KnownKind {
  return { categoryId: undefined, status: undefined }
}

function fill(kind: KnownKind | undefined, neighbour: KnownKind | undefined): void {
  if (kind === undefined || neighbour === undefined) return
  kind.categoryId ??= neighbour.categoryId
  if (kind.status === undefined) kind.status = neighbour.status
}

/** Reads values from JSON text. A quote in a name has a backslash before it, so these patterns match members only. */
function take(kind: KnownKind | undefined, text: string | undefined): void {
  if (kind === undefined || text === undefined) return
  const [, categoryId] = /"categoryId":(-?\d+)/.exec(text) ?? []
  const [, status] = /"status":(null|"\w+")/.exec(text) ?? []
  if (categoryId !== undefined) kind.categoryId = BigInt(categoryId)
  if (status !== undefined) kind.status = status === 'null' ? null : status.slice(1, -1)
}
