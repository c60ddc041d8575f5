/** Turns the records of a table into animals by a mapping, and counts the skipped rows. */
import { foldWord } from '../common/fold.ts'
import { parseInt64 } from '../contract/int64.ts'
import { isPetStatus } from '../contract/schemas.ts'
import { nameRefusal, readText, ruleOf } from '../rules/members.ts'
import type { FileRow } from '../store/staging.ts'
import { type Applied, applier, placeIn } from './apply.ts'
import type { Categories } from './categories.ts'
import { excerpt, onOneLine, UnreadableFile } from './file-errors.ts'
import { type Skipped, skippedAs } from './layout.ts'
import { headingsOf, type Mapping, type Order } from './mapping.ts'
import type { ReadRequest } from './request.ts'
import { isNothing } from './statuses.ts'
import type { SourceItem, Table } from './table.ts'

const PROBLEMS_SHOWN = 20
const LINES_SHOWN = 3
const WORDS_SHOWN = 6
const WORDS_COUNTED = 1_000
/** An import can use the lower half of all ids. The upper half is for new animals. */
const MAX_ID = 2n ** 62n - 1n

type Reason = Skipped | 'hidden' | 'skip'
type WordCount = { readonly word: string; readonly rows: number }

export interface RowFacts {
  readonly unit: Table['unit']
  /** Rows by meaning: a status, `none`, `gone` or `skip`. */
  readonly meanings: Readonly<Record<string, number>>
  /** Skipped rows by reason, with the first lines. */
  readonly skipped: Readonly<Record<Reason, { readonly rows: number; readonly lines: readonly number[] }>>
  readonly gone: readonly WordCount[]
  readonly openWords: readonly WordCount[]
  readonly badRows: number
  readonly problems: readonly { readonly line: number; readonly text: string }[]
}

/** How rows are read. */
interface RowReading {
  readonly table: Table
  readonly mapping: Mapping
  readonly order: Order | undefined
  /** Whether the file has our own columns. */
  readonly isOwn: boolean
  readonly request: ReadRequest
  readonly categories: Categories
}

export class Rows {
  readonly #how: RowReading
  readonly #apply: (record: readonly string[]) => Applied
  readonly #idAt: number
  readonly #nameAt: number
  readonly #lastUsed: number
  readonly #meanings = new Map<string, number>()
  readonly #skipped = { blank: none(), header: none(), other: none(), hidden: none(), skip: none() }
  readonly #gone = new Map<string, number>()
  readonly #open = new Map<string, number>()
  readonly #problems: { line: number; text: string }[] = []
  readonly #known = new Map<string, ReturnType<Categories['of']>>()
  #badRows = 0

  constructor(how: RowReading) {
    const { header } = how.table.layout
    this.#how = how
    this.#apply = applier(how.mapping, header, how.order)
    this.#idAt = how.request.withIds ? placeIn(header)('id') : -1
    this.#nameAt = placeIn(header)('name')
    const used = headingsOf(how.mapping)
    this.#lastUsed = header.findLastIndex((heading) => used.has(foldWord(heading)))
    if (how.request.withIds && this.#idAt === -1) throw new UnreadableFile('The header row has no column id.')
  }

  get facts(): RowFacts {
    const gone = wordsIn(this.#gone).sort((a, b) => b.rows - a.rows)
    return {
      unit: this.#how.table.unit,
      meanings: Object.fromEntries(this.#meanings),
      skipped: this.#skipped,
      gone: gone.slice(0, WORDS_SHOWN),
      openWords: wordsIn(this.#open),
      badRows: this.#badRows,
      problems: this.#problems,
    }
  }

  /** Undefined if the row has no animal to take. */
  row(item: SourceItem): FileRow | undefined {
    const { layout } = this.#how.table
    const { line } = item
    if (line <= layout.headerLine) return undefined
    if ('problem' in item) return this.#bad(line, [item.problem])
    if ('isHidden' in item) return this.#skip('hidden', line)
    const { record } = item
    const skipped = skippedAs(record, line, layout)
    if (skipped !== undefined) return this.#skip(skipped, line)
    const { length } = layout.header
    const isShort = record.length < length && record.length <= this.#lastUsed
    if (isShort || record.slice(length).some((value) => value.trim() !== ''))
      return this.#bad(line, [`has ${record.length} fields where the header row has ${length}`])
    return this.#animal(record, line)
  }

  #animal(record: readonly string[], line: number): FileRow | undefined {
    const { isOwn, mapping, categories, request } = this.#how
    const applied = this.#apply(record)
    const { meaning, because, latest, cameOn } = applied
    const { columns, settings } = mapping
    if (meaning === 'skip') {
      count(this.#meanings, meaning)
      return this.#skip(meaning, line)
    }
    const isNameless = Boolean(columns.name) && applied.name === ''
    const isNumberless = Boolean(columns.reference) && applied.reference === ''
    if (!isOwn && applied.category === '' && (isNameless || isNumberless)) return this.#skip('other', line)
    const reference = readText('reference', applied.reference)
    // In our own form a name is exact.
    const named = isNothing(applied.name) ? (reference ?? '') : applied.name
    const name = isOwn ? (record[this.#nameAt] ?? '') : named
    const isGone = meaning === 'gone'
    const category = isGone || isNothing(applied.category) ? undefined : this.#categoryOf(applied.category)
    const problems: string[] = []
    if (reference === undefined && (request.isSync || applied.reference !== '')) problems.push(ruleOf('reference'))
    const refusal = nameRefusal(name, request.rowLimit)
    if (refusal !== undefined) problems.push(`name: ${excerpt(name)} ${refusal}`)
    if (isOwn && meaning === undefined) problems.push(`status: ${excerpt(because)} is not available, pending or sold`)
    const id = this.#idAt === -1 ? undefined : parseInt64((record[this.#idAt] ?? '').trim())
    if (this.#idAt !== -1 && (id === undefined || id < 1n || id > MAX_ID))
      problems.push(`id: must be an integer from 1 to ${MAX_ID}, not ${excerpt(record[this.#idAt] ?? '')}`)
    if (category !== undefined && 'problem' in category)
      problems.push(`category: ${excerpt(applied.category)} ${category.problem}`)
    if (isOwn && category === undefined) problems.push('category: is empty')
    if (problems.length > 0) return this.#bad(line, problems)
    if (meaning === undefined) count(this.#open, onOneLine(because.slice(0, 200)))
    count(this.#meanings, meaning ?? '?')
    if (isGone) count(this.#gone, onOneLine(because.slice(0, 60)))
    const categoryId = category !== undefined && 'id' in category ? category.id : undefined
    const newCategory = categoryId === undefined ? undefined : categories.added.get(categoryId)
    return {
      name,
      line,
      ...(categoryId !== undefined && { categoryId }),
      status: isPetStatus(meaning) ? meaning : null,
      saysStatus: !applied.isByDefault,
      ...(id !== undefined && { id }),
      ...(isGone && { isGone }),
      ...(reference !== undefined && { reference, same: settings.several ? `${reference} ${name}` : reference }),
      ...(newCategory && { newCategory }),
      ...(latest !== undefined && { latest }),
      ...(!isGone && cameOn !== undefined && { cameOn }),
    }
  }

  #categoryOf(text: string): ReturnType<Categories['of']> {
    const key = text.slice(0, 400)
    const known = this.#known.get(key) ?? this.#how.categories.of(text.trim())
    if (this.#known.size < 10_000) this.#known.set(key, known)
    return known
  }

  #skip(reason: Reason, line: number): undefined {
    const skipped = this.#skipped[reason]
    skipped.rows += 1
    if (skipped.lines.length < LINES_SHOWN) skipped.lines.push(line)
  }

  #bad(line: number, problems: readonly string[]): undefined {
    this.#badRows += 1
    if (this.#problems.length < PROBLEMS_SHOWN) this.#problems.push({ line, text: problems.join('; ') })
  }
}

function none(): { rows: number; readonly lines: number[] } {
  return { rows: 0, lines: [] }
}

function count(counts: Map<string, number>, word: string): void {
  if (counts.size < WORDS_COUNTED || counts.has(word)) counts.set(word, (counts.get(word) ?? 0) + 1)
}

function wordsIn(counts: ReadonlyMap<string, number>): WordCount[] {
  return [...counts].map(([word, rows]) => ({ word, rows }))
}
