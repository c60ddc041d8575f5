/**
 * Tells by its first bytes what a file is: a text, packed or not, or a workbook. Anything else is refused as what it is.
 * What unpacks to more than there is room for is refused as soon as that shows, whatever size it claims.
 */
import { readSync } from 'node:fs'
import { pipeline, Readable } from 'node:stream'
import { crc32, createGunzip, inflateRawSync } from 'node:zlib'
import { codeOf } from '../common/errors.ts'
import { MOST_CELLS, MOST_TEXT, MOST_UNPACKED, MOST_WORKBOOK } from './bounds.ts'
import { UnreadableFile } from './file-errors.ts'

const READ_BYTES = 65_536
const EXPORT = 'export it as "CSV UTF-8 (Comma delimited)" or .xlsx, and import that file.'
/** By the hexadecimal beginning of a file. */
const OTHERS: Readonly<Record<string, string>> = {
  d0cf11e0: `a workbook of the old kind (.xls), or one with a password. Open it and ${EXPORT}`,
  '25504446': `a PDF. Open the list in the program that made it and ${EXPORT}`,
  '89504e47': 'a picture (PNG), not a list of animals.',
  ffd8ff: 'a picture (JPEG), not a list of animals.',
  '47494638': 'a picture (GIF), not a list of animals.',
  '424d': 'a picture (BMP), not a list of animals.',
  '49492a00': 'a picture (TIFF), not a list of animals.',
  '52494646': 'a picture, a sound or a film, not a list of animals.',
  '0000001866747970': 'a picture or a film, not a list of animals.',
  '0000001c66747970': 'a picture or a film, not a list of animals.',
  '0000002066747970': 'a picture or a film, not a list of animals.',
  '494433': 'a sound (MP3), not a list of animals.',
  '53514c69746520666f726d6174203300': 'an SQLite database. Export its list of animals as CSV.',
  '7f454c46': 'a program, not a list of animals.',
  '4d5a90': 'a program, not a list of animals.',
  '526172211a07': 'a RAR archive. Unpack it, and import the list in it.',
  '377abcaf271c': 'a 7-Zip archive. Unpack it, and import the list in it.',
}

/** The bytes of a file that is open, from its beginning. */
async function* bytesOf(fd: number): AsyncIterable<Buffer> {
  for (let position = 0; ; ) {
    const buffer = Buffer.allocUnsafe(READ_BYTES)
    const length = readSync(fd, buffer, 0, READ_BYTES, position)
    if (length === 0) return
    yield buffer.subarray(0, length)
    position += length
  }
}

/** Throws UnreadableFile. */
export function openContainer(fd: number): { readonly text: () => AsyncIterable<Buffer> } | { readonly parts: Parts } {
  const start = Buffer.alloc(4_096)
  const length = readSync(fd, start, 0, start.length, 0)
  const magic = start.toString('hex', 0, Math.min(length, 16))
  if (magic.startsWith('1f8b')) return { text: () => within(MOST_TEXT, unpacked(bytesOf(fd))) }
  if (magic.startsWith('504b0304')) return { parts: readWorkbook(fd) }
  const what = Object.entries(OTHERS).find(([begin]) => magic.startsWith(begin))?.[1]
  if (what !== undefined) throw new UnreadableFile(`The file is ${what}`)
  if (isBinary(start.subarray(0, length))) {
    throw new UnreadableFile(`The file is neither text nor a workbook; ${EXPORT}`)
  }
  return { text: () => within(MOST_TEXT, bytesOf(fd)) }
}

/** Text has no control characters except those of lines and tabs, and in UTF-16 every second byte can be zero. */
function isBinary(start: Buffer): boolean {
  const isUtf16 =
    /^(?:fffe|feff)/.test(start.toString('hex', 0, 2)) || start.filter((byte) => byte === 0).length > start.length / 4
  const controls = start.filter((byte) => byte < 9 || (byte > 13 && byte < 32 && byte !== 0x1a && byte !== 0x1b))
  return isUtf16 ? controls.some((byte) => byte !== 0) : controls.length > start.length / 100
}

/** Throws UnreadableFile if the text is a page or a document in tags: an "Excel" button often gives one. */
export function refuseMarkup(start: string): void {
  if (!start.trimStart().startsWith('<')) return
  const what = /<(?:html|table|!doctype html)/i.test(start) ? 'a web page (HTML), whatever its name says' : 'XML'
  throw new UnreadableFile(`The file is ${what}; open it in a spreadsheet and ${EXPORT}`)
}

async function* unpacked(bytes: AsyncIterable<Buffer>): AsyncIterable<Buffer> {
  try {
    yield* pipeline(Readable.from(bytes), createGunzip(), () => {})
  } catch (error) {
    if (!/^(?:Z_|ERR_BUFFER|ERR_STREAM_PREMATURE)/.test(codeOf(error) ?? '')) throw error
    throw new UnreadableFile('The packed file (.gz) is damaged or not complete; pack it again.')
  }
}

/** Throws UnreadableFile behind `most` bytes. */
async function* within(most: number, bytes: AsyncIterable<Buffer>): AsyncIterable<Buffer> {
  let length = 0
  for await (const chunk of bytes) {
    length += chunk.length
    if (length > most) throw tooLarge(most)
    yield chunk
  }
}

function tooLarge(most: number): UnreadableFile {
  return new UnreadableFile(`The file takes more than ${most >> 20} MiB. Divide it, or export it as CSV.`)
}

/** The parts of a workbook, unpacked. */
export type Parts = ReadonlyMap<string, Buffer>

/** Pictures, fonts and macros are left out. */
const PART = /^(?:mimetype|\[Content_Types\]\.xml|.*\.(?:xml|rels))$/

/** Unpacks each part that is read, and no more than is allowed. Throws UnreadableFile. */
function readWorkbook(fd: number): Parts {
  const chunks: Buffer[] = []
  let size = 0
  for (;;) {
    const buffer = Buffer.allocUnsafe(1 << 20)
    const length = readSync(fd, buffer, 0, buffer.length, size)
    if (length === 0) break
    size += length
    if (size > MOST_WORKBOOK) throw tooLarge(MOST_WORKBOOK)
    chunks.push(buffer.subarray(0, length))
  }
  const file = Buffer.concat(chunks)
  const parts = new Map<string, Buffer>()
  let [left, cells] = [MOST_UNPACKED, 0]
  try {
    for (const { name, data, isDeflated } of entriesOf(file)) {
      if (!PART.test(name)) continue
      const part = isDeflated ? inflateRawSync(data, { maxOutputLength: left + 1 }) : data
      left -= part.length
      if (left < 0) throw tooLarge(MOST_UNPACKED)
      cells += tagsIn(part)
      if (cells > MOST_CELLS) throw new UnreadableFile('The workbook has too many cells; export its list as CSV.')
      parts.set(name, part)
    }
  } catch (error) {
    if (error instanceof UnreadableFile) throw error
    if (codeOf(error) === 'ERR_BUFFER_TOO_LARGE') throw tooLarge(MOST_UNPACKED)
    throw new UnreadableFile('The workbook or ZIP file is damaged or not complete; save it again.')
  }
  if (parts.has('xl/workbook.xml') || parts.has('content.xml')) return parts
  throw new UnreadableFile('The file is a ZIP archive. Unpack it, and import the list in it.')
}

/** About how many elements a part has: an element is at least one end, `/>` or `</`. */
function tagsIn(part: Buffer): number {
  let n = 0
  for (let at = part.indexOf(0x2f); at !== -1; at = part.indexOf(0x2f, at + 1)) {
    if (part[at - 1] === 0x3c || part[at + 1] === 0x3e) n += 1
  }
  return n / 2
}

const MOST_ENTRIES = 2_000

/** The entries of a ZIP file, by the directory at its end. Throws RangeError if it is cut. */
function* entriesOf(file: Buffer) {
  const end = file.lastIndexOf(Buffer.from('PK\x05\x06'))
  let at = file.readUInt32LE(end + 16)
  let remaining = file.readUInt16LE(end + 10)
  if (remaining > MOST_ENTRIES) throw new UnreadableFile('The ZIP file has too many parts; it is no list of animals.')
  for (; remaining > 0; remaining -= 1) {
    if (file.readUInt32BE(at) !== 0x504b0102) throw new RangeError('no entry')
    const [size, length] = [file.readUInt32LE(at + 20), file.readUInt16LE(at + 28)]
    const local = file.readUInt32LE(at + 42)
    const from = local + 30 + file.readUInt16LE(local + 26) + file.readUInt16LE(local + 28)
    if (from + size > file.length) throw new RangeError('outside')
    const name = file.toString('utf8', at + 46, at + 46 + length)
    yield { name, data: file.subarray(from, from + size), isDeflated: file.readUInt16LE(at + 10) !== 0 }
    at += 46 + length + file.readUInt16LE(at + 30) + file.readUInt16LE(at + 32)
  }
}

/** The parts as a ZIP file that is not packed: what is read is what was measured. */
export function zipOf(parts: Parts): Buffer {
  const [pieces, directory]: [Buffer[], Buffer[]] = [[], []]
  let offset = 0
  for (const [name, data] of parts) {
    const bytes = Buffer.from(name)
    // Version, flags, method, time and date; then the checksum and both sizes.
    const common = Buffer.alloc(26)
    common.writeUInt16LE(20)
    common.writeUInt32LE(crc32(data), 10)
    common.writeUInt32LE(data.length, 14)
    common.writeUInt32LE(data.length, 18)
    common.writeUInt16LE(bytes.length, 22)
    const position = Buffer.alloc(14)
    position.writeUInt32LE(offset, 10)
    pieces.push(Buffer.from('PK\x03\x04'), common, bytes, data)
    directory.push(Buffer.from('PK\x01\x02\x14\x00', 'latin1'), common, position, bytes)
    offset += 30 + bytes.length + data.length
  }
  const end = Buffer.alloc(22)
  end.write('PK\x05\x06', 'latin1')
  end.writeUInt16LE(parts.size, 8)
  end.writeUInt16LE(parts.size, 10)
  end.writeUInt32LE(
    directory.reduce((sum, { length }) => sum + length, 0),
    12,
  )
  end.writeUInt32LE(offset, 16)
  return Buffer.concat([...pieces, ...directory, end])
}
