/** Recognises a file by its first bytes: a text, packed or not, or a workbook. Limits what it unpacks to. */
import { readSync } from 'node:fs'
import { pipeline, Readable } from 'node:stream'
import { createGunzip, inflateRawSync } from 'node:zlib'
import { codeOf } from '../common/errors.ts'
import { MOST_MARKS, MOST_TEXT, MOST_UNPACKED, MOST_WORKBOOK } from './bounds.ts'
import { UnreadableFile } from './file-errors.ts'

const READ_BYTES = 65_536
const EXPORT = 'export it as "CSV UTF-8 (Comma delimited)" or .xlsx, and import that file.'
const OLD = `The file is a workbook of the old kind (.xls), or has a password. Open it and ${EXPORT}`
const PDF = `The file is a PDF. Open the list in the program that wrote it and ${EXPORT}`
const MOST_ENTRIES = 2_000

export type WorkbookFile = { readonly file: Buffer; readonly odsContent: string | undefined }

async function* bytesOf(fd: number, most: number): AsyncIterable<Buffer> {
  for (let position = 0; ; ) {
    const buffer = Buffer.allocUnsafe(READ_BYTES)
    const length = readSync(fd, buffer, 0, READ_BYTES, position)
    if (length === 0) return
    position += length
    if (position > most) throw tooLarge(most)
    yield buffer.subarray(0, length)
  }
}

export async function openContainer(fd: number) {
  const start = Buffer.alloc(READ_BYTES)
  const bytes = start.subarray(0, readSync(fd, start, 0, start.length, 0))
  const magic = bytes.toString('hex', 0, 4)
  if (magic.startsWith('1f8b')) return { text: () => unpacked(bytesOf(fd, MOST_TEXT)) }
  if (magic === '504b0304') return workbookOf(Buffer.concat(await Array.fromAsync(bytesOf(fd, MOST_WORKBOOK))))
  if (magic === 'd0cf11e0') throw new UnreadableFile(OLD)
  if (magic === '25504446') throw new UnreadableFile(PDF)
  if (isBinary(bytes)) throw new UnreadableFile(`The file is neither text nor a workbook; ${EXPORT}`)
  return { text: () => bytesOf(fd, MOST_TEXT) }
}

/** Text contains only control characters for lines and tabs. In UTF-16 every second byte can be zero. */
function isBinary(start: Buffer): boolean {
  const isUtf16 =
    /^(?:fffe|feff)/.test(start.toString('hex', 0, 2)) || start.filter((byte) => byte === 0).length > start.length / 4
  const controls = start.filter((byte) => byte < 9 || (byte > 13 && byte < 32 && byte !== 0x1a && byte !== 0x1b))
  return isUtf16 ? controls.some((byte) => byte !== 0) : controls.length > start.length / 100
}

/** Throws UnreadableFile for a page with tags, which an "Excel" button often exports. */
export function refuseMarkup(start: string): void {
  if (!start.trimStart().startsWith('<')) return
  const what = /<(?:html|table|!doctype html)/i.test(start) ? 'a web page (HTML), whatever its name says' : 'XML'
  throw new UnreadableFile(`The file is ${what}; open it in a spreadsheet and ${EXPORT}`)
}

async function* unpacked(bytes: AsyncIterable<Buffer>): AsyncIterable<Buffer> {
  let length = 0
  try {
    for await (const chunk of pipeline(Readable.from(bytes), createGunzip(), () => {})) {
      length += chunk.length
      if (length > MOST_TEXT) throw tooLarge(MOST_TEXT)
      yield chunk
    }
  } catch (error) {
    if (!/^(?:Z_|ERR_BUFFER|ERR_STREAM_PREMATURE)/.test(codeOf(error) ?? '')) throw error
    throw new UnreadableFile('The packed file (.gz) is damaged or not complete; pack it again.')
  }
}

function tooLarge(most: number): UnreadableFile {
  return new UnreadableFile(`The file takes more than ${most >> 20} MiB. Divide it, or export it as CSV.`)
}

function workbookOf(file: Buffer): WorkbookFile {
  let [left, marksLeft, isXlsx] = [MOST_UNPACKED, MOST_MARKS, false]
  let odsContent: string | undefined
  try {
    for (const { name, data, isDeflated } of entriesOf(file)) {
      const part = isDeflated ? inflateRawSync(data, { maxOutputLength: left + 1 }) : data
      left -= part.length
      if (left < 0) throw tooLarge(MOST_UNPACKED)
      // The library holds the whole tree of an .ods.
      marksLeft -= endsIn(part) * (name === 'content.xml' ? 4 : 1)
      if (marksLeft < 0) throw new UnreadableFile('The workbook has too many cells; export its list as CSV.')
      isXlsx ||= name === 'xl/workbook.xml'
      if (name === 'content.xml') odsContent = part.toString()
    }
  } catch (error) {
    if (error instanceof UnreadableFile) throw error
    if (codeOf(error) === 'ERR_BUFFER_TOO_LARGE') throw tooLarge(MOST_UNPACKED)
    throw new UnreadableFile('The workbook or ZIP file is damaged or not complete; save it again.')
  }
  if (isXlsx || odsContent !== undefined) return { file, odsContent }
  throw new UnreadableFile('The file is a ZIP archive. Unpack it, and import the list in it.')
}

/** The number of elements that end, by `/>` or `</`. */
function endsIn(part: Buffer): number {
  let n = 0
  for (let at = part.indexOf(0x2f); at !== -1; at = part.indexOf(0x2f, at + 1)) {
    if (part[at - 1] === 0x3c || part[at + 1] === 0x3e) n += 1
  }
  return n
}

/** The entries of a ZIP file, from the directory at its end. Throws RangeError if it is incomplete. */
function* entriesOf(file: Buffer) {
  // The library looks no further back, and a later end would name other parts than it unpacks.
  const end = file.lastIndexOf('PK\x05\x06', file.length - 22, 'latin1')
  let at = file.readUInt32LE(end + 16)
  let remaining = file.readUInt16LE(end + 10)
  // If a size does not fit, the library reads another directory, which would not be measured.
  const isLarge = file.readUInt32LE(end + 12) === 0xffffffff
  if (isLarge || remaining > MOST_ENTRIES) throw new RangeError('too large')
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
