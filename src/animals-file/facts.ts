/**
 * What the reader recognised in a CSV file, and what a person should know of it before it is imported: what was
 * guessed, left out, or not understood. Each is told once, with its number and its first lines.
 */
import { foldWord } from '../common/fold.ts'
import { printable } from '../common/printable.ts'
import { FoundWords } from './found.ts'
import { headingsText, onOneLine } from './header.ts'
import { type Field, mapArgument } from './mapping.ts'
import { shown } from './row.ts'

const SEPARATORS = { ',': 'commas', ';': 'semicolons', '\t': 'tabs' } as const
export type Separator = keyof typeof SEPARATORS

type Column = Field | 'reference'

const LINES_SHOWN = 3
const WORDS_SHOWN = 10
/** Different words beyond these are not told, so that a file of any size needs little memory. */
const WORDS_KEPT = 1_000

export interface Note {
  readonly text: string
  /** A sentence for somebody at a command line, who can set options. */
  readonly advice?: string
  /** It is about columns and words, which somebody may be able to choose. */
  readonly isOfChoice?: true
}

/** Lines on which something occurs. */
class Lines {
  count = 0
  readonly #first: number[] = []

  add(line: number): void {
    this.count += 1
    if (this.#first.length < LINES_SHOWN) this.#first.push(line)
  }

  /** As in "on line 3", or "on 5 lines (2, 5, 9, …)". */
  toString(): string {
    const more = this.count > LINES_SHOWN ? ', …' : ''
    return this.count === 1 ? `on line ${this.#first[0]}` : `on ${this.count} lines (${this.#first.join(', ')}${more})`
  }
}

interface Word {
  readonly as: string
  readonly lines: Lines
}

/** Words, as `foldWord` writes them, and where they occur. */
class Words {
  readonly #words = new Map<string, Word>()

  add(word: string, line: number): void {
    const key = foldWord(word)
    const known = this.#words.get(key)
    if (known === undefined && this.#words.size >= WORDS_KEPT) return
    const { lines } = known ?? { lines: new Lines() }
    lines.add(line)
    if (known === undefined) this.#words.set(key, { as: word, lines })
  }

  get isEmpty(): boolean {
    return this.#words.size === 0
  }

  /** The most frequent first. */
  toString(): string {
    const parts = this.#first.map(({ as, lines }) => `${shown(as)} ${lines}`)
    return `${parts.join('; ')}${this.#words.size > WORDS_SHOWN ? `; and ${this.#words.size - WORDS_SHOWN} others` : ''}`
  }

  /** Rules for `--map` in which only the meaning is to be filled in. */
  asked(field: Field): string {
    const words = this.#first.map(({ as }) => onOneLine(as)).filter((word) => !/[,"=]/.test(word))
    return mapArgument(words.map((word) => `${field}:${printable(word)}=MEANING`))
  }

  get #first() {
    return [...this.#words.values()].sort((a, b) => b.lines.count - a.lines.count).slice(0, WORDS_SHOWN)
  }
}

export class CsvFacts {
  separator: Separator = ','
  blankRows = 0
  readonly found = new FoundWords()
  readonly unnamed = new Lines()
  readonly headerRows = new Lines()
  readonly unknownStatuses = new Words()
  readonly unknownCategories = new Words()
  /** Rules for `--map`, of what was guessed, by what they are about. */
  readonly #guesses = new Map<string, string>()
  /** What a category was recognised by, and its name. */
  readonly #categories = new Map<string, string>()
  #header: readonly string[] = []
  #columns: readonly (readonly [Column, number])[] = []

  /** The columns of the fields, of which some were guessed. */
  setColumns(header: readonly string[], at: Readonly<Record<Column, number>>, guessed: readonly Field[]): void {
    this.#header = header
    const fields: readonly Column[] = ['reference', 'id', 'name', 'categoryId', 'status']
    this.#columns = fields.filter((field) => at[field] !== -1).map((field) => [field, at[field]] as const)
    for (const field of guessed) this.#guesses.set(field, `${field}=${onOneLine(header[at[field]] ?? '')}`)
  }

  guessStatus(word: string, status: string): void {
    const key = `status:${foldWord(word)}`
    if (!this.#guesses.has(key)) this.#guesses.set(key, `status:${onOneLine(word).toLowerCase()}=${status}`)
  }

  guessCategory(word: string, id: bigint, label: string): void {
    if (this.#categories.size < WORDS_SHOWN)
      this.#categories.set(word.trim().toLowerCase(), `${id} (${printable(label)})`)
  }

  get hasStatus(): boolean {
    return this.#columns.some(([column]) => column === 'status')
  }

  get description(): string {
    const found = this.#columns.map(([field, index]) => {
      const heading = (this.#header[index] ?? '').trim()
      return field === heading ? field : `${field} from "${printable(heading)}"`
    })
    const blank =
      this.blankRows === 0 ? '' : `; ${this.blankRows} blank ${this.blankRows === 1 ? 'row' : 'rows'} skipped`
    const columns = found.length === 0 ? '' : `: ${found.join(', ')}`
    return `CSV with ${SEPARATORS[this.separator]}${columns}${blank}`
  }

  /** The rules that give the same again; empty if nothing was guessed. */
  get guess(): readonly string[] {
    return [...this.#guesses.values()]
  }

  get notes(): readonly Note[] {
    return [...this.#guessNotes(), ...this.#columnNotes(), ...this.#rowNotes(), ...this.#unknownNotes()]
  }

  *#guessNotes(): Iterable<Note> {
    if (this.#guesses.size > 0) {
      yield {
        text: `Guessed: ${this.guess.join(', ')}.`,
        advice: `To keep it so: ${mapArgument(this.guess)}`,
        isOfChoice: true,
      }
    }
    if (this.#categories.size > 0) {
      const parts = [...this.#categories].map(([word, meaning]) => `${shown(word)} is ${meaning}`)
      yield { text: `Categories by another form of their name: ${parts.join(', ')}.`, isOfChoice: true }
    }
  }

  *#columnNotes(): Iterable<Note> {
    const used = this.#columns.map(([, index]) => index)
    const dropped = this.#header.filter((heading, index) => !used.includes(index) && heading.trim() !== '')
    if (dropped.length > 0) yield { text: `Columns left out: ${headingsText(dropped)}.` }
    const headings = this.#header.map(foldWord)
    for (const [, index] of this.#columns) {
      const times = headings.filter((heading) => heading === headings[index]).length
      if (times > 1) {
        const heading = shown(this.#header[index] ?? '')
        yield {
          text: `The heading ${heading} is there ${times} times; the first of these columns, number ${index + 1}, is used.`,
        }
      }
    }
  }

  *#rowNotes(): Iterable<Note> {
    const { headerRows, unnamed } = this
    if (headerRows.count > 0) yield { text: `The header is there again ${headerRows}, and left out.` }
    if (unnamed.count > 0) yield { text: `No name ${unnamed}: such an animal has an empty name.` }
  }

  *#unknownNotes(): Iterable<Note> {
    const { unknownStatuses: statuses, unknownCategories: categories } = this
    if (!statuses.isEmpty) {
      yield {
        text: `Not understood as a status: ${statuses}.`,
        advice: `Say what they mean, available, pending, sold or nothing: ${statuses.asked('status')}`,
        isOfChoice: true,
      }
    }
    if (!categories.isEmpty) {
      yield {
        text: `Not understood as a category: ${categories}.`,
        advice: `\`pets categories set\` or --new-categories names them; or say what they mean: ${categories.asked('categoryId')}`,
        isOfChoice: true,
      }
    }
  }
}
