/**
 * JSON as a table: an object on each line (NDJSON), or the list of objects in a document that has the animals. The keys
 * are the headings, those of objects within joined by dots: `title.rendered`.
 */
import { numberText, parseJson } from '../contract/json.ts'
import { LONGEST_WORD, MOST_COLUMNS, MOST_JSON } from './bounds.ts'
import { excerpt, UnreadableFile } from './file-errors.ts'
import { headerOf, headingScore } from './layout.ts'
import type { Setting, SourceItem, Table, TableHints } from './table.ts'

/** Under these keys JSON:API and Airtable keep the members of the object itself. */
const OWN_MEMBERS = ['attributes', 'fields']
const OWN_COLUMNS = ['id', 'name', 'categoryId', 'status']
const OBJECTS_JUDGED = 1_000
const OBJECTS_SENT = 200
/** Lists that are compared, and objects of each. */
const MOST_LISTS = 50
const OBJECTS_COMPARED = 30
/** An object with so many values of its own is an animal, whatever lists are in it. */
const LEAST_VALUES = 3
const DEEPEST = 200
const DEEPEST_KEY = 3
/** A list is clearly the one with the animals if its score is so much above that of the next. */
const CLEARLY = 1

type Cells = ReadonlyMap<string, string>
type JsonItem = { readonly line: number; readonly problem: string } | { readonly line: number; readonly cells: Cells }

/** `start` begins with a bracket. Throws UnreadableFile. */
export async function openJson(start: string, chunks: () => AsyncIterable<string>, hints: TableHints): Promise<Table> {
  if (isNdjson(start)) {
    const items = () => linesOf(chunks(), hints.rowLimit)
    return { format: 'NDJSON', settings: [], notes: [], ...(await tableOf(items)) }
  }
  const pieces: string[] = []
  let length = 0
  for await (const chunk of chunks()) {
    length += chunk.length
    if (length > MOST_JSON) throw new UnreadableFile(`The JSON takes more than ${MOST_JSON >> 20} MiB; export CSV.`)
    pieces.push(chunk)
  }
  const text = pieces.join('')
  const lists = listsOf(text, hints)
  const setting = chosenList(lists, hints)
  const path = setting.value === '?' ? (lists[0]?.path ?? '') : setting.value
  const items = () => elementsOf(text, path, hints.rowLimit)
  const more = MORE_PAGES.exec(text.slice(0, ENVELOPE) + text.slice(-ENVELOPE))?.[1]
  const notes = more === undefined ? [] : [`The file says that there are more pages (${excerpt(more)}): it is not all.`]
  const settings = setting.value === '' || lists.length === 1 ? [] : [setting]
  return { format: 'JSON', settings, notes, ...(await tableOf(items)) }
}

/** What interfaces say where a list has more than they answer. */
const MORE_PAGES =
  /"(offset|next|next_?page|next_?url|next_?page_?url|nextPageToken|nextLink|@odata\.nextLink|has_?more|hasNextPage)"\s*:\s*(?:"[^"]|true|[1-9])/i

/** Letters at the beginning and at the end in which that is looked for. */
const ENVELOPE = 4_096

async function tableOf(items: () => AsyncIterable<readonly JsonItem[]>): Promise<Pick<Table, 'layout' | 'items'>> {
  const keys = new Set<string>()
  let judged = 0
  for await (const some of items()) {
    for (const item of some) if ('cells' in item) for (const key of item.cells.keys()) keys.add(key)
    judged += some.length
    if (judged >= OBJECTS_JUDGED) break
  }
  if (judged === 0)
    throw new UnreadableFile('The JSON contains no list of objects; it needs one, with an object for each animal.')
  if (keys.has('name') && keys.has('categoryId')) for (const column of OWN_COLUMNS) keys.add(column)
  if (keys.size > MOST_COLUMNS) throw tooManyKeys()
  const header = [...keys]
  const toRecords = async function* () {
    for await (const some of items()) {
      yield some.map(
        (item): SourceItem =>
          'cells' in item ? { line: item.line, record: header.map((key) => item.cells.get(key) ?? '') } : item,
      )
    }
  }
  return { layout: { ...headerOf(header), headerLine: 0, above: [] }, items: toRecords }
}

function tooManyKeys(): UnreadableFile {
  return new UnreadableFile(`The objects have more than ${MOST_COLUMNS} different keys; export fewer.`)
}

/** Whether each line is an object. A single line is one too, unless it is an envelope of others. */
function isNdjson(start: string): boolean {
  const [line = '', next = ''] = start.split('\n').filter((one) => one.trim() !== '')
  if (!line.trimStart().startsWith('{')) return false
  if (next.trimStart().startsWith('{')) return true
  try {
    const values = Object.values(parseJson(line) as object)
    const isList = (value: unknown) => Array.isArray(value) && value.every((one) => typeof one === 'object')
    const own = values.filter((one) => typeof one !== 'object')
    return next === '' && (!values.some(isList) || own.length >= LEAST_VALUES)
  } catch {
    return line.trim() !== '{' && !/\[\s*\{/.test(start.slice(0, 65_536))
  }
}

/** The object of a text. */
function toItem(line: number, text: string, limit: number): JsonItem {
  if (Buffer.byteLength(text) > limit) return { line, problem: `is longer than ${limit} bytes` }
  try {
    const value = parseJson(text)
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { line, cells: cellsOf(value) }
  } catch (error) {
    if (error instanceof UnreadableFile) throw error
  }
  return { line, problem: 'is not JSON, or no object' }
}

function cellsOf(value: object, before = '', cells = new Map<string, string>()): Cells {
  const depth = before.split('.').length
  for (const [key, member] of Object.entries(value)) {
    const text = textOf(member)
    if (text !== undefined) cells.set(before + key, text)
    else if (OWN_MEMBERS.includes(key)) cellsOf(member, before, cells)
    else if (depth < DEEPEST_KEY) cellsOf(member, `${before}${key}.`, cells)
    if (cells.size > MOST_COLUMNS) throw tooManyKeys()
  }
  return cells
}

/** The text of a value or of a list of values; empty for a list of others, undefined for an object. */
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
    return text.trim() === '' ? [] : [toItem(line, text, limit)]
  }
  for await (const chunk of chunks) {
    const [begun = '', ...others] = chunk.split('\n')
    // Of a line that is already too long, what is kept is enough to report it.
    if (rest.length <= limit) rest += begun
    const last = others.pop()
    if (last === undefined) continue
    yield [rest, ...others].flatMap(toItems)
    rest = last
  }
  yield toItems(rest)
}

interface ListFound {
  readonly path: string
  readonly rows: number
  readonly score: number
  readonly keys: readonly string[]
}

/** The lists of objects in a document, on whatever level, the best first. */
function listsOf(text: string, hints: TableHints): readonly ListFound[] {
  const lists = new Map<string, { rows: number; readonly keys: Set<string> }>()
  for (const { path, line, from, to } of objectsIn(text)) {
    const list = lists.get(path) ?? { rows: 0, keys: new Set<string>() }
    if (!lists.has(path) && lists.size >= MOST_LISTS) continue
    lists.set(path, list)
    list.rows += 1
    if (list.rows > OBJECTS_COMPARED) continue
    const item = toItem(line, text.slice(from, Math.min(to, from + hints.rowLimit + 1)), hints.rowLimit)
    if ('cells' in item) for (const key of item.cells.keys()) list.keys.add(key)
  }
  const found = [...lists].map(([path, { rows, keys }]) => {
    const score = headingScore([...keys], hints.wanted) + Math.min(3, Math.log10(rows + 1))
    return { path, rows, score, keys: [...keys] }
  })
  return found.sort((a, b) => b.score - a.score)
}

function chosenList(lists: readonly ListFound[], { list }: TableHints): Setting {
  const [best, second] = lists
  const candidates = lists.slice(0, 10).map(({ path, rows, keys }) => {
    return { value: path, shows: `${rows} objects with ${keys.slice(0, 6).join(', ')}` }
  })
  const isThere = lists.some(({ path }) => path === list)
  const isClear = best !== undefined && best.score - (second?.score ?? -1) >= CLEARLY
  return { name: 'list', value: isThere ? (list ?? '') : isClear && list === undefined ? best.path : '?', candidates }
}

async function* elementsOf(text: string, path: string, limit: number): AsyncIterable<readonly JsonItem[]> {
  let items: JsonItem[] = []
  for (const { path: of, line, from, to } of objectsIn(text)) {
    if (of !== path) continue
    items.push(toItem(line, text.slice(from, to), limit))
    if (items.length < OBJECTS_SENT) continue
    yield items
    items = []
  }
  yield items
}

/** An open bracket: of a list its path, of an object its key that is read now. */
interface Frame {
  readonly isList: boolean
  readonly path: string
  readonly from: number
  readonly line: number
  key: string
  n: number
}

/** The objects that are elements of lists, at their ends. Throws UnreadableFile if the text ends before it is complete. */
function* objectsIn(text: string) {
  const open: Frame[] = []
  let line = 1
  const childPath = () => {
    const top = open.at(-1)
    if (top === undefined) return ''
    const own = top.isList ? `${top.n}` : top.key
    return top.path === '' ? own : `${top.path}.${own}`
  }
  for (let at = 0; at < text.length; at += 1) {
    const mark = text.charCodeAt(at)
    const top = open.at(-1)
    if (mark === 0x0a) line += 1
    else if (mark === 0x22) {
      const begin = at + 1
      for (at = begin; at < text.length && text.charCodeAt(at) !== 0x22; at += 1) if (text[at] === '\\') at += 1
      if (top !== undefined && !top.isList && top.key === '')
        top.key = text.slice(begin, Math.min(at, begin + LONGEST_WORD))
    } else if (mark === 0x2c && top !== undefined) {
      top.n += 1
      if (!top.isList) top.key = ''
    } else if (mark === 0x7b || mark === 0x5b) {
      open.push({ isList: mark === 0x5b, path: childPath(), from: at, line, key: '', n: 0 })
      if (open.length > DEEPEST) throw new UnreadableFile('The JSON is nested too deeply.')
    } else if (mark === 0x7d || mark === 0x5d) {
      const closed = open.pop()
      const list = open.at(-1)
      if (closed !== undefined && !closed.isList && list?.isList)
        yield { path: list.path, line: closed.line, from: closed.from, to: at + 1 }
    }
  }
  if (open.length > 0) throw new UnreadableFile('The JSON ends before it is complete; export it again.')
}
