/** Columns and words of a CSV file: where they are and what each is taken for, for who may choose otherwise. */
import { foldWord } from '../common/fold.ts'
import { onOneLine, shown } from './row.ts'

const LINES_SHOWN = 3
const WORDS_SHOWN = 10
/** Different words beyond these are not told, so that a file of any size needs little memory. */
const WORDS_KEPT = 1_000
/** Words of a field to choose for. A column of more is hardly one of statuses or categories. */
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
  /** Words that there is no room for. */
  readonly moreWords: number
}

export class LineNumbers {
  count = 0
  readonly #first: number[] = []

  add(line: number): undefined {
    this.count += 1
    if (this.#first.length < LINES_SHOWN) this.#first.push(line)
  }

  /** As in "on line 3", or "on 5 lines (2, 5, 9, …)". */
  toString(): string {
    const more = this.count > LINES_SHOWN ? ', …' : ''
    return this.count === 1 ? `on line ${this.#first[0]}` : `on ${this.count} lines (${this.#first.join(', ')}${more})`
  }
}

/** What a value means, or why it means nothing. */
export interface Interpretation {
  /** A status, `none` or `gone`; a category's number; undefined if it is not understood. */
  readonly meaning?: string | undefined
  readonly problem?: string
  /** The text that was understood without a rule, and not by its exact name. */
  readonly guess?: string | undefined
  /** The name of a category that was guessed. */
  readonly label?: string | undefined
}

type Word = Interpretation & { readonly as: string; readonly lines: LineNumbers }

export class ValueCounts {
  count = 0
  /** By the value as it stands in the file: folding it for each row would take as long as reading the row. */
  readonly #values = new Map<string, Word>()
  /** Values that are compared alike are one word. */
  readonly #words = new Map<string, Word>()

  get(key: string): Interpretation | undefined {
    return this.#values.get(key)
  }

  /** Counts a value that stands on `line`. `key` tells apart what it means in one column and in another. */
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

/** Those to choose for; the numbers of categories are as they are. */
export function wordsToChoose(statuses: ValueCounts, categories: ValueCounts): Pick<Found, 'words' | 'moreWords'> {
  const of = (field: FoundWord['field'], words: ValueCounts): readonly FoundWord[] =>
    words.all
      .filter(({ as }) => as.length <= LONGEST_WORD)
      .map(({ as, lines, meaning }) => ({ field, word: as, rows: lines.count, meaning }))
  const all = [of('categoryId', categories).filter(({ word, meaning }) => word !== meaning), of('status', statuses)]
  const words = all.flatMap((some) => some.slice(0, WORDS_OFFERED))
  return { words, moreWords: all.flat().length - words.length }
}
