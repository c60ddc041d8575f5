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

export class Lines {
  count = 0
  #first: number[] = []

  add(line: number): undefined {
    this.count += 1
    if (this.#first.length < LINES_SHOWN) this.#first.push(line)
  }

  addAll(others: Lines): void {
    this.count += others.count
    this.#first = [...this.#first, ...others.#first].sort((a, b) => a - b).slice(0, LINES_SHOWN)
  }

  /** As in "on line 3", or "on 5 lines (2, 5, 9, …)". */
  toString(): string {
    const more = this.count > LINES_SHOWN ? ', …' : ''
    return this.count === 1 ? `on line ${this.#first[0]}` : `on ${this.count} lines (${this.#first.join(', ')}${more})`
  }
}

type Word = { readonly as: string; readonly lines: Lines; readonly meaning: string | undefined }

export class Words {
  count = 0
  /** By the value as it stands in the file: folding it for each row would take as long as reading the row. */
  readonly #values = new Map<string, Word>()
  readonly #kept = { long: 0, short: 0 }

  add(value: string, line: number, meaning?: string): undefined {
    this.count += 1
    const known = this.#values.get(value)
    const length = value.length > LONGEST_WORD ? 'long' : 'short'
    if (known === undefined && this.#kept[length]++ >= WORDS_KEPT) return
    const word = known ?? { as: onOneLine(value), lines: new Lines(), meaning }
    word.lines.add(line)
    if (known === undefined) this.#values.set(value, word)
  }

  /** Values that are compared alike are one word; the most frequent first. */
  get all(): readonly Word[] {
    const words = new Map<string, Word>()
    for (const { as, lines, meaning } of this.#values.values()) {
      const key = foldWord(as)
      const before = words.get(key) ?? { as, lines: new Lines() }
      before.lines.addAll(lines)
      words.set(key, { ...before, meaning })
    }
    return [...words.values()].sort((a, b) => b.lines.count - a.lines.count)
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
export function offered(statuses: Words, categories: Words): Pick<Found, 'words' | 'moreWords'> {
  const of = (field: FoundWord['field'], words: Words): readonly FoundWord[] =>
    words.all
      .filter(({ as }) => as.length <= LONGEST_WORD)
      .map(({ as, lines, meaning }) => ({ field, word: as, rows: lines.count, meaning }))
  const all = [of('categoryId', categories).filter(({ word, meaning }) => word !== meaning), of('status', statuses)]
  const words = all.flatMap((some) => some.slice(0, WORDS_OFFERED))
  return { words, moreWords: all.flat().length - words.length }
}
