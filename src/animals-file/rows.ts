/** Turns the records of a table into animals by a mapping, and counts what is skipped. */
import { foldWord } from '../common/fold.ts'
import { parseInt64 } from '../contract/int64.ts'
import { isPetStatus } from '../contract/schemas.ts'
import { nameRefusal, readText, ruleOf } from '../rules/members.ts'
import type { FileRow } from '../store/staging.ts'
import { type Applied, applier, placeIn } from './apply.ts'
import { Categories } from './categories.ts'
import { excerpt, onOneLine, UnreadableFile } from './file-errors.ts'
import { headingsOf, type Mapping, type Order } from './mapping.ts'
import type { ReadRequest } from './request.ts'
import { type Skipped, skippedAs } from './skipped.ts'
import { isNothing } from './statuses.ts'
import type { SourceItem, Table } from './table.ts'

/** Problems beyond this number are only counted. */
const PROBLEMS_SHOWN = 20
const LINES_SHOWN = 3
const WORDS_SHOWN = 6
/** An import may use the lower half of all ids. The upper half is for new animals: ids are assigned upwards. */
const MAX_ID = 2n ** 62n - 1n

/** What became of the rows. */
export interface RowFacts {
  /** Rows by what they mean: a status, `none`, `gone` or `skip`. */
  readonly meanings: Readonly<Record<string, number>>
  /** Rows that are skipped, by the reason, with the first lines. */
  readonly skipped: Readonly<
    Record<Skipped | 'hidden' | 'skip', { readonly rows: number; readonly lines: readonly number[] }>
  >
  /** The words that say that an animal has left. */
  readonly gone: readonly { readonly word: string; readonly rows: number }[]
  /** Words of the status that nobody has said anything about. */
  readonly openWords: readonly { readonly word: string; readonly rows: number }[]
  readonly badRows: number
  readonly problems: readonly { readonly line: number; readonly text: string }[]
}

export class Rows {
  readonly #table: Table
  readonly #mapping: Mapping
  readonly #apply: (record: readonly string[]) => Applied
  readonly #isOwn: boolean
  readonly #request: ReadRequest
  readonly #categories: Categories
  readonly #idAt: number
  readonly #nameAt: number
  readonly #lastUsed: number
  readonly #meanings = new Map<string, number>()
  readonly #skipped = new Map<string, { rows: number; lines: number[] }>()
  readonly #gone = new Map<string, number>()
  readonly #open = new Map<string, number>()
  readonly #problems: { line: number; text: string }[] = []
  readonly #known = new Map<string, ReturnType<Categories['of']>>()
  #badRows = 0

  constructor(
    table: Table,
    mapping: Mapping,
    order: Order | undefined,
    isOwn: boolean,
    request: ReadRequest,
    categories: Categories,
  ) {
    const { header } = table.layout
    this.#table = table
    this.#mapping = mapping
    this.#apply = applier(mapping, header, order)
    this.#isOwn = isOwn
    this.#request = request
    this.#categories = isOwn ? new Categories(request.categories.labels) : categories
    const place = placeIn(header)
    this.#idAt = request.withIds ? place('id') : -1
    this.#nameAt = isOwn ? place('name') : -1
    const used = headingsOf(mapping)
    this.#lastUsed = header.findLastIndex((heading) => used.has(foldWord(heading)))
    if (request.withIds && this.#idAt === -1) throw new UnreadableFile('The header row has no column id.')
  }

  get facts(): RowFacts {
    const none = { rows: 0, lines: [] }
    const of = (name: string) => this.#skipped.get(name) ?? none
    const most = (counts: ReadonlyMap<string, number>) =>
      [...counts]
        .sort(([, a], [, b]) => b - a)
        .slice(0, WORDS_SHOWN)
        .map(([word, rows]) => ({ word, rows }))
    return {
      meanings: Object.fromEntries(this.#meanings),
      skipped: { blank: of('blank'), header: of('header'), other: of('other'), hidden: of('hidden'), skip: of('skip') },
      gone: most(this.#gone),
      openWords: [...this.#open].map(([word, rows]) => ({ word, rows })),
      badRows: this.#badRows,
      problems: this.#problems,
    }
  }

  /** Undefined if the row is no animal that can be taken. */
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
    const { isSync, rowLimit } = this.#request
    const applied = this.#isOwn ? this.#ownRow(record) : this.#apply(record)
    const { meaning, because } = applied
    if (meaning === 'skip') {
      count(this.#meanings, 'skip')
      return this.#skip('skip', line)
    }
    const { name: nameColumn = '', reference: referenceColumn = '' } = this.#mapping.columns
    const isNameless = nameColumn !== '' && applied.name === ''
    const isNumberless = referenceColumn !== '' && applied.reference === ''
    if (!this.#isOwn && applied.category === '' && (isNameless || isNumberless)) return this.#skip('other', line)
    const problems: string[] = []
    const said = this.#mapping.columns.reference === undefined ? '' : applied.reference
    const reference = readText('reference', said)
    if (reference === undefined && (isSync || said !== '')) problems.push(ruleOf('reference'))
    const name = isNothing(applied.name) && !this.#isOwn ? (reference ?? '') : applied.name
    const refusal = nameRefusal(name, rowLimit)
    if (refusal !== undefined) problems.push(`name: ${excerpt(name)} ${refusal}`)
    if (meaning === undefined) {
      if (this.#isOwn) problems.push(`status: ${excerpt(because)} is not available, pending or sold`)
      else count(this.#open, onOneLine(because.slice(0, 200)))
    }
    const id = this.#idAt === -1 ? undefined : parseInt64((record[this.#idAt] ?? '').trim())
    if (this.#idAt !== -1 && (id === undefined || id < 1n || id > MAX_ID))
      problems.push(`id: must be an integer from 1 to ${MAX_ID}, not ${excerpt(record[this.#idAt] ?? '')}`)
    const isGone = meaning === 'gone'
    const category = isGone || isNothing(applied.category) ? undefined : this.#categoryOf(applied.category)
    if (category !== undefined && 'problem' in category)
      problems.push(`category: ${excerpt(applied.category)} ${category.problem}`)
    if (this.#isOwn && category === undefined) problems.push('category: is empty')
    if (problems.length > 0) return this.#bad(line, problems)
    count(this.#meanings, meaning ?? '?')
    if (isGone) count(this.#gone, onOneLine(because.slice(0, 60)))
    const categoryId = category !== undefined && 'id' in category ? category.id : undefined
    const newCategory = categoryId === undefined ? undefined : this.#categories.added.get(categoryId)
    const isEach = this.#mapping.settings.several === 'each'
    return {
      name,
      line,
      ...(categoryId !== undefined && { categoryId }),
      status: isPetStatus(meaning) ? meaning : null,
      saysStatus: !applied.isByDefault,
      ...(id !== undefined && { id }),
      ...(isGone && { isGone }),
      ...(reference !== undefined && { reference, same: isEach ? `${reference} ${name}` : reference }),
      ...(newCategory && { newCategory }),
      ...(applied.latest !== undefined && { latest: applied.latest }),
      ...(!isGone && applied.cameOn !== undefined && { cameOn: applied.cameOn }),
    }
  }

  /** A row of our own form: its name is taken letter by letter, and its status is one of the interface. */
  #ownRow(record: readonly string[]): Applied {
    const applied = this.#apply(record)
    const hasStatus = this.#mapping.columns.status !== ''
    const at = this.#table.layout.folded.indexOf('status')
    const word = (hasStatus ? (record[at] ?? '') : '').trim().toLowerCase()
    const meaning = word === '' ? ('none' as const) : isPetStatus(word) ? word : undefined
    return { ...applied, name: record[this.#nameAt] ?? '', meaning, because: word, isByDefault: !hasStatus }
  }

  #categoryOf(text: string): ReturnType<Categories['of']> {
    const key = text.slice(0, 400)
    const known = this.#known.get(key) ?? this.#categories.of(text.trim())
    if (this.#known.size < 10_000) this.#known.set(key, known)
    return known
  }

  #skip(reason: string, line: number): undefined {
    const skipped = this.#skipped.get(reason) ?? { rows: 0, lines: [] }
    skipped.rows += 1
    if (skipped.lines.length < LINES_SHOWN) skipped.lines.push(line)
    this.#skipped.set(reason, skipped)
    return undefined
  }

  #bad(line: number, problems: readonly string[]): undefined {
    this.#badRows += 1
    if (this.#problems.length < PROBLEMS_SHOWN) this.#problems.push({ line, text: problems.join('; ') })
    return undefined
  }
}

function count(counts: Map<string, number>, word: string): void {
  if (counts.size < 1_000 || counts.has(word)) counts.set(word, (counts.get(word) ?? 0) + 1)
}
