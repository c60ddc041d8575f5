/**
 * Tells by its first bytes what a file is: a text, packed or not, or a workbook. What is neither is refused with what to
 * do. What unpacks to more than there is room for is refused as soon as that shows, whatever size it claims.
 */
import { pipeline, Readable } from 'node:stream'
import { createGunzip, createInflateRaw } from 'node:zlib'
import { UnreadableFile } from './row.ts'

/** A million animals take about 62 MB. */
const UNPACKED_BYTES = 256 << 20
const UNPACKED = `${UNPACKED_BYTES >> 20} MiB`
/** A list takes a tenth of its size when it is packed; what takes less than a hundredth is no list. */
const ORDINARY_BYTES = 16 << 20
const MOST_TIMES_PACKED = 100
/** The office takes no larger file either. */
const WORKBOOK_BYTES = 64 << 20
/** What the parts of a workbook may unpack to: some 300,000 animals. It is held in memory whole, unlike a text. */
const WORKBOOK_UNPACKED_BYTES = 128 << 20
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
  const all = (async function* () {
    yield start
    yield* { [Symbol.asyncIterator]: () => chunks }
  })()
  const magic = start.length < MAGIC_BYTES ? 0 : start.readUInt32BE(0)
  if (magic >>> 16 === 0x1f8b) return { text: unpacked(all) }
  if (magic === 0x504b0304) return { workbook: await readWorkbook(all) }
  if (magic === 0xd0cf11e0)
    throw new UnreadableFile(
      `The file is a workbook of the old kind (.xls), or one with a password; open it and ${EXPORT}`,
    )
  if (magic === 0x25504446) throw new UnreadableFile(`The file is a PDF, which holds no list to be read; ${EXPORT}`)
  return { text: all }
}

/** Throws UnreadableFile if the text is a page or a document in tags: an "Excel" button often gives one. */
export function refuseMarkup(start: string): void {
  if (!start.trimStart().startsWith('<')) return
  const what = /<(?:html|table|!doctype html)/i.test(start) ? 'a web page (HTML), whatever its name says' : 'XML'
  throw new UnreadableFile(`The file is ${what}; open it in a spreadsheet and ${EXPORT}`)
}

async function* unpacked(bytes: AsyncIterable<Buffer>): AsyncIterable<Buffer> {
  let [packed, length] = [0, 0]
  const counted = async function* () {
    for await (const chunk of bytes) {
      packed += chunk.length
      yield chunk
    }
  }
  try {
    for await (const chunk of pipeline(counted, createGunzip(), () => {})) {
      length += chunk.length
      const isBomb = length > ORDINARY_BYTES && length > MOST_TIMES_PACKED * packed
      if (isBomb || length > UNPACKED_BYTES) throw tooLarge(isBomb ? `${MOST_TIMES_PACKED} times its size` : UNPACKED)
      yield chunk
    }
  } catch (error) {
    throw isOfZlib(error)
      ? new UnreadableFile('The packed file (.gz) is damaged or not complete; pack it again.')
      : error
  }
}

function tooLarge(limit: string): UnreadableFile {
  return new UnreadableFile(`The file unpacks to more than ${limit}; divide it, or export it as CSV.`)
}

function isOfZlib(error: unknown): boolean {
  return error instanceof Error && 'code' in error && /^(?:Z_|ERR_BUFFER)/.test(String(error.code))
}

/** A workbook whose parts unpack to no more than is allowed, each of them counted by unpacking it. */
async function readWorkbook(bytes: AsyncIterable<Buffer>): Promise<Buffer> {
  const parts: Buffer[] = []
  let length = 0
  for await (const chunk of bytes) {
    length += chunk.length
    if (length > WORKBOOK_BYTES)
      throw new UnreadableFile(`The workbook is larger than ${WORKBOOK_BYTES >> 20} MiB; ${EXPORT}`)
    parts.push(chunk)
  }
  const file = Buffer.concat(parts)
  let room = WORKBOOK_UNPACKED_BYTES
  const names: string[] = []
  try {
    for (const { name, data, isDeflated } of entriesOf(file)) {
      names.push(name)
      if (!isDeflated) room -= data.length
      else
        for await (const chunk of Readable.from([data]).pipe(createInflateRaw())) {
          room -= chunk.length
          if (room < 0) break
        }
      if (room < 0) throw tooLarge(`${WORKBOOK_UNPACKED_BYTES >> 20} MiB`)
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
  for (let left = file.readUInt16LE(end + 10); left > 0; left -= 1) {
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
