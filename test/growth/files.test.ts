/** To read a file of animals takes time that grows with the file, whatever is in it. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Categories } from '../../src/animals-file/categories.ts'
import { mappingOf, NO_MAPPING } from '../../src/animals-file/mapping.ts'
import { AnimalsFile } from '../../src/animals-file/read.ts'
import { INT64_MAX } from '../../src/contract/int64.ts'
import { assertEven, REPEATED, repeated, type Text } from './growth.ts'

const CHUNK = 65_536

async function readAnimals(file: string | Buffer): Promise<void> {
  const bytes = Buffer.from(file)
  const chunks = (async function* () {
    for (let at = 0; at < bytes.length; at += CHUNK) yield bytes.subarray(at, at + CHUNK)
  })()
  const naming = { gaps: [{ low: 0n, high: INT64_MAX }], rule: '', isName: () => true, isFirst: true }
  const categories = new Categories(new Map(), naming)
  const options = { rowLimit: 16 << 20, withIds: false, mapping: NO_MAPPING, skipInvalid: true, categories }
  const animals = new AnimalsFile(chunks, options)
  for await (const batch of animals.batches()) assert(batch)
  assert(animals.notes && animals.understood)
}

const inQuotes = (text: string) => `"${text.replaceAll('"', '""')}"`
/** Of a file that is larger than what is read at a time. */
const large =
  (text: Text): Text =>
  (length) =>
    text(64 * length)
const lines = (line: (n: number) => string): Text => {
  return (length) => Array.from({ length: length / 8 }, (_, n) => line(n)).join('\n')
}
const columns = (headings: string, cells: string): Text => {
  return (length) => `Name,Species,${headings.repeat(length / 8)}x\na,Dog,${cells.repeat(length / 8)}x\nb,Cat\n`
}

const SHAPES: Readonly<Record<string, Text>> = {
  'a file that ends many times': large(repeated('\u001a', 'Name,Species\nRex,Dog\n')),
  'a line without end': large(repeated('a', 'Name,Species\nRex,')),
  'an object without end': large(repeated('a', '{"name":"')),
  'new categories': lines((n) => (n === 0 ? 'Name,Species' : `Rex,kind x${n}`)),
  'objects with other keys': lines((n) => `{"name":"Rex","species":"Dog","key ${n}":1}`),
  'many columns of animals': columns('Animal,', 'a,'),
  'many columns of kinds': columns('Dog,', 'Dog,'),
  'many columns of statuses': columns('Status,', 'sold,'),
  'many columns of yes and no': columns('Adopted,', 'yes,'),
}

describe('reading a file grows as the file does', () => {
  it('with any text as heading, cell and row', () =>
    assertEven(
      'a file',
      (text) => readAnimals(`Name,Species,${inQuotes(text)}\n${inQuotes(text)},Dog,${inQuotes(text)}\n${text},Cat,\n`),
      REPEATED,
    ))

  it('with any text as the file', () => assertEven('a file', readAnimals, REPEATED))

  it('with any text in JSON', () =>
    assertEven('JSON', (text) => readAnimals(`[{"name":${JSON.stringify(text)},"species":"Dog"},{${text}`), REPEATED))

  for (const [what, text] of Object.entries(SHAPES)) it(`with ${what}`, () => assertEven(what, readAnimals, [text]))

  it('with a long line that is not UTF-8', () =>
    assertEven('a line', (text) => readAnimals(Buffer.from(text, 'latin1')), [large(repeated('é', 'Name,Species\n'))]))

  it('with a mapping of many words', () => {
    const words = lines((n) => `status: word ${n} = sold`)
    return assertEven('a mapping', (text) => mappingOf([text.replaceAll('\n', ',')]), [words])
  })
})
