/** Counts the values of a CSV file, with their lines and meanings, for a person who may choose other meanings. */
import { foldWord } from '../common/fold.ts'
import { onOneLine, shown } from './row.ts'

const LINES_SHOWN = 3
const WORDS_SHOWN = 10
/** The maximum number of distinct values that are kept, which bounds memory for any file. */
const WORDS_KEPT = 1_000
/** The words of a field whose meaning a person can choose. A column with more hardly holds statuses or categories. */
const WORDS_OFFERED = 50
const LONGEST_WORD = 100

interface FoundWord {
  readonly field: 'status' | 'categoryId'
  readonly word: string
  readonly rows: number
  /** A status, `none` or `gone`; a category's number; undefined if it is not understood. */
  readonly meaning: string | undefined
}

export interface Found {
  readonly headings: readonly string[]
  /** The heading of each field's column; undefined if it has none. */
  readonly columns: Readonly<Record<'name' | 'categoryId' | 'status' | 'reference', string | undefined>>
  /** The most frequent first. */
  readonly words: readonly FoundWord[]
  /** The number of words that were left out. */
  readonly moreWords: number
}

export class LineNumbers {
  count = 0
  readonly #first: number[] = []

  add(line: number): undefined {
    this.count += 1
    if (this.#first.length < LINES_SHOWN) this.#first.push(line)
  }

  toString(): string {
    return linesText(this.count, this.#first)
  }
}

/** As in "on line 3", or "on 5 lines (2, 5, 9, …)". */
export function linesText(count: number, first: readonly number[]): string {
  const more = count > first.length ? ', …' : ''
  return count === 1 ? `on line ${first[0]}` : `on ${count} lines (${first.join(', ')}${more})`
}

/** The meaning of a value, or the problem with it. */
export interface Interpretation {
  /** A status, `none` or `gone`; a category's number; undefined if it is not understood. */
  readonly meaning?: string | undefined
  readonly problem?: string
  /** The text, if its meaning was guessed: no rule gives it, and it is not an exact name. */
  readonly guess?: string | undefined
  /** The name of the guessed category. */
  readonly label?: string | undefined
}

type Word = Interpretation & { readonly as: string; readonly lines: LineNumbers }

export class ValueCounts {
  count = 0
  /** By the value before folding: to fold it for each row would take as long as reading the row. */
  readonly #values = new Map<string, Word>()
  /** By the value after folding. */
  readonly #words = new Map<string, Word>()

  get(key: string): Interpretation | undefined {
    return this.#values.get(key)
  }

  /** Counts a value. `key` differs where one value may have different meanings, as in two columns. */
  add(value: string, line: number, understood: Interpretation, key = value): undefined {
    this.count += 1
    const known = this.#values.get(key)
    if (known === undefined && this.#values.size >= WORDS_KEPT) return
    const folded = known === undefined ? foldWord(value) : ''
    const { lines } = known ?? this.#words.get(folded) ?? { lines: new LineNumbers() }
    lines.add(line)
    if (known !== undefined) return
    const word = { as: onOneLine(value), lines, ...understood }
    this.#values.set(key, word)
    if (!this.#words.has(folded)) this.#words.set(folded, word)
  }

  /** The most frequent first. */
  get all(): readonly Word[] {
    return [...this.#words.values()].sort((a, b) => b.lines.count - a.lines.count)
  }

  /** In the order of the file. */
  get guesses(): readonly Word[] {
    return [...this.#words.values()].filter(({ guess }) => guess !== undefined)
  }

  get unknown(): readonly Word[] {
    return this.all.filter(({ meaning }) => meaning === undefined)
  }

  toString(): string {
    const [all, some] = [this.all, this.all.slice(0, WORDS_SHOWN)]
    const others = all.length > WORDS_SHOWN ? `; and ${all.length - WORDS_SHOWN} others` : ''
    return `${some.map(({ as, lines }) => `${shown(as)} ${lines}`).join('; ')}${others}`
  }
}

/** The words whose meaning a person can choose: not categories that are numbers. */
export function wordsToChoose(statuses: ValueCounts, categories: ValueCounts): Pick<Found, 'words' | 'moreWords'> {
  const of = (field: FoundWord['field'], words: ValueCounts): readonly FoundWord[] =>
    words.all
      .filter(({ as }) => as.length <= LONGEST_WORD)
      .map(({ as, lines, meaning }) => ({ field, word: as, rows: lines.count, meaning }))
  const all = [of('categoryId', categories).filter(({ word, meaning }) => word !== meaning), of('status', statuses)]
  const words = all.flatMap((some) => some.slice(0, WORDS_OFFERED))
  return { words, moreWords: all.flat().length - words.length }
}
