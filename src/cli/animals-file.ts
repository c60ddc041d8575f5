/**
 * Reads animals from CSV (a header `name,categoryId,status`, in any order; status may be missing) or NDJSON (one NewPet a
 * line) as a stream. Rows are held to the same rules as a body over HTTP. What is wrong is said by line.
 */
import { parse } from 'csv-parse'
import type { NewPet } from '../contract/schemas.ts'
import { type Checked, checkNewPet, checkNewPetText, parseNewPet } from '../contract/validate.ts'
import { CommandFailed } from './options.ts'

/** Either an animal, or what is wrong with the row at `line` (counted from 1). */
export type Row = { readonly line: number } & Checked<NewPet>

const COLUMNS = ['name', 'categoryId', 'status'] as const

/** A file whose first character is `{` is NDJSON, any other one CSV. Throws CommandFailed when it is neither. */
export async function* readAnimals(bytes: AsyncIterable<Buffer>): AsyncIterable<Row> {
  const chunks = decode(bytes)
  let start = ''
  while (start.trim() === '') {
    const next = await chunks.next()
    if (next.done) break
    start += next.value
  }
  const all = async function* () {
    yield start
    yield* chunks
  }
  if (start.trimStart().startsWith('[')) {
    throw new CommandFailed('The file is a JSON array; write one JSON object on each line (NDJSON), or CSV.')
  }
  yield* start.trimStart().startsWith('{') ? readNdjson(all()) : readCsv(all())
}

/** Bytes as text without a byte order mark; what is not UTF-8 would come out as other names, so it is refused. */
async function* decode(bytes: AsyncIterable<Buffer>): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  let lines = 1
  for await (const chunk of bytes) {
    let text: string
    try {
      text = decoder.decode(chunk, { stream: true })
    } catch {
      const before = chunk.toString().split('\uFFFD')[0] ?? ''
      throw notUtf8(lines + countNewlines(before))
    }
    yield text
    lines += countNewlines(text)
  }
  try {
    decoder.decode()
  } catch {
    throw notUtf8(lines)
  }
}

function notUtf8(line: number): CommandFailed {
  return new CommandFailed(`Line ${line}: the file is not UTF-8 text; save it as UTF-8 and try again.`)
}

function countNewlines(text: string): number {
  return text.split('\n').length - 1
}

async function* readCsv(chunks: AsyncIterable<string>): AsyncIterable<Row> {
  const skipped: Row[] = []
  let lastLine = 0
  const records = parse({
    info: true,
    relax_column_count: true,
    skip_empty_lines: true,
    skip_records_with_error: true,
    on_skip: (error) => {
      if (error === undefined) return
      const line = Number(error.lines)
      // A stray quote inside a field spoils its own row. After the other mistakes nobody can tell where a row ends.
      if (error.code !== 'INVALID_OPENING_QUOTE')
        throw quotesBroken(error.code === 'CSV_QUOTE_NOT_CLOSED' ? lastLine + 1 : line)
      skipped.push({ line, problems: ['has a quote inside a field that is not quoted'] })
      lastLine = line
    },
    on_record: (record, { lines }) => {
      lastLine = lines
      return record
    },
  })
  void pump(chunks, records)
  let toFields: ((record: readonly string[]) => Checked<NewPet>) | undefined
  for await (const { record, info } of records as AsyncIterable<{ record: string[]; info: { lines: number } }>) {
    while (skipped[0] !== undefined && skipped[0].line < info.lines) yield* skipped.splice(0, 1)
    if (toFields === undefined) toFields = readHeader(record)
    else yield { line: info.lines, ...toFields(record) }
  }
  yield* skipped
  if (toFields === undefined)
    throw new CommandFailed('The file is empty; it should begin with the line name,categoryId,status.')
}

function quotesBroken(line: number): CommandFailed {
  return new CommandFailed(
    `Line ${line}: the quotes of this row are broken, so nothing from there on can be read; mend it and try again.`,
  )
}

/** Writes as fast as the parser reads. A failure of the source ends the parser with it. */
async function pump(chunks: AsyncIterable<string>, into: ReturnType<typeof parse>): Promise<void> {
  try {
    for await (const chunk of chunks) {
      if (!into.write(chunk)) await new Promise((resolve) => into.once('drain', resolve))
    }
    into.end()
  } catch (error) {
    into.destroy(error instanceof Error ? error : new Error(String(error)))
  }
}

function readHeader(header: readonly string[]): (record: readonly string[]) => Checked<NewPet> {
  const at = COLUMNS.map((column) => header.indexOf(column))
  const [name = -1, categoryId = -1, status = -1] = at
  if (name === -1 || categoryId === -1) {
    throw new CommandFailed(`Line 1: the header must name the columns ${COLUMNS.join(',')}; it is ${header.join(',')}.`)
  }
  return (record) => {
    if (record.length !== header.length) {
      return { problems: [`has ${record.length} fields where the header has ${header.length}`] }
    }
    return checkNewPetText({
      name: record[name] ?? '',
      categoryId: record[categoryId] ?? '',
      status: record[status] ?? '',
    })
  }
}

async function* readNdjson(chunks: AsyncIterable<string>): AsyncIterable<Row> {
  let line = 0
  let rest = ''
  const row = (text: string): Row[] => {
    line += 1
    return text.trim() === '' ? [] : [{ line, ...readJsonLine(text) }]
  }
  for await (const chunk of chunks) {
    const lines = (rest + chunk).split('\n')
    rest = lines.pop() ?? ''
    for (const text of lines) yield* row(text)
  }
  yield* row(rest)
}

function readJsonLine(text: string): Checked<NewPet> {
  try {
    return checkNewPet(parseNewPet(text))
  } catch {
    return { problems: ['is not JSON'] }
  }
}
