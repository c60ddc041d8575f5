/** CSV as other systems and spreadsheets write it: any separator, spaces behind it, rows of any length. */
import { MOST_COLUMNS } from './bounds.ts'
import { UnreadableFile } from './file-errors.ts'
import { layoutOf, RECORDS_SAMPLED } from './layout.ts'
import type { SourceItem, Table, TableHints, TableRecord } from './table.ts'

const SEPARATORS = { ',': 'commas', ';': 'semicolons', '\t': 'tabs', '|': 'bars' } as const

/** The separator that splits the first records into known columns; undefined if the text has no record. */
export function openCsv(
  start: string,
  chunks: () => AsyncIterable<string>,
  hints: TableHints,
): Omit<Table, 'settings' | 'notes'> | undefined {
  let best: { readonly score: number; readonly table: Omit<Table, 'settings' | 'notes'> } | undefined
  let failure: unknown
  for (const [separator, name] of Object.entries(SEPARATORS)) {
    const parser = new CsvParser(separator, hints.rowLimit)
    let sample: readonly TableRecord[] = []
    try {
      sample = parser.push(start, RECORDS_SAMPLED)
    } catch (error) {
      failure = error
      sample = parser.taken
    }
    const found = layoutOf([...sample, ...parser.rest], hints)
    if (found === undefined || found.score <= (best?.score ?? -1)) continue
    const items = () => csvItems(chunks(), separator, hints.rowLimit)
    best = { score: found.score, table: { format: `CSV with ${name}`, layout: found.layout, items } }
  }
  if (best === undefined && failure !== undefined) throw failure
  return best?.table
}

async function* csvItems(
  chunks: AsyncIterable<string>,
  separator: string,
  rowLimit: number,
): AsyncIterable<readonly SourceItem[]> {
  const parser = new CsvParser(separator, rowLimit)
  for await (const chunk of chunks) yield parser.push(chunk)
  yield parser.end()
}

/** Reads records in one pass. Throws UnreadableFile where a row is too long or its quotes are broken. */
class CsvParser {
  readonly #separator: string
  readonly #rowLimit: number
  #text = ''
  #line = 1
  /** The records of the last call. */
  taken: TableRecord[] = []

  constructor(separator: string, rowLimit: number) {
    this.#separator = separator
    this.#rowLimit = rowLimit
  }

  /** The records that are complete with this text, at most so many. */
  push(text: string, most = Infinity): readonly TableRecord[] {
    this.#text += text
    this.taken = []
    let from = 0
    while (this.taken.length < most) {
      const end = this.#record(from, false)
      if (end === -1) break
      from = end
    }
    this.#text = this.#text.slice(from)
    if (this.taken.length < most && this.#text.length > this.#rowLimit) throw this.#tooLong()
    return this.taken
  }

  /** What is left, if it is a record. */
  get rest(): readonly TableRecord[] {
    if (this.#text.length > this.#rowLimit) return []
    try {
      return this.end()
    } catch {
      return []
    }
  }

  end(): readonly TableRecord[] {
    this.taken = []
    if (this.#text !== '' && this.#record(0, true) === -1) throw this.#broken()
    return this.taken
  }

  /** Takes the record that begins at `from`, and returns where the next one begins; -1 if it is not complete. */
  #record(from: number, isLast: boolean): number {
    const text = this.#text
    const record: string[] = []
    let [at, line] = [from, this.#line]
    for (;;) {
      let begin = at
      while (text.charCodeAt(begin) === 0x20) begin += 1
      let value: string
      if (text[begin] === '"') {
        const quoted = this.#quoted(begin + 1, isLast)
        if (quoted === undefined) return -1
        ;({ value, at } = quoted)
        for (let n = value.indexOf('\n'); n !== -1; n = value.indexOf('\n', n + 1)) line += 1
      } else {
        const begun = at
        while (at < text.length && text[at] !== this.#separator && text[at] !== '\n' && text[at] !== '\r') at += 1
        value = text.slice(begun, at)
      }
      if (at === text.length && !isLast) return -1
      record.push(value)
      if (record.length > MOST_COLUMNS)
        throw new UnreadableFile(`Line ${line}: the file has more than ${MOST_COLUMNS} columns; export fewer.`)
      if (at - from > this.#rowLimit) throw this.#tooLong()
      if (text[at] === this.#separator) {
        at += 1
        continue
      }
      if (text[at] === '\r' && at + 1 === text.length && !isLast) return -1
      if (at < text.length) at += text[at] === '\r' && text[at + 1] === '\n' ? 2 : 1
      const isEmpty = record.length === 1 && record[0] === ''
      if (!isEmpty) this.taken.push({ line, record })
      this.#line = line + 1
      return at
    }
  }

  /** The value behind an opening quote, and where its field ends; undefined if it is not complete. */
  #quoted(from: number, isLast: boolean): { readonly value: string; readonly at: number } | undefined {
    const text = this.#text
    let value = ''
    for (let at = from; ; ) {
      const end = text.indexOf('"', at)
      if (end === -1 || (end + 1 === text.length && !isLast)) {
        if (text.length - from > this.#rowLimit) throw this.#tooLong()
        return undefined
      }
      value += text.slice(at, end)
      if (text[end + 1] === '"') {
        value += '"'
        at = end + 2
        continue
      }
      let next = end + 1
      while (text[next] === ' ') next += 1
      if (next === text.length && !isLast) return undefined
      if (next < text.length && text[next] !== this.#separator && text[next] !== '\n' && text[next] !== '\r') {
        throw this.#broken()
      }
      return { value, at: next }
    }
  }

  #broken(): UnreadableFile {
    const advice = 'so nothing after it can be read. Correct the row and try again.'
    return new UnreadableFile(`Line ${this.#line}: the quotes of this row are broken, ${advice}`)
  }

  #tooLong(): UnreadableFile {
    const what = `the row that begins here is longer than ${this.#rowLimit} bytes. Is a quote not closed?`
    return new UnreadableFile(`Line ${this.#line}: ${what}`)
  }
}
