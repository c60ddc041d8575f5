/** Turns the records of a table into animals by a mapping, and counts the skipped rows. */
import { foldWord } from '../common/fold.ts'
import { parseInt64 } from '../contract/int64.ts'
import { isPetStatus } from '../contract/schemas.ts'
import { nameRefusal, readText, ruleOf } from '../rules/members.ts'
import type { FileRow } from '../store/staging.ts'
import { applier, placeIn } from './apply.ts'
import { Categories } from './categories.ts'
import { excerpt, onOneLine, UnreadableFile } from './file-errors.ts'
import { type Skipped, skippedAs } from './layout.ts'
import { headingsOf, type Mapping } from './mapping.ts'
import type { ReadRequest } from './request.ts'
import { isNothing } from './statuses.ts'
import type { SourceItem, Table } from './table.ts'

const PROBLEMS_SHOWN = 20
const LINES_SHOWN = 3
const WORDS_SHOWN = 6
const WORDS_COUNTED = 1_000
/** The upper half of all ids is for new animals. */
const MAX_ID = 2n ** 62n - 1n

const none = () => ({ rows: 0, lines: [] as number[] })

type Reason = Skipped | 'hidden' | 'skip'

export interface RowFacts {
  readonly unit: Table['unit']
  /** Rows by meaning: a status, `none` or `gone`. */
  readonly meanings: Readonly<Record<string, number>>
  /** Skipped rows by reason, with the first lines. */
  readonly skipped: Readonly<Record<Reason, { readonly rows: number; readonly lines: readonly number[] }>>
  readonly gone: readonly { readonly word: string; readonly rows: number }[]
  readonly badRows: number
  readonly problems: readonly { readonly line: number; readonly text: string }[]
}

export class Rows {
  readonly #table: Table
  readonly #mapping: Mapping
  readonly #request: ReadRequest
  readonly #isOwn: boolean
  readonly #categories: Categories
  readonly #apply: ReturnType<typeof applier>
  readonly #idAt: number
  readonly #nameAt: number
  readonly #lastUsed: number
  readonly #meanings = new Map<string, number>()
  readonly #skipped = { blank: none(), header: none(), other: none(), hidden: none(), skip: none() }
  readonly #gone = new Map<string, number>()
  readonly #problems: { line: number; text: string }[] = []
  #badRows = 0

  constructor(table: Table, mapping: Mapping, request: ReadRequest, isOwn: boolean) {
    const { labels, gaps } = request.categories
    const { header } = table.layout
    this.#table = table
    this.#mapping = mapping
    this.#request = request
    this.#isOwn = isOwn
    this.#categories = new Categories(labels, isOwn ? undefined : gaps)
    this.#apply = applier(mapping, header)
    this.#idAt = request.withIds ? placeIn(header)('id') : -1
    this.#nameAt = placeIn(header)('name')
    const used = headingsOf(mapping)
    this.#lastUsed = header.findLastIndex((heading) => used.has(foldWord(heading)))
    if (request.withIds && this.#idAt === -1) throw new UnreadableFile('The header row has no column id.')
  }

  get facts(): RowFacts {
    const gone = [...this.#gone].map(([word, rows]) => ({ word, rows })).sort((a, b) => b.rows - a.rows)
    return {
      unit: this.#table.unit,
      meanings: Object.fromEntries(this.#meanings),
      skipped: this.#skipped,
      gone: gone.slice(0, WORDS_SHOWN),
      badRows: this.#badRows,
      problems: this.#problems,
    }
  }

  row(item: SourceItem): FileRow | undefined {
    const { layout } = this.#table
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
    const applied = this.#apply(record)
    const { meaning, because, latest, cameOn } = applied
    const { columns, settings } = this.#mapping
    if (meaning === 'skip') return this.#skip(meaning, line)
    const isNameless = Boolean(columns.name) && applied.name === ''
    const isNumberless = Boolean(columns.reference) && applied.reference === ''
    if (!this.#isOwn && applied.category === '' && (isNameless || isNumberless)) return this.#skip('other', line)
    const reference = readText('reference', applied.reference)
    // In our own form a name is exact.
    const named = isNothing(applied.name) ? (reference ?? '') : applied.name
    const name = this.#isOwn ? (record[this.#nameAt] ?? '') : named
    const isGone = meaning === 'gone'
    const category = isGone || isNothing(applied.category) ? undefined : this.#categories.of(applied.category.trim())
    const problems: string[] = []
    if (reference === undefined && (this.#request.isSync || applied.reference !== ''))
      problems.push(ruleOf('reference'))
    const refusal = nameRefusal(name, this.#request.rowLimit)
    if (refusal !== undefined) problems.push(`name: ${excerpt(name)} ${refusal}`)
    const allowed = this.#isOwn ? 'is not available, pending or sold' : 'is not a word of the mapping'
    if (meaning === undefined) problems.push(`status: ${excerpt(because)} ${allowed}`)
    const id = this.#idAt === -1 ? undefined : parseInt64((record[this.#idAt] ?? '').trim())
    if (this.#idAt !== -1 && (id === undefined || id < 1n || id > MAX_ID))
      problems.push(`id: must be an integer from 1 to ${MAX_ID}, not ${excerpt(record[this.#idAt] ?? '')}`)
    if (category !== undefined && 'problem' in category)
      problems.push(`category: ${excerpt(applied.category)} ${category.problem}`)
    if (this.#isOwn && category === undefined) problems.push('category: is empty')
    if (meaning === undefined || problems.length > 0) return this.#bad(line, problems)
    count(this.#meanings, meaning)
    if (isGone) count(this.#gone, onOneLine(because.slice(0, 60)))
    const categoryId = category !== undefined && 'id' in category ? category.id : undefined
    const newCategory = categoryId === undefined ? undefined : this.#categories.added.get(categoryId)
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

function count(counts: Map<string, number>, word: string): void {
  if (counts.size < WORDS_COUNTED || counts.has(word)) counts.set(word, (counts.get(word) ?? 0) + 1)
}
