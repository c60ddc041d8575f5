/**
 * What a row means by a mapping. The strongest meaning wins, whether a word or a column says it, and no column counts
 * that the mapping does not name. Nothing is guessed: a word that the mapping does not have is open.
 */
import { fold, foldWord } from '../common/fold.ts'
import { LONGEST_WORD } from './bounds.ts'
import { toMinutes } from './dates.ts'
import type { Meaning } from './languages/language.ts'
import { categoryOfAll, type Field, FLAGS, type Mapping, OPEN, type Order } from './mapping.ts'

/** The strongest first. */
const STRENGTH: readonly Meaning[] = ['skip', 'gone', 'sold', 'none', 'pending', 'available']
/** What means in a column of yes and no, or of dates, that there is nothing. */
const NOTHING = new Set(['', 'no', 'n', '0', 'false', 'none', 'null', 'n/a', '-'])
const ERROR = /^#(?:N\/A|REF!|VALUE!|NAME\?|DIV\/0!|NUM!|NULL!|FORMULA|SPILL!|CALC!)$/i
const MINUTES_A_DAY = 24 * 60

export interface Applied {
  readonly name: string
  /** The category as text; empty if the row has none. */
  readonly category: string
  readonly reference: string
  /** Undefined if a word of the status is open. */
  readonly meaning: Meaning | undefined
  /** The value that says so, or the open word. */
  readonly because: string
  /** Whether it only means so because nothing else decides, in a list that says nothing of statuses. */
  readonly isByDefault: boolean
  /** The day on which it came, since 1970. */
  readonly cameOn: number | undefined
  /** In minutes; of several rows about one animal the latest counts. */
  readonly latest: number | undefined
}

/** The places of columns by their headings in a mapping; -1 for one that is not there. */
export function placeIn(header: readonly string[]): (heading: string) => number {
  const places = new Map<string, number>()
  for (const [at, heading] of header.entries()) {
    const key = foldWord(heading)
    if (!places.has(key)) places.set(key, at)
  }
  return (heading) => places.get(foldWord(heading)) ?? -1
}

export function applier(mapping: Mapping, header: readonly string[], order: Order | undefined) {
  const place = placeIn(header)
  const { columns, flags, values, words } = mapping
  const at = (field: Field) => {
    const heading = columns[field] ?? ''
    return heading === '' || heading === OPEN ? -1 : place(heading)
  }
  const [name, category, reference, arrived, latest, status] = (
    ['name', 'category', 'reference', 'arrived', 'latest', 'status'] as const
  ).map(at) as [number, number, number, number, number, number]
  const ofAll = categoryOfAll(mapping)
  const categories = new Map(words.filter(({ of }) => of === 'category').map((one) => [fold(one.word), one.meaning]))
  const meaningOf = wordReader(words.filter(({ of }) => of === 'status'))
  const byDefault = meaningOf('')
  const claims = [
    ...FLAGS.flatMap((flag) => (flags[flag] ?? []).map((heading) => ({ flag, at: place(heading), value: undefined }))),
    ...values.map(({ flag, heading, value }) => ({ flag, at: place(heading), value: fold(value) })),
  ]
  const isNamed = (place: number) => claims.some((claim) => claim.at === place && claim.value !== undefined)
  const flagged = claims.map((claim) => ({ ...claim, isNamed: claim.value === undefined && isNamed(claim.at) }))
  const toDate = (text: string) => (text === '' || order === undefined ? -1 : toMinutes(text, order))

  const strongest = (record: readonly string[]): Pick<Applied, 'meaning' | 'because' | 'isByDefault'> => {
    let [best, because]: [Meaning | undefined, string] = [undefined, '']
    const claim = (meaning: Meaning, text: string) => {
      if (best !== undefined && STRENGTH.indexOf(best) <= STRENGTH.indexOf(meaning)) return
      best = meaning
      because = text
    }
    const word = status === -1 ? '' : (record[status] ?? '').trim()
    if (word !== '') {
      const meaning = meaningOf(word)
      if (meaning === undefined) return { meaning, because: word, isByDefault: false }
      claim(meaning, word)
    }
    for (const { flag, at, value, isNamed } of flagged) {
      const text = fold(clean((record[at] ?? '').slice(0, LONGEST_WORD)))
      const isSo =
        value === undefined ? !isNamed && !NOTHING.has(text) && !/^[-\u2013\u20140:. ]+$/.test(text) : text === value
      if (isSo) claim(flag, record[at] ?? '')
    }
    if (word === '' && byDefault !== undefined) claim(byDefault, '')
    return { meaning: best, because, isByDefault: status === -1 && flagged.length === 0 }
  }

  return (record: readonly string[]): Applied => {
    const cell = (at: number) => (at === -1 ? '' : clean(record[at] ?? ''))
    const value = ofAll ?? cell(category)
    const came = toDate(cell(arrived))
    const last = toDate(cell(latest))
    return {
      name: cell(name),
      category: categories.get(fold(value.slice(0, LONGEST_WORD))) ?? value,
      reference: cell(reference),
      ...strongest(record),
      cameOn: came === -1 ? undefined : Math.floor(came / MINUTES_A_DAY),
      latest: last === -1 ? undefined : last,
    }
  }
}

/** A cell of no status: an error of a spreadsheet is empty. */
function clean(cell: string): string {
  const text = cell.trim()
  return text.startsWith('#') && ERROR.test(text) ? '' : text
}

/** The meaning of a word: of a line that names it, or else of the longest line with which it begins. */
function wordReader(words: Mapping['words']): (word: string) => Meaning | undefined {
  const meaningIn = ({ meaning }: Mapping['words'][number]) => (meaning === OPEN ? undefined : (meaning as Meaning))
  const whole = new Map(words.filter(({ word }) => !word.endsWith('*')).map((one) => [fold(one.word), meaningIn(one)]))
  const beginnings = words
    .filter(({ word }) => word.endsWith('*'))
    .map((one) => ({ begin: fold(one.word.slice(0, -1)), meaning: meaningIn(one) }))
    .sort((a, b) => b.begin.length - a.begin.length)
  const known = new Map<string, Meaning | undefined>()
  return (text) => {
    const key = text.slice(0, LONGEST_WORD)
    if (known.has(key)) return known.get(key)
    const folded = fold(key)
    const meaning = whole.has(folded)
      ? whole.get(folded)
      : folded === ''
        ? undefined
        : beginnings.find(({ begin }) => folded.startsWith(begin))?.meaning
    if (known.size < 1_000) known.set(key, meaning)
    return meaning
  }
}
