/**
 * Decodes the bytes of a file. Most files are UTF-8. UTF-16 is recognised by its byte order mark or by its zero bytes.
 * Lines that are not UTF-8 are decoded with the code page in which they look most like words, even if other lines are
 * UTF-8, as in concatenated files.
 */
import { isAscii, isUtf8 } from 'node:buffer'

const MARK = '\ufeff'
/** In bytes. A longer line is decoded in parts. */
const LONG_LINE = 1 << 18
/** What the code page is judged by, in bytes from the first line that is not UTF-8. */
const PAGE_SAMPLE = 1 << 16
/** What each is called. The most likely first: it is used if two fit equally well. */
const CODE_PAGES = {
  'windows-1252': 'Windows-1252',
  'windows-1250': 'Windows-1250',
  'euc-kr': 'EUC-KR',
  macintosh: 'Mac OS Roman',
} as const
/** Signs of a wrong code page: symbols within a word, letters where none begins or ends, control characters. */
const MOJIBAKE = new RegExp(
  [
    String.raw`\p{L}[^\p{ASCII}\p{L}\p{M}\u00b4\u00b0\u00ba\u2013\u2014\u2018\u2019\u2026](?=\p{L})`,
    String.raw`[\u00a3\u00a5\u00a7\u00ac\u00af\u00b3\u00b6\u00b9](?=\p{Ll})`,
    String.raw`\p{Ll}[\u00b3\u00b6\u00b9\u00bf]`,
    String.raw`\p{L}(?=\P{ASCII})\p{Lu}\p{Ll}|\p{Ll}(?=\P{ASCII})\p{Lu}`,
    String.raw`[a-z][\uac00-\ud7a3]|[\uac00-\ud7a3][a-z]`,
    String.raw`[\u0080-\u009f\ufffd]`,
  ].join('|'),
  'gu',
)

type Decode = (bytes: Buffer, isLast: boolean) => string

export class TextDecoding {
  readonly #bytes: AsyncIterable<Buffer>
  #name = 'UTF-8'
  #hasUtf8 = false
  #lines = 1
  /** The code page of lines that are not UTF-8, and the first of them. */
  #other: { readonly page: TextDecoder; readonly line: number } | undefined

  /** The first chunk has at least 4 bytes, if there are so many. */
  constructor(bytes: AsyncIterable<Buffer>) {
    this.#bytes = bytes
  }

  get encoding(): string {
    return this.#other === undefined || this.#hasUtf8 ? this.#name : pageName(this.#other.page)
  }

  /** A sentence, if only some lines are UTF-8. */
  get note(): string | undefined {
    if (this.#other === undefined || !this.#hasUtf8) return undefined
    const { line, page } = this.#other
    return `Line ${line} is not UTF-8, and read as ${pageName(page)}, as are others like it.`
  }

  /** The text without byte order marks. */
  async *chunks(): AsyncGenerator<string> {
    let decode: Decode | undefined
    let isFirst = true
    const unmarked = (text: string) => {
      const rest = isFirst && text.startsWith(MARK) ? text.slice(1) : text
      isFirst &&= text === ''
      // Concatenated files hold more byte order marks. One before a quote would make the quote invalid.
      return rest.includes(MARK) ? rest.replace(/([\r\n])\ufeff(?="[^",;|\t\r\n])/g, '$1') : rest
    }
    for await (const bytes of this.#bytes) {
      decode ??= this.#decoderOf(bytes)
      yield unmarked(decode(bytes, false))
    }
    if (decode !== undefined) yield unmarked(decode(Buffer.alloc(0), true))
  }

  #decoderOf(start: Buffer): Decode {
    const utf16 = utf16Of(start)
    if (utf16 !== undefined) {
      this.#name = 'UTF-16'
      const decoder = new TextDecoder(utf16)
      return (bytes, isLast) => decoder.decode(bytes, { stream: !isLast })
    }
    let rest: Buffer = Buffer.alloc(0)
    return (next, isLast) => {
      const bytes = Buffer.concat([rest, next])
      // A line is decoded when it is complete, since its end may decide its encoding; a long one is cut behind ASCII.
      const end = isLast ? bytes.length : Math.max(bytes.lastIndexOf(0x0a), bytes.lastIndexOf(0x0d)) + 1
      const isShort = end > 0 || bytes.length < LONG_LINE
      const cut = isShort ? end : bytes.findLastIndex((byte) => byte < 0x80) + 1 || bytes.length
      rest = bytes.subarray(cut)
      return this.#decode(bytes.subarray(0, cut))
    }
  }

  #decode(bytes: Buffer): string {
    if (isUtf8(bytes)) return this.#utf8(bytes)
    let text = ''
    for (let from = 0; from < bytes.length; ) {
      const end = bytes.indexOf(0x0a, from)
      const line = bytes.subarray(from, end === -1 ? bytes.length : end + 1)
      if (isUtf8(line)) text += this.#utf8(line)
      else {
        this.#other ??= { page: pageOf(bytes.subarray(from, from + PAGE_SAMPLE)), line: this.#lines }
        text += this.#other.page.decode(line)
        this.#lines += 1
      }
      from += line.length
    }
    return text
  }

  #utf8(bytes: Buffer): string {
    this.#hasUtf8 ||= !isAscii(bytes)
    if (this.#other === undefined) for (const byte of bytes) if (byte === 0x0a) this.#lines += 1
    return bytes.toString()
  }
}

function pageName({ encoding }: TextDecoder): string {
  return CODE_PAGES[encoding as keyof typeof CODE_PAGES]
}

/** The code page in which the lines that are not UTF-8 look most like words. */
function pageOf(bytes: Buffer): TextDecoder {
  const texts = bytes.toString('latin1').split('\n')
  const others = Buffer.concat(texts.map((line) => Buffer.from(line, 'latin1')).filter((line) => !isUtf8(line)))
  const signs = (page: TextDecoder) => page.decode(others).match(MOJIBAKE)?.length ?? 0
  const pages = Object.keys(CODE_PAGES).map((page) => new TextDecoder(page))
  return pages.reduce((best, one) => (signs(one) < signs(best) ? one : best))
}

function utf16Of([a, b, c, d]: Buffer): 'utf-16le' | 'utf-16be' | undefined {
  if ((a === 0xff && b === 0xfe) || (a !== 0 && b === 0 && c !== 0 && d === 0)) return 'utf-16le'
  return (a === 0xfe && b === 0xff) || (a === 0 && b !== 0 && c === 0 && d !== 0) ? 'utf-16be' : undefined
}
