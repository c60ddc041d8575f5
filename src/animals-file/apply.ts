/**
 * Applies a mapping to a row. The strongest meaning wins, and columns without a line in the mapping are ignored.
 * Nothing is guessed: a word without a line is an open question.
 */
import { fold, foldWord } from '../common/fold.ts'
import { LONGEST_WORD } from './bounds.ts'
import { toMinutes } from './dates.ts'
import type { Meaning } from './languages/language.ts'
import { categoryOfAll, type Field, FLAGS, type Mapping, OPEN, type Order } from './mapping.ts'

const STRENGTH: readonly Meaning[] = [...FLAGS, 'available']
/** Values that mean "nothing" in a column of dates or of yes and no, besides dashes and zero dates. */
const NOTHING = new Set(['', 'no', 'n', '0', 'false', 'none', 'null', 'n/a'])
const BLANK = /^[-\u2013\u20140:. ]+$/
const ERROR = /^#(?:N\/A|REF!|VALUE!|NAME\?|DIV\/0!|NUM!|NULL!|FORMULA|SPILL!|CALC!)$/i
const MINUTES_A_DAY = 24 * 60
const WORDS_KEPT = 1_000

export interface Applied {
  readonly name: string
  readonly category: string
  readonly reference: string
  /** Undefined if a word of the status is open. */
  readonly meaning: Meaning | undefined
  readonly because: string
  /** Whether the meaning applies only because nothing else decides. */
  readonly isByDefault: boolean
  readonly cameOn: number | undefined
  /** In minutes. The latest of several rows about one animal applies. */
  readonly latest: number | undefined
}

/** The indexes of columns by their headers in a mapping; -1 for a missing column. */
export function placeIn(header: readonly string[]): (heading: string) => number {
  const folded = header.map(foldWord)
  const places = new Map(folded.map((heading, at) => [heading, at] as const).reverse())
  return (heading) => places.get(foldWord(heading)) ?? -1
}

export function applier(mapping: Mapping, header: readonly string[], order: Order | undefined) {
  const place = placeIn(header)
  const { columns, flags, values, words } = mapping
  const at = (field: Field) => (columns[field] === '' ? -1 : place(columns[field] ?? OPEN))
  const places = { name: at('name'), category: at('category'), reference: at('reference') }
  const [arrivedAt, latestAt, statusAt] = [at('arrived'), at('latest'), at('status')]
  const ofAll = categoryOfAll(mapping)
  const categories = new Map(words.filter(({ of }) => of === 'category').map((one) => [fold(one.word), one.meaning]))
  const meaningOf = wordReader(words.filter(({ of }) => of === 'status'))
  const byDefault = meaningOf('')
  // A line that names a value names its column too, and then no other value of that column applies.
  const named = new Set(values.map(({ heading }) => place(heading)))
  const claims = [
    ...values.map(({ flag, heading, value }) => ({ flag, at: place(heading), value: fold(value) })),
    ...FLAGS.flatMap((flag) => (flags[flag] ?? []).map((heading) => ({ flag, at: place(heading), value: undefined }))),
  ].filter(({ at, value }) => value !== undefined || !named.has(at))
  const minutesIn = (text: string) => {
    const minutes = text === '' || order === undefined ? -1 : toMinutes(text, order)
    return minutes === -1 ? undefined : minutes
  }

  const strongest = (record: readonly string[]): Pick<Applied, 'meaning' | 'because'> => {
    const word = (record[statusAt] ?? '').trim()
    const said = word === '' ? undefined : meaningOf(word)
    if (word !== '' && said === undefined) return { meaning: said, because: word }
    let [meaning, because] = [said, word]
    for (const { flag, at, value } of claims) {
      const text = fold(clean((record[at] ?? '').slice(0, LONGEST_WORD)))
      const isSo = value === undefined ? !NOTHING.has(text) && !BLANK.test(text) : text === value
      if (!isSo || (meaning !== undefined && STRENGTH.indexOf(meaning) <= STRENGTH.indexOf(flag))) continue
      ;[meaning, because] = [flag, record[at] ?? '']
    }
    return { meaning: meaning ?? (word === '' ? byDefault : undefined), because }
  }

  return (record: readonly string[]): Applied => {
    const cell = (at: number) => clean(record[at] ?? '')
    const category = ofAll ?? cell(places.category)
    const came = minutesIn(cell(arrivedAt))
    return {
      name: cell(places.name),
      category: categories.get(fold(category.slice(0, LONGEST_WORD))) ?? category,
      reference: cell(places.reference),
      ...strongest(record),
      isByDefault: statusAt === -1 && claims.length === 0,
      cameOn: came === undefined ? undefined : Math.floor(came / MINUTES_A_DAY),
      latest: minutesIn(cell(latestAt)),
    }
  }
}

/** A cell outside the status: an error of a spreadsheet is empty. */
function clean(cell: string): string {
  const text = cell.trim()
  return text.startsWith('#') && ERROR.test(text) ? '' : text
}

/** The meaning of a word, from the line that names it or the longest line with its beginning. */
function wordReader(words: Mapping['words']): (word: string) => Meaning | undefined {
  const lines = words.map(({ word, meaning }) => {
    const isPrefix = word.endsWith('*')
    return {
      isPrefix,
      text: fold(word.replace(/\*$/, '')),
      meaning: meaning === OPEN ? undefined : (meaning as Meaning),
    }
  })
  const whole = new Map(lines.filter(({ isPrefix }) => !isPrefix).map(({ text, meaning }) => [text, meaning]))
  const prefixes = lines.filter(({ isPrefix }) => isPrefix).sort((a, b) => b.text.length - a.text.length)
  const known = new Map<string, Meaning | undefined>()
  return (text) => {
    const key = text.slice(0, LONGEST_WORD)
    if (known.has(key)) return known.get(key)
    const folded = fold(key)
    const prefix = folded === '' ? undefined : prefixes.find(({ text }) => folded.startsWith(text))
    const meaning = whole.has(folded) ? whole.get(folded) : prefix?.meaning
    if (known.size < WORDS_KEPT) known.set(key, meaning)
    return meaning
  }
}
