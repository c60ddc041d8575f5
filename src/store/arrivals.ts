/**
 * Which ids were added on which day, as disjoint ranges, merged from the sources that say where animals came from
 * (./origins.ts): keys before people, and people before imports, as there.
 */
import { DAY_MS } from '../common/clock.ts'

export interface Arrival {
  readonly first: bigint
  readonly last: bigint
  /** Since 1970. */
  readonly day: number
}

export function dayOf(atMs: number): number {
  return Math.floor(atMs / DAY_MS)
}

/** Sources are sorted and disjoint; on conflict the earlier one wins. */
export function mergeArrivals(sources: readonly (readonly Arrival[])[]): readonly Arrival[] {
  let known: readonly Arrival[] = []
  for (const source of sources) {
    const more = source.flatMap((arrival) => rest(arrival, known))
    if (more.length > 0) known = merged([...known, ...more].sort(byFirst))
  }
  return known
}

/** The arrival that holds the id. */
export function arrivalOf(id: bigint, arrivals: readonly Arrival[]): Arrival | undefined {
  const found = arrivals[firstBehind(id, arrivals)]
  return found !== undefined && found.first <= id ? found : undefined
}

export function byFirst(a: Arrival, b: Arrival): number {
  return a.first < b.first ? -1 : a.first > b.first ? 1 : 0
}

/** The parts that are not known yet. */
function rest({ first, last, day }: Arrival, known: readonly Arrival[]): readonly Arrival[] {
  const parts: Arrival[] = []
  let from = first
  for (let at = firstBehind(first, known); from <= last; at += 1) {
    const next = known[at]
    const to = next === undefined || next.first > last ? last : next.first - 1n
    if (from <= to) parts.push({ first: from, last: to, day })
    if (next === undefined || next.first > last) break
    from = next.last + 1n
  }
  return parts
}

/** The place of the first that ends at the id or behind it. */
function firstBehind(id: bigint, arrivals: readonly Arrival[]): number {
  let [low, high] = [0, arrivals.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((arrivals[middle]?.last ?? id) < id) low = middle + 1
    else high = middle
  }
  return low
}

/** Those of one day that follow each other are one. */
function merged(sorted: readonly Arrival[]): readonly Arrival[] {
  const found: Arrival[] = []
  for (const one of sorted) {
    const before = found.at(-1)
    if (before?.day === one.day && before.last + 1n === one.first)
      found[found.length - 1] = { ...before, last: one.last }
    else found.push(one)
  }
  return found
}
