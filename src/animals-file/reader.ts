/** Reads a list, in a thread: finds its table, uses or proposes a mapping, and turns the rows into animals. */
import { foldWord } from '../common/fold.ts'
import type { FileRow } from '../store/staging.ts'
import { placeIn } from './apply.ts'
import { MOST_COLUMNS } from './bounds.ts'
import { openContainer, refuseMarkup } from './container.ts'
import { openCsv } from './csv.ts'
import { excerpt, onOneLine, UnreadableFile } from './file-errors.ts'
import { openJson } from './json.ts'
import { headingsOf, linesOf, type Mapping, NO_MAPPING, OPEN, readMapping } from './mapping.ts'
import { candidatesOf, type ProposedLine, propose, shownLines } from './proposal.ts'
import type { ReadRequest } from './request.ts'
import { type RowFacts, Rows } from './rows.ts'
import { type Scan, scan } from './scan.ts'
import { OWN, readyFor } from './systems.ts'
import type { Candidate, Table, TableHints } from './table.ts'
import { decoded } from './text-decoding.ts'
import { openWorkbook } from './workbook.ts'

/** The number of characters that determine format, separator and header. */
const START = 1 << 18
const ROWS_PER_BATCH = 500
const LETTERS_PER_BATCH = 1 << 16
const COLUMNS_NOTED = 20
const PLACES = ['sheet', 'list', 'encoding', 'header'] as const
/** The columns of our own files and exports. An import ignores the origin in an export, except the arrival date. */
const OWN_NEEDED = ['name', 'categoryid']
const OWN_COLUMNS = [...OWN_NEEDED, 'id', 'status', 'reference', 'cameat', 'cameby', 'import', 'cameon']

export interface Look {
  readonly format: string
  readonly by: { readonly kind: 'own' | 'given' | 'proposal' | 'kept' | 'ready'; readonly name?: string }
  readonly layout: bigint | undefined
  readonly lines: readonly ProposedLine[]
  /** Whether everything is confirmed or needs no confirmation. */
  readonly isConfirmed: boolean
  readonly isSync: boolean
  readonly columns: readonly Candidate[]
  readonly notes: readonly string[]
}

/** After the last rows, `facts` of all. */
export interface SomeRows {
  readonly rows: readonly FileRow[]
  readonly facts?: RowFacts
}

export class ListReader {
  readonly #request: ReadRequest
  #table!: Table
  #mapping: Mapping = NO_MAPPING
  #isOwn = false

  constructor(request: ReadRequest) {
    this.#request = request
  }

  async look(): Promise<Look> {
    const { mapping: text, kept, changes, reference, missing } = this.#request
    const given = text === undefined ? undefined : readMapping(text)
    const layouts = kept.map(({ n, mapping }) => ({ n, mapping: readMapping(mapping) }))
    const mappings = given === undefined ? layouts.map(({ mapping }) => mapping) : [given]
    const wanted = new Set(mappings.flatMap((mapping) => [...headingsOf(mapping).keys()]))
    this.#table = await this.#open(given?.settings ?? {}, wanted)
    const first = layoutsFor(layouts, this.#table.layout.header)[0]
    // The layout is known once the file is open. Its settings can name another sheet or list.
    if (given === undefined && first !== undefined && PLACES.some((name) => first.mapping.settings[name] !== undefined))
      this.#table = await this.#open(first.mapping.settings, wanted)
    const { header } = this.#table.layout
    const folded = new Set(header.map(foldWord))
    const ours = new Set([...OWN_COLUMNS, foldWord(reference ?? '')])
    this.#isOwn = given === undefined && OWN_NEEDED.every((one) => folded.has(one)) && folded.isSubsetOf(ours)
    if (this.#isOwn) return this.#lookAtOwn(header)
    const fits = layoutsFor(layouts, header)
    const isNamed = (name: string | undefined) => (one: Kept) => one.mapping.settings['list-name'] === name
    const name = given?.settings['list-name']
    const isSame = ({ n, mapping }: Kept) =>
      given !== undefined && (n === changes || name !== undefined || isChangeOf(mapping, given, folded))
    const layout = given === undefined ? fits[0] : layouts.filter(isSame).find(isNamed(name))
    const ready = given === undefined && layout === undefined ? readyFor(folded) : undefined
    const found = given ?? layout?.mapping ?? ready?.mapping ?? NO_MAPPING
    const isAmbiguous = found === layout?.mapping && !fits.every(isNamed(found.settings['list-name']))
    const said = { ...(isAmbiguous && { 'list-name': OPEN }), ...(missing !== undefined && { missing }) }
    const columns = { ...found.columns, ...(reference !== undefined && { reference }) }
    const base: Mapping = { ...found, columns, settings: { ...found.settings, ...said } }
    const scanned = await scan(this.#table)
    if (scanned.rows === 0) throw new UnreadableFile('The file has a header row, and no animals below it.')
    const gone = [...headingsOf(base)].flatMap(([key, heading]) => (folded.has(key) ? [] : [heading]))
    const asked = Object.entries(columns).map(([field, name]) => [field, gone.includes(name) ? OPEN : name])
    const open = { ...base, columns: Object.fromEntries(asked) }
    const proposed = propose(this.#table, scanned, open, this.#request)
    // Questions about the file itself. An answered setting stays, even if this file does not need it.
    const own = Object.fromEntries(this.#table.settings.map(({ name, value }) => [name, value]))
    this.#mapping = { ...proposed, settings: { ...base.settings, ...proposed.settings, ...own } }
    const candidates = candidatesOf(scanned)
    const lines = shownLines(this.#table, scanned, this.#mapping, candidates)
    const wasSaid = textsOf(base)
    const isMore = lines.some(({ key, value }) => !wasSaid.has(`${key}=${value}`) && key !== 'dates')
    const kind = given !== undefined ? 'given' : layout !== undefined ? 'kept' : 'proposal'
    const by: Look['by'] = ready === undefined ? { kind } : { kind: 'ready', name: ready.name }
    const isConfirmed = by.kind !== 'proposal' && !isMore
    const file = { format: this.#table.format, isSync: this.#isSync, columns: candidates }
    return { ...file, by, layout: layout?.n, lines, isConfirmed, notes: this.#notesOf(scanned, gone) }
  }

  #lookAtOwn(header: readonly string[]): Look {
    const { isSync, reference = 'reference', missing } = this.#request
    const place = placeIn(header)
    const named = Object.entries({ ...OWN.columns, ...(isSync && { reference }) })
    const there = Object.fromEntries(named.filter(([, heading]) => place(heading) !== -1))
    const columns = { status: '', ...(isSync && { reference: OPEN }), ...there }
    const settings = { ...OWN.settings, ...(missing !== undefined && { missing }) }
    this.#mapping = { ...OWN, columns, settings }
    const candidates = header.map((value) => ({ value, shows: '' }))
    const lines = linesOf(this.#mapping).map((line) => ({ ...line, shows: '', candidates }))
    const { format, notes = [] } = this.#table
    return { format, isSync, by: { kind: 'own' }, layout: undefined, lines, isConfirmed: true, columns: [], notes }
  }

  /** Whether each row must have a reference. */
  get #isSync(): boolean {
    const { isSync, byReference } = this.#request
    const { reference = '' } = this.#mapping.columns
    return isSync || (byReference && reference !== '' && reference !== OPEN)
  }

  #notesOf({ columns }: Scan, gone: readonly string[]): readonly string[] {
    const { above, headerLine } = this.#table.layout
    const missing = gone.map((heading) => `The column ${excerpt(heading)} is no longer in the file.`)
    const title = excerpt(above.join(' / '))
    const titles = above.length === 0 ? [] : [`The header row is line ${headerLine}. Skipped above it: ${title}.`]
    const used = headingsOf(this.#mapping)
    const { arrived = '', latest = '' } = this.#mapping.columns
    const undated = columns.flatMap(({ heading, dates, notDates }) => {
      const isDated = arrived === OPEN ? dates > 0 : [arrived, latest].includes(onOneLine(heading))
      if (!isDated || notDates.length === 0) return []
      return [`Not a date in ${excerpt(heading)}: ${notDates.map(excerpt).join(', ')}.`]
    })
    const rest = columns.filter(({ heading, filled }) => filled > 0 && heading.trim() && !used.has(foldWord(heading)))
    const names = rest.slice(0, COLUMNS_NOTED).map(({ heading }) => onOneLine(heading).slice(0, 40))
    const others = `Columns that are not used: ${names.join(', ')}${rest.length > names.length ? ', …' : ''}.`
    return [...(this.#table.notes ?? []), ...missing, ...undated, ...titles, ...(rest.length > 0 ? [others] : [])]
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
    let start = ''
    for await (const chunk of chunks()) {
      start += chunk
      if (start.length >= START) break
    }
    refuseMarkup(start)
    const table = /^\s*[[{]/.test(start) ? await openJson(start, chunks, hints) : openCsv(start, chunks, hints)
    return table && { ...table, format: `${encoding}, ${table.format}`, settings: [...table.settings, ...settings] }
  }

  async *rows(): AsyncGenerator<SomeRows> {
    const reading = new Rows(this.#table, this.#mapping, { ...this.#request, isSync: this.#isSync }, this.#isOwn)
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

type Kept = { readonly n: bigint; readonly mapping: Mapping }

/** The kept layouts with all columns in the file, or all except one: those with the most, in the file's own spelling. */
function layoutsFor(layouts: readonly Kept[], header: readonly string[]): readonly Kept[] {
  const [spelt, folded] = [new Set(header.map(onOneLine)), new Set(header.map(foldWord))]
  const ranked = layouts.flatMap((layout) => {
    const named = headingsOf(layout.mapping)
    const there = folded.intersection(named).size
    const missing = named.size - there
    const rank = missing * MOST_COLUMNS - there - spelt.intersection(new Set(named.values())).size / MOST_COLUMNS
    return there > missing && missing < 2 ? [{ layout, rank }] : []
  })
  const best = Math.min(...ranked.map(({ rank }) => rank))
  return ranked.filter(({ rank }) => rank === best).map(({ layout }) => layout)
}

/** Whether a given mapping names the columns of a kept one, or all except a column that has another name now. */
function isChangeOf(kept: Mapping, given: Mapping, folded: ReadonlySet<string>): boolean {
  const named = new Set(headingsOf(kept).keys())
  if (named.symmetricDifference(headingsOf(given)).size === 0) return true
  const [gone, ...others] = named.difference(folded)
  const lines = textsOf(given)
  const isKept = linesOf(kept).every(({ key, value }) => foldWord(value) === gone || lines.has(`${key}=${value}`))
  return gone !== undefined && others.length === 0 && isKept
}

function textsOf(mapping: Mapping): ReadonlySet<string> {
  return new Set(linesOf(mapping).map(({ key, value }) => `${key}=${value}`))
}
