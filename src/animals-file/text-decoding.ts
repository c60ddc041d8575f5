/**
 * Decodes the bytes of a file. Most files are UTF-8. UTF-16 is recognised by its byte order mark or by its zero bytes.
 * Lines that are not UTF-8 are decoded in one code page, also if other lines are UTF-8, as in concatenated files. The
 * code page is the one in which they look most like words; where none clearly does, a person is asked.
 */
import { isAscii, isUtf8 } from 'node:buffer'
import { foldWord } from '../common/fold.ts'
import { UnreadableFile } from './file-errors.ts'
import { LANGUAGES } from './languages/index.ts'
import type { Setting } from './table.ts'

const MARK = '\ufeff'
/** In bytes. A longer line is decoded in parts. */
const LONG_LINE = 1 << 18
/** What the code page is judged by, in bytes from the first line that is not UTF-8. */
const PAGE_SAMPLE = 1 << 16
/** What each is called. The most likely first: it is used if two give the same letters. */
const CODE_PAGES = {
  'windows-1252': 'Windows-1252',
  'windows-1250': 'Windows-1250',
  'windows-1251': 'Windows-1251',
  'windows-1253': 'Windows-1253',
  'windows-1254': 'Windows-1254',
  shift_jis: 'Shift_JIS',
  'euc-kr': 'EUC-KR',
  gb18030: 'GB18030',
  macintosh: 'Mac OS Roman',
} as const
type Page = keyof typeof CODE_PAGES
/** Signs of a wrong code page: symbols within a word, letters where none begins or ends, control characters. */
const MOJIBAKE = new RegExp(
  [
    String.raw`\p{L}[^\p{ASCII}\p{L}\p{M}\u00b4\u00b0\u00ba\u2013\u2014\u2018\u2019\u2026](?=\p{L})`,
    String.raw`[\u00a3\u00a5\u00a7\u00ac\u00af\u00b3\u00b6\u00b9](?=\p{Ll})`,
    String.raw`\p{Ll}[\u00b3\u00b6\u00b9\u00bf]`,
    String.raw`\p{L}(?=\P{ASCII})\p{Lu}\p{Ll}|\p{Ll}(?=\P{ASCII})\p{Lu}`,
    String.raw`[A-Za-z][\p{sc=Cyrillic}\p{sc=Greek}\p{sc=Han}\p{sc=Hangul}\p{sc=Katakana}]|[\p{sc=Cyrillic}\p{sc=Greek}\p{sc=Han}\p{sc=Hangul}][a-z]`,
    String.raw`[\u00c0-\u00ff]{3}`,
    String.raw`[\u0080-\u009f\ufffd\uff61-\uff9f\ue000-\uf8ff]`,
  ].join('|'),
  'gu',
)
/** Words with letters that are not ASCII, which are shown for each code page. */
const SAMPLES_SHOWN = 3
/** A phrase of a language in a cell counts as much as so many signs. */
const KNOWN_WORTH = 3
/** By the code page, the phrases of each of its languages. */
const PHRASES = Map.groupBy(
  LANGUAGES.map(({ page = 'windows-1252', headings, statuses }) => {
    const phrases = [...Object.values(headings), ...Object.values(statuses)].flatMap((some) => some.split(','))
    return { page, phrases: new Set(phrases.map(foldWord)) }
  }),
  ({ page }) => page,
)

type Decode = (bytes: Buffer, isLast: boolean) => string

export class TextDecoding {
  readonly #bytes: AsyncIterable<Buffer>
  readonly #asked: string | undefined
  #name = 'UTF-8'
  #hasUtf8 = false
  #lines = 1
  /** The code page of lines that are not UTF-8, and the first of them. */
  #other: { readonly page: TextDecoder; readonly line: number; readonly setting: Setting } | undefined

  /** `asked` is the encoding that the mapping says. Throws UnreadableFile if there is no such encoding. */
  constructor(bytes: AsyncIterable<Buffer>, asked: string | undefined) {
    this.#bytes = bytes
    const name = asked?.trim().toLowerCase()
    const isUtf = name === 'utf-8' || name === 'utf-16' || name === undefined
    if (!isUtf && !Object.hasOwn(CODE_PAGES, name)) {
      const names = ['UTF-8', 'UTF-16', ...Object.values(CODE_PAGES)].join(', ')
      throw new UnreadableFile(`The encoding "${asked}" is not supported. Supported are ${names}.`)
    }
    this.#asked = isUtf ? undefined : name
  }

  get encoding(): string {
    return this.#other === undefined || this.#hasUtf8 ? this.#name : pageName(this.#other.page)
  }

  /** The encoding as a line of the mapping; none if the bytes settle it. */
  get settings(): readonly Setting[] {
    return this.#other === undefined ? [] : [this.#other.setting]
  }

  /** A sentence, if only some lines are UTF-8. */
  get notes(): readonly string[] {
    if (this.#other === undefined || !this.#hasUtf8) return []
    const { line, page } = this.#other
    return [`Line ${line} is not UTF-8, and is read as ${pageName(page)}, as are others like it.`]
  }

  /** The text without byte order marks. */
  async *chunks(): AsyncGenerator<string> {
    let decode: Decode | undefined
    let isFirst = true
    const unmarked = (text: string) => {
      const rest = isFirst && text.startsWith(MARK) ? text.slice(1) : text
      isFirst &&= text === ''
      // Concatenated files contain more byte order marks. One before a quote would make the quote invalid.
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
        this.#other ??= { ...pageOf(bytes.subarray(from, from + PAGE_SAMPLE), this.#asked), line: this.#lines }
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
  return CODE_PAGES[encoding as Page]
}

/** The code page that was asked for, or else the one in which the lines that are not UTF-8 look most like words. */
function pageOf(bytes: Buffer, asked: string | undefined) {
  const lines = bytes.toString('latin1').split('\n')
  const others = Buffer.concat(lines.map((line) => Buffer.from(`${line}\n`, 'latin1')).filter((line) => !isUtf8(line)))
  const judged = (Object.keys(CODE_PAGES) as Page[]).map((page) => judge(page, others))
  const [best, second] = judged.toSorted((a, b) => b.score - a.score)
  const rivals = judged.filter(({ score, text }) => score >= (best?.score ?? 0) && text !== best?.text)
  const isClear = best !== undefined && (best.score > 0 || best.signs === 0) && rivals.length === 0
  const page = asked ?? best?.page ?? 'windows-1252'
  const shown = judged.filter(({ score, page }) => score >= (second?.score ?? 0) || page === asked)
  const candidates = shown.map(({ page, text }) => ({ value: page, shows: samplesOf(text) }))
  const setting = { name: 'encoding' as const, value: asked ?? (isClear ? page : '?'), candidates }
  return { page: new TextDecoder(page), setting }
}

/** How likely a code page is: by signs of a wrong one, and by cells that are phrases of one of its languages. */
function judge(page: Page, bytes: Buffer) {
  const text = new TextDecoder(page).decode(bytes)
  const signs = text.match(MOJIBAKE)?.length ?? 0
  const cells = new Set(
    text
      .split(/[,;\t|\n"]/)
      .slice(0, 2_000)
      .filter(({ length }) => length < 60)
      .map(foldWord),
  )
  const known = (PHRASES.get(page) ?? []).map(({ phrases }) => phrases.intersection(cells).size)
  return { page, text, signs, score: KNOWN_WORTH * Math.max(0, ...known) - signs }
}

function samplesOf(text: string): string {
  const words = text.split(/[,;\t|\n"]/).map((cell) => cell.trim())
  return [...new Set(words.filter((word) => word.length < 60 && /\P{ASCII}/u.test(word)))]
    .slice(0, SAMPLES_SHOWN)
    .join(', ')
}

/** The encoding that a mark or the zero bytes of the first letters say. */
function utf16Of([a, b, c, d]: Buffer): 'utf-16le' | 'utf-16be' | undefined {
  if ((a === 0xff && b === 0xfe) || (a !== 0 && b === 0 && c !== 0 && d === 0)) return 'utf-16le'
  return (a === 0xfe && b === 0xff) || (a === 0 && b !== 0 && c === 0 && d !== 0) ? 'utf-16be' : undefined
}
