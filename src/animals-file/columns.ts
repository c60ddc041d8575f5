/**
 * Chooses the column of each field by what the values are (profile.ts); headings only help. The mapping comes first.
 * Where two columns fit equally well, both are named and somebody is asked.
 */
import { setImmediate as nextTurn } from 'node:timers/promises'
import { fold, foldWord } from '../common/fold.ts'
import { headingWords } from './headings.ts'
import type { Field, Mapping } from './mapping.ts'
import { type Profile, profileOf } from './profile.ts'
import type { Layout, ReadOptions } from './row.ts'
import { speciesLabel, speciesOf } from './species.ts'
import { type FlagMeaning, isNothing, LETTER_CODES, type Meaning, statusOf } from './statuses.ts'

/**
 * A column that gives a status by yes or no, or by a date. `left`: whatever became of it, it has left. `isBlank`: nothing
 * is in it where the file begins, so who has nothing in it is not available for that.
 */
type Flag = {
  readonly at: number
  readonly meaning: FlagMeaning | 'left'
  readonly isDate: boolean
  readonly isBlank?: true
}

export interface Columns {
  /** The index of each field's column, from 0; -1 if there is none. */
  readonly at: Readonly<Record<'id' | 'name' | 'categoryId' | 'reference', number>>
  /** Columns of statuses. Of those that are filled in a row the strongest word counts: gone before available. */
  readonly status: readonly number[]
  /** Of them, where an empty value means that the animal is available. */
  readonly outcomes: ReadonlySet<number>
  /** Columns of statuses by their values alone: they count where those above say nothing, or if the animal has left. */
  readonly others: readonly number[]
  /** Places and health, which count if they say that the animal has left ("Reclaimed") or died. */
  readonly places: readonly number[]
  readonly flags: readonly Flag[]
  /** Whether statuses are the letters A, H, X and F. */
  readonly hasLetterCodes: boolean
  /** Whether the category is the species of a breed. */
  readonly isOfBreeds: boolean
  /** Fields whose column was inferred, not named by the mapping. */
  readonly guessed: ReadonlySet<Field>
  /** Ambiguous fields, each with the columns that it could be. */
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

const HALF = 0.5
const MOST = 0.8

export async function findColumns(
  layout: Layout,
  mapping: Mapping,
  { reference, withIds, isSync = false, source = '' }: ReadOptions,
): Promise<Columns> {
  const { header, sample, above } = layout
  const profiles: Profile[] = []
  for (const [at, heading] of header.entries()) {
    const values = sample.map((record) => record[at] ?? '')
    profiles.push(profileOf(at, heading, values, mapping))
    await nextTurn()
  }
  const guessed = new Set<Field>()
  const unclear = new Map<Field, readonly number[]>()
  const folded = header.map(foldWord)
  const isOurExport = isOwn(header)
  const named = (field: Field, heading = mapping.columns.get(field)): readonly number[] | undefined => {
    if (heading === undefined) return undefined
    const whole = folded.indexOf(foldWord(heading))
    if (whole !== -1 || heading === '') return whole === -1 ? [] : [whole]
    return heading.split(' or ').map((part) => folded.indexOf(foldWord(part)))
  }
  /** The column with the highest score of at least `minScore`; -1 if there is none, or if it is ambiguous. */
  const best = (field: Field, scores: readonly number[], minScore: number, isAsked = true): number => {
    const highest = Math.max(minScore, ...scores)
    const found = [...scores.keys()].filter((at) => (scores[at] ?? 0) >= highest)
    const [first = -1, ...others] = found
    const base = (at: number) => folded[at]?.replace(/\(\d+\)$/, '')
    if (others.some((at) => base(at) !== base(first))) {
      if (isAsked) unclear.set(field, found)
      return -1
    }
    if (first !== -1) guessed.add(field)
    return first
  }

  const kinds = profiles.map((one, at) => (folded[at] === 'categoryid' ? 9 : isOurExport ? 0 : categoryScore(one)))
  const species = named('categoryId')?.[0] ?? best('categoryId', kinds, 1)
  const hasPeople = header.some((heading) => /e-?mail|phone|telef|adopt(er|ant)|owner|address/i.test(heading))
  const ofName = (one: Profile, at: number) => (isOurExport ? Number(folded[at] === 'name') : nameScore(one, hasPeople))
  const names = profiles.map((one, at) => (at === species ? 0 : ofName(one, at)))
  const name = named('name')?.[0] ?? best('name', names, 0.5)
  const id = withIds ? (named('id')?.[0] ?? folded.indexOf('id')) : -1
  const wanted = reference ?? mapping.columns.get('reference')
  const references = profiles.map((one, at) =>
    [species, name, id].includes(at) || isOurExport ? 0 : referenceScore(one),
  )
  // Two numbers of chips are no reason to ask, unless one is needed.
  const isAsked = isSync || Math.max(...references) >= 2
  const ofReference =
    wanted === undefined ? best('reference', references, 1.5, isAsked) : (named('reference', wanted)?.[0] ?? -1)
  const texts = [header[name] ?? '', ...above.map(({ text }) => text), source]
  const said = species === -1 && !mapping.values.get('categoryId')?.has('') ? commonSpecies(texts) : undefined
  const hasSections = species === -1 && sample.some((record) => sectionSpecies(record, header.length) !== undefined)
  const isOpen = species === -1 && said === undefined && !hasSections && !mapping.columns.has('categoryId')
  const categoryId = isOpen && !isOurExport ? breedColumn(profiles, name, guessed) : species
  const at = { id, name, categoryId, reference: ofReference }
  const free = profiles.filter((one) => !Object.values(at).includes(one.at))
  const statuses = isOurExport
    ? { ...NO_STATUS, status: named('status') ?? [folded.indexOf('status')].filter((one) => one !== -1) }
    : statusColumns(free, sample, named('status'), unclear)
  if (statuses.status.length + statuses.flags.length > 0 && !mapping.columns.has('status')) guessed.add('status')
  const letters = new Set(
    sample.map((record) => fold(record[statuses.status[0] ?? -1] ?? '')).filter((one) => one !== ''),
  )
  return {
    ...{ at, ...statuses, guessed, unclear, hasSections, commonSpecies: said },
    isOfBreeds: categoryId !== -1 && species !== categoryId ? true : profiles[categoryId]?.is.has('breed') === true,
    isSureReference: wanted !== undefined || (references[ofReference] ?? 0) >= 4,
    hasLetterCodes:
      [...LETTER_CODES.keys()].every((letter) => letters.has(letter)) && letters.size === LETTER_CODES.size,
    intake: profiles.findIndex(({ scores, dates, filled }) => scores.came > 0 && (dates >= HALF || filled === 0)),
    departures: profiles.filter(({ scores }) => scores.date > 0).map((one) => one.at),
  }
}

/** Whether it is a list in our own form, as an export is: its values are taken as they are. */
export function isOwn(header: readonly string[]): boolean {
  const folded = header.map(foldWord)
  return folded.includes('name') && folded.includes('categoryid')
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
function breedColumn(profiles: readonly Profile[], name: number, guessed: Set<Field>): number {
  const found = profiles.filter((one) => one.at !== name && one.breeds >= HALF && one.filled > 0)
  const [best] = found.sort((a, b) => Number(b.is.has('breed')) - Number(a.is.has('breed')) || b.breeds - a.breeds)
  if (best === undefined) return -1
  guessed.add('categoryId')
  return best.at
}

function nameScore({ scores, kinds, distinct, numbers, filled }: Profile, hasPeople: boolean): number {
  if (scores.name !== 0.5) return scores.name
  const isOfNames = kinds < 0.2 && numbers < 0.2 && distinct >= HALF && filled > 0
  // In a file with columns about people, "Name" is a person's, so "Animal" must score higher than it.
  return isOfNames ? (hasPeople ? 3.5 : 3) : 0
}

/** A number that only counts the rows is nobody's, unless its heading clearly says that it is the animal's. */
function referenceScore({ scores, filled, distinct, isCount }: Profile): number {
  return filled === 0 || distinct < HALF || (isCount && scores.reference < 4) ? 0 : scores.reference
}

type StatusColumns = Pick<Columns, 'status' | 'outcomes' | 'others' | 'places' | 'flags'>
const NO_STATUS: StatusColumns = { status: [], outcomes: new Set(), others: [], places: [], flags: [] }

function statusColumns(
  free: readonly Profile[],
  sample: Layout['sample'],
  named: readonly number[] | undefined,
  unclear: Map<Field, readonly number[]>,
): StatusColumns {
  if (named?.length === 0) return NO_STATUS
  const outcomes = headed(free, 'outcome')
  const statuses = headed(free, 'status')
  const all = [...outcomes, ...statuses]
  const byValues = free.filter((one) => isOfStatuses(one) && !all.includes(one)).map((one) => one.at)
  const ats = (some: readonly Profile[]) => some.map((one) => one.at)
  const known = [...outcomes.filter((one) => one.statuses >= HALF), ...statuses.filter(isUnderstood)]
  const [only, ...more] = all
  // An outcome that is not understood is used if nothing else is; several are asked about.
  const found =
    known.length > 0 ? ats(known) : byValues.length > 0 ? byValues : more.length === 0 ? ats(only ? [only] : []) : []
  const status = named ?? found
  const asked = [known.length > 0 ? ats(outcomes) : byValues, ats(statuses)].filter((some) => disagree(some, sample))
  if (named === undefined && found.length === 0 && all.length > 0) asked.push(ats(all))
  if (named === undefined && asked.length > 0) {
    unclear.set('status', [...new Set([...asked.flat(), ...byValues])])
    return NO_STATUS
  }
  const rest = free.filter((one) => !status.includes(one.at))
  const places = rest.filter((one) => one.is.has('place') && !one.is.has('came')).map((one) => one.at)
  const said = saidOf(status, sample)
  return {
    ...{ status, places, others: byValues.filter((at) => !status.includes(at) && !contradicts(at, said, sample)) },
    outcomes: new Set(free.filter((one) => status.includes(one.at) && one.is.has('outcome')).map((one) => one.at)),
    flags: rest.flatMap((one) => flagOfColumn(one, status.length > 0)),
  }
}

/** The columns whose headings say `kind` best, those with known values before others. */
function headed(free: readonly Profile[], kind: 'status' | 'outcome'): readonly Profile[] {
  const fit = free.filter(
    (one) => one.flags < 1 && (one.scores[kind] >= 3 || (one.scores[kind] > 0 && isOfStatuses(one))),
  )
  const known = fit.filter((one) => one.statuses >= HALF)
  const some = known.length > 0 ? known : fit
  const highest = Math.max(0, ...some.map(({ scores }) => scores[kind]))
  return some.filter(({ scores }) => scores[kind] === highest)
}

function isUnderstood({ statuses, filled, distinct }: Profile): boolean {
  return statuses >= HALF || filled === 0 || distinct <= HALF
}

/** Whether most values are statuses, whatever the heading, unless it is about how the animal came or what was before. */
function isOfStatuses({ is, filled, statuses, decisive, flags }: Profile): boolean {
  const isOfBefore = is.has('past') || is.has('came') || is.has('place')
  return !isOfBefore && filled > 0 && statuses >= HALF && decisive >= statuses / 2 && flags < 1
}

/** Whether two of the columns say different things of one animal. */
function disagree(ats: readonly number[], sample: Layout['sample']): boolean {
  const columns = new Set(ats)
  return (
    columns.size > 1 &&
    sample.some((record) => {
      const texts = record.filter((text, at) => columns.has(at) && !isNothing(text))
      return new Set(texts.map(statusOf)).size > 1
    })
  )
}

/** What the first column that is filled says of each animal. */
function saidOf(columns: readonly number[], sample: Layout['sample']): readonly (Meaning | undefined)[] {
  return sample.map((record) => {
    const at = columns.find((one) => !isNothing(record[one] ?? ''))
    return statusOf(record[at ?? -1] ?? '')
  })
}

/** Whether the column denies most of what is said of animals that are adopted or on hold. */
function contradicts(at: number, saidOfAll: ReturnType<typeof saidOf>, sample: Layout['sample']): boolean {
  const pairs = sample.flatMap((record, index) => {
    const said = saidOfAll[index]
    const other = statusOf(record[at] ?? '')
    return other === undefined || ['available', 'none', 'gone', undefined].includes(said) ? [] : [said === other]
  })
  return pairs.filter((agree) => !agree).length > pairs.length / 2
}

/** The column as one of yes and no ("Adopted?") or of dates ("Adopted on"); none if it is neither. */
function flagOfColumn({ at, is, scores, flag, filled, flags, dates }: Profile, hasStatus: boolean): readonly Flag[] {
  const isDate = filled === 0 ? is.has('date') : dates >= HALF
  if (flag !== undefined && filled > 0 && flags === 1) {
    return hasStatus && flag === 'foster' ? [] : [{ at, meaning: flag, isDate: false }]
  }
  const isOfOutcome = is.has('outcome') || is.has('status')
  if (isDate && !isOfOutcome && (flag === 'sold' || flag === 'gone')) return [{ at, meaning: flag, isDate }]
  if (flag !== undefined && filled === 0 && !isOfOutcome && !(hasStatus && flag === 'foster'))
    return [{ at, meaning: flag, isDate: true, isBlank: true }]
  return isDate && is.has('outcome') && scores.date > 0 ? [{ at, meaning: 'left', isDate }] : []
}

/** The species in the first text that names any; undefined if that text names several. */
function commonSpecies(texts: readonly string[]): string | undefined {
  for (const text of texts) {
    const words = headingWords(text.replace(/[_.-]/g, ' ')).filter(
      (word) => ![undefined, 'other'].includes(speciesOf(word)),
    )
    const [word = ''] = words
    if (words.length > 0) return new Set(words.map(speciesOf)).size === 1 ? speciesLabel(word) : undefined
  }
  return undefined
}
