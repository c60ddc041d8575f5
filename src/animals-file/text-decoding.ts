/**
 * Decodes the bytes of a file. Most files are UTF-8. UTF-16 is recognised by its byte order mark or by its zero bytes.
 * Lines that are not UTF-8 are decoded with the code page in which they look most like words, even if other lines are
 * UTF-8, as in concatenated files.
 */
import { isAscii, isUtf8 } from 'node:buffer'

const MAGIC_BYTES = 4
const SAMPLE_BYTES = 512
const LINES_TOLD = 3
const MARK = '\ufeff'
/** Written by CP/M and DOS at the end of a text file. */
const END_OF_FILE = 0x1a
/** The most likely first: it is used if two fit equally well. */
const CODE_PAGES = ['windows-1252', 'windows-1250', 'macintosh'] as const

export class TextDecoding {
  /** The numbers of the first lines that are not UTF-8. */
  readonly otherLines: number[] = []
  readonly #bytes: AsyncIterable<Buffer>
  #name = 'UTF-8'
  #hasUtf8 = false
  #lines = 1
  #page: TextDecoder | undefined

  constructor(bytes: AsyncIterable<Buffer>) {
    this.#bytes = bytes
  }

  get encoding(): string {
    return this.#page === undefined || this.#hasUtf8 ? this.#name : pageName(this.#page)
  }

  get otherEncoding(): string | undefined {
    return this.#page === undefined || !this.#hasUtf8 ? undefined : pageName(this.#page)
  }

  /** The text without byte order marks and without a last 0x1A. */
  async *chunks(): AsyncGenerator<string> {
    let isFirst = true
    let kept = ''
    for await (const piece of this.#pieces()) {
      let end = piece.length
      while (end > 0 && piece.charCodeAt(end - 1) === END_OF_FILE) end -= 1
      if (end === 0) {
        kept += piece
        continue
      }
      let text = kept + piece.slice(0, end)
      kept = piece.slice(end)
      if (isFirst && text.startsWith(MARK)) text = text.slice(1)
      // Concatenated files hold more byte order marks. One before a quote would make the quote invalid.
      if (text.includes(MARK)) text = text.replace(/([\r\n])\ufeff(?="[^",;|\t\r\n])/g, '$1')
      isFirst &&= text === ''
      yield text
    }
  }

  async *#pieces(): AsyncGenerator<string> {
    let decode: ((bytes: Buffer, isLast: boolean) => string) | undefined
    let kept: Buffer = Buffer.alloc(0)
    for await (const bytes of this.#bytes) {
      kept = kept.length === 0 ? bytes : Buffer.concat([kept, bytes])
      if (decode === undefined && kept.length < MAGIC_BYTES) continue
      decode ??= this.#decoderOf(kept)
      yield decode(kept, false)
      kept = Buffer.alloc(0)
    }
    decode ??= this.#decoderOf(kept)
    yield decode(kept, true)
  }

  #decoderOf(start: Buffer): (bytes: Buffer, isLast: boolean) => string {
    const utf16 = utf16Of(start)
    if (utf16 === undefined) return this.#byLines()
    this.#name = 'UTF-16'
    const decoder = new TextDecoder(utf16)
    return (bytes, isLast) => decoder.decode(bytes, { stream: !isLast })
  }

  #byLines(): (bytes: Buffer, isLast: boolean) => string {
    let rest = Buffer.alloc(0)
    return (next, isLast) => {
      const bytes = rest.length === 0 ? next : Buffer.concat([rest, next])
      if (isAscii(bytes)) {
        rest = Buffer.alloc(0)
        return this.#count(bytes.toString('latin1'))
      }
      // A line is decoded when it is complete, since its end may decide its encoding; a long one is cut behind ASCII.
      const end = isLast ? bytes.length : Math.max(bytes.lastIndexOf(0x0a), bytes.lastIndexOf(0x0d)) + 1
      const cut = end > 0 || bytes.length < LONG_LINE ? end : bytes.findLastIndex(isAsciiByte) + 1 || bytes.length
      rest = Buffer.from(bytes.subarray(cut))
      return this.#decode(bytes.subarray(0, cut))
    }
  }

  #decode(bytes: Buffer): string {
    if (isUtf8(bytes)) {
      this.#hasUtf8 ||= !isAscii(bytes)
      return this.#count(bytes.toString())
    }
    let text = ''
    for (let from = 0; from < bytes.length; ) {
      const end = bytes.indexOf(0x0a, from)
      const line = bytes.subarray(from, end === -1 ? bytes.length : end + 1)
      const isSame = isUtf8(line)
      if (!isSame) this.#page ??= pageOf(bytes.subarray(from, from + PAGE_SAMPLE))
      if (!isSame && this.otherLines.length < LINES_TOLD) this.otherLines.push(this.#lines)
      this.#hasUtf8 ||= isSame && !isAscii(line)
      text += this.#count(isSame || this.#page === undefined ? line.toString() : this.#page.decode(line))
      from += line.length
    }
    return text
  }

  #count(text: string): string {
    for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) this.#lines += 1
    return text
  }
}

/** In bytes. A longer line is decoded in parts. */
const LONG_LINE = 1 << 18
/** What the code page is judged by, in bytes from the first line that is not UTF-8. */
const PAGE_SAMPLE = 1 << 16

const isAsciiByte = (byte: number) => byte < 0x80

function pageName({ encoding }: TextDecoder): string {
  return encoding === 'macintosh' ? 'Mac OS Roman' : encoding.replace('windows', 'Windows')
}

/** The code page in which the lines that are not UTF-8 look most like words. */
function pageOf(bytes: Buffer): TextDecoder {
  const texts = bytes.toString('latin1').split('\n')
  const lines = texts.map((line) => Buffer.from(line, 'latin1'))
  const others = Buffer.concat(lines.filter((line) => !isUtf8(line)))
  const decoders = CODE_PAGES.map((page) => new TextDecoder(page))
  const scores = decoders.map((decoder) => mojibakeScore(decoder.decode(others)))
  return decoders[scores.indexOf(Math.min(...scores))] ?? new TextDecoder('windows-1252')
}

/** Counts signs of a wrong code page: symbols in place of letters, capitals within a word, control characters. */
function mojibakeScore(text: string): number {
  const signs = text.match(
    /\p{L}[^\p{ASCII}\p{L}\p{M}\u2018\u2019\u00b4\u00b0\u00ba\u2013]|[\u00a3\u00a5\u00af\u00b3\u00b9\u00bf\u00a7\u00b6\u00ac](?=\p{Ll})/gu,
  )
  const capitals = text.match(/\p{Ll}(?=\P{ASCII})\p{Lu}/gu)
  const controls = text.match(/[\u0080-\u009f\ufffd]/g)
  return (signs?.length ?? 0) + (capitals?.length ?? 0) + (controls?.length ?? 0)
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
