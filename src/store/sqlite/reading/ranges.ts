/** Ranges of ids that a search goes through, from the newest on or from the oldest on. */
import { INT64_MAX, INT64_MIN } from '../../../contract/int64.ts'

export type Way = 'older' | 'newer'
export type Range = readonly [low: bigint, high: bigint]

/** The part of the range up to the next unfinished import; its beginning is in none. */
export function visible([low, high]: Range, unfinished: readonly Range[], way: Way): Range {
  const isWithin = (id: bigint) => low <= id && id <= high
  if (way === 'older') {
    const ends = unfinished.map(([, last]) => last).filter(isWithin)
    return [ends.reduce((nearest, last) => (last + 1n > nearest ? last + 1n : nearest), low), high]
  }
  const begins = unfinished.map(([first]) => first).filter(isWithin)
  return [low, begins.reduce((nearest, first) => (first - 1n < nearest ? first - 1n : nearest), high)]
}

/** The id that follows in this direction; undefined after the last one that there can be. */
export function beyond(way: Way, id: bigint): bigint | undefined {
  if (way === 'older') return id === INT64_MIN ? undefined : id - 1n
  return id === INT64_MAX ? undefined : id + 1n
}
