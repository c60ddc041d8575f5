/**
 * What became of one animal, out of its entries in the journal. An entry tells the values that it changes, so those
 * before the first one are found backwards from what is there now, and those of an animal that was purged from any
 * entry that says them.
 */
import { DAY_MS } from '../common/clock.ts'
import type { Kind, ReportEntry, Touched } from '../store/report.ts'

/** What is known of an animal that is there; `gone`: not added yet, removed, or purged. */
export type State = Partial<Kind> | 'gone'

export interface Move {
  readonly atMs: number
  readonly before: State
  readonly after: State
}

/** In their order. */
export function statesOf({ day, now, undone, entries }: Touched): readonly Move[] {
  const values = filled(entries, now)
  const stateAt = (place: number): State => values[place] ?? {}
  const [first] = entries
  const begins = first?.act === 'add'
  let isThere = !begins && first?.act !== 'restore' && first?.act !== 'purge'
  const moves: Move[] = []
  if (!begins && day !== undefined) moves.push({ atMs: day * DAY_MS, before: 'gone', after: stateAt(0) })
  if (undone !== undefined) moves.push({ atMs: undone.atMs, before: stateAt(0), after: 'gone' })
  for (const [place, { atMs, act }] of entries.entries()) {
    const before = isThere ? stateAt(place) : 'gone'
    if (act === 'add' || act === 'restore') isThere = true
    if (act === 'remove' || act === 'purge') isThere = false
    moves.push({ atMs, before, after: isThere ? stateAt(place + 1) : 'gone' })
  }
  return moves
}

/** The values before the first entry, and after each. */
function filled(entries: readonly ReportEntry[], now: Kind | undefined): readonly Partial<Kind>[] {
  const values: Partial<Kind>[] = Array.from({ length: entries.length + 1 }, () => ({}))
  for (const [place, { act, from, to }] of entries.entries()) {
    values[place] = { ...values[place], ...valuesOf(from) }
    values[place + 1] = { ...(act === 'add' && { status: null }), ...valuesOf(to) }
  }
  if (now !== undefined) values[entries.length] = { categoryId: now.categoryId, status: now.status }
  // What an entry does not say, it does not change.
  for (let place = 1; place < values.length; place += 1) values[place] = { ...values[place - 1], ...values[place] }
  for (let place = values.length - 1; place > 0; place -= 1) {
    values[place - 1] = { ...values[place], ...values[place - 1] }
  }
  return values
}

/** Within a text of JSON a quote has a backslash before it, so these members are no part of a name. */
function valuesOf(text: string = ''): Partial<Kind> {
  const [, categoryId] = /"categoryId":(-?\d+)/.exec(text) ?? []
  const [, status] = /"status":(null|"\w+")/.exec(text) ?? []
  return {
    ...(categoryId !== undefined && { categoryId: BigInt(categoryId) }),
    ...(status !== undefined && { status: status === 'null' ? null : status.slice(1, -1) }),
  }
}
