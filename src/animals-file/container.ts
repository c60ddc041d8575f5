/**
 * Tells by its first bytes what a file is: a text, packed or not, or a workbook. What is neither is refused with what to
 * do. What unpacks to more than there is room for is refused as soon as that shows, whatever size it claims.
 */
import { pipeline, Readable } from 'node:stream'
import { createGunzip, createInflateRaw } from 'node:zlib'
import { codeOf } from '../common/errors.ts'
import { UnreadableFile, withFirst } from './row.ts'

/** A million animals take about 62 MB. */
const MOST_TEXT = 256 << 20
/** What a workbook may take, and what its parts may unpack to: some 300,000 animals. Unlike a text it is held whole. */
const MOST_WORKBOOK = 128 << 20
const MAGIC_BYTES = 4
const EXPORT = 'export it as "CSV UTF-8 (Comma delimited)" or .xlsx, and import that file.'

/** Throws UnreadableFile. */
export async function openContainer(
  bytes: AsyncIterable<Buffer>,
): Promise<{ readonly text: AsyncIterable<Buffer> } | { readonly workbook: Buffer }> {
  const chunks = bytes[Symbol.asyncIterator]()
  let start = Buffer.alloc(0)
  while (start.length < MAGIC_BYTES) {
    const next = await chunks.next()
    if (next.done === true) break
    start = Buffer.concat([start, next.value])
  }
  const all = withFirst(start, chunks)
  const magic = start.toString('hex', 0, MAGIC_BYTES)
  if (magic.startsWith('1f8b')) return { text: unpacked(all) }
  if (magic === '504b0304') return { workbook: await readWorkbook(all) }
  const old = `The file is a workbook of the old kind (.xls), or one with a password; open it and ${EXPORT}`
  if (magic === 'd0cf11e0') throw new UnreadableFile(old)
  if (magic === '25504446') throw new UnreadableFile(`The file is a PDF, which holds no list to be read; ${EXPORT}`)
  return { text: all }
}

/** Throws UnreadableFile if the text is a page or a document in tags: an "Excel" button often gives one. */
export function refuseMarkup(start: string): void {
  if (!start.trimStart().startsWith('<')) return
  const what = /<(?:html|table|!doctype html)/i.test(start) ? 'a web page (HTML), whatever its name says' : 'XML'
  throw new UnreadableFile(`The file is ${what}; open it in a spreadsheet and ${EXPORT}`)
}

async function* unpacked(bytes: AsyncIterable<Buffer>): AsyncIterable<Buffer> {
  const text = pipeline(bytes, createGunzip(), () => {})
  try {
    yield* within(MOST_TEXT, text)
  } catch (error) {
    if (!/^(?:Z_|ERR_BUFFER)/.test(codeOf(error) ?? '')) throw error
    throw new UnreadableFile('The packed file (.gz) is damaged or not complete; pack it again.')
  }
}

/** Throws UnreadableFile behind `most` bytes. */
async function* within(most: number, bytes: AsyncIterable<Buffer>, before = 0): AsyncIterable<Buffer> {
  let length = before
  for await (const chunk of bytes) {
    length += chunk.length
    if (length > most) throw new UnreadableFile(`The file takes more than ${most >> 20} MiB; divide it, or export CSV.`)
    yield chunk
  }
}

/** A workbook whose parts unpack to no more than is allowed, each of them counted by unpacking it. */
async function readWorkbook(bytes: AsyncIterable<Buffer>): Promise<Buffer> {
  const file = Buffer.concat(await Array.fromAsync(within(MOST_WORKBOOK, bytes)))
  const names: string[] = []
  let length = 0
  try {
    for (const { name, data, isDeflated } of entriesOf(file)) {
      const part = Readable.from([data])
      const parts = within(MOST_WORKBOOK, isDeflated ? part.pipe(createInflateRaw()) : part, length)
      for await (const chunk of parts) length += chunk.length
      names.push(name)
    }
  } catch (error) {
    if (error instanceof UnreadableFile) throw error
    throw new UnreadableFile('The workbook or ZIP file is damaged or not complete; save it again.')
  }
  if (names.includes('xl/workbook.xml') || names.includes('content.xml')) return file
  throw new UnreadableFile('The file is a ZIP archive; unpack it, and import the list that is in it.')
}

/** The entries of a ZIP file, by the directory at its end. Throws RangeError if it is cut. */
function* entriesOf(file: Buffer) {
  const end = file.lastIndexOf(Buffer.from('PK\x05\x06'))
  let at = file.readUInt32LE(end + 16)
  for (let remaining = file.readUInt16LE(end + 10); remaining > 0; remaining -= 1) {
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
