/** Counts rows and values of a file, with their first lines, for a person who may choose other meanings. */
import { foldWord } from '../common/fold.ts'
import { onOneLine, shown } from './row.ts'

const LINES_SHOWN = 3
const WORDS_SHOWN = 10
/** The maximum number of distinct values that are kept, which bounds memory for any file. */
const WORDS_KEPT = 1_000

class Tally {
  count = 0
  /** A sentence for a person, in which # stands for what is counted. */
  readonly note: string

  constructor(note = '') {
    this.note = note
  }
}

export class LineNumbers extends Tally {
  first: readonly number[] = []

  add(line: number): undefined {
    this.count += 1
    if (this.first.length < LINES_SHOWN) this.first = [...this.first, line]
  }

  /** As in "on line 3", or "on 5 lines (2, 5, 9, …)". */
  override toString(): string {
    const more = this.count > this.first.length ? ', …' : ''
    return this.count === 1 ? `on line ${this.first[0]}` : `on ${this.count} lines (${this.first.join(', ')}${more})`
  }
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

export class ValueCounts extends Tally {
  /** By the value before folding: to fold it for each row would take as long as reading the row. */
  readonly #values = new Map<string, Word>()
  /** By the value after folding. */
  readonly #words = new Map<string, Word>()

  /** Counts a value, and says what it means. `key` differs where one value may have different meanings, as in two columns. */
  add(value: string, line: number, understand: () => Interpretation, key = value): Interpretation {
    this.count += 1
    const before = this.#values.get(key)
    before?.lines.add(line)
    if (before !== undefined || this.#values.size >= WORDS_KEPT) return before ?? understand()
    const folded = foldWord(value)
    const { lines } = this.#words.get(folded) ?? { lines: new LineNumbers() }
    lines.add(line)
    const word = { as: onOneLine(value), lines, ...understand() }
    this.#values.set(key, word)
    if (!this.#words.has(folded)) this.#words.set(folded, word)
    return word
  }

  /** The most frequent first. */
  get all(): readonly Word[] {
    return [...this.#words.values()].sort((a, b) => b.lines.count - a.lines.count)
  }

  /** In the order of the file. */
  get guesses(): readonly Word[] {
    return [...this.#words.values()].filter(({ guess }) => guess !== undefined)
  }

  override toString(): string {
    const some = this.all.slice(0, WORDS_SHOWN).map(({ as, lines }) => `${shown(as)} ${lines}`)
    const others = this.#words.size - some.length
    return `${some.join('; ')}${others > 0 ? `; and ${others} others` : ''}`
  }
}
