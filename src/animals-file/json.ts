/**
 * JSON as a table: an array of objects, an envelope such as `{"animals": […]}`, or an object on each line (NDJSON). The
 * keys are the headings, nested one level: `species.name`.
 */
import { numberText, parseJson } from '../contract/json.ts'
import { isOwn } from './mapping.ts'
import { type ReadOptions, type Source, type SourceItem, type TableRecord, UnreadableFile, withFirst } from './row.ts'

/** Under these keys the interfaces of JSON:API and Airtable keep the members of the object itself. */
const OWN_MEMBERS = ['attributes', 'fields']
const OWN_COLUMNS = ['id', 'name', 'categoryId', 'status']
const OBJECTS_JUDGED = 1_000
const MOST_KEYS = 2_000
/** An object with so many values of its own is an animal, whatever lists are in it. */
const LEAST_VALUES = 3
const DEEPEST = 200

type Cells = ReadonlyMap<string, string>
type JsonItem = Exclude<SourceItem, TableRecord> | { readonly line: number; readonly cells: Cells }

/** `start` begins with a bracket. Throws UnreadableFile. */
export async function openJson(start: string, chunks: AsyncIterable<string>, options: ReadOptions): Promise<Source> {
  const isByLines = isNdjson(start)
  const batches = (isByLines ? linesOf : elementsOf)(chunks, options.rowLimit)[Symbol.asyncIterator]()
  const first: JsonItem[] = []
  while (first.length < OBJECTS_JUDGED) {
    const next = await batches.next()
    if (next.done === true) break
    first.push(...next.value)
  }
  if (first.length === 0)
    throw new UnreadableFile('The JSON holds no list of objects; it should be one, with an object for each animal.')
  const keys = new Set(first.flatMap((item) => ('cells' in item ? [...item.cells.keys()] : [])))
  if (keys.size > MOST_KEYS)
    throw new UnreadableFile(`The objects have more than ${MOST_KEYS} different keys; export only the animals'.`)
  if (isOwn([...keys])) for (const column of OWN_COLUMNS) keys.add(column)
  const header = [...keys]
  const toRecords = (items: readonly JsonItem[]): readonly SourceItem[] =>
    items.map((item) =>
      'cells' in item ? { line: item.line, record: header.map((key) => item.cells.get(key) ?? '') } : item,
    )
  const sample = toRecords(first).flatMap((item) => ('record' in item ? [item.record] : []))
  const items = (async function* () {
    for await (const some of withFirst<readonly JsonItem[]>(first, batches)) yield toRecords(some)
  })()
  const layout = { header, headerLine: 0, above: [], sample }
  return { format: isByLines ? 'NDJSON' : 'JSON', layout, items }
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
    return line.trim() !== '{' && !/\[\s*\{/.test(start)
  }
}

/** The object of a text. What is longer than it may be has been cut. */
function toItem(line: number, text: string, limit: number): JsonItem {
  if (Buffer.byteLength(text) > limit) return { line, problem: `is longer than ${limit} bytes` }
  try {
    const value = parseJson(text)
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { line, cells: cellsOf(value) }
  } catch {}
  return { line, problem: 'is not JSON, or no object' }
}

function cellsOf(value: object, cells = new Map<string, string>()): Cells {
  for (const [key, member] of Object.entries(value)) {
    const text = textOf(member)
    if (text !== undefined) cells.set(key, text)
    else if (OWN_MEMBERS.includes(key)) cellsOf(member, cells)
    else for (const [inner, one] of Object.entries(member)) cells.set(`${key}.${inner}`, textOf(one) ?? '')
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

/**
 * The objects in the first list of objects, on whatever level, and where those of other lists are. Throws UnreadableFile
 * if the text ends before it does.
 */
async function* elementsOf(chunks: AsyncIterable<string>, limit: number): AsyncIterable<readonly JsonItem[]> {
  const open: string[] = []
  /** The number of brackets around an object of the list; -1 outside of one. */
  let [level, isOther] = [-1, false]
  let [line, begun, inString, isEscaped, kept] = [1, 0, false, false, '']
  for await (const chunk of chunks) {
    const items: JsonItem[] = []
    let from = begun === 0 ? -1 : 0
    for (let at = 0; at < chunk.length; at += 1) {
      const mark = chunk[at]
      if (mark === '\n') line += 1
      if (isEscaped) isEscaped = false
      else if (inString) {
        isEscaped = mark === '\\'
        inString = mark !== '"'
      } else if (mark === '"') inString = true
      else if (mark === '{' || mark === '[') {
        if (mark === '{' && level === -1 && open.at(-1) === '[') level = open.length
        if (mark === '{' && open.length === level) [from, begun] = [at, line]
        if (open.push(mark) > DEEPEST) throw new UnreadableFile('The JSON is nested too deeply.')
      } else if (mark === '}' || mark === ']') {
        open.pop()
        if (open.length < level) [level, isOther] = [-1, true]
        if (open.length !== level || begun === 0) continue
        items.push(isOther ? { line: begun, isOther } : toItem(begun, kept + chunk.slice(from, at + 1), limit))
        ;[from, begun, kept] = [-1, 0, '']
      }
    }
    if (from !== -1 && kept.length <= limit) kept += chunk.slice(from)
    yield items
  }
  if (open.length > 0) throw new UnreadableFile('The JSON ends before it is complete; export it again.')
}
