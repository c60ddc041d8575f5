/**
 * JSON as a table: an array of objects, an envelope such as `{"animals": […]}`, or an object on each line (NDJSON). The
 * keys are the headings, nested one level: `species.name`.
 */
import { numberText, parseJson } from '../contract/json.ts'
import { isOwn } from './columns.ts'
import { type Layout, type ReadOptions, type Source, type SourceItem, UnreadableFile } from './row.ts'

/** Under these keys the interfaces of JSON:API and Airtable keep the members of the object itself. */
const OWN_MEMBERS = ['attributes', 'fields']
const OWN_COLUMNS = ['id', 'name', 'categoryId', 'status']
const OBJECTS_JUDGED = 1_000
const MOST_KEYS = 2_000
/** An object with so many values of its own is an animal, whatever lists are in it. */
const LEAST_VALUES = 3
const DEEPEST = 200

type Cells = ReadonlyMap<string, string>
type Item = { readonly line: number; readonly cells: Cells } | { readonly line: number; readonly problem: string }

/** `start` begins with a bracket. Throws UnreadableFile. */
export async function openJson(start: string, chunks: AsyncIterable<string>, options: ReadOptions): Promise<Source> {
  const isByLines = isNdjson(start)
  const texts = isByLines ? linesOf(chunks, options.rowLimit) : elementsOf(chunks, options.rowLimit)
  const batches = texts[Symbol.asyncIterator]()
  const first: Item[] = []
  while (first.length < OBJECTS_JUDGED) {
    const next = await batches.next()
    if (next.done === true) break
    for (const text of next.value) first.push(toItem(text))
  }
  const keys = new Set(first.flatMap((item) => ('cells' in item ? [...item.cells.keys()] : [])))
  if (keys.size > MOST_KEYS)
    throw new UnreadableFile(
      `The objects have more than ${MOST_KEYS} different keys; export only those of the animals.`,
    )
  if (isOwn([...keys])) for (const column of OWN_COLUMNS) keys.add(column)
  const header = [...keys]
  if (header.length === 0 && first.length === 0)
    throw new UnreadableFile('The JSON holds no list of objects; it should be one, with an object for each animal.')
  const toRecord = (item: Item): SourceItem =>
    'cells' in item ? { line: item.line, record: header.map((key) => item.cells.get(key) ?? '') } : item
  const begun = first.map(toRecord)
  const items = (async function* () {
    yield begun
    for await (const some of { [Symbol.asyncIterator]: () => batches }) yield some.map((text) => toRecord(toItem(text)))
  })()
  const sample = begun.flatMap((item) => ('record' in item ? [item.record] : []))
  const layout: Layout = { header, headerLine: 0, above: [], sample }
  return { format: isByLines ? 'NDJSON' : 'JSON', layout, items }
}

/** Whether each line is an object. A single line is one too, unless it is an envelope of others. */
function isNdjson(start: string): boolean {
  const [line = '', next = ''] = start
    .split('\n')
    .map((one) => one.trim())
    .filter((one) => one !== '')
  if (!line.startsWith('{')) return false
  if (next.startsWith('{')) return true
  try {
    const values = Object.values(parseJson(line) as object)
    const isList = (value: unknown) => Array.isArray(value) && value.every((one) => typeof one === 'object')
    return (
      next === '' && (!values.some(isList) || values.filter((one) => typeof one !== 'object').length >= LEAST_VALUES)
    )
  } catch {
    return !/^\{\s*$|[,[{]$/.test(line)
  }
}

/** The text of an object; undefined if it is too long. */
type Text = { readonly line: number; readonly text: string | undefined; readonly limit: number }

function toItem({ line, text, limit }: Text): Item {
  if (text === undefined) return { line, problem: `is longer than ${limit} bytes` }
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
  if (typeof value === 'string') return value
  if (typeof value === 'boolean') return String(value)
  if (!Array.isArray(value)) return numberText(value)
  return value.every((one) => typeof one === 'string' || numberText(one) !== undefined)
    ? value.map(textOf).join(', ')
    : ''
}

async function* linesOf(chunks: AsyncIterable<string>, limit: number): AsyncIterable<readonly Text[]> {
  let line = 0
  let rest = ''
  const toText = (text: string): Text[] => {
    line += 1
    if (Buffer.byteLength(text) > limit) return [{ line, text: undefined, limit }]
    return text.trim() === '' ? [] : [{ line, text, limit }]
  }
  for await (const chunk of chunks) {
    const texts: Text[] = []
    let from = 0
    for (let end = chunk.indexOf('\n'); end !== -1; end = chunk.indexOf('\n', from)) {
      texts.push(...toText(rest + chunk.slice(from, end)))
      rest = ''
      from = end + 1
    }
    // Of a line that is already too long, what is kept is enough to report it.
    if (rest.length <= limit) rest += chunk.slice(from)
    yield texts
  }
  yield toText(rest)
}

/** The objects in the first list of objects, on whatever level. Throws UnreadableFile if the text ends before it does. */
async function* elementsOf(chunks: AsyncIterable<string>, limit: number): AsyncIterable<readonly Text[]> {
  const open: string[] = []
  /** The number of brackets around an object of the list; -1 before it, and Infinity behind. */
  let level = -1
  let [line, begun, inString, isEscaped, kept] = [1, 0, false, false, '']
  for await (const chunk of chunks) {
    const texts: Text[] = []
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
        if (open.length < level) level = Number.POSITIVE_INFINITY
        if (open.length !== level || begun === 0) continue
        const text = kept + chunk.slice(from, at + 1)
        texts.push({ line: begun, text: Buffer.byteLength(text) > limit ? undefined : text, limit })
        ;[from, begun, kept] = [-1, 0, '']
      }
    }
    if (from !== -1 && kept.length <= limit) kept += chunk.slice(from)
    yield texts
  }
  if (open.length > 0) throw new UnreadableFile('The JSON ends before it is complete; export it again.')
}
