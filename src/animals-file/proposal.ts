/**
 * Proposes how a list is read, by its headings, its values and the words of many languages. What is not clear is a `?`
 * with candidates. Nothing is done on a proposal until a person has confirmed it, so it only has to be right mostly.
 */
import { fold, foldWord } from '../common/fold.ts'
import { parseInt64 } from '../contract/int64.ts'
import { placeIn } from './apply.ts'
import { MOST_WORDS } from './bounds.ts'
import { onOneLine } from './file-errors.ts'
import { headingWords, readHeading, scoresOf } from './headings.ts'
import {
  categoryOfAll,
  FIELDS,
  type Field,
  FLAGS,
  type Flag,
  forAll,
  linesOf,
  type Mapping,
  NO_MAPPING,
  OPEN,
} from './mapping.ts'
import type { Column, Scan } from './scan.ts'
import { isSpecies, speciesIn, speciesOfBreed, titled } from './species.ts'
import {
  asksPresence,
  flagMeaning,
  flagOf,
  hasLeft,
  isDecisive,
  isNothing,
  isWithheld,
  meaningOfOutcome,
  statusOf,
} from './statuses.ts'
import type { Candidate, Table } from './table.ts'

/** A line of the mapping with what it means in the file. */
export interface ProposedLine {
  readonly key: string
  /** `?` if it is open. */
  readonly value: string
  /** Values of the column, or how many rows have the word. */
  readonly shows: string
  /** Possible answers. */
  readonly candidates: readonly Candidate[]
}

interface ProposalOptions {
  readonly isSync: boolean
  readonly nowMs: number
  /** The name of the file, which may name the species of its animals. */
  readonly source: string
  /** Whether a value is the name or the number of a category that is here. */
  readonly isCategory: (value: string) => boolean
}

const HALF = 0.5
const MOST = 0.8
const COLUMNS_OFFERED = 60

type Profile = ReturnType<typeof profileOf>

/** `given` is what somebody has said or confirmed: it is kept, and what it leaves open is proposed. */
export function propose(table: Table, scanned: Scan, given: Mapping, options: ProposalOptions): Mapping {
  const profiles = scanned.columns.map(profileOf)
  const place = placeIn(table.layout.header)
  const chosen = new Map<Field, number>()
  for (const field of FIELDS) {
    const heading = given.columns[field]
    if (heading !== undefined && heading !== OPEN && heading !== '' && place(heading) !== -1)
      chosen.set(field, place(heading))
  }
  // A column that is still asked stays so.
  const isSaid = (field: Field) => given.columns[field] !== undefined
  const columns: Partial<Record<Field, string>> = { ...given.columns }
  const words = given.words.filter(({ meaning }) => meaning !== OPEN)
  const take = (field: Field, at: number | undefined) => {
    if (isSaid(field)) return
    if (at === undefined && field === 'status') columns.status = ''
    else if (at === undefined) delete columns[field]
    else if (at === -1) columns[field] = OPEN
    else {
      columns[field] = headingOf(profiles, at)
      chosen.set(field, at)
    }
  }
  // A reference alone is an option of the command.
  const isAnySaid = Object.keys(given.columns).some((field) => field !== 'reference')
  const free = () => profiles.filter(({ column }) => ![...chosen.values()].includes(column.at))

  // The category: a column of kinds, else the species that the file says of itself, else breeds.
  const ofAll = categoryOfAll(given)
  if (!isSaid('category')) {
    const at = best(free(), categoryScore, 1)
    const texts = [...table.layout.above.map(({ text }) => text), options.source]
    const nameHeading = headingOf(profiles, chosen.get('name') ?? best(free(), nameScore, 0.5) ?? -1)
    const common = at === undefined ? commonSpecies([nameHeading, ...texts, ...scanned.titles]) : undefined
    const breeds = at === undefined && common === undefined ? breedColumn(free()) : undefined
    if (common !== undefined) columns.category = forAll(common)
    else take('category', at ?? breeds ?? -1)
  }
  const ofName = best(free(), nameScore, 0.5)
  const ofReference = referenceColumn(free())
  // A list in which no column could be names calls its animals by their references.
  const hasNames = ofName !== undefined || ofReference === undefined || free().some(looksLikeNames)
  if (hasNames) take('name', ofName ?? -1)
  else if (!isSaid('name')) columns.name = ''
  // Without a sync the reference is a help, and never a question.
  if (!isSaid('reference') && (options.isSync || !isAnySaid))
    take('reference', options.isSync ? (ofReference ?? -1) : ofReference === -1 ? undefined : ofReference)
  if (!isAnySaid) take('arrived', arrivalColumn(free()))
  const reference = profiles[chosen.get('reference') ?? -1]
  const isEach = given.settings.several !== undefined
  if (reference !== undefined && reference.column.repeated > 0 && !isEach && !isSaid('latest'))
    take('latest', latestColumn(chosen.get('arrived'), free()))
  const status = proposeStatus(given, free(), take)

  const mapping: Mapping = { ...NO_MAPPING, ...given, columns, flags: status.flags, values: status.values, words }
  const category = profiles[chosen.get('category') ?? -1]
  if (category !== undefined && ofAll === undefined)
    words.push(...categoryWords(category, words, (reference?.column.repeated ?? 0) > 0, options))
  const statusColumn = profiles[chosen.get('status') ?? -1]
  if (statusColumn !== undefined) words.push(...statusWords(statusColumn, words, status.isDecidedElsewhere))
  else if (!words.some(({ of, word }) => of === 'status' && word === ''))
    words.push({ of: 'status', word: '', meaning: status.byDefault })
  return { ...mapping, settings: { ...mapping.settings, ...dateSetting(mapping, chosen, scanned, options.nowMs) } }
}

function headingOf(profiles: readonly Profile[], at: number): string {
  return onOneLine(profiles[at]?.column.heading ?? '')
}

/** The column with the highest score of at least `least`; -1 if several have it, undefined if none. */
function best(profiles: readonly Profile[], score: (one: Profile) => number, least: number): number | undefined {
  let [highest, at, isTie] = [least - 1e-9, undefined as number | undefined, false]
  for (const one of profiles) {
    const value = score(one)
    if (value < highest) continue
    isTie = value === highest
    highest = value
    at = one.column.at
  }
  return isTie ? -1 : at
}

/** What a heading says, and what the values of a column are as shares of those that are filled. */
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
    dates: column.dates / Math.max(1, column.dates + column.notDates),
    numbers: of((value) => parseInt64(value.trim()) !== undefined),
  }
}

function categoryScore({ scores, is, kinds, numbers, isFilled }: Profile): number {
  const fits = isFilled ? Math.max(kinds, scores.category >= 2 ? numbers : 0) : 0
  // Values must confirm a weak heading: "Animal" can head names or species, and "type" types of anything.
  if (scores.category > 0) return scores.category < 4 && fits < 0.2 && isFilled ? 0 : scores.category + 3 * fits
  const isHeadingOfElse = is.has('breed') || is.has('place') || Object.values(scores).some((score) => score > 0)
  return !isHeadingOfElse && kinds >= MOST ? kinds : 0
}

/** The column of breeds that say the kind of most animals. */
function breedColumn(profiles: readonly Profile[]): number | undefined {
  const rank = ({ is, breeds }: Profile) => (is.has('breed') ? 1 : 0) + breeds
  return profiles.filter((one) => one.breeds >= HALF).sort((a, b) => rank(b) - rank(a))[0]?.column.at
}

/** "Animal" with names in it ranks before "Name", which may be a person's. */
function nameScore({ scores, kinds, distinct, numbers, isFilled }: Profile): number {
  if (scores.name !== 0.5) return scores.name
  return kinds < 0.2 && numbers < 0.2 && distinct >= HALF && isFilled ? 3.5 : 0
}

/** Different texts of letters alone, which are no words that lists have. */
function looksLikeNames({ is, distinct, breeds, kinds, dates, column }: Profile): boolean {
  const isText =
    column.share((value) => value.length < 40 && /^[*\p{L}][\p{L}\p{M}\s'’.*"()-]+$/u.test(value.trim())) > MOST
  const isOpen = is.size === 0 || is.has('name') || is.has('animal')
  return isText && isOpen && distinct > 0.7 && breeds + kinds + dates < HALF && column.filled > column.empty
}

/** The number of the animal; -1 where two could be it. One that only counts the rows is it where it is called id. */
function referenceColumn(free: readonly Profile[]): number | undefined {
  const isCount = ({ column, scores }: Profile) => column.isCount && column.filled > 2 && scores.reference < 4
  const numbers = free.filter((one) => one.isFilled && one.distinct >= HALF && one.scores.reference > 0)
  const others = numbers.filter((one) => !isCount(one))
  const some = others.length > 0 ? others : numbers.filter(({ column }) => /^\W*id\W*$/i.test(column.heading))
  const whole = some.filter(({ column }) => column.empty === 0)
  const likely = whole.filter(({ scores }) => scores.reference >= 3)
  const [first, second] = likely.toSorted((a, b) => b.scores.reference - a.scores.reference)
  if (first !== undefined && second !== undefined && first.scores.reference === second.scores.reference) return -1
  if (whole.length === 0 && some.some(({ scores }) => scores.reference >= 3)) return -1
  return best(whole, ({ scores }) => scores.reference, 1.5)
}

function arrivalColumn(free: readonly Profile[]): number | undefined {
  const at = best(free, ({ scores, dates }) => (dates >= MOST ? scores.came : 0), 1)
  return at === -1 ? undefined : at
}

/** By which of several rows about one animal is the latest; -1 where when it came and when it left could both say it. */
function latestColumn(arrived: number | undefined, free: readonly Profile[]): number | undefined {
  const left = outcomeDate(free)
  return arrived !== undefined && left !== undefined ? -1 : (arrived ?? left)
}

function outcomeDate(profiles: readonly Profile[]): number | undefined {
  const at = best(profiles, ({ scores, dates, is }) => (dates === 1 ? scores.date + Number(is.has('outcome')) : 0), 1)
  return at === -1 ? undefined : at
}

/** The column of when animals left, where a proposal leaves open which rows are the latest. */
export function leftColumn(scanned: Scan): string | undefined {
  const at = outcomeDate(scanned.columns.map(profileOf))
  return at === undefined ? undefined : scanned.columns[at]?.heading
}

interface StatusProposal {
  readonly flags: Mapping['flags']
  readonly values: Mapping['values']
  /** What a row means that nothing else decides. */
  readonly byDefault: string
  /** Whether an empty status is available: how an animal left is empty while it is there. */
  readonly isDecidedElsewhere: boolean
}

/** Chooses the column of the status, and those that say by a date or by yes and no what became of an animal. */
function proposeStatus(
  given: Mapping,
  free: readonly Profile[],
  take: (field: Field, at: number | undefined) => void,
): StatusProposal {
  const { flags, values, columns } = given
  const isSaid = columns.status !== undefined
  const saysElse = Object.keys(flags).length > 0 || values.length > 0 || given.words.some(({ of }) => of === 'status')
  const kept = { flags, values, byDefault: OPEN, isDecidedElsewhere: false }
  if (isSaid) return kept
  if (saysElse) {
    take('status', given.words.some(({ of, word }) => of === 'status' && word !== '') ? -1 : undefined)
    return kept
  }
  const scored = free.flatMap((one) => {
    const rank = statusRank(one)
    return rank > 0 ? [{ one, rank }] : []
  })
  const sorted = scored.sort((a, b) => b.rank - a.rank)
  const [first, second] = sorted
  const isClear = first !== undefined && (second === undefined || first.rank > second.rank)
  const others = sorted.slice(1).map(({ one }) => one)
  const found = flagsOf(free.filter(({ column }) => column.at !== first?.one.column.at))
  const more = first === undefined ? [] : valuesOf(others)
  const places = free.filter(({ is }) => is.has('place') && !is.has('came')).flatMap(leftIn)
  if (first !== undefined) take('status', isClear && more !== undefined ? first.one.column.at : -1)
  else if (found.isAny) take('status', undefined)
  else take('status', -1)
  const saysSold = (found.flags.sold?.length ?? 0) > 0 || (found.flags.none?.length ?? 0) > 0
  return {
    flags: found.flags,
    values: [...(more ?? []), ...places],
    byDefault: first === undefined && saysSold ? 'available' : OPEN,
    isDecidedElsewhere: first?.one.is.has('outcome') === true,
  }
}

/** How well a column fits as the status: an outcome before a status, and known words before others. */
function statusRank({ scores, statuses, decisive, flags, flag, is, isFilled, column }: Profile): number {
  if (!isFilled || column.isFull || column.values.size > MOST_WORDS) return 0
  const isFlag = flags === 1
  const isOfBefore = is.has('past') || is.has('came') || is.has('place') || is.has('breed') || is.has('other')
  if (isFlag) return flag === 'available' ? 2 : asksPresence(column.heading) ? 1.5 : 0
  if (statuses < HALF) return scores.status >= 3 || scores.outcome >= 3 ? 1 : 0
  const heading = Math.max(scores.outcome > 0 ? scores.outcome + 0.5 : 0, scores.status)
  // Of two that fit equally well the one that says more.
  const meanings = new Set(column.all.map(({ value }) => statusOf(value))).size / 20
  if (heading > 0) return 3 + heading + meanings
  return !isOfBefore && decisive >= statuses / 2 ? 3 + meanings : 0
}

/** What further columns of statuses say beside the first; undefined if a word of them is not known. */
function valuesOf(others: readonly Profile[]): Mapping['values'] | undefined {
  const values: Mapping['values'][number][] = []
  for (const { column, statuses, flags, scores } of others) {
    const isHeaded = scores.status > 0 || scores.outcome > 0
    if (flags === 1 || !isHeaded || (statuses < HALF && (scores.status < 3 || column.values.size === 1))) continue
    for (const { value } of column.all) {
      if (isNothing(value)) continue
      const meaning = statusOf(value)
      if (meaning === undefined) return undefined
      const flag = FLAGS.find((one) => one === meaning)
      if (flag !== undefined && (flag !== 'none' || isWithheld(value)))
        values.push({ flag, heading: onOneLine(column.heading), value: value.trim() })
    }
  }
  return values
}

/** The places of animals that are called as those who left. */
function leftIn({ column }: Profile): Mapping['values'] {
  if (column.isFull) return []
  const values = column.all.filter(({ value }) => hasLeft(value))
  return values.map(({ value }) => ({ flag: 'gone' as const, heading: onOneLine(column.heading), value: value.trim() }))
}

/** Columns of dates or of yes and no whose headings say what became of an animal. */
function flagsOf(free: readonly Profile[]): {
  readonly flags: Partial<Record<Flag, string[]>>
  readonly isAny: boolean
} {
  const flags: Partial<Record<Flag, string[]>> = {}
  for (const { column, flag, is, flags: yesNo, dates, nothing, isFilled } of free) {
    const meaning = FLAGS.find((one) => one === flag)
    const isDate = isFilled && dates === 1
    const isEmpty = !isFilled && (flag === 'sold' || flag === 'gone')
    const isYesNo = isFilled && yesNo + nothing >= 1 - 1e-9
    if (meaning !== undefined && (isDate || isEmpty || isYesNo) && !is.has('status'))
      flags[meaning] = [...(flags[meaning] ?? []), onOneLine(column.heading)]
  }
  return { flags, isAny: Object.keys(flags).length > 0 }
}

/** The words of the status that nobody has said yet. */
function statusWords({ column, is, flag }: Profile, before: Mapping['words'], isOutcome: boolean): Mapping['words'] {
  const said = before.filter(({ of }) => of === 'status')
  const isKnown = (word: string) =>
    said.some((one) => fold(one.word) === fold(word) && one.meaning !== OPEN) ||
    (word !== '' && said.some((one) => one.word.endsWith('*') && fold(word).startsWith(fold(one.word.slice(0, -1)))))
  const isOfOutcome = isOutcome || is.has('outcome')
  const words: Mapping['words'][number][] = []
  const add = (word: string, meaning: string) => {
    if (!isKnown(word) && !words.some((one) => fold(one.word) === fold(word)))
      words.push({ of: 'status', word, meaning })
  }
  const isFlag = column.all.every(({ value }) => flagOf(value) !== undefined)
  for (const { value } of column.all.slice(0, MOST_WORDS)) {
    const word = onOneLine(value)
    if (said.length > 0) add(word, OPEN)
    else if (isFlag) add(word, flagOf(value) ? 'available' : asksPresence(column.heading) ? 'gone' : 'none')
    else if (flag === 'available' && flagOf(value)) add(word, 'available')
    else if (isOfOutcome) add(word, meaningOfOutcome(value) ?? OPEN)
    else add(word, (isNothing(value) ? undefined : statusOf(value)) ?? OPEN)
  }
  if (column.empty > 0) add('', isOfOutcome && said.length === 0 ? 'available' : OPEN)
  return words
}

/** Values of the category that are no clear kind, or are the kind of a breed. */
function categoryWords(
  { column, is }: Profile,
  before: Mapping['words'],
  isRepeated: boolean,
  { isCategory }: ProposalOptions,
): Mapping['words'] {
  const said = new Set(
    before.filter(({ of, meaning }) => of === 'category' && meaning !== OPEN).map(({ word }) => fold(word)),
  )
  const isOwn = foldWord(column.heading) === 'categoryid'
  const isOfBreeds = is.has('breed') && column.all.some(({ value }) => !isSpecies(value))
  const isEmpty = column.empty > 0 && !said.has('') && !isRepeated
  const empty = isEmpty ? [{ of: 'category' as const, word: '', meaning: OPEN }] : []
  const words = column.all.slice(0, MOST_WORDS).flatMap(({ value }) => {
    const word = onOneLine(value)
    if (said.has(fold(word)) || isCategory(word)) return []
    said.add(fold(word))
    if (isOfBreeds) return [{ of: 'category' as const, word, meaning: speciesOfBreed(word) ?? OPEN }]
    // Our own name for a column of numbers.
    const isNumber = isOwn && parseInt64(word) !== undefined
    const isClear = isNumber || isSpecies(word) || (word.length > 3 && !/^[\d.,\s-]+$/.test(word) && !isNothing(word))
    return isClear ? [] : [{ of: 'category' as const, word, meaning: OPEN }]
  })
  return [...empty, ...words]
}

/** The order of day and month, if the file has dates that can be read in several. */
function dateSetting(mapping: Mapping, chosen: ReadonlyMap<Field, number>, scanned: Scan, nowMs: number) {
  const of = (['arrived', 'latest'] as const).flatMap((field) => chosen.get(field) ?? [])
  if (of.length === 0) return {}
  const order = scanned.order(of, nowMs)
  const said = mapping.settings.dates
  if (!scanned.hasEither(of) && order === undefined) return {}
  if (order === 'mixed' || (order !== undefined && said !== undefined && said !== OPEN && said !== order))
    return { dates: OPEN }
  return { dates: order ?? said ?? OPEN }
}

/** The one species that texts of the file name, if they name no other. */
function commonSpecies(texts: readonly string[]): string | undefined {
  const species = texts.flatMap((text) =>
    headingWords(text.replace(/[_.-]/g, ' ')).flatMap((word) => speciesIn(word) ?? []),
  )
  const kinds = new Set(species.map(({ kind }) => kind).filter((kind) => kind !== 'other'))
  const [kind] = kinds
  return kind !== undefined && kinds.size === 1 ? titled(kind) : undefined
}

/** The columns that can be an answer. */
export function candidatesOf({ columns }: Scan): readonly Candidate[] {
  return columns
    .filter(({ heading, filled }) => heading.trim() !== '' && filled > 0)
    .slice(0, COLUMNS_OFFERED)
    .map((column) => ({ value: onOneLine(column.heading), shows: column.samples.join(', ') }))
}

/** The lines of a mapping with what they mean in the file. */
export function shownLines(
  table: Table,
  scanned: Scan,
  mapping: Mapping,
  offered: readonly Candidate[],
): readonly ProposedLine[] {
  const place = placeIn(table.layout.header)
  const columnOf = (field: 'category' | 'status') => scanned.columns[place(mapping.columns[field] ?? '')]
  const rowsOf = (column: Column | undefined, word: string) => {
    if (column === undefined) return word === '' ? scanned.rows : 0
    if (word === '') return column.empty
    const [folded, begin] = [fold(word), fold(word.replace(/\*$/, ''))]
    const isIt = (value: string) => fold(value) === folded || (word.endsWith('*') && fold(value).startsWith(begin))
    return column.all.filter(({ value }) => isIt(value)).reduce((sum, { rows }) => sum + rows, 0)
  }
  return linesOf(mapping).map(({ key, value }) => {
    const [of = '', word] = key.split(/:\s?/, 2)
    if (word !== undefined && (of === 'category' || of === 'status')) {
      const rows = rowsOf(columnOf(of), key.slice(of.length + 1).trim())
      return { key, value, shows: `${rows} ${rows === 1 ? 'row' : 'rows'}`, candidates: [] }
    }
    const setting = table.settings.find(({ name }) => name === key)
    if (setting !== undefined) return { key, value, shows: '', candidates: setting.candidates }
    const isColumn = FIELDS.some((field) => field === key)
    const column = isColumn || FLAGS.some((flag) => flag === of) ? scanned.columns[place(value)] : undefined
    return { key, value, shows: column?.samples.join(', ') ?? '', candidates: isColumn ? offered : [] }
  })
}

/** The columns that a mapping names and the file does not have. */
export function missingIn(header: readonly string[], mapping: Mapping): readonly string[] {
  const place = placeIn(header)
  const { columns, flags, values } = mapping
  const named = [...Object.values(columns), ...Object.values(flags).flat(), ...values.map(({ heading }) => heading)]
  const isColumn = (heading: string) => heading !== '' && heading !== OPEN && !heading.startsWith('*')
  return [...new Set(named.filter((heading) => isColumn(heading) && place(heading) === -1))]
}
