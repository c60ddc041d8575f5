/** Proposes how to read a list by its headers, its values and the words of many languages. What is unclear is a `?`. */
import { counted } from '../common/counted.ts'
import { fold, foldWord } from '../common/fold.ts'
import { parseInt64 } from '../contract/int64.ts'
import { placeIn, wordReader } from './apply.ts'
import { MOST_WORDS } from './bounds.ts'
import { Categories } from './categories.ts'
import { onOneLine } from './file-errors.ts'
import { headingWords, readHeading, scoresOf } from './headings.ts'
import { ALL, FIELDS, type Field, FLAGS, type Line, linesOf, type Mapping, OPEN } from './mapping.ts'
import type { ReadRequest } from './request.ts'
import { type Column, type Scan, settledOrder } from './scan.ts'
import { isSpecies, speciesIn, speciesOfBreed, titled } from './species.ts'
import { flagMeaning, flagOf, hasLeft, isNothing, statusOf } from './statuses.ts'
import type { Candidate, Table } from './table.ts'

export interface ProposedLine extends Line {
  readonly shows: string
  readonly candidates: readonly Candidate[]
}

const HALF = 0.5
const MOST = 0.8
const COLUMNS_OFFERED = 60

type Profile = ReturnType<typeof profileOf>

/** Keeps what is `given`, and proposes the rest. */
export function propose(
  table: Table,
  scanned: Scan,
  given: Mapping,
  { isSync, nowMs, source, categories: { labels } }: ReadRequest,
): Mapping {
  const profiles = scanned.columns.map(profileOf)
  const place = placeIn(table.layout.header)
  const columns: Partial<Record<Field, string>> = { ...given.columns }
  const profileFor = (field: Field) => profiles[place(columns[field] ?? '')]
  const free = () => profiles.filter((one) => !FIELDS.some((field) => profileFor(field) === one))
  // Undefined: there is no such column. OPEN: several columns are possible.
  const take = (field: Field, found: Profile | typeof OPEN | undefined) => {
    if (found !== undefined) columns[field] ??= found === OPEN ? OPEN : onOneLine(found.column.heading)
  }
  // For a command, a reference alone is an option.
  const isAnySaid = Object.keys(given.columns).some((field) => field !== 'reference')

  const names = best(free(), ({ scores }) => scores.name, 1)
  if (columns.category === undefined) {
    const kinds = best(free(), categoryScore, 1)
    const heading = names === undefined || names === OPEN ? '' : names.column.heading
    const texts = [heading, ...table.layout.above, source, ...scanned.titles]
    const ofAll = kinds === undefined ? commonSpecies(texts) : undefined
    if (ofAll !== undefined) columns.category = `${ALL} ${ofAll}`
    else take('category', kinds ?? best(free(), ({ breeds }) => breeds, HALF) ?? OPEN)
  }
  const isReference = ({ distinct, column }: Profile) => column.empty === 0 && distinct >= HALF
  const references = best(free(), (one) => (isReference(one) ? one.scores.reference : 0), 1.5)
  // Without a column of names, animals are called by their references.
  if (names === undefined && references !== undefined && !free().some(looksLikeNames)) columns.name ??= ''
  else take('name', names ?? OPEN)
  // Without a sync, the reference is a question only if it tells which rows are one animal.
  const isRepeating = free().some((one) => isReference(one) && one.scores.reference >= 1.5 && one.distinct < 1)
  if (isSync) take('reference', references ?? OPEN)
  else if (!isAnySaid && (references !== OPEN || isRepeating)) take('reference', references)
  const arrivals = best(free(), ({ scores, dates }) => (dates >= HALF ? scores.came : 0), 1)
  // A filled cell that is not a date is a question.
  if (!isAnySaid && arrivals !== OPEN) take('arrived', arrivals && (arrivals.dates < 1 ? OPEN : arrivals))
  const isRepeated = (profileFor('reference')?.distinct ?? 1) < 1
  const status = proposedStatus(given, free())
  if (status !== undefined) columns.status ??= status.column
  const words = given.words.filter(({ meaning }) => meaning !== OPEN)
  const category = profileFor('category')
  if (category !== undefined) words.push(...categoryWords(category, words, isRepeated, new Categories(labels)))
  const statusColumn = profileFor('status')
  if (statusColumn !== undefined) words.push(...statusWords(statusColumn, words))
  else if (!words.some(({ of, word }) => of === 'status' && word === ''))
    words.push({ of: 'status', word: '', meaning: status?.byDefault ?? OPEN })
  const dated = [profileFor('arrived'), profileFor('latest')].flatMap((one) => one?.column ?? [])
  const settings = { ...given.settings, ...dateSetting(given, dated, scanned, nowMs) }
  return { columns, claims: status?.claims ?? given.claims, words, settings }
}

/** The column with the highest score of at least `least`; OPEN if several have it. */
function best(profiles: readonly Profile[], score: (one: Profile) => number, least: number) {
  const scored = profiles.map((one) => ({ one, score: score(one) })).filter(({ score }) => score >= least)
  const [first, second] = scored.sort((a, b) => b.score - a.score)
  return first !== undefined && first.score === second?.score ? OPEN : first?.one
}

function profileOf(column: Column) {
  const heading = readHeading(column.heading)
  const of = (isSo: (value: string) => boolean) => column.share((value) => !isNothing(value) && isSo(value))
  const few = column.isFull ? 0 : 1
  return {
    column,
    is: heading.roles,
    scores: scoresOf(heading),
    flag: flagMeaning(column.heading),
    distinct: column.values.size / Math.max(1, column.counted),
    kinds: of(isSpecies),
    breeds: of((value) => speciesOfBreed(value) !== undefined),
    statuses: few * of((value) => statusOf(value) !== undefined),
    flags: few * of((value) => flagOf(value) !== undefined),
    nothing: few * column.share(isNothing),
    dates: column.dates / Math.max(1, column.dates + column.notDates.length),
  }
}

function categoryScore({ scores, is, kinds, column }: Profile): number {
  // Values must confirm a weak header: "Animal" can mean names or species, and "type" types of anything.
  if (scores.category > 0)
    return scores.category < 4 && kinds < 0.2 && column.filled > 0 ? 0 : scores.category + 3 * kinds
  const isOfElse = is.has('breed') || is.has('other') || Object.values(scores).some((score) => score > 0)
  return !isOfElse && kinds >= MOST ? kinds : 0
}

function looksLikeNames({ is, distinct, breeds, kinds, dates, column }: Profile): boolean {
  const isText =
    column.share((value) => value.length < 40 && /^[*\p{L}][\p{L}\p{M}\s'’.*"()-]+$/u.test(value.trim())) > MOST
  const isOpen = is.size === 0 || is.has('name') || is.has('animal')
  return isText && isOpen && distinct > 0.7 && breeds + kinds + dates < HALF && column.filled > column.empty
}

function proposedStatus(given: Mapping, free: readonly Profile[]) {
  if (given.columns.status !== undefined) return undefined
  const words = given.words.filter(({ of }) => of === 'status')
  if (words.length > 0 || given.claims.length > 0)
    return { ...given, column: words.every(({ word }) => word === '') ? '' : OPEN, byDefault: OPEN }
  const found = best(free, statusRank, 1)
  // If two columns have headers and words of a status, a person chooses.
  const rivals = free.filter((one) => statusRank(one) > 3 && meaningsIn(one) > 1)
  const first = rivals.length > 1 ? OPEN : found
  const claims = free.filter((one) => one !== first).flatMap(flagIn)
  const isFlagged = first === undefined && claims.length > 0
  const column = first === undefined || first === OPEN ? (isFlagged ? '' : OPEN) : onOneLine(first.column.heading)
  const isAvailable = isFlagged && claims.some(({ flag }) => flag === 'sold' || flag === 'none')
  return { column, claims: [...claims, ...free.flatMap(leftIn)], byDefault: isAvailable ? 'available' : OPEN }
}

function statusRank(one: Profile): number {
  const { scores, statuses, flags, flag, is, column } = one
  if (column.filled === 0 || column.isFull || column.values.size > MOST_WORDS) return 0
  if (flags === 1) return flag === 'available' ? 2 : 0
  if (statuses < HALF) return scores.status >= 3 || scores.outcome >= 3 ? 1 : 0
  const heading = Math.max(scores.outcome > 0 ? scores.outcome + 0.5 : 0, scores.status)
  if (heading > 0) return 3 + heading
  const isOfElse = is.has('came') || is.has('breed') || is.has('other')
  return !isOfElse && meaningsIn(one) > 1 ? 3 : 0
}

function meaningsIn({ column }: Profile): number {
  return new Set(column.all.map(({ value }) => statusOf(value))).size
}

/** The locations of animals that have left: "Reclaimed", "DOA". */
function leftIn({ column, is }: Profile): Mapping['claims'] {
  const left = column.isFull || !is.has('other') ? [] : column.all.filter(({ value }) => hasLeft(value))
  return left.map(({ value }) => ({ flag: 'gone', heading: onOneLine(column.heading), value: value.trim() }))
}

function flagIn({ column, flag, is, flags, dates, nothing }: Profile): Mapping['claims'] {
  const meaning = FLAGS.find((one) => one === flag)
  const isFlag = column.filled === 0 ? flag === 'sold' || flag === 'gone' : dates === 1 || flags + nothing >= 1 - 1e-9
  const isMeant = meaning !== undefined && isFlag && !is.has('status')
  return isMeant ? [{ flag: meaning, heading: onOneLine(column.heading) }] : []
}

function statusWords({ column, is, flag, statuses }: Profile, before: Mapping['words']): Mapping['words'] {
  const isAnySaid = before.some(({ of }) => of === 'status')
  return wordsIn('status', column, before, (word) => {
    if (isAnySaid) return OPEN
    const isYes = flag === 'available' ? flagOf(word) : undefined
    if (isYes !== undefined) return isYes ? 'available' : 'none'
    if (statuses < HALF) return OPEN
    const meaning = isNothing(word) ? undefined : statusOf(word)
    if (!is.has('outcome')) return meaning ?? OPEN
    // An animal with an outcome and no other status has left. The column of how it left is empty while it is present.
    return isNothing(word) ? 'available' : meaning === 'none' ? 'gone' : (meaning ?? OPEN)
  })
}

function categoryWords({ column, is }: Profile, before: Mapping['words'], isRepeated: boolean, categories: Categories) {
  // Our own column of category numbers.
  const isOwn = foldWord(column.heading) === 'categoryid'
  const isOfBreeds = is.has('breed') && column.all.some(({ value }) => !isSpecies(value))
  return wordsIn('category', column, before, (word) => {
    if (word === '') return isRepeated ? undefined : OPEN
    if (categories.has(word) || (isOwn && parseInt64(word) !== undefined)) return undefined
    if (isOfBreeds) return speciesOfBreed(word) ?? OPEN
    return isSpecies(word) || (word.length > 3 && !/^[\d.,\s-]+$/.test(word) && !isNothing(word)) ? undefined : OPEN
  })
}

/** The words without a line that have a meaning. */
function wordsIn(
  of: 'category' | 'status',
  { all, empty }: Column,
  before: Mapping['words'],
  meaningOf: (word: string) => string | undefined,
): Mapping['words'] {
  const said = wordReader(before.filter((one) => one.of === of))
  const words = new Map<string, Mapping['words'][number]>()
  for (const word of [...all.map(({ value }) => onOneLine(value)), ...(empty > 0 ? [''] : [])]) {
    const isNew = words.size <= MOST_WORDS && !words.has(fold(word)) && said(word) === undefined
    const meaning = isNew ? meaningOf(word) : undefined
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

function commonSpecies(texts: readonly string[]): string | undefined {
  const words = texts.flatMap((text) => headingWords(text.replace(/[_.-]/g, ' ')))
  const kinds = new Set(words.flatMap((word) => speciesIn(word)?.kind ?? []).filter((kind) => kind !== 'other'))
  const [kind] = kinds
  return kind !== undefined && kinds.size === 1 ? titled(kind) : undefined
}

export function candidatesOf({ columns }: Scan): readonly Candidate[] {
  return columns
    .filter(({ heading, filled }) => heading.trim() !== '' && filled > 0)
    .slice(0, COLUMNS_OFFERED)
    .map(({ heading, samples, dates }) => ({ value: onOneLine(heading), shows: samples, isDate: dates > 0 }))
}

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
    return (column?.all ?? []).reduce((sum, { value, rows }) => sum + (isIt(value) ? rows : 0), 0)
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
