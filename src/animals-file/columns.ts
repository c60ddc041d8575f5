/**
 * Chooses the column of each field by what its values are: kinds of animals, statuses, yes and no, dates, numbers that
 * only count the rows. Headings only help, and the mapping comes first. Where two columns fit equally well, both are
 * named and somebody is asked.
 */
import { setImmediate as nextTurn } from 'node:timers/promises'
import { fold, foldWord } from '../common/fold.ts'
import { parseInt64 } from '../contract/int64.ts'
import { dateReader } from './dates.ts'
import { headingWords, readHeading, scoresOf } from './headings.ts'
import { type Field, isOwn, type Mapping } from './mapping.ts'
import type { Layout, ReadOptions } from './row.ts'
import { isSpecies, speciesIn, speciesOf, speciesOfBreed } from './species.ts'
import { type FlagMeaning, flagMeaning, flagOf, isDecisive, isNothing, statusOf } from './statuses.ts'

/** A column that says something of the status of an animal. */
export interface StatusColumn {
  readonly at: number
  /**
   * `outcome`: how the animal left; empty while it is there. `other`: statuses by its values alone; counts where the
   * columns before it say nothing, or if it says that the animal has left. `place`: where it is, or how well; counts if
   * that says that it has left. `flag`: has its `meaning` where the cell is a yes, or a date.
   */
  readonly kind: 'status' | 'outcome' | 'other' | 'place' | 'flag'
  /** `left`: whatever became of it, it has left. */
  readonly meaning?: FlagMeaning | 'left'
  readonly isDate?: boolean
  /** Empty in all rows of the sample: an empty cell of it makes no animal available. */
  readonly isBlank?: boolean
}

/** Whether the words in a column have a meaning of their own. */
export function hasWords({ kind }: StatusColumn): boolean {
  return kind === 'status' || kind === 'outcome'
}

export type Columns = Awaited<ReturnType<typeof findColumns>>

const HALF = 0.5
const MOST = 0.8

export async function findColumns(layout: Layout, mapping: Mapping, options: ReadOptions) {
  const { header, sample, above } = layout
  const { reference, withIds, isSync = false, source = '' } = options
  const profiles: Profile[] = []
  for (const at of header.keys()) {
    profiles.push(profileOf(at, layout, mapping))
    await nextTurn()
  }
  /** Fields that somebody must be asked about, each with the columns that it could be; none if any could. */
  const open = new Map<Field, readonly number[]>()
  const folded = header.map(foldWord)
  const mappedColumns = (field: Field, heading = mapping.columns.get(field)): readonly number[] | undefined => {
    if (heading === undefined) return undefined
    if (heading === '') return []
    const whole = folded.indexOf(foldWord(heading))
    return whole === -1 ? heading.split(' or ').map((part) => folded.indexOf(foldWord(part))) : [whole]
  }
  /** The column with the highest score of at least `minScore`; -1 if there is none, or if it is ambiguous. */
  const best = (field: Field, score: (one: Profile) => number, minScore: number, isAsked = true): number => {
    const scores = profiles.map(score)
    const highest = Math.max(minScore, ...scores)
    const columns = profiles.filter(({ at }) => (scores[at] ?? 0) >= highest).map(({ at }) => at)
    if (columns.length > 1 && isAsked) open.set(field, columns)
    return columns.length === 1 ? (columns[0] ?? -1) : -1
  }

  const species = mappedColumns('categoryId')?.[0] ?? best('categoryId', categoryScore, 1)
  const name = mappedColumns('name')?.[0] ?? best('name', (one) => (one.at === species ? 0 : nameScore(one)), 0.5)
  const id = withIds ? (mappedColumns('id')?.[0] ?? folded.indexOf('id')) : -1
  const scoreOf = (one: Profile) => ([species, name, id].includes(one.at) ? 0 : referenceScore(one))
  const referenceHeading = reference ?? mapping.columns.get('reference')
  // Two numbers of chips are no reason to ask, unless one is needed.
  const isAsked = isSync || profiles.some((one) => scoreOf(one) >= 2)
  const ofReference =
    referenceHeading === undefined
      ? best('reference', scoreOf, 1.5, isAsked)
      : (mappedColumns('reference', referenceHeading)?.[0] ?? -1)
  const texts = [header[name] ?? '', ...above.map(({ text }) => text), source]
  const isRuled = mapping.values.get('categoryId')?.has('') === true
  const common = species === -1 && !isRuled ? commonSpecies(texts) : undefined
  const hasSections = species === -1 && sample.some((record) => sectionSpecies(record, header.length) !== undefined)
  const isOpen = species === -1 && common === undefined && !hasSections && !mapping.columns.has('categoryId')
  const categoryId = isOpen ? breedColumn(profiles, name) : species
  const at = { id, name, categoryId, reference: ofReference }
  const free = profiles.filter((one) => !Object.values(at).includes(one.at))
  const statuses = statusColumns(free, sample, mappedColumns('status'), open)
  if (name === -1 && ofReference === -1 && !open.has('name')) open.set('name', [])
  const hasKind = categoryId !== -1 || common !== undefined || hasSections || isRuled
  if (!hasKind && !open.has('categoryId')) open.set('categoryId', [])
  return {
    /** The index of each field's column, from 0; -1 if there is none. */
    at,
    /** In the order in which they are read. Of those that are filled the strongest word counts: gone before available. */
    statuses,
    open,
    /** The species of all animals, if no column has it: from the name's heading, a title or the file's name. */
    commonSpecies: common,
    /** Whether a row with only a species ("DOGS") gives the species of the rows below it. */
    hasSections: hasSections && !isRuled,
    /** Whether the category is the species of a breed. */
    isOfBreeds: categoryId !== species || profiles[categoryId]?.is.has('breed') === true,
    /** How most rows spell a category, by its folded name. */
    spelling: mostFrequent(profiles[categoryId]?.values ?? []),
    /** A list in our own form: its names are taken letter by letter, and its categories are numbers. */
    isOwn: isOwn(header),
    /** Whether rows with one reference are about one animal, even if their names or categories differ. */
    isSureReference:
      isSync || referenceHeading !== undefined || profiles.some((one) => one.at === ofReference && scoreOf(one) >= 4),
    /** A row may end behind this column. */
    lastUsed: Math.max(...Object.values(at), ...statuses.map((one) => (one.kind === 'place' ? -1 : one.at))),
    intake: profiles.find(({ scores, dates, filled }) => scores.came > 0 && (dates >= HALF || filled === 0)),
    departures: profiles.filter(({ scores }) => scores.date > 0),
    /** Whether there is no heading: it holds values as those below it. */
    isHeadless: profiles.some((one) => one.kinds > HALF && speciesOf(one.heading) !== undefined),
  }
}

/** With fewer columns, a species that stands alone could be an animal's name. */
const SECTION_COLUMNS = 3

/** The species, if it is all that a record holds: such a record heads the rows of that species. */
export function sectionSpecies(record: readonly string[], columns: number): string | undefined {
  if (columns < SECTION_COLUMNS) return undefined
  const [only = '', ...others] = record.filter((value) => value.trim() !== '')
  const [text = ''] = /^.*[^\s:]/s.exec(only.trim()) ?? []
  return others.length === 0 && speciesOf(text) !== undefined ? text : undefined
}

function categoryScore({ scores, is, kinds, numbers, filled }: Profile): number {
  const fits = filled === 0 ? 0 : Math.max(kinds, scores.category >= 2 ? numbers : 0)
  // Values must confirm a weak heading: "Animal" can head names or species, and "type" types of anything.
  if (scores.category > 0) return scores.category < 4 && fits < 0.2 && filled > 0 ? 0 : scores.category + 3 * fits
  const isHeadingOfElse = is.has('breed') || is.has('place') || Object.values(scores).some((score) => score > 0)
  return !isHeadingOfElse && kinds >= MOST ? kinds : 0
}

/** The column of breeds that say the kind of most animals. */
function breedColumn(profiles: readonly Profile[], name: number): number {
  const candidates = profiles.filter((one) => one.at !== name && one.breeds >= HALF && one.filled > 0)
  const rank = ({ is, breeds }: Profile) => (is.has('breed') ? 1 : 0) + breeds
  return candidates.sort((a, b) => rank(b) - rank(a))[0]?.at ?? -1
}

/** "Animal" with names in it ranks before "Name", which may be a person's. */
function nameScore({ scores, kinds, distinct, numbers, filled }: Profile): number {
  if (scores.name !== 0.5) return scores.name
  return kinds < 0.2 && numbers < 0.2 && distinct >= HALF && filled > 0 ? 3.5 : 0
}

/** A number that only counts the rows is nobody's, unless its heading clearly says that it is the animal's. */
function referenceScore({ scores, filled, distinct, isCount }: Profile): number {
  return filled === 0 || distinct < HALF || (isCount && scores.reference < 4) ? 0 : scores.reference
}

/** None where somebody must be asked, or where `mappedColumns` says that there is none. */
function statusColumns(
  free: readonly Profile[],
  sample: Layout['sample'],
  mappedColumns: readonly number[] | undefined,
  open: Map<Field, readonly number[]>,
): readonly StatusColumn[] {
  if (mappedColumns?.length === 0) return []
  const outcomes = headed(free, 'outcome')
  const statuses = headed(free, 'status')
  const all = [...outcomes, ...statuses]
  const others = free.filter((one) => isOfStatuses(one) && !all.includes(one))
  const understood = [
    ...outcomes.filter((one) => one.statuses >= HALF),
    ...statuses.filter(({ statuses: most, filled, distinct }) => most >= HALF || filled === 0 || distinct <= HALF),
  ]
  // An outcome that is not understood is used if nothing else is; several are asked about.
  const statusProfiles = [understood, others, all.length === 1 ? all : []].find((some) => some.length > 0) ?? []
  const questions = [understood.length > 0 ? outcomes : others, statuses].filter((some) => disagree(some, sample))
  if (statusProfiles.length === 0) questions.push(all)
  if (mappedColumns === undefined && questions.flat().length > 0) {
    open.set('status', [...new Set([...questions.flat(), ...others].map((one) => one.at))])
    return []
  }
  const status = mappedColumns ?? statusProfiles.map((one) => one.at)
  const rest = free.filter((one) => !status.includes(one.at))
  const isOutcome = (at: number) => free.some((one) => one.at === at && one.is.has('outcome'))
  const isPlace = ({ is }: Profile) => is.has('place') && !is.has('came')
  const ofKind = (kind: 'other' | 'place', some: readonly Profile[]) => some.map(({ at }) => ({ at, kind }))
  return [
    ...status.map((at) => ({ at, kind: isOutcome(at) ? ('outcome' as const) : ('status' as const) })),
    ...ofKind(
      'other',
      others.filter((one) => rest.includes(one) && !saysOneThing(one, sample)),
    ),
    ...ofKind('place', rest.filter(isPlace)),
    ...rest.flatMap((one) => flagOfColumn(one, status.length > 0) ?? []),
  ]
}

/** The columns whose headings say `kind` best, those with known values before others. */
function headed(free: readonly Profile[], kind: 'status' | 'outcome'): readonly Profile[] {
  const fit = free.filter(
    (one) => one.flags < 1 && (one.scores[kind] >= 3 || (one.scores[kind] > 0 && isOfStatuses(one))),
  )
  const understood = fit.filter((one) => one.statuses >= HALF)
  const some = understood.length > 0 ? understood : fit
  const highest = Math.max(0, ...some.map(({ scores }) => scores[kind]))
  return some.filter(({ scores }) => scores[kind] === highest)
}

/** Whether most values are statuses, whatever the heading, unless it is about how the animal came or what was before. */
function isOfStatuses({ is, filled, statuses, decisive, flags }: Profile): boolean {
  const isOfBefore = is.has('past') || is.has('came') || is.has('place')
  return !isOfBefore && filled > 0 && statuses >= HALF && decisive >= statuses / 2 && flags < 1
}

/** Whether it says one and the same of everybody, as the reason of death that a system writes for the living too. */
function saysOneThing({ filled, distinct }: Profile, sample: Layout['sample']): boolean {
  return filled > 1 && filled === sample.length && distinct * filled === 1
}

/** Whether two of the columns say different things of one animal. */
function disagree(columns: readonly Profile[], sample: Layout['sample']): boolean {
  return sample.some((record) => {
    const texts = columns.map(({ at }) => record[at] ?? '').filter((text) => !isNothing(text))
    return new Set(texts.map(statusOf)).size > 1
  })
}

/** The column as one of yes and no ("Adopted?") or of dates ("Adopted on"); undefined if it is neither. */
function flagOfColumn(column: Profile, hasStatus: boolean): StatusColumn | undefined {
  const { at, is, scores, flag, filled, flags, dates } = column
  const [isBlank, isOutcome] = [filled === 0, is.has('outcome')]
  const isDate = isBlank ? is.has('date') : dates >= HALF
  const isOfElse = isOutcome || is.has('status')
  const isIgnored = hasStatus && flag === 'foster'
  if (flag !== undefined && !isBlank && flags === 1) return isIgnored ? undefined : { at, kind: 'flag', meaning: flag }
  if (isDate && !isOfElse && (flag === 'sold' || flag === 'gone')) return { at, kind: 'flag', meaning: flag, isDate }
  if (flag !== undefined && isBlank && !isOfElse && !isIgnored)
    return { at, kind: 'flag', meaning: flag, isDate: true, isBlank }
  return isDate && isOutcome && scores.date > 0 ? { at, kind: 'flag', meaning: 'left', isDate } : undefined
}

/** What the language of the first text that names a species calls it; undefined if that text names several. */
function commonSpecies(texts: readonly string[]): string | undefined {
  for (const text of texts) {
    const species = headingWords(text.replace(/[_.-]/g, ' ')).flatMap((word) => speciesIn(word) ?? [])
    const [first, ...others] = species.filter(({ kind }) => kind !== 'other')
    if (first !== undefined) return others.every(({ kind }) => kind === first.kind) ? first.label : undefined
  }
  return undefined
}

const LEAST_COUNTED = 3

type Profile = ReturnType<typeof profileOf>

/** What the values of a column are, counted over the sample of a file, as shares of those that are not empty. */
function profileOf(at: number, { header, sample }: Layout, { values: rules }: Mapping) {
  const heading = header[at] ?? ''
  const values = sample.map((record) => record[at] ?? '')
  const all = values.filter((value) => !isNothing(value))
  const times = Map.groupBy(all, (value) => value)
  const share = (isSo: (value: string) => boolean) => {
    let so = 0
    for (const [value, { length }] of times) if (isSo(value)) so += length
    return so / Math.max(1, all.length)
  }
  const isRuled = (field: Field, value: string) => rules.get(field)?.has(foldWord(value)) === true
  const toDate = dateReader(times.keys())
  const headingMeaning = readHeading(heading)
  return {
    at,
    heading,
    values,
    scores: scoresOf(headingMeaning),
    is: headingMeaning.roles,
    /** The status that the heading names, if it heads yes and no or dates. */
    flag: flagMeaning(heading),
    /** The number of values that are not empty. */
    filled: all.length,
    distinct: times.size / Math.max(1, all.length),
    kinds: share((value) => isSpecies(value) || isRuled('categoryId', value)),
    breeds: share((value) => speciesOfBreed(value) !== undefined),
    statuses: share((value) => statusOf(value) !== undefined || isRuled('status', value)),
    /** Statuses that could hardly be anything else. */
    decisive: share(isDecisive),
    flags: share((value) => flagOf(value) !== undefined),
    dates: share((value) => toDate(value) !== -1),
    toDate,
    numbers: share((value) => parseInt64(value.trim()) !== undefined),
    /** Whether the values are 1, 2, 3 …, anew for each part of the list. */
    isCount:
      all.length >= LEAST_COUNTED && all.every((value, n) => [1, 1 + Number(all[n - 1] ?? -1)].includes(Number(value))),
  }
}

/** The most frequent spelling of each value, by its folded form; of equals the one that begins with a capital. */
function mostFrequent(values: readonly string[]): ReadonlyMap<string, string> {
  const times = new Map<string, number>()
  for (const value of values) times.set(value.trim(), (times.get(value.trim()) ?? 0) + 1)
  const isTitle = (value: string) => Number(/^\p{Lu}.*\p{Ll}/su.test(value))
  const sorted = [...times].sort(([a, n], [b, m]) => n - m || isTitle(a) - isTitle(b))
  return new Map(sorted.map(([value]) => [fold(value), value]))
}
