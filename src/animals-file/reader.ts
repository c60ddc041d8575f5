/**
 * Reads a list in a thread (reading-thread.ts): finds its table, uses or proposes a mapping, and turns the rows into
 * animals.
 */
import { foldWord } from '../common/fold.ts'
import { parseInt64 } from '../contract/int64.ts'
import type { FileRow } from '../store/staging.ts'
import { Categories } from './categories.ts'
import { openContainer, refuseMarkup } from './container.ts'
import { openCsv } from './csv.ts'
import { excerpt, onOneLine, UnreadableFile } from './file-errors.ts'
import { openJson } from './json.ts'
import { headingsOf, linesOf, type Mapping, NO_MAPPING, OPEN, type Order, readMapping } from './mapping.ts'
import { candidatesOf, type ProposedLine, propose, shownLines } from './proposal.ts'
import type { ReadRequest } from './request.ts'
import { type RowFacts, Rows } from './rows.ts'
import { type Scan, scan } from './scan.ts'
import { readyFor } from './systems.ts'
import type { Candidate, Table, TableHints } from './table.ts'
import { decoded } from './text-decoding.ts'
import { openWorkbook } from './workbook.ts'

/** The number of characters that determine format, separator and header. */
const START = 1 << 18
const ROWS_PER_BATCH = 500
const LETTERS_PER_BATCH = 1 << 16
const COLUMNS_NOTED = 20
/** The settings that say where the table is. */
const PLACES = ['sheet', 'list', 'encoding', 'header'] as const
/** The columns of our own files and exports. An import ignores the origin in an export, except the arrival date. */
const OWN = ['name', 'categoryid']
const OWN_COLUMNS = [...OWN, 'id', 'status', 'reference', 'cameat', 'cameby', 'import', 'cameon']

type ReadBy =
  | { readonly kind: 'own' | 'given' | 'proposal' | 'kept' }
  | { readonly kind: 'ready'; readonly name: string }

export interface Look {
  readonly format: string
  readonly by: ReadBy
  /** The stored layout of the file. */
  readonly layout: bigint | undefined
  readonly lines: readonly ProposedLine[]
  /** Whether everything is confirmed or needs no confirmation. */
  readonly isConfirmed: boolean
  readonly isSync: boolean
  readonly columns: readonly Candidate[]
  readonly notes: readonly string[]
}

export class ListReader {
  readonly #request: ReadRequest
  #table!: Table
  #mapping: Mapping = NO_MAPPING
  #isOwn = false
  #order: Order | undefined
  #encoding: string | undefined

  constructor(request: ReadRequest) {
    this.#request = request
  }

  async look(): Promise<Look> {
    const { mapping: text, kept, changes, isSync, reference, nowMs, source } = this.#request
    const given = text === undefined ? undefined : readMapping(text)
    const layouts = kept.map(({ n, mapping }) => ({ n, mapping: readMapping(mapping) }))
    const wanted = new Set(
      (given === undefined ? layouts : [{ mapping: given }]).flatMap(({ mapping }) => [...headingsOf(mapping).keys()]),
    )
    this.#table = await this.#open(given?.settings ?? {}, wanted)
    const first = layoutsFor(layouts, new Set(this.#table.layout.header.map(foldWord)))[0]
    // The layout is known once the file is open. Its settings can name another sheet or list.
    if (given === undefined && first !== undefined && PLACES.some((name) => first.mapping.settings[name] !== undefined))
      this.#table = await this.#open(first.mapping.settings, wanted)
    const { header } = this.#table.layout
    const folded = new Set(header.map(foldWord))
    // Adds the column of --ref.
    const ours = new Set([...OWN_COLUMNS, foldWord(reference ?? '')])
    this.#isOwn = given === undefined && OWN.every((one) => folded.has(one)) && folded.isSubsetOf(ours)
    if (this.#isOwn) return this.#lookAtOwn(header)
    const fits = layoutsFor(layouts, folded)
    const isOf = (name: string | undefined) => (one: (typeof fits)[number]) =>
      one.mapping.settings['list-name'] === name
    const named = given?.settings['list-name']
    const isSame = ({ n, mapping }: (typeof fits)[number]) =>
      given !== undefined && (n === changes || named !== undefined || isChangeOf(mapping, given, folded))
    const layout = given === undefined ? fits[0] : layouts.filter(isSame).find(isOf(named))
    const ready = given === undefined && layout === undefined ? readyFor(folded) : undefined
    const found = given ?? layout?.mapping ?? ready?.mapping ?? NO_MAPPING
    const isAmbiguous = found === layout?.mapping && !fits.every(isOf(found.settings['list-name']))
    const base: Mapping = {
      ...found,
      columns: { ...found.columns, ...(reference !== undefined && { reference }) },
      settings: { ...found.settings, ...(isAmbiguous && { 'list-name': OPEN }) },
    }
    const scanned = await scan(this.#table)
    if (scanned.rows === 0) throw new UnreadableFile('The file has a header row, and no animals below it.')
    const options = { isSync, nowMs, source, isCategory: this.#isCategory() }
    const gone = [...headingsOf(base)].flatMap(([key, heading]) => (folded.has(key) ? [] : [heading]))
    // A named column that is missing is a question.
    const asked = Object.entries(base.columns).map(([field, name]) => [field, gone.includes(name) ? OPEN : name])
    const proposed = propose(this.#table, scanned, { ...base, columns: Object.fromEntries(asked) }, options)
    // Questions about the file itself. An answered setting stays, even if this file does not need it.
    const own = Object.fromEntries(this.#table.settings.map(({ name, value }) => [name, value]))
    this.#mapping = { ...proposed, settings: { ...base.settings, ...proposed.settings, ...own } }
    this.#order = this.#orderIn(scanned)
    const columns = candidatesOf(scanned)
    const lines = shownLines(this.#table, scanned, this.#mapping, columns)
    const wasSaid = new Set(linesOf(base).map(({ key, value }) => `${key}=${value}`))
    const isMore = lines.some(({ key, value }) => !wasSaid.has(`${key}=${value}`) && key !== 'dates')
    const kind = given !== undefined ? 'given' : layout !== undefined ? 'kept' : 'proposal'
    const by: ReadBy = ready === undefined ? { kind } : { kind: 'ready', name: ready.name }
    return {
      ...this.#common,
      by,
      layout: layout?.n,
      lines,
      isConfirmed: by.kind !== 'proposal' && !isMore,
      columns,
      notes: [...this.#table.notes, ...this.#notesOf(scanned, gone)],
    }
  }

  #lookAtOwn(header: readonly string[]): Look {
    const { isSync, reference } = this.#request
    const of = (heading: string) => header.find((one) => foldWord(one) === foldWord(heading)) ?? ''
    const columns = { name: of('name'), category: of('categoryId'), status: of('status') }
    const arrived = of('cameOn') === '' ? {} : { arrived: of('cameOn') }
    const ofSync = isSync ? { reference: reference ?? (of('reference') || OPEN) } : {}
    const statuses = ['available', 'pending', 'sold'].map((word) => ({ of: 'status' as const, word, meaning: word }))
    const words = [...statuses, { of: 'status' as const, word: '', meaning: 'none' }]
    this.#mapping = { ...NO_MAPPING, columns: { ...columns, ...arrived, ...ofSync }, words }
    this.#order = 'year first'
    const lines = linesOf(this.#mapping).map((line) => ({ ...line, shows: '', candidates: [] }))
    const notes = this.#table.notes
    return { ...this.#common, by: { kind: 'own' }, layout: undefined, lines, isConfirmed: true, columns: [], notes }
  }

  get #common() {
    const format = [...(this.#encoding === undefined ? [] : [this.#encoding]), this.#table.format].join(', ')
    return { format, isSync: this.#isSync }
  }

  /** Whether each row must have a reference. */
  get #isSync(): boolean {
    const { isSync, byReference } = this.#request
    const { reference = '' } = this.#mapping.columns
    return isSync || (byReference && reference !== '' && reference !== OPEN)
  }

  #isCategory(): (value: string) => boolean {
    const { labels } = this.#request.categories
    const known = new Categories(labels)
    return (value) => {
      const number = parseInt64(value)
      return number === undefined ? !('problem' in known.of(value)) : labels.has(number)
    }
  }

  #notesOf({ columns }: Scan, gone: readonly string[]): readonly string[] {
    const { above, headerLine } = this.#table.layout
    const missing = gone.map((heading) => `The column ${excerpt(heading)} is no longer in the file.`)
    const title = excerpt(above.join(' / '))
    const titles = above.length === 0 ? [] : [`The header row is line ${headerLine}. Skipped above it: ${title}.`]
    const used = headingsOf(this.#mapping)
    const { arrived = '', latest = '' } = this.#mapping.columns
    const dated = columns.filter(({ heading, dates }) =>
      arrived === OPEN ? dates > 0 : [arrived, latest].includes(onOneLine(heading)),
    )
    const undated = dated.flatMap(({ heading, notDates }) =>
      notDates.length === 0 ? [] : [`Not a date in ${excerpt(heading)}: ${notDates.map(excerpt).join(', ')}.`],
    )
    const rest = columns.filter(
      ({ heading, filled }) => filled > 0 && heading.trim() !== '' && !used.has(foldWord(heading)),
    )
    const names = rest.slice(0, COLUMNS_NOTED).map(({ heading }) => onOneLine(heading).slice(0, 40))
    const others = `Columns that are not used: ${names.join(', ')}${rest.length > names.length ? ', …' : ''}.`
    return [...missing, ...undated, ...titles, ...(rest.length > 0 ? [others] : [])]
  }

  /** The order of day and month; undefined while it is open. */
  #orderIn({ columns }: Scan): Order | undefined {
    const { settings, columns: named } = this.#mapping
    if (settings.dates !== undefined) return settings.dates === OPEN ? undefined : (settings.dates as Order)
    const headings = new Set([named.arrived, named.latest].map((heading) => foldWord(heading ?? '')))
    const isOpen = columns.some(({ heading, eithers }) => eithers.length > 0 && headings.has(foldWord(heading)))
    return isOpen ? undefined : 'day first'
  }

  async #open(settings: Mapping['settings'], wanted: ReadonlySet<string>): Promise<Table> {
    const { fd, rowLimit } = this.#request
    const said = Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== OPEN))
    const hints: TableHints = { ...said, wanted, rowLimit }
    const file = await openContainer(fd)
    const table = 'text' in file ? await this.#openText(file.text, hints) : await openWorkbook(file, hints)
    if (table !== undefined) return table
    throw new UnreadableFile('The file is empty; it should begin with the line name,categoryId,status.')
  }

  async #openText(bytes: () => AsyncIterable<Buffer>, hints: TableHints): Promise<Table | undefined> {
    const { encoding, settings, chunks } = await decoded(bytes, hints.encoding)
    this.#encoding = encoding
    let start = ''
    for await (const chunk of chunks()) {
      start += chunk
      if (start.length >= START) break
    }
    refuseMarkup(start)
    const table = /^\s*[[{]/.test(start) ? await openJson(start, chunks, hints) : openCsv(start, chunks, hints)
    return table && { ...table, settings: [...table.settings, ...settings] }
  }

  /** The rows, some at a time, and at the end what happened to them. Throws UnreadableFile. */
  async *rows(): AsyncGenerator<{ readonly rows: readonly FileRow[]; readonly facts?: RowFacts }> {
    const { labels, gaps } = this.#request.categories
    const reading = new Rows({
      ...{ table: this.#table, mapping: this.#mapping, order: this.#order, isOwn: this.#isOwn },
      ...{ request: { ...this.#request, isSync: this.#isSync } },
      categories: new Categories(labels, this.#isOwn ? undefined : gaps),
    })
    let batch: FileRow[] = []
    let letters = 0
    for await (const items of this.#table.items()) {
      for (const item of items) {
        const row = reading.row(item)
        if (row === undefined) continue
        batch.push(row)
        letters += row.name.length + (row.reference?.length ?? 0)
        if (batch.length < ROWS_PER_BATCH && letters < LETTERS_PER_BATCH) continue
        yield { rows: batch }
        ;[batch, letters] = [[], 0]
      }
    }
    yield { rows: batch, facts: reading.facts }
  }
}

/** The stored layouts of a file: it has all named columns, or all except one. Those with most of them come first. */
function layoutsFor<T extends { readonly mapping: Mapping }>(layouts: readonly T[], folded: ReadonlySet<string>) {
  const fits = layouts.flatMap((layout) => {
    const named = headingsOf(layout.mapping)
    const there = folded.intersection(named).size
    const missing = named.size - there
    return there > 0 && (missing === 0 || (missing === 1 && there > 1)) ? [{ layout, there, missing }] : []
  })
  const [best] = fits.toSorted((a, b) => a.missing - b.missing || b.there - a.there)
  return fits
    .filter(({ there, missing }) => there === best?.there && missing === best.missing)
    .map(({ layout }) => layout)
}

/** Whether a given mapping names the columns of a kept one, or all except a column that has another name now. */
function isChangeOf(kept: Mapping, given: Mapping, folded: ReadonlySet<string>): boolean {
  const named = new Set(headingsOf(kept).keys())
  if (named.symmetricDifference(headingsOf(given)).size === 0) return true
  const [gone, ...others] = named.difference(folded)
  const lines = new Set(linesOf(given).map(({ key, value }) => `${key}=${value}`))
  const isKept = linesOf(kept).every(({ key, value }) => foldWord(value) === gone || lines.has(`${key}=${value}`))
  return gone !== undefined && others.length === 0 && isKept
}
