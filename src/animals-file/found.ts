/**
 * The columns and words of a CSV file, and what each is understood as, for somebody who may choose otherwise. A word
 * that is too long to be one is not among them.
 */
import { foldWord } from '../common/fold.ts'
import type { Columns } from './columns.ts'
import type { Layout } from './layout.ts'
import { onOneLine } from './row.ts'

/** Words of a field beyond these, and longer ones, are not kept, so that a file of any size needs little memory. */
const WORDS_KEPT = 1_000
/** Words of a field to choose for. A column of more is hardly one of statuses or categories. */
const WORDS_OFFERED = 50
const LONGEST_WORD = 100
const COLUMNS_OFFERED = 200
const LONGEST_HEADING = 200

type WordField = 'status' | 'categoryId'

interface FoundWord {
  readonly field: WordField
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

interface Seen {
  rows: number
  readonly meaning: string | undefined
}

export class FoundWords {
  #header: readonly string[] | undefined
  #columns: Columns | undefined
  /** By the value as it stands in the file: folding it for each row would take as long as reading the row. */
  readonly #words: Readonly<Record<WordField, Map<string, Seen>>> = { status: new Map(), categoryId: new Map() }

  set({ header }: Layout, columns: Columns): void {
    this.#header = header
    this.#columns = columns
  }

  note(field: WordField, value: string, meaning: string | undefined): void {
    const words = this.#words[field]
    const seen = words.get(value)
    if (seen !== undefined) seen.rows += 1
    else if (words.size < WORDS_KEPT && value.length <= LONGEST_WORD) words.set(value, { rows: 1, meaning })
  }

  /** Undefined if no header was read. */
  get all(): Found | undefined {
    if (this.#header === undefined || this.#columns === undefined) return undefined
    const header = this.#header
    const { at, status } = this.#columns
    const heading = (index = -1) => (index === -1 ? undefined : onOneLine(header[index] ?? ''))
    const columns = {
      name: heading(at.name),
      categoryId: heading(at.categoryId),
      status: status.length === 0 ? undefined : status.map(heading).join(' or '),
      reference: heading(at.reference),
    }
    const named = new Map<string, string>()
    for (const one of header) if (!named.has(foldWord(one))) named.set(foldWord(one), onOneLine(one))
    const headings = [...named.values()]
      .filter((one) => one !== '' && one.length <= LONGEST_HEADING)
      .slice(0, COLUMNS_OFFERED)
    const beyond = Object.values(columns).flatMap((one) => (one === undefined || headings.includes(one) ? [] : [one]))
    const categories = this.#offered('categoryId').filter(({ word, meaning }) => meaning !== word)
    const words = [...categories.slice(0, WORDS_OFFERED), ...this.#offered('status').slice(0, WORDS_OFFERED)]
    const moreWords = categories.length + this.#offered('status').length - words.length
    return { headings: [...headings, ...beyond], columns, words, moreWords }
  }

  /** Values that are compared alike are one word. */
  #offered(field: WordField): FoundWord[] {
    const words = new Map<string, FoundWord>()
    for (const [value, { rows, meaning }] of this.#words[field]) {
      const key = foldWord(value)
      const before = words.get(key)
      words.set(key, { field, word: before?.word ?? onOneLine(value), rows: rows + (before?.rows ?? 0), meaning })
    }
    return [...words.values()].sort((a, b) => b.rows - a.rows)
  }
}
