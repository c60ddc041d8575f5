/** Decodes a file: UTF-8, UTF-16, or the code page that gives known words. Otherwise a person is asked. */
import { phrasesBeyondAscii } from './languages/language.ts'
import { OPEN } from './mapping.ts'
import type { Setting } from './table.ts'

/** Most likely first. The first is used if others give the same letters. */
const PAGES = [
  ...['windows-1252', 'windows-1250', 'windows-1251', 'windows-1253', 'windows-1254'],
  ...['shift_jis', 'euc-kr', 'gb18030'],
]
/** Signs of a wrong code page: two scripts in a word, non-Latin letters in Latin words, control characters. */
const WRONG =
  /[a-z](?!\p{sc=Latin})[^\p{ASCII}\p{P}\p{S}]|(?!\p{sc=Latin})[^\p{ASCII}\p{P}\p{S}][a-z]|\p{L}[^\p{ASCII}\p{L}\p{M}\p{P}](?=\p{L})|[\x80-\x9f\ufffd\uff61-\uff9f\ue000-\uf8ff]/iu

/** `asked` is the mapping's encoding, for a file that is not Unicode. */
export async function decoded(bytes: () => AsyncIterable<Buffer>, asked: string | undefined) {
  const { unicode, sample } = await unicodeOf(bytes())
  const setting = unicode === undefined ? pageOf(sample, asked?.trim().toLowerCase()) : undefined
  const encoding = unicode ?? (setting?.value === OPEN ? setting.candidates[0]?.value : setting?.value) ?? 'utf-8'
  const chunks = async function* () {
    const decoder = new TextDecoder(encoding)
    for await (const chunk of bytes()) yield decoder.decode(chunk, { stream: true })
    yield decoder.decode()
  }
  return { encoding: encoding.toUpperCase(), settings: setting === undefined ? [] : [setting], chunks }
}

/** The form of Unicode in which all bytes are valid, or else a sample of invalid ones. */
async function unicodeOf(bytes: AsyncIterable<Buffer>) {
  let decoder: TextDecoder | undefined
  let [start, last]: Buffer[] = []
  try {
    for await (const chunk of bytes) {
      last = chunk
      start ??= chunk
      decoder ??= new TextDecoder(utf16Of(chunk) ?? 'utf-8', { fatal: true })
      decoder.decode(chunk, { stream: true })
    }
    decoder?.decode()
  } catch (error) {
    if (!(error instanceof TypeError)) throw error
    return { unicode: undefined, sample: Buffer.concat([...new Set([start, last])].flatMap((one) => one ?? [])) }
  }
  return { unicode: decoder?.encoding ?? 'utf-8', sample: Buffer.alloc(0) }
}

function utf16Of([a, b, c, d]: Buffer): 'utf-16le' | 'utf-16be' | undefined {
  if ((a === 0xff && b === 0xfe) || (a !== 0 && b === 0 && c !== 0 && d === 0)) return 'utf-16le'
  return (a === 0xfe && b === 0xff) || (a === 0 && b !== 0 && c === 0 && d !== 0) ? 'utf-16be' : undefined
}

function pageOf(sample: Buffer, said: string | undefined): Setting {
  const phrases = phrasesBeyondAscii()
  const readings = PAGES.map((page) => {
    const text = new TextDecoder(page).decode(sample, { stream: true })
    const cells = new Set(text.split(/[,;\t|\r\n"]+/).map((cell) => cell.trim()))
    const others = [...cells].filter((cell) => cell.length < 60 && /\P{ASCII}/u.test(cell))
    const known = others.filter((cell) => phrases.has(cell.toLowerCase())).length
    return { page, text, known, isWrong: WRONG.test(text), shows: others.slice(0, 3).join(', ') }
  })
  const right = readings.filter(({ isWrong }) => !isWrong)
  const likely = (right.length > 0 ? right : readings).toSorted((a, b) => b.known - a.known)
  const [best] = likely
  const isClear =
    right.length > 0 && likely.every(({ known, text }) => known < (best?.known ?? 0) || text === best?.text)
  const named = PAGES.find((page) => page === said)
  const candidates = likely.map(({ page, shows }) => ({ value: page, shows }))
  return { name: 'encoding', value: named ?? (isClear ? best?.page : undefined) ?? OPEN, candidates }
}
