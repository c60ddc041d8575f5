/**
 * Finds the column of each field: the one that the mapping names, else the one with the best heading, else the only one
 * whose values fit. If two fit equally well, both are named and somebody is asked.
 */
import { setImmediate as nextTurn } from 'node:timers/promises'
import { fold, foldWord } from '../common/fold.ts'
import { parseInt64 } from '../contract/int64.ts'
import { type ColumnKind, headingWords, readHeading, scoresOf } from './headings.ts'
import type { Layout } from './layout.ts'
import type { Field, Mapping } from './mapping.ts'
import type { ReadOptions } from './row.ts'
import { isSpecies, speciesOf } from './species.ts'
import { flagMeaning, flagOf, LETTER_CODES, type Meaning, statusOf } from './statuses.ts'

/** A column that gives a status by yes or no, or by a date, where any date means yes. */
type Flag = { readonly at: number; readonly meaning: Meaning; readonly isDate: boolean }

export interface Columns {
  /** The index of each field's column, from 0; -1 if there is none. */
  readonly at: Readonly<Record<'id' | 'name' | 'categoryId' | 'reference', number>>
  /** Status columns, in order of precedence: the first value of a row that is not empty counts. */
  readonly status: readonly number[]
  readonly outcomes: ReadonlySet<number>
  readonly flags: readonly Flag[]
  /** Whether statuses are the letters A, H, X and F. */
  readonly hasLetterCodes: boolean
  /** Fields whose column was inferred, not named by the mapping. */
  readonly guessed: ReadonlySet<Field>
  /** Ambiguous fields, each with the columns that fit equally well. */
  readonly unclear: ReadonlyMap<Field, readonly number[]>
  /** Whether the reference column was named, or its heading clearly means the animal's number. */
  readonly isSureReference: boolean
  readonly intake: number
  readonly departures: readonly number[]
  /** The species of all animals, if no column has it: from the name's heading, a title or the file's name. */
  readonly commonSpecies: string | undefined
  /** Whether a row with only a species ("DOGS") gives the species of the rows below it. */
  readonly hasSections: boolean
}

interface ColumnStats {
  readonly heading: string
  readonly scores: Readonly<Record<ColumnKind, number>>
  /** The number of sampled values that are not empty. The fields below are shares of it, from 0 to 1. */
  readonly filled: number
  readonly kinds: number
  readonly statuses: number
  readonly distinct: number
  readonly numbers: number
}

const HALF = 0.5
const MOST = 0.8

export async function findColumns(
  layout: Layout,
  mapping: Mapping,
  { reference, withIds, source = '' }: ReadOptions,
): Promise<Columns> {
  const { header, sample, above } = layout
  const valuesOf = (at: number) => sample.map((record) => record[at] ?? '')
  const stats: ColumnStats[] = []
  for (const [at, heading] of header.entries()) {
    stats.push(columnStats(heading, valuesOf(at), mapping))
    await nextTurn()
  }
  const guessed = new Set<Field>()
  const unclear = new Map<Field, readonly number[]>()
  const folded = header.map(foldWord)
  const isOurExport = folded.includes('name') && folded.includes('categoryid')
  const named = (field: Field, heading = mapping.columns.get(field)): readonly number[] | undefined => {
    if (heading === undefined) return undefined
    const whole = folded.indexOf(foldWord(heading))
    if (whole !== -1 || heading === '') return whole === -1 ? [] : [whole]
    return heading.split(' or ').map((part) => folded.indexOf(foldWord(part)))
  }
  /** The column with the highest score of at least `minScore`; -1 if there is none, or if it is ambiguous. */
  const best = (field: Field, scores: readonly number[], minScore: number): number => {
    const highest = Math.max(minScore, ...scores)
    const found = [...scores.keys()].filter((at) => (scores[at] ?? 0) >= highest)
    const [first = -1, ...others] = found
    if (others.length > 0 && others.some((at) => folded[at] !== folded[first])) {
      unclear.set(field, found)
      return -1
    }
    if (first !== -1) guessed.add(field)
    return first
  }

  const kinds = stats.map((one, at) => (folded[at] === 'categoryid' ? 9 : isOurExport ? 0 : categoryScore(one)))
  const categoryId = named('categoryId')?.[0] ?? best('categoryId', kinds, 1)
  const ofName = (one: ColumnStats, at: number) => (isOurExport ? Number(folded[at] === 'name') : nameScore(one, stats))
  const names = stats.map((one, at) => (at === categoryId ? 0 : ofName(one, at)))
  const name = named('name')?.[0] ?? best('name', names, 0.5)
  const id = withIds ? (named('id')?.[0] ?? folded.indexOf('id')) : -1
  const used = new Set([categoryId, name, id])
  const wanted = reference ?? mapping.columns.get('reference')
  const references = isOurExport
    ? []
    : stats.map((one, at) => (used.has(at) || one.filled === 0 || one.distinct < HALF ? 0 : one.scores.reference))
  const at = {
    ...{ id, name, categoryId },
    reference: wanted === undefined ? best('reference', references, 1.5) : (named('reference', wanted)?.[0] ?? -1),
  }
  const isSureReference = wanted !== undefined || (references[at.reference] ?? 0) >= 4
  const status =
    named('status') ?? statusColumns(stats, new Set([...used, at.reference]), isOurExport ? folded : undefined, unclear)
  if (status.length > 0 && !mapping.columns.has('status')) guessed.add('status')
  const isOpen = status.length === 0 && !mapping.columns.has('status') && !isOurExport && !unclear.has('status')
  const letters = new Set(sample.map((record) => fold(record[status[0] ?? -1] ?? '')).filter((value) => value !== ''))
  return {
    ...{ at, status, guessed, unclear, isSureReference },
    outcomes: new Set(status.filter((index) => (stats[index]?.scores.outcome ?? 0) > 0)),
    flags: isOpen ? flagsOf(layout, used) : [],
    hasLetterCodes:
      [...LETTER_CODES.keys()].every((letter) => letters.has(letter)) && letters.size === LETTER_CODES.size,
    intake: stats.findIndex(({ scores }) => scores.came > 0),
    departures: [...stats.keys()].filter((index) => (stats[index]?.scores.date ?? 0) > 0),
    commonSpecies:
      categoryId === -1 ? commonSpecies([header[name] ?? '', ...above.map(({ text }) => text), source]) : undefined,
    hasSections: categoryId === -1 && sample.some((record) => sectionSpecies(record, header.length) !== undefined),
  }
}

/** With fewer columns, a species that stands alone could be an animal's name. */
const SECTION_COLUMNS = 3

/** The species, if it is all that a record holds: such a record heads the rows of that species. */
export function sectionSpecies(record: readonly string[], columns: number): string | undefined {
  const [only = '', ...others] = record.filter((value) => value.trim() !== '')
  const [text = ''] = /^.*[^\s:]/s.exec(only.trim()) ?? []
  return others.length === 0 && columns >= SECTION_COLUMNS && speciesOf(text) !== undefined ? text : undefined
}

function columnStats(heading: string, values: readonly string[], { values: rules }: Mapping): ColumnStats {
  const filled = values.filter((value) => value.trim() !== '')
  const count = Math.max(1, filled.length)
  const words = [...new Set(filled)]
  const share = (isSo: (value: string) => boolean) => {
    const so = new Set(words.filter(isSo))
    return filled.filter((value) => so.has(value)).length / count
  }
  return {
    heading,
    scores: scoresOf(readHeading(heading)),
    filled: filled.length,
    kinds: share((value) => isSpecies(value) || rules.get('categoryId')?.has(foldWord(value)) === true),
    statuses: share((value) => statusOf(value) !== undefined || rules.get('status')?.has(foldWord(value)) === true),
    distinct: words.length / count,
    numbers: share((value) => parseInt64(value.trim()) !== undefined),
  }
}

function categoryScore({ scores, kinds, numbers, filled }: ColumnStats): number {
  const fits = filled === 0 ? 0 : Math.max(kinds, scores.category >= 2 ? numbers : 0)
  // Values must confirm a weak heading: "Animal" can head names or species, and "type" types of anything.
  if (scores.category > 0) return scores.category < 4 && fits < 0.2 && filled > 0 ? 0 : scores.category + 3 * fits
  const isHeadingOfElse = Object.values(scores).some((score) => score > 0)
  return !isHeadingOfElse && kinds >= MOST ? kinds : 0
}

function nameScore({ scores, kinds, distinct, numbers, filled }: ColumnStats, all: readonly ColumnStats[]): number {
  if (scores.name !== 0.5) return scores.name
  const isOfNames = kinds < 0.2 && numbers < 0.2 && distinct >= HALF && filled > 0
  // In a file with columns about people, "Name" is a person's, so "Animal" must score higher than it.
  const hasPeople = all.some(({ heading }) => /e-?mail|phone|telef|adopt(er|ant)|owner|address/i.test(heading))
  return isOfNames ? (hasPeople ? 3.5 : 3) : 0
}

function statusColumns(
  stats: readonly ColumnStats[],
  used: ReadonlySet<number>,
  own: readonly string[] | undefined,
  unclear: Map<Field, readonly number[]>,
): readonly number[] {
  if (own !== undefined) return own.includes('status') ? [own.indexOf('status')] : []
  const free = [...stats.keys()].filter((at) => !used.has(at))
  const of = (at: number) => stats[at] as ColumnStats
  const hasFewDistinct = (at: number) => of(at).distinct <= HALF && of(at).filled > 0
  const ranked = (kind: 'status' | 'outcome') => {
    const scored = free
      .map((at) => ({ at, score: of(at).scores[kind], fit: of(at).statuses }))
      .filter(({ at, score, fit }) => score >= 3 || (score > 0 && of(at).filled > 0 && fit >= MOST))
    const known = scored.filter(({ fit }) => fit >= HALF)
    const some = known.length > 0 ? known : scored
    const highest = Math.max(0, ...some.map(({ score }) => score))
    return some.filter(({ score }) => score === highest).map(({ at }) => at)
  }
  const [outcomes, statuses] = [ranked('outcome'), ranked('status')]
  const isKnown = (at: number) => of(at).statuses >= HALF || of(at).filled === 0 || hasFewDistinct(at)
  for (const some of [outcomes, statuses])
    if (some.filter(isKnown).length > 1) unclear.set('status', some.filter(isKnown))
  if (unclear.has('status')) return []
  // An outcome column takes precedence over a status column; where it is empty, the status column counts.
  const both = [...outcomes.filter((at) => of(at).statuses >= HALF), ...statuses.filter(isKnown)]
  if (both.length > 0) return both
  const [only, ...others] = [...statuses, ...outcomes]
  const byValues = free.filter((at) => hasStatusValues(of(at)))
  if (byValues.length === 1) return byValues
  if (only !== undefined && others.length === 0) return [only]
  const open = only === undefined ? byValues : [only, ...others]
  if (open.length > 1) unclear.set('status', open)
  return []
}

/** Whether the values of a column are statuses, and its heading means nothing else. */
function hasStatusValues({ heading, scores, statuses, distinct, filled }: ColumnStats): boolean {
  const { roles } = readHeading(heading)
  const saysElse = roles.has('other') || roles.has('came') || Object.values(scores).some((score) => score > 0)
  return !saysElse && filled > 0 && statuses >= MOST && distinct <= MOST && flagMeaning(heading) === undefined
}

/** The columns that give a status by yes or no ("Adopted?"), or by a date ("Adopted on"). */
function flagsOf({ header, sample }: Layout, used: ReadonlySet<number>): readonly Flag[] {
  return header.flatMap((heading, at): readonly Flag[] => {
    const meaning = used.has(at) ? undefined : flagMeaning(heading)
    if (meaning === undefined) return []
    const values = sample.map((record) => record[at] ?? '').filter((value) => value.trim() !== '')
    // Only the values tell a yes/no column ("On hold") from a date column ("Adopted on").
    const saysYes = values.length > 0 && values.every((value) => flagOf(value) !== undefined)
    if (saysYes) return [{ at, meaning, isDate: false }]
    const isDate = readHeading(heading).roles.has('date') || /date|datum|fecha|data/i.test(heading)
    return isDate && (meaning === 'sold' || meaning === 'gone') ? [{ at, meaning, isDate }] : []
  })
}

/** The species in the first text that names any; undefined if that text names several. */
function commonSpecies(texts: readonly string[]): string | undefined {
  for (const text of texts) {
    const kinds = headingWords(text.replace(/[_.-]/g, ' ')).map(speciesOf)
    const [kind, ...others] = new Set(kinds.filter((one) => one !== undefined && one !== 'other'))
    if (kind !== undefined) return others.length === 0 ? kind : undefined
  }
  return undefined
}
