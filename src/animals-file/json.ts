/** JSON as a table: an object per line (NDJSON), or a list of objects in a document. Dots join nested keys. */
import { numberText, parseJson } from '../contract/json.ts'
import { MOST_COLUMNS, MOST_JSON, MOST_MARKS } from './bounds.ts'
import { UnreadableFile } from './file-errors.ts'
import { headerOf, headingScore } from './layout.ts'
import { OPEN } from './mapping.ts'
import type { Setting, SourceItem, Table, TableHints } from './table.ts'

const OWN_COLUMNS = ['id', 'name', 'categoryId', 'status']
const OBJECTS_JUDGED = 1_000
const OBJECTS_SENT = 200
/** The most values and objects that are compared to find the list of animals. */
const MOST_VALUES = 10_000
const OBJECTS_COMPARED = 30
const DEEPEST = 200
const DEEPEST_KEY = 3
const MORE_PAGES =
  /^(?:offset|next|next_?page|next_?url|next_?page_?url|nextPageToken|nextLink|@odata\.nextLink|has_?more|hasNextPage)$/i
const TOO_MANY_KEYS = `The objects have more than ${MOST_COLUMNS} different keys; export fewer.`
const NO_LIST = 'The JSON contains no list of objects; it needs one, with an object for each animal.'

type JsonItem = { readonly line: number } & ({ readonly problem: string } | { readonly cells: Cells })
type Cells = ReadonlyMap<string, string>

export async function openJson(start: string, chunks: () => AsyncIterable<string>, hints: TableHints): Promise<Table> {
  if (isNdjson(start)) {
    const table = await tableOf(() => linesOf(chunks(), hints.rowLimit))
    return { format: 'NDJSON', unit: 'line', settings: [], ...table }
  }
  const document = await documentOf(chunks())
  const lists = listsIn(document, hints)
  const [best, next] = lists
  if (best === undefined) throw new UnreadableFile(NO_LIST)
  const named = lists.find(({ path }) => path === hints.list)
  const { path, objects } = named ?? best
  const isClear = named !== undefined || (hints.list === undefined && best.score > (next?.score ?? -1))
  const candidates = lists.slice(0, 10).map(({ path, objects, keys }) => {
    return { value: path, shows: `${objects.length} objects with ${keys.slice(0, 6).join(', ')}` }
  })
  const setting: Setting = { name: 'list', value: isClear ? path : OPEN, candidates }
  const items = async function* () {
    for (let from = 0; from < objects.length; from += OBJECTS_SENT) {
      const some = objects.slice(from, from + OBJECTS_SENT)
      yield some.map((object, n): JsonItem => ({ line: from + n + 1, cells: cellsOf(object) }))
    }
  }
  return {
    format: 'JSON',
    unit: 'object',
    settings: lists.length > 1 && setting.value !== '' ? [setting] : [],
    notes: hasMorePages(document) ? ['The file says that there are more pages. This is not the whole list.'] : [],
    ...(await tableOf(items)),
  }
}

/** Whether each line is an object. A single line is one too, unless it contains a list of objects. */
function isNdjson(start: string): boolean {
  const [line = '', next = ''] = start.split('\n').filter((one) => one.trim() !== '')
  if (!line.trimStart().startsWith('{')) return false
  if (next !== '') return next.trimStart().startsWith('{')
  return !/\[\s*\{/.test(line)
}

async function documentOf(chunks: AsyncIterable<string>): Promise<unknown> {
  const pieces: string[] = []
  let length = 0
  for await (const chunk of chunks) {
    length += chunk.length
    if (length > MOST_JSON) throw new UnreadableFile(`The JSON takes more than ${MOST_JSON >> 20} MiB; export CSV.`)
    pieces.push(chunk)
  }
  const text = pieces.join('')
  refuseMany(text)
  try {
    return parseJson(text)
  } catch {
    throw new UnreadableFile('The JSON is damaged or not complete; export it again.')
  }
}

/** Refuses what JSON.parse would take hundreds of MiB for, which no limit on the heap counts. */
function refuseMany(text: string): void {
  let [depth, marks, isQuoted] = [0, 0, false]
  for (let at = 0; at < text.length; at += 1) {
    const mark = text[at]
    if (mark === '\\') at += 1
    else if (mark === '"') isQuoted = !isQuoted
    else if (isQuoted) continue
    else if (mark === '[' || mark === '{') depth += 1
    else if (mark === ']' || mark === '}') depth -= 1
    else if (mark === ',' || mark === ':') marks += 1
    if (depth > DEEPEST) throw new UnreadableFile('The JSON is nested too deeply.')
    if (marks > MOST_MARKS) throw new UnreadableFile('The JSON has too many values; export the list as CSV.')
  }
}

/** The lists of objects in a document, the one with the most known columns and rows first. */
function listsIn(document: unknown, { wanted }: TableHints) {
  const lists = []
  const found: [path: string, value: unknown][] = [['', document]]
  for (const [path, value] of found) {
    if (typeof value !== 'object' || value === null || found.length > MOST_VALUES) continue
    const objects = Array.isArray(value) ? value.filter(isObject) : []
    if (objects.length > 0) {
      const keys = [...new Set(objects.slice(0, OBJECTS_COMPARED).flatMap((one) => [...cellsOf(one).keys()]))]
      lists.push({ path, objects, keys, score: headingScore(keys, wanted) + Math.log10(objects.length) })
    }
    for (const [key, member] of Object.entries(Array.isArray(value) ? value.slice(0, OBJECTS_COMPARED) : value))
      if (typeof member === 'object') found.push([path === '' ? key : `${path}.${key}`, member])
  }
  return lists.sort((a, b) => b.score - a.score)
}

function hasMorePages(document: unknown): boolean {
  if (!isObject(document)) return false
  const members = Object.values(document).filter(isObject)
  return [document, ...members].flatMap(Object.entries).some(([key, value]) => {
    return MORE_PAGES.test(key) && !['', '0', 'false'].includes(textOf(value) ?? '')
  })
}

async function tableOf(items: () => AsyncIterable<readonly JsonItem[]>): Promise<Pick<Table, 'layout' | 'items'>> {
  const keys = new Set<string>()
  let judged = 0
  let broken: string | undefined
  for await (const some of items()) {
    for (const item of some) {
      if ('cells' in item) for (const key of item.cells.keys()) keys.add(key)
      else broken ??= `Line ${item.line} ${item.problem}.`
    }
    judged += some.length
    if (judged >= OBJECTS_JUDGED) break
  }
  if (keys.size === 0 && broken !== undefined) throw new UnreadableFile(broken)
  if (keys.has('name') && keys.has('categoryId')) for (const column of OWN_COLUMNS) keys.add(column)
  if (keys.size > MOST_COLUMNS) throw new UnreadableFile(TOO_MANY_KEYS)
  const header = [...keys]
  const toRecord = (item: JsonItem): SourceItem =>
    'cells' in item ? { line: item.line, record: header.map((key) => item.cells.get(key) ?? '') } : item
  const toRecords = async function* () {
    for await (const some of items()) yield some.map(toRecord)
  }
  return { layout: { ...headerOf(header), headerLine: 0, above: [] }, items: toRecords }
}

function cellsOf(value: object, before = '', cells = new Map<string, string>()): Cells {
  const depth = before.split('.').length
  for (const [key, member] of Object.entries(value)) {
    const text = textOf(member)
    if (text !== undefined) cells.set(before + key, text)
    else if (depth < DEEPEST_KEY) cellsOf(member, `${before}${key}.`, cells)
    if (cells.size > MOST_COLUMNS) throw new UnreadableFile(TOO_MANY_KEYS)
  }
  return cells
}

/** The text of a value or a list of values; empty for other lists, undefined for an object. */
function textOf(value: unknown): string | undefined {
  if (value === null || value === undefined) return ''
  if (typeof value === 'string' || typeof value === 'boolean') return String(value)
  if (!Array.isArray(value)) return numberText(value)
  const texts = value.map((one) => (Array.isArray(one) ? undefined : textOf(one)))
  return texts.includes(undefined) ? '' : texts.join(', ')
}

async function* linesOf(chunks: AsyncIterable<string>, limit: number): AsyncIterable<readonly JsonItem[]> {
  let [line, rest] = [0, '']
  const toItems = (text: string): JsonItem[] => {
    line += 1
    return text.trim() === '' ? [] : [itemOf(line, text, limit)]
  }
  for await (const chunk of chunks) {
    const lines = `${rest}${chunk}`.split('\n')
    // Enough of a line that is too long to report it.
    rest = lines.pop()?.slice(0, limit + 1) ?? ''
    yield lines.flatMap(toItems)
  }
  yield toItems(rest)
}

function itemOf(line: number, text: string, limit: number): JsonItem {
  if (Buffer.byteLength(text) > limit) return { line, problem: `is longer than ${limit} bytes` }
  let value: unknown
  try {
    value = parseJson(text)
  } catch {} // not an object either
  return isObject(value) ? { line, cells: cellsOf(value) } : { line, problem: 'is not a JSON object' }
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && numberText(value) === undefined
}
