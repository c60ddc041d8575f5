/**
 * Reads a list: finds its table, proposes how it is read or takes what was confirmed, and turns its rows into animals.
 * It runs in a thread of its own (reading-thread.ts), since a file comes from outside.
 */
import { foldWord } from '../common/fold.ts'
import { parseInt64 } from '../contract/int64.ts'
import type { FileRow } from '../store/staging.ts'
import { placeIn } from './apply.ts'
import { Categories } from './categories.ts'
import { openContainer, refuseMarkup } from './container.ts'
import { openCsv } from './csv.ts'
import { excerpt, onOneLine, UnreadableFile } from './file-errors.ts'
import { openJson } from './json.ts'
import { READY_MAPS } from './languages/systems.ts'
import { headingsOf, linesOf, type Mapping, NO_MAPPING, OPEN, type Order, readMapping } from './mapping.ts'
import { candidatesOf, leftColumn, missingIn, type ProposedLine, propose, shownLines } from './proposal.ts'
import type { ReadRequest } from './request.ts'
import { type RowFacts, Rows } from './rows.ts'
import { hasTies, type Scan, scan } from './scan.ts'
import type { Candidate, Setting, Table, TableHints } from './table.ts'
import { TextDecoding } from './text-decoding.ts'
import { openWorkbook } from './workbook.ts'

/** The number of characters from the start that determine format, separator and header. */
const START = 1 << 18
const ROWS_PER_BATCH = 500
/** Characters of names in a batch. */
const LETTERS_PER_BATCH = 1 << 16
/** The columns of our own files and exports. An import leaves out the origin of an export, except the day of arrival. */
const OWN = ['name', 'categoryid']
const OWN_COLUMNS = [...OWN, 'id', 'status', 'reference', 'cameat', 'cameby', 'import', 'cameon']

/** By what a file is read. */
type ReadBy =
  | { readonly kind: 'own' | 'given' | 'proposal' }
  | { readonly kind: 'ready'; readonly name: string }
  | { readonly kind: 'kept'; readonly n: bigint }

/** How a file is read, before anything is done with it. */
export interface Look {
  /** As in "UTF-8, CSV with commas". */
  readonly format: string
  readonly by: ReadBy
  /** The kept layout to which the file belongs. */
  readonly layout: bigint | undefined
  /** The mapping, line by line, with a `?` for each question. */
  readonly lines: readonly ProposedLine[]
  /** Whether all of it was confirmed before, or needs no confirmation. */
  readonly isConfirmed: boolean
  /** Whether animals are recognised by references. */
  readonly isSync: boolean
  /** The columns with examples of their values. */
  readonly columns: readonly Candidate[]
  readonly notes: readonly string[]
}

export class ListReader {
  readonly #request: ReadRequest
  readonly #categories: Categories
  #table!: Table
  #mapping: Mapping = NO_MAPPING
  #isOwn = false
  #order: Order | undefined
  #encoding: TextDecoding | undefined

  constructor(request: ReadRequest) {
    this.#request = request
    const { labels, gaps } = request.categories
    this.#categories = new Categories(labels, gaps)
  }

  /** Throws UnreadableFile or BadMapping. */
  async look(): Promise<Look> {
    const { mapping: text, kept, isSync, reference, nowMs, source, categories } = this.#request
    const given = text === undefined ? undefined : readMapping(text)
    const layouts = kept.map(({ n, mapping }) => ({ n, mapping: readMapping(mapping) }))
    this.#table = await this.#open(given, layouts)
    const { header } = this.#table.layout
    const folded = new Set(header.map(foldWord))
    // The column that --ref names is said, too.
    const own = [...OWN_COLUMNS, foldWord(reference ?? '')]
    const isOwn = given === undefined && OWN.every((one) => folded.has(one)) && folded.isSubsetOf(new Set(own))
    if (isOwn) return this.#lookAtOwn(header)
    const fits = layoutsFor(layouts, folded)
    const isOf = (listName: string | undefined) => (one: (typeof fits)[number]) =>
      one.mapping.settings['list-name'] === listName
    const layout = given === undefined ? fits[0] : fits.find(isOf(given.settings['list-name']))
    const isAmbiguous =
      given === undefined && layout !== undefined && !fits.every(isOf(layout.mapping.settings['list-name']))
    const ready = given === undefined && layout === undefined ? readyFor(folded) : undefined
    const by = readBy(given, layout?.n, ready?.name)
    const found = given ?? layout?.mapping ?? ready?.mapping ?? NO_MAPPING
    const said = reference === undefined ? found : { ...found, columns: { ...found.columns, reference } }
    const base = isAmbiguous ? { ...said, settings: { ...said.settings, 'list-name': OPEN } } : said
    const scanned = await scan(this.#table)
    if (scanned.rows === 0) throw new UnreadableFile('The file has a header row, and no animals below it.')
    const isNumber = (value: string) => parseInt64(value) !== undefined
    const known = new Categories(categories.labels)
    const isCategory = (value: string) =>
      isNumber(value) ? categories.labels.has(parseInt64(value) ?? 0n) : !('problem' in known.of(value))
    const proposed = propose(this.#table, scanned, openMissing(base, header), { isSync, nowMs, source, isCategory })
    const decided = by.kind === 'proposal' ? await this.#withLatest(proposed, scanned) : proposed
    this.#mapping = withSettings(decided, this.#table.settings, base)
    this.#settle(scanned)
    const columns = candidatesOf(scanned)
    const lines = shownLines(this.#table, scanned, this.#mapping, columns)
    const wasSaid = new Set(linesOf(base).map(({ key, value }) => `${key}=${value}`))
    const isMore = lines.some(({ key, value }) => !wasSaid.has(`${key}=${value}`) && key !== 'dates')
    const notes = [...this.#table.notes, ...this.#notesOf(scanned, header, base)]
    return {
      format: this.#format,
      by,
      layout: layout?.n,
      lines,
      isConfirmed: by.kind !== 'proposal' && !isMore,
      isSync: this.#isSync,
      columns,
      notes,
    }
  }

  /** Of several rows about one animal the day decides on which it came, or on which it left if it came on one day. */
  async #withLatest(mapping: Mapping, scanned: Scan): Promise<Mapping> {
    const { latest, reference = '', arrived = '' } = mapping.columns
    const left = leftColumn(scanned)
    if (latest !== OPEN || arrived === '' || left === undefined) return mapping
    const place = placeIn(this.#table.layout.header)
    const isTied = await hasTies(this.#table, place(reference), place(arrived))
    return { ...mapping, columns: { ...mapping.columns, latest: isTied ? onOneLine(left) : arrived } }
  }

  #lookAtOwn(header: readonly string[]): Look {
    this.#isOwn = true
    const { isSync, reference } = this.#request
    const of = (heading: string) => header.find((one) => foldWord(one) === foldWord(heading)) ?? ''
    const columns = { name: of('name'), category: of('categoryId'), status: of('status') }
    const arrived = of('cameOn') === '' ? {} : { arrived: of('cameOn') }
    const ofSync = isSync ? { reference: reference ?? (of('reference') || OPEN) } : {}
    this.#mapping = { ...NO_MAPPING, columns: { ...columns, ...arrived, ...ofSync } }
    this.#order = 'year first'
    const lines = linesOf(this.#mapping).map((line) => ({ ...line, shows: '', candidates: [] }))
    return {
      format: this.#format,
      by: { kind: 'own' },
      layout: undefined,
      lines,
      isConfirmed: true,
      isSync,
      columns: [],
      notes: this.#table.notes,
    }
  }

  /** Whether each row must have a reference. */
  get #isSync(): boolean {
    const { isSync, byReference } = this.#request
    const { reference = '' } = this.#mapping.columns
    return isSync || (byReference && reference !== '' && reference !== OPEN)
  }

  get #format(): string {
    return [...(this.#encoding === undefined ? [] : [this.#encoding.encoding]), this.#table.format].join(', ')
  }

  #notesOf(scanned: Scan, header: readonly string[], base: Mapping): readonly string[] {
    const { above, headerLine } = this.#table.layout
    const gone = missingIn(header, base).map((heading) => `The column ${excerpt(heading)} is not in the file any more.`)
    const last = above.at(-1)?.line
    const lines = above.length === 1 ? `Line ${last} is` : `The lines before line ${headerLine} are`
    const title = `${lines} above the header row, and skipped: ${excerpt(above.map(({ text }) => text).join(' / '))}.`
    const used = headingsOf(this.#mapping)
    const rest = scanned.columns.filter(
      ({ heading, filled }) => filled > 0 && heading.trim() !== '' && !used.has(foldWord(heading)),
    )
    const names = rest.slice(0, 20).map(({ heading }) => onOneLine(heading).slice(0, 40))
    const others = `Columns that are not used: ${names.join(', ')}${rest.length > names.length ? ', …' : ''}.`
    return [...gone, ...(last === undefined ? [] : [title]), ...(rest.length > 0 ? [others] : [])]
  }

  /** The order of day and month, once nothing about it is open. */
  #settle(scanned: Scan): void {
    const { settings, columns } = this.#mapping
    const place = (heading = '') => scanned.columns.findIndex((one) => foldWord(one.heading) === foldWord(heading))
    const of = [columns.arrived, columns.latest]
      .filter((one) => one !== undefined && one !== OPEN && one !== '')
      .map(place)
    const isEither = scanned.hasEither(of.filter((at) => at !== -1))
    this.#order =
      settings.dates === OPEN
        ? undefined
        : ((settings.dates as Order | undefined) ?? (isEither ? undefined : 'day first'))
  }

  async #open(given: Mapping | undefined, layouts: readonly { readonly mapping: Mapping }[]): Promise<Table> {
    const { fd, rowLimit } = this.#request
    const mappings = given === undefined ? layouts.map(({ mapping }) => mapping) : [given]
    const wanted = new Set(mappings.flatMap((one) => [...headingsOf(one)]))
    // Of kept layouts a setting holds only where all have it: which layout it is shows once the table is open.
    const setting = (name: 'sheet' | 'list' | 'encoding' | 'header') => {
      const values = new Set(mappings.map(({ settings }) => settings[name]))
      const [value] = values
      return values.size === 1 && value !== OPEN ? value : undefined
    }
    const hints: TableHints = {
      ...{ wanted, rowLimit, header: setting('header'), sheet: setting('sheet') },
      ...{ list: setting('list'), encoding: setting('encoding') },
    }
    const file = openContainer(fd)
    const table = 'parts' in file ? await openWorkbook(file.parts, hints) : await this.#openText(file.text, hints)
    if (table === undefined)
      throw new UnreadableFile('The file is empty; it should begin with the line name,categoryId,status.')
    return table
  }

  async #openText(bytes: () => AsyncIterable<Buffer>, hints: TableHints): Promise<Table | undefined> {
    const first = new TextDecoding(bytes(), hints.encoding)
    this.#encoding = first
    let start = ''
    for await (const chunk of first.chunks()) {
      start += chunk
      if (start.length >= START && first.settings.length > 0) break
      if (start.length >= START * 8) break
    }
    refuseMarkup(start)
    const [page] = first.settings
    const encoding = hints.encoding ?? (page?.value === OPEN ? page.candidates[0]?.value : page?.value)
    const chunks = () => new TextDecoding(bytes(), encoding).chunks()
    if (/^\s*[[{]/.test(start)) {
      const table = await openJson(start.slice(0, START), chunks, hints)
      return { ...table, settings: [...table.settings, ...first.settings] }
    }
    const table = openCsv(start.slice(0, START), chunks, hints)
    return table && { ...table, settings: first.settings, notes: first.notes }
  }

  /** The rows, some at a time, and at the end what became of them. Throws UnreadableFile. */
  async *rows(): AsyncGenerator<{ readonly rows: readonly FileRow[]; readonly facts?: RowFacts }> {
    const request = { ...this.#request, isSync: this.#isSync }
    const reading = new Rows(this.#table, this.#mapping, this.#order, this.#isOwn, request, this.#categories)
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

/** The kept layouts of which the file has most of the named columns, at least all except one. */
function layoutsFor<T extends { readonly mapping: Mapping }>(
  layouts: readonly T[],
  folded: ReadonlySet<string>,
): readonly T[] {
  const fits = layouts.flatMap((layout) => {
    const named = [...headingsOf(layout.mapping)]
    const there = named.filter((heading) => folded.has(heading)).length
    return there >= Math.max(1, named.length - 1) && (there > 1 || there === named.length) ? [{ layout, there }] : []
  })
  const most = fits.reduce((highest, { there }) => Math.max(highest, there), 0)
  return fits.filter(({ there }) => there === most).map(({ layout }) => layout)
}

function readBy(given: Mapping | undefined, kept: bigint | undefined, ready: string | undefined): ReadBy {
  if (given !== undefined) return { kind: 'given' }
  if (kept !== undefined) return { kind: 'kept', n: kept }
  return ready === undefined ? { kind: 'proposal' } : { kind: 'ready', name: ready }
}

function readyFor(folded: ReadonlySet<string>) {
  return READY_MAPS.map(({ name, signs = [], text }) => ({ name, signs, mapping: readMapping(text) })).find(
    ({ signs, mapping }) => [...signs, ...headingsOf(mapping)].every((one) => folded.has(foldWord(one))),
  )
}

/** A named column that is gone is a question. */
function openMissing(mapping: Mapping, header: readonly string[]): Mapping {
  const gone = new Set(missingIn(header, mapping))
  const columns = Object.fromEntries(
    Object.entries(mapping.columns).map(([field, heading]) => [field, gone.has(heading) ? OPEN : heading]),
  )
  return { ...mapping, columns }
}

/** What the file itself leaves open. A setting that was said stays, also where this file does not need it. */
function withSettings(mapping: Mapping, settings: readonly Setting[], base: Mapping): Mapping {
  const own = Object.fromEntries(settings.map(({ name, value }) => [name, value]))
  return { ...mapping, settings: { ...base.settings, ...mapping.settings, ...own } }
}
