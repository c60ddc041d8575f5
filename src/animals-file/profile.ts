/**
 * What the values of a column are, counted over the sample of a file: kinds of animals, statuses, yes and no, dates,
 * numbers that only count the rows. Columns are chosen by it; their headings only help.
 */
import { foldWord } from '../common/fold.ts'
import { parseInt64 } from '../contract/int64.ts'
import { dateReader } from './dates.ts'
import { type ColumnKind, readHeading, scoresOf } from './headings.ts'
import type { Mapping } from './mapping.ts'
import { isSpecies, speciesOfBreed } from './species.ts'
import { type FlagMeaning, flagMeaning, flagOf, isDecisive, isNothing, statusOf } from './statuses.ts'

export interface Profile {
  readonly at: number
  readonly heading: string
  readonly scores: Readonly<Record<ColumnKind, number>>
  readonly is: ReturnType<typeof readHeading>['roles']
  /** The status that the heading names, if it heads yes and no or dates. */
  readonly flag: FlagMeaning | undefined
  /** The number of values that are not empty. The fields below are shares of it, from 0 to 1. */
  readonly filled: number
  readonly distinct: number
  readonly kinds: number
  readonly breeds: number
  readonly statuses: number
  /** Statuses that could hardly be anything else. */
  readonly decisive: number
  /** Words for having left. */
  readonly fates: number
  readonly flags: number
  readonly dates: number
  readonly numbers: number
  /** Whether the values are 1, 2, 3 …, anew for each part of the list. */
  readonly isCount: boolean
}

const LEAST_COUNTED = 3

export function profileOf(at: number, heading: string, values: readonly string[], { values: rules }: Mapping): Profile {
  const filled = values.filter((value) => !isNothing(value))
  const times = new Map<string, number>()
  for (const value of filled) times.set(value, (times.get(value) ?? 0) + 1)
  const count = Math.max(1, filled.length)
  const share = (isSo: (value: string) => boolean) => {
    let so = 0
    for (const [value, n] of times) if (isSo(value)) so += n
    return so / count
  }
  const toDate = dateReader(times.keys())
  const read = readHeading(heading)
  return {
    ...{ at, heading, scores: scoresOf(read), is: read.roles, flag: flagMeaning(heading), filled: filled.length },
    distinct: times.size / count,
    kinds: share((value) => isSpecies(value) || rules.get('categoryId')?.has(foldWord(value)) === true),
    breeds: share((value) => speciesOfBreed(value) !== undefined),
    statuses: share((value) => statusOf(value) !== undefined || rules.get('status')?.has(foldWord(value)) === true),
    decisive: share(isDecisive),
    fates: share((value) => ['sold', 'gone'].includes(statusOf(value) ?? '')),
    flags: share((value) => flagOf(value) !== undefined),
    dates: share((value) => toDate(value) !== -1),
    numbers: share((value) => parseInt64(value.trim()) !== undefined),
    isCount: countsRows(filled),
  }
}

function countsRows(values: readonly string[]): boolean {
  const isNext = (value: string, index: number) => {
    const number = Number(value)
    return number === 1 || number === 1 + (index === 0 ? -1 : Number(values[index - 1]))
  }
  return values.length >= LEAST_COUNTED && values.every(isNext)
}
