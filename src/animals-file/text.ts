/**
 * Decodes the bytes of a file. Most files are UTF-8. UTF-16 is recognised by its byte order mark or by its zero bytes.
 * A byte that is not valid UTF-8 means Windows-1252, provided that everything before it was ASCII, which is the same in
 * both. A spreadsheet file is not text; the message says how to export it.
 */
import { isAscii, isUtf8 } from 'node:buffer'
import { UnreadableFile } from './row.ts'

type Encoding = 'UTF-8' | 'UTF-16' | 'Windows-1252'

/** This many bytes are enough to tell the kind of a file. */
const MAGIC_BYTES = 4
/** The number of bytes at the start in which zeros are counted. */
const SAMPLE_BYTES = 512

export class Text {
  /** The encoding, as far as it is known. */
  encoding: Encoding = 'UTF-8'
  readonly #bytes: AsyncIterable<Buffer>
  #hasShownUtf8 = false
  #lines = 1

  constructor(bytes: AsyncIterable<Buffer>) {
    this.#bytes = bytes
  }

  /** The text without a byte order mark. Throws UnreadableFile, naming the line, if the file is not text. */
  async *chunks(): AsyncGenerator<string> {
    let decode: ((bytes: Buffer, isLast: boolean) => string) | undefined
    let kept: Buffer = Buffer.alloc(0)
    for await (const bytes of this.#bytes) {
      if (decode !== undefined) {
        yield this.#count(decode(bytes, false))
        continue
      }
      kept = Buffer.concat([kept, bytes])
      if (kept.length < MAGIC_BYTES) continue
      decode = this.#decoderOf(kept)
      yield this.#count(decode(kept, false))
    }
    decode ??= this.#decoderOf(kept)
    yield this.#count(decode(kept.length < MAGIC_BYTES ? kept : Buffer.alloc(0), true))
  }

  #count(text: string): string {
    for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) this.#lines += 1
    return text
  }

  #decoderOf(start: Buffer): (bytes: Buffer, isLast: boolean) => string {
    if (start.length >= MAGIC_BYTES) refuseSpreadsheets(start)
    const utf16 = utf16Of(start)
    if (utf16 === undefined) return this.#utf8Or1252()
    this.encoding = 'UTF-16'
    const decoder = new TextDecoder(utf16)
    return (bytes, isLast) => decoder.decode(bytes, { stream: !isLast })
  }

  #utf8Or1252(): (bytes: Buffer, isLast: boolean) => string {
    const windows1252 = new TextDecoder('windows-1252')
    let rest = Buffer.alloc(0)
    let isFirst = true
    return (next, isLast) => {
      const bytes = Buffer.concat([rest, next])
      const end = isLast ? bytes.length : bytes.length - cutCharacter(bytes)
      const whole = bytes.subarray(0, end)
      rest = Buffer.from(bytes.subarray(end))
      if (this.encoding === 'UTF-8' && !isUtf8(whole)) {
        const valid = whole.toString().split('\uFFFD')[0] ?? ''
        if (this.#hasShownUtf8 || !isAscii(Buffer.from(valid))) throw this.#notUtf8(valid)
        this.encoding = 'Windows-1252'
      }
      if (this.encoding === 'Windows-1252') {
        rest = Buffer.alloc(0)
        return windows1252.decode(bytes)
      }
      if (!isAscii(whole)) this.#hasShownUtf8 = true
      const text = whole.toString()
      const hasMark = isFirst && text.startsWith('\uFEFF')
      isFirst &&= text === ''
      return hasMark ? text.slice(1) : text
    }
  }

  /** `valid` is the text that could be read since the last counted line. */
  #notUtf8(valid: string): UnreadableFile {
    const line = this.#lines + valid.split('\n').length - 1
    return new UnreadableFile(
      `Line ${line}: the file is UTF-8 up to here, but this line is not; save the file as UTF-8 and try again.`,
    )
  }
}

/** The number of bytes at the end that begin an incomplete UTF-8 character. */
function cutCharacter(bytes: Buffer): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back += 1) {
    const byte = bytes[bytes.length - back] ?? 0
    if (byte < 0x80) return 0
    if (byte < 0xc0) continue
    const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2
    return length > back ? back : 0
  }
  return 0
}

function utf16Of(start: Buffer): 'utf-16le' | 'utf-16be' | undefined {
  if (start[0] === 0xff && start[1] === 0xfe) return 'utf-16le'
  if (start[0] === 0xfe && start[1] === 0xff) return 'utf-16be'
  const sample = start.subarray(0, SAMPLE_BYTES)
  const zeros = (offset: number) => sample.filter((byte, at) => at % 2 === offset && byte === 0).length
  const [even, odd] = [zeros(0), zeros(1)]
  if (odd > sample.length / 5 && even === 0) return 'utf-16le'
  return even > sample.length / 5 && odd === 0 ? 'utf-16be' : undefined
}

/** Throws UnreadableFile for a workbook: a ZIP file (.xlsx, .ods), or a compound file (.xls). */
function refuseSpreadsheets(start: Buffer): void {
  const isZip = start.readUInt32BE(0) === 0x504b0304
  if (!isZip && start.readUInt32BE(0) !== 0xd0cf11e0) return
  throw new UnreadableFile(
    'The file is a spreadsheet (.xlsx, .xls or .ods), not CSV; open it, choose Save As or Export, pick "CSV UTF-8 (Comma delimited)", and import that file.',
  )
}
