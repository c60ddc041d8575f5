/**
 * Proposes how to read a list by its headers, its values and the words of many languages. An unclear point is a `?`
 * with candidates. A person confirms every proposal, so it need not always be right.
 */
import { counted } from '../common/counted.ts'
import { fold, foldWord } from '../common/fold.ts'
import { parseInt64 } from '../contract/int64.ts'
import { placeIn } from './apply.ts'
import { MOST_WORDS } from './bounds.ts'
import { onOneLine } from './file-errors.ts'
import { headingWords, readHeading, scoresOf } from './headings.ts'
import { FIELDS, type Field, FLAGS, type Flag, forAll, linesOf, type Mapping, NO_MAPPING, OPEN } from './mapping.ts'
import { type Column, type Scan, settledOrder } from './scan.ts'
import { isSpecies, speciesIn, speciesOfBreed, titled } from './species.ts'
import { flagMeaning, flagOf, hasLeft, isDecisive, isNothing, statusOf } from './statuses.ts'
import type { Candidate, Table } from './table.ts'

export interface ProposedLine {
  readonly key: string
  readonly value: string
  readonly shows: string
  readonly candidates: readonly Candidate[]
}

interface ProposalOptions {
  readonly isSync: boolean
  readonly nowMs: number
  /** The file name, which can name the species. */
  readonly source: string
  readonly isCategory: (value: string) => boolean
}

const HALF = 0.5
const MOST = 0.8
const COLUMNS_OFFERED = 60

type Profile = ReturnType<typeof profileOf>

/** `given` is what a person has confirmed. It stays, and only the rest is proposed. */
export function propose(table: Table, scanned: Scan, given: Mapping, options: ProposalOptions): Mapping {
  const profiles = scanned.columns.map(profileOf)
  const place = placeIn(table.layout.header)
  const columns: Partial<Record<Field, string>> = { ...given.columns }
  const profileFor = (field: Field) => profiles[place(columns[field] ?? '')]
  const free = () => profiles.filter((one) => !FIELDS.some((field) => profileFor(field) === one))
  // Undefined: there is no such column. OPEN: several columns are possible.
  const take = (field: Field, found: Profile | typeof OPEN | undefined) => {
    if (given.columns[field] === undefined && found !== undefined)
      columns[field] = found === OPEN ? OPEN : onOneLine(found.column.heading)
  }
  // For a command, a reference alone is an option.
  const isAnySaid = Object.keys(given.columns).some((field) => field !== 'reference')

  if (columns.category === undefined) {
    const kinds = best(free(), categoryScore, 1)
    const { above } = table.layout
    const names = best(free(), ({ scores }) => scores.name, 1)
    const heading = names === undefined || names === OPEN ? '' : names.column.heading
    const texts = [heading, ...above, options.source, ...scanned.titles]
    const ofAll = kinds === undefined ? commonSpecies(texts) : undefined
    if (ofAll !== undefined) columns.category = forAll(ofAll)
    else take('category', kinds ?? breedColumn(free()) ?? OPEN)
  }
  const names = best(free(), ({ scores }) => scores.name, 1)
  const references = best(free(), referenceScore, 1.5)
  // Without a column of names, animals are called by their references.
  const hasNames = names !== undefined || references === undefined || free().some(looksLikeNames)
  if (hasNames) take('name', names ?? OPEN)
  else columns.name ??= ''
  // Without a sync, the reference is never a question.
  if (options.isSync) take('reference', references ?? OPEN)
  else if (!isAnySaid && references !== OPEN) take('reference', references)
  const arrivals = best(free(), ({ scores, dates }) => (dates >= HALF ? scores.came : 0), 1)
  // A filled cell that is not a date is a question.
  if (!isAnySaid && arrivals !== OPEN) take('arrived', arrivals && (arrivals.dates < 1 ? OPEN : arrivals))
  const isRepeated = (profileFor('reference')?.column.repeated ?? 0) > 0
  const status = proposedStatus(given, free())
  if (status !== undefined) columns.status ??= status.column
  const words = given.words.filter(({ meaning }) => meaning !== OPEN)
  const category = profileFor('category')
  if (category !== undefined) words.push(...categoryWords(category, words, isRepeated, options))
  const statusColumn = profileFor('status')
  if (statusColumn !== undefined) words.push(...statusWords(statusColumn, words))
  else if (!words.some(({ of, word }) => of === 'status' && word === ''))
    words.push({ of: 'status', word: '', meaning: status?.byDefault ?? OPEN })
  const { flags, values } = status ?? given
  const dated = [profileFor('arrived'), profileFor('latest')].flatMap((one) => one?.column ?? [])
  const settings = { ...given.settings, ...dateSetting(given, dated, scanned, options.nowMs) }
  return { ...NO_MAPPING, columns, flags, values, words, settings }
}

/** The column with the highest score of at least `least`; OPEN if several have it. */
function best(profiles: readonly Profile[], score: (one: Profile) => number, least: number) {
  const scored = profiles.map((one) => ({ one, score: score(one) })).filter(({ score }) => score >= least)
  const [first, second] = scored.sort((a, b) => b.score - a.score)
  return first !== undefined && first.score === second?.score ? OPEN : first?.one
}

/** The words of a header, and the shares of a column's filled values. */
function profileOf(column: Column) {
  const heading = readHeading(column.heading)
  const isFilled = column.filled > 0
  const of = (isSo: (value: string) => boolean) =>
    isFilled ? column.share((value) => !isNothing(value) && isSo(value)) : 0
  const few = column.isFull ? 0 : 1
  return {
    column,
    isFilled,
    is: heading.roles,
    scores: scoresOf(heading),
    flag: flagMeaning(column.heading),
    distinct: column.values.size / Math.max(1, column.values.size + column.repeated),
    kinds: of(isSpecies),
    breeds: of((value) => speciesOfBreed(value) !== undefined),
    statuses: few * of((value) => statusOf(value) !== undefined),
    decisive: few * of(isDecisive),
    flags: few * of((value) => flagOf(value) !== undefined),
    nothing: column.filled === 0 ? 1 : few * column.share(isNothing),
    dates: column.dates / Math.max(1, column.dates + column.notDates.length),
  }
}

function categoryScore({ scores, is, kinds, isFilled }: Profile): number {
  // Values must confirm a weak header: "Animal" can mean names or species, and "type" types of anything.
  if (scores.category > 0) return scores.category < 4 && kinds < 0.2 && isFilled ? 0 : scores.category + 3 * kinds
  const isOfElse = is.has('breed') || is.has('other') || Object.values(scores).some((score) => score > 0)
  return !isOfElse && kinds >= MOST ? kinds : 0
}

/** The column of breeds that shows the species of most animals. */
function breedColumn(profiles: readonly Profile[]): Profile | undefined {
  return profiles.filter(({ breeds }) => breeds >= HALF).toSorted((a, b) => b.breeds - a.breeds)[0]
}

/** Different texts of letters that are not known words. */
function looksLikeNames({ is, distinct, breeds, kinds, dates, column }: Profile): boolean {
  const isText =
    column.share((value) => value.length < 40 && /^[*\p{L}][\p{L}\p{M}\s'’.*"()-]+$/u.test(value.trim())) > MOST
  const isOpen = is.size === 0 || is.has('name') || is.has('animal')
  return isText && isOpen && distinct > 0.7 && breeds + kinds + dates < HALF && column.filled > column.empty
}

function referenceScore({ scores, isFilled, distinct, column }: Profile): number {
  return isFilled && column.empty === 0 && distinct >= HALF ? scores.reference : 0
}

/** The column of the status, and the columns of dates or of yes and no about the end of an animal's stay. */
function proposedStatus(given: Mapping, free: readonly Profile[]) {
  const saysElse = Object.keys(given.flags).length > 0 || given.values.length > 0
  const word = given.words.find(({ of }) => of === 'status')
  if (given.columns.status !== undefined) return undefined
  if (saysElse || word !== undefined)
    return { ...given, column: word === undefined || word.word === '' ? '' : OPEN, byDefault: OPEN }
  const found = best(free, statusRank, 1)
  // If two columns have headers and words of a status, a person chooses.
  const rivals = free.filter((one) => statusRank(one) > 3 && meaningsIn(one) > 1)
  const first = rivals.length > 1 ? OPEN : found
  const isColumn = first !== undefined && first !== OPEN
  const flags = flagsOf(free.filter((one) => one !== first))
  const column = isColumn
    ? onOneLine(first.column.heading)
    : first === undefined && Object.keys(flags).length > 0
      ? ''
      : OPEN
  const isAvailable = column === '' && (flags.sold !== undefined || flags.none !== undefined)
  return { column, flags, values: free.flatMap(leftIn), byDefault: isAvailable ? 'available' : OPEN }
}

/** How well a column fits as the status: outcomes first, then known words. */
function statusRank(one: Profile): number {
  const { scores, statuses, decisive, flags, flag, is, isFilled, column } = one
  if (!isFilled || column.isFull || column.values.size > MOST_WORDS) return 0
  if (flags === 1) return flag === 'available' ? 2 : 0
  if (statuses < HALF) return scores.status >= 3 || scores.outcome >= 3 ? 1 : 0
  const heading = Math.max(scores.outcome > 0 ? scores.outcome + 0.5 : 0, scores.status)
  if (heading > 0) return 3 + heading
  const isOfElse = is.has('came') || is.has('breed') || is.has('other')
  return !isOfElse && meaningsIn(one) > 1 && decisive >= statuses / 2 ? 3 : 0
}

function meaningsIn({ column }: Profile): number {
  return new Set(column.all.map(({ value }) => statusOf(value))).size
}

/** The locations of animals that have left: "Reclaimed", "DOA". */
function leftIn({ column, is }: Profile): Mapping['values'] {
  if (column.isFull || !is.has('other')) return []
  const values = column.all.filter(({ value }) => hasLeft(value))
  return values.map(({ value }) => ({ flag: 'gone' as const, heading: onOneLine(column.heading), value: value.trim() }))
}

/** Columns of dates or of yes and no whose headers describe an outcome. */
function flagsOf(free: readonly Profile[]): Mapping['flags'] {
  const flags: Partial<Record<Flag, string[]>> = {}
  for (const { column, flag, is, flags: yesNo, dates, nothing, isFilled } of free) {
    const meaning = FLAGS.find((one) => one === flag)
    const isEmpty = !isFilled && (flag === 'sold' || flag === 'gone')
    const isYesNo = isFilled && yesNo + nothing >= 1 - 1e-9
    if (meaning !== undefined && (dates === 1 || isEmpty || isYesNo) && !is.has('status'))
      flags[meaning] = [...(flags[meaning] ?? []), onOneLine(column.heading)]
  }
  return flags
}

function statusWords({ column, is, flag, statuses }: Profile, before: Mapping['words']): Mapping['words'] {
  const isAnySaid = before.some(({ of }) => of === 'status')
  const isFlag = column.all.every(({ value }) => flagOf(value) !== undefined)
  return wordsIn('status', column, before, (word) => {
    if (isAnySaid || (!isFlag && statuses < HALF)) return OPEN
    if (isFlag) return flagOf(word) ? 'available' : 'none'
    if (flag === 'available' && flagOf(word)) return 'available'
    const meaning = isNothing(word) ? undefined : statusOf(word)
    if (!is.has('outcome')) return meaning ?? OPEN
    // An animal with an outcome and no other status has left. The column of how it left is empty while it is present.
    return isNothing(word) ? 'available' : meaning === 'none' ? 'gone' : (meaning ?? OPEN)
  })
}

/** Values of the category that are not a clear species, or are breeds. */
function categoryWords(
  { column, is }: Profile,
  before: Mapping['words'],
  isRepeated: boolean,
  { isCategory }: ProposalOptions,
): Mapping['words'] {
  // A heading equal to our own name for the column of category numbers.
  const isOwn = foldWord(column.heading) === 'categoryid'
  const isOfBreeds = is.has('breed') && column.all.some(({ value }) => !isSpecies(value))
  return wordsIn('category', column, before, (word) => {
    if (word === '') return isRepeated ? undefined : OPEN
    if (isCategory(word) || (isOwn && parseInt64(word) !== undefined)) return undefined
    if (isOfBreeds) return speciesOfBreed(word) ?? OPEN
    return isSpecies(word) || (word.length > 3 && !/^[\d.,\s-]+$/.test(word) && !isNothing(word)) ? undefined : OPEN
  })
}

/** The words of a column without a line, each with its meaning. A word without a meaning needs no line. */
function wordsIn(
  of: 'category' | 'status',
  column: Column,
  before: Mapping['words'],
  meaningOf: (word: string) => string | undefined,
): Mapping['words'] {
  const said = before.filter((one) => one.of === of)
  const isSaid = (word: string) =>
    said.some(
      (one) =>
        fold(one.word) === word ||
        (word !== '' && one.word.endsWith('*') && word.startsWith(fold(one.word.slice(0, -1)))),
    )
  const all = column.all.slice(0, MOST_WORDS).map(({ value }) => onOneLine(value))
  const words = new Map<string, Mapping['words'][number]>()
  for (const word of column.empty > 0 ? [...all, ''] : all) {
    const meaning = isSaid(fold(word)) || words.has(fold(word)) ? undefined : meaningOf(word)
    if (meaning !== undefined) words.set(fold(word), { of, word, meaning })
  }
  return [...words.values()]
}

/** The order of day and month, if these columns have ambiguous dates. */
function dateSetting({ settings }: Mapping, columns: readonly Column[], scanned: Scan, nowMs: number) {
  const order = settledOrder(columns, scanned, nowMs)
  const said = settings.dates
  if (columns.length === 0 || (columns.every(({ eithers }) => eithers.length === 0) && order === undefined)) return {}
  const isContradicted = order !== undefined && said !== undefined && said !== OPEN && said !== order
  return { dates: order === 'mixed' || isContradicted ? OPEN : (order ?? said ?? OPEN) }
}

/** The species that texts of the file name, if there is only one. */
function commonSpecies(texts: readonly string[]): string | undefined {
  const species = texts.flatMap((text) =>
    headingWords(text.replace(/[_.-]/g, ' ')).flatMap((word) => speciesIn(word) ?? []),
  )
  const kinds = new Set(species.map(({ kind }) => kind).filter((kind) => kind !== 'other'))
  const [kind] = kinds
  return kind !== undefined && kinds.size === 1 ? titled(kind) : undefined
}

export function candidatesOf({ columns }: Scan): readonly Candidate[] {
  return columns
    .filter(({ heading, filled }) => heading.trim() !== '' && filled > 0)
    .slice(0, COLUMNS_OFFERED)
    .map(({ heading, samples, dates }) => ({ value: onOneLine(heading), shows: samples, isDate: dates > 0 }))
}

/** The lines of a mapping with their meaning in the file. */
export function shownLines(
  { layout, settings }: Table,
  { columns, rows }: Scan,
  mapping: Mapping,
  offered: readonly Candidate[],
): readonly ProposedLine[] {
  const place = placeIn(layout.header)
  const columnOf = (heading: string) => columns[place(heading)]
  const rowsWith = (of: 'category' | 'status', word: string) => {
    const column = columnOf(mapping.columns[of] ?? '')
    if (word === '') return column?.empty ?? rows
    const text = fold(word.replace(/\*$/, ''))
    const isIt = (value: string) => (word.endsWith('*') ? fold(value).startsWith(text) : fold(value) === text)
    return (column?.all ?? []).filter(({ value }) => isIt(value)).reduce((sum, { rows }) => sum + rows, 0)
  }
  return linesOf(mapping).map(({ key, value }): ProposedLine => {
    const [of = '', word] = key.split(/:(.*)/s)
    if (word !== undefined && (of === 'category' || of === 'status'))
      return { key, value, shows: counted(rowsWith(of, word.trim()), 'row'), candidates: [] }
    const isColumn = FIELDS.some((field) => field === key)
    const distinct = (one: Candidate) =>
      key === 'status' || key === 'category' ? (columnOf(one.value)?.values.size ?? 0) : 0
    const fit = offered.filter(({ isDate }) => key !== 'latest' || isDate).toSorted((a, b) => distinct(a) - distinct(b))
    const candidates = isColumn ? fit : (settings.find(({ name }) => name === key)?.candidates ?? [])
    const shows = isColumn || FLAGS.some((flag) => flag === of) ? (columnOf(value)?.samples ?? '') : ''
    return { key, value, shows, candidates }
  })
}
