/** Applies a mapping to a row. The strongest meaning wins, and a word without a line has none. */
import { fold, foldWord } from '../common/fold.ts'
import { LONGEST_WORD } from './bounds.ts'
import { DAY_MINUTES, toMinutes } from './dates.ts'
import type { Meaning } from './languages/language.ts'
import { ALL, type Field, FLAGS, type Mapping, OPEN, type Order } from './mapping.ts'

const STRENGTH: readonly Meaning[] = [...FLAGS, 'available']
/** Values of a flag that mean "no", besides dashes and zero dates. */
const NOTHING = new Set(['', 'no', 'n', '0', 'false', 'none', 'null', 'n/a'])
const BLANK = /^[-\u2013\u20140:. ]+$/
const ERROR = /^#(?:N\/A|REF!|VALUE!|NAME\?|DIV\/0!|NUM!|NULL!|FORMULA|SPILL!|CALC!)$/i

/** The indexes of columns by their headers in a mapping; -1 for a missing column. */
export function placeIn(header: readonly string[]): (heading: string) => number {
  const folded = header.map(foldWord)
  const places = new Map(folded.map((heading, at) => [heading, at] as const).reverse())
  return (heading) => places.get(foldWord(heading)) ?? -1
}

export function applier(mapping: Mapping, header: readonly string[]) {
  const place = placeIn(header)
  const { columns, settings, words } = mapping
  const at = (field: Field) => (columns[field] === '' ? -1 : place(columns[field] ?? OPEN))
  const places = { name: at('name'), category: at('category'), reference: at('reference') }
  const [arrivedAt, latestAt, statusAt] = [at('arrived'), at('latest'), at('status')]
  const ofAll = columns.category?.startsWith(ALL) ? columns.category.slice(ALL.length).trim() : undefined
  const categories = new Map(words.filter(({ of }) => of === 'category').map((one) => [fold(one.word), one.meaning]))
  const meaningOf = wordReader(words.filter(({ of }) => of === 'status'))
  const byDefault = meaningOf('')
  const all = mapping.claims.map(({ flag, heading, value }) => ({
    flag,
    at: place(heading),
    value: value && fold(value),
  }))
  // A line that names a value names its column too, and then no other value of that column applies.
  const claims = all.filter(
    ({ at, value }) => value !== undefined || !all.some((one) => one.at === at && one.value !== undefined),
  )
  const { dates = 'day first' } = settings
  const minutesIn = (text: string) => {
    const minutes = text === '' || dates === OPEN ? -1 : toMinutes(text, dates as Order)
    return minutes === -1 ? undefined : minutes
  }

  const strongest = (record: readonly string[]): { meaning: Meaning | undefined; because: string } => {
    const word = (record[statusAt] ?? '').trim()
    let [meaning, because] = [word === '' ? undefined : meaningOf(word), word]
    if (word !== '' && meaning === undefined) return { meaning, because }
    for (const { flag, at, value } of claims) {
      const text = fold(clean((record[at] ?? '').slice(0, LONGEST_WORD)))
      const isSo = value === undefined ? !NOTHING.has(text) && !BLANK.test(text) : text === value
      if (!isSo || (meaning !== undefined && STRENGTH.indexOf(meaning) <= STRENGTH.indexOf(flag))) continue
      ;[meaning, because] = [flag, record[at] ?? '']
    }
    return { meaning: meaning ?? (word === '' ? byDefault : undefined), because }
  }

  return (record: readonly string[]) => {
    const cell = (at: number) => clean(record[at] ?? '')
    const category = ofAll ?? cell(places.category)
    const came = minutesIn(cell(arrivedAt))
    return {
      name: cell(places.name),
      category: categories.get(fold(category.slice(0, LONGEST_WORD))) ?? category,
      reference: cell(places.reference),
      ...strongest(record),
      /** Whether nothing in a row can decide its meaning. */
      isByDefault: statusAt === -1 && claims.length === 0,
      cameOn: came === undefined ? undefined : Math.floor(came / DAY_MINUTES),
      /** In minutes. The latest of several rows about one animal applies. */
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
export function wordReader(words: Mapping['words']): (word: string) => Meaning | undefined {
  const answered = words.filter(({ meaning }) => meaning !== OPEN)
  const lines = new Map(answered.map(({ word, meaning }) => [fold(word), meaning as Meaning]))
  const beginnings = [...lines.keys()].filter((word) => word.endsWith('*')).sort((a, b) => b.length - a.length)
  return (text) => {
    const word = fold(text.slice(0, LONGEST_WORD))
    const beginning = word === '' ? undefined : beginnings.find((one) => word.startsWith(one.slice(0, -1)))
    return lines.get(word) ?? lines.get(beginning ?? OPEN)
  }
}
