/**
 * Reading animals from CSV and NDJSON: exact whatever the spelling and wherever the bytes are cut, mistakes named by
 * line.
 */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { stringify } from 'csv-stringify/sync'
import fc from 'fast-check'
import { NO_MAPPING, readRules } from '../../src/animals-file/mapping.ts'
import { AnimalsFile } from '../../src/animals-file/read.ts'
import type { CheckedRow, ReadOptions } from '../../src/animals-file/row.ts'
import { INT64_MAX, INT64_MIN } from '../../src/contract/int64.ts'
import { petJson } from '../../src/contract/json.ts'
import { runs } from '../support/draws.ts'
import { pieces } from './staged.ts'

const PLAIN: ReadOptions = { rowLimit: 65_536, withIds: false, mapping: NO_MAPPING }
const HEADER = 'name,categoryId,status\n'

/** The text in a code page of single bytes. */
function encode(text: string, page: string): Buffer {
  const decoder = new TextDecoder(page)
  const byte = new Map(Array.from({ length: 256 }, (_, n) => [decoder.decode(Uint8Array.of(n)), n] as const))
  return Buffer.from([...text].map((character) => byte.get(character) ?? 0x3f))
}

const opened = (
  bytes: Buffer | string,
  { size = Infinity, ...options }: Partial<ReadOptions> & { size?: number } = {},
) => new AnimalsFile(pieces(Buffer.from(bytes), size), { ...PLAIN, ...options })

async function allRows(file: AnimalsFile): Promise<CheckedRow[]> {
  return (await Array.fromAsync(file.rows())).flat()
}

const namesIn = async (file: AnimalsFile) =>
  (await allRows(file)).map((row) => ('value' in row ? row.value.name : row.problems))

const pet = (name: string) => ({ name, categoryId: 0n, status: 'available' as const })

const read = (bytes: Buffer | string, size = Infinity) => allRows(opened(bytes, { size }))

/** The lines with mistakes, each with the first word of the first. */
async function mistakes(text: string): Promise<string> {
  const rows = await read(text)
  return rows.flatMap((row) => ('problems' in row ? `${row.line} ${row.problems[0]?.split(/[: ]/)[0]}` : [])).join(', ')
}

const pets = fc.array(
  fc.record({
    name: fc.oneof(
      fc.string({ unit: 'grapheme' }).filter((text) => text.isWellFormed() && !text.includes('\0')),
      fc.stringMatching(/^[a",\r\n é\ufeff']{0,8}$/),
    ),
    categoryId: fc.bigInt({ min: INT64_MIN, max: INT64_MAX }),
    status: fc.constantFrom('available' as const, 'pending' as const, 'sold' as const, undefined),
  }),
  { minLength: 1, maxLength: 12 },
)
type Animal =
  | ReturnType<typeof pet>
  | { name: string; categoryId: bigint; status: 'available' | 'pending' | 'sold' | undefined }

describe('reading animals from a file', () => {
  /** Written by `write`, of either line end, with or without a byte order mark, and cut anywhere. */
  const givenBack = (write: (animals: readonly Animal[], newline: string) => string) =>
    fc.asyncProperty(
      pets,
      fc.constantFrom('\n', '\r\n'),
      fc.constantFrom('', '\ufeff'),
      fc.integer({ min: 1, max: 40 }),
      async (pets, newline, mark, size) => {
        const rows = await read(`${mark}${write(pets, newline)}`, size)
        assert.deepEqual(
          rows.map((row) => ('value' in row ? row.value : row)),
          pets.map(({ name, categoryId, status }) => ({ name, categoryId, ...(status && { status }) })),
        )
      },
    )

  it('gives back every name and every digit, from CSV of either line end, with or without a byte order mark, cut anywhere (R5)', async () => {
    const write = (pets: readonly Animal[], newline: string) => {
      const rows = pets.map(({ name, categoryId, status }) => [name, categoryId.toString(), status])
      return stringify([['name', 'categoryId', 'status'], ...rows], {
        record_delimiter: newline,
        quoted_match: /[\r\n]/,
      })
    }
    const examples: [Animal[], string, string, number][] = [[[pet('\ufeff'), pet('\r", ')], '\n', '', 1]]
    await fc.assert(givenBack(write), { numRuns: runs(100), examples })
  })

  it('gives back the same from NDJSON, cut anywhere (R5)', async () => {
    const lineOf = ({ name, categoryId, status }: Animal) =>
      petJson(1n, name, categoryId, status).replace('"id":1,', '')
    await fc.assert(
      givenBack((pets, newline) => pets.map(lineOf).join(newline)),
      { numRuns: runs(100) },
    )
    const [, second] = await read('{"name":"a","categoryId":1}\n{"name":"b","categoryId":1}')
    assert.equal(second?.line, 2)
  })

  it('takes the columns in any order, others beside them, and none for the status', async () => {
    assert.deepEqual(await read('status,age,name,categoryId\nsold,3,Rex,7\n'), [
      { line: 2, value: { name: 'Rex', categoryId: 7n, status: 'sold' } },
    ])
    assert.deepEqual(await read('name,categoryId\nRex,7\n'), [{ line: 2, value: { name: 'Rex', categoryId: 7n } }])
  })

  it('names each mistake by the line that an editor shows, blank lines and quoted line ends counted', async () => {
    const csv = `${HEADER}Rex,1,sold\n\nB,x,\n"two\nlines",2,\nC,1,zzz\nD,1\nE,1,,9\nF"f""f",1,\nG,07,\n`
    assert.equal(await mistakes(csv), '4 category, 7 status, 8 has, 9 has, 10 has, 11 category')
    const json = '{"name":"a","categoryId":1}\n\n{oops}\n{"name":"b"}\n{"id":4,"name":"c","categoryId":1}\n'
    assert.equal(await mistakes(json), '3 is, 4 category')
  })

  it('never loses the rows after a broken quote: it reports the line of the quote and stops', async () => {
    await assert.rejects(
      read(`${HEADER}A,1,\n"B"b,2,\nC,3,\n`),
      /^UnreadableFile: Line 3: the quotes of this row are broken/,
    )
    await assert.rejects(read(`${HEADER}A,1,\n"B,2,\nC,3,\nD,4,\n`), /^UnreadableFile: Line 3: the quotes/)
  })

  it('reports a line of NDJSON that is longer than the body limit, and continues after it', async () => {
    const line = (length: number) => `{"name":"${'é'.repeat(length)}","categoryId":1}`
    const fits = line((65_536 - line(0).length) / 2)
    assert.equal(Buffer.byteLength(fits), 65_536)
    for (const pieceSize of [Infinity, 1_000, 65_536]) {
      const rows = await read([fits, line(40_000), line(1), `${fits} `].join('\n'), pieceSize)
      assert.deepEqual(
        rows.map((row) => ('problems' in row ? [row.line, ...row.problems] : row.line)),
        [1, [2, 'is longer than 65536 bytes'], 3, [4, 'is longer than 65536 bytes']],
      )
    }
  })

  it('keeps nothing of a line that is too long, of any length', async () => {
    const piece = Buffer.alloc(65_536, 'x')
    const beforeBytes = process.memoryUsage().heapUsed
    let mostBytes = 0
    const pieces = async function* () {
      yield Buffer.from('{"name":"')
      for (let i = 0; i < 2_000; i += 1) {
        yield piece
        mostBytes = Math.max(mostBytes, process.memoryUsage().heapUsed)
      }
      yield Buffer.from('","categoryId":1}\n{"name":"a","categoryId":1}')
    }
    const rows = await allRows(new AnimalsFile(pieces(), PLAIN))
    assert.deepEqual(
      rows.map((row) => 'problems' in row),
      [true, false],
    )
    assert(mostBytes - beforeBytes < 120_000_000, `${mostBytes - beforeBytes} bytes`)
  })

  it('ends at a row of CSV that is longer than the body limit: its quote may be open to the end of the file', async () => {
    const long = 'x'.repeat(66_000)
    await assert.rejects(read(`${HEADER}A,1,\n${long},1,\n`), /^UnreadableFile: Line 3: .* longer than 65536 bytes/)
    await assert.rejects(read(`${HEADER}A,1,\n"B,1,\n${'C,1,\n'.repeat(20_000)}`), /^UnreadableFile: Line 3: /)
    await assert.rejects(read(long), /^UnreadableFile: Line 1: .* longer/)
    await assert.rejects(read(' '.repeat(100_000)), /longer than 65536 bytes/)
  })

  it('shows a wrong header without its control characters', async () => {
    await assert.rejects(read('na\x1b[31mme,categoryId\n'), /the headings are: na\\u\{1b\}\[31mme, categoryId/)
  })

  it('recognises UTF-8, UTF-16 with or without a byte order mark, and Windows-1252, wherever the bytes are cut', async () => {
    const text = 'Name,CategoryID\nJosé,1\nŽofie,2\n'.replace('Ž', 'Z')
    const utf16 = Buffer.from(text, 'utf16le')
    const swapped = Buffer.from(utf16).swap16()
    for (const [bytes, encoding] of [
      [Buffer.from(text), 'UTF-8'],
      [Buffer.concat([Buffer.from([0xff, 0xfe]), utf16]), 'UTF-16'],
      [Buffer.concat([Buffer.from([0xfe, 0xff]), swapped]), 'UTF-16'],
      [utf16, 'UTF-16'],
      [swapped, 'UTF-16'],
      [Buffer.from(text, 'latin1'), 'Windows-1252'],
    ] as const) {
      for (const pieceSize of [1, 2, 3, 7, 1_000]) {
        const file = opened(bytes, { size: pieceSize })
        assert.deepEqual(await namesIn(file), ['José', 'Zofie'], `${encoding} in pieces of ${pieceSize}`)
        assert.match(file.understood ?? '', new RegExp(`^Read as ${encoding}, CSV with commas: name from "Name"`))
      }
    }
  })

  it('reads lines of a UTF-8 file that are not UTF-8 in their own code page, and names them', async () => {
    const joined = Buffer.concat([Buffer.from(`${HEADER}É,1,\nB`), Buffer.from([0xe9]), Buffer.from(',2,\n')])
    for (const pieceSize of [1, 3, 1_000]) {
      const file = opened(joined, { size: pieceSize })
      assert.deepEqual(await namesIn(file), ['É', 'Bé'])
      assert.deepEqual(
        file.notes.map(({ text }) => text),
        ['Line 3 is not UTF-8, and read as Windows-1252, as are others like it.'],
      )
    }
  })

  it('takes the code page in which the letters make words', async () => {
    for (const [text, page, encoding] of [
      ['Bärchen\nGroße Straße\nÉclair\n', 'windows-1252', 'Windows-1252'],
      ['Łatek\nŻabka\nBiałka\nŚnieżka\n', 'windows-1250', 'Windows-1250'],
      ['Bärchen\nCaf\u00e9\nÑoña\nGrün\n', 'macintosh', 'Mac OS Roman'],
      // Symbols that are right where they stand make a text of no other page.
      ['“Lucky” the dog\n', 'windows-1252', 'Windows-1252'],
      ['REX…\nPRO™\n', 'windows-1252', 'Windows-1252'],
      ['Niño ¿que come?\n', 'windows-1252', 'Windows-1252'],
      ['Bärchen\nGrün\n', 'macintosh', 'Mac OS Roman'],
    ] as const) {
      const names = text.trim().split('\n')
      const file = opened(encode(`name,categoryId\n${names.map((name) => `${name},1\n`).join('')}`, page))
      assert.deepEqual(await namesIn(file), names)
      assert.match(file.understood ?? '', new RegExp(`^Read as ${encoding}`))
    }
    // 멍멍이, as Excel in Korea saves it.
    const korean = opened(
      Buffer.concat(['name,categoryId\n', Buffer.from('b8dbb8dbc0cc', 'hex'), ',1\n'].map(Buffer.from)),
    )
    assert.deepEqual(await namesIn(korean), ['멍멍이'])
  })

  it('leaves out a last 0x1A, marks of joined files, and line ends of every kind', async () => {
    const file = opened('\ufeffname,categoryId\r\nRex,1\nLuna,2\rMia,3\r\n\ufeff"name","categoryId"\nTom,4\n\u001a')
    assert.deepEqual(await namesIn(file), ['Rex', 'Luna', 'Mia', 'Tom'])
  })

  it('finds the separator by the header or by sep=, and skips rows that contain only separators', async () => {
    for (const [text, words] of [
      ['name;categoryId;status\nRex;7;sold\n;;\n', 'semicolons'],
      ['name\tcategoryId\tstatus\nRex\t7\tsold\n\t \t\n', 'tabs'],
      ['sep=;\nname;categoryId;status\nRex;7;sold\n;;\n', 'semicolons'],
      ['"sep=;"\r\nname;categoryId;status\r\nRex;7;sold\r\n;;\r\n', 'semicolons'],
      ['sep=,\nname,categoryId,status\nRex,7,sold\n,,\n', 'commas'],
      ['"a;b;c;d",name,categoryId,status\n1,Rex,7,sold\n,,,\n', 'commas'],
    ] as const) {
      const file = opened(text)
      const [row, ...rest] = await allRows(file)
      assert.deepEqual(row && 'value' in row && row.value, { name: 'Rex', categoryId: 7n, status: 'sold' }, text)
      assert.deepEqual(rest, [])
      assert.equal(file.understood, `Read as UTF-8, CSV with ${words}: name, categoryId, status; 1 blank row skipped.`)
    }
  })

  it('reads headings and statuses in any case with blanks around them, and keeps a name as it is', async () => {
    const rows = await read(' STATUS , Category ID ,NAME\n Available , 7 , Rex \n,8,Mia,\n')
    assert.deepEqual(
      rows.map((row) => ('value' in row ? row.value : row)),
      [
        { name: ' Rex ', categoryId: 7n, status: 'available' },
        { name: 'Mia', categoryId: 8n },
      ],
    )
  })

  it('refuses rules of a mapping that are none, and a header without a name', async () => {
    for (const rule of ['colour=Fur', 'name']) assert.throws(() => readRules([rule]), /should be FIELD=COLUMN/)
    await assert.rejects(
      read('Call,Sort\nRex,1\n'),
      /no column is understood as the name, nor as the category; the headings are: Call, Sort\. If it is the same/,
    )
  })

  it('keeps the ids that an export brings, exactly, and misses none (R5)', async () => {
    const GREATEST = 2n ** 62n - 1n
    for (const text of [
      `id,name,categoryId,status\n${GREATEST},Rex,7,\n`,
      `{"id":${GREATEST},"name":"Rex","categoryId":7}\n`,
    ]) {
      const [row] = await allRows(opened(text, { withIds: true }))
      assert.deepEqual(row && 'value' in row && row.value, { name: 'Rex', categoryId: 7n, id: GREATEST })
    }
    for (const text of [
      'id,name,categoryId\n1.5,Rex,7\n',
      'id,name,categoryId\n0,Rex,7\n',
      `{"id":${GREATEST + 1n},"name":"Rex","categoryId":7}`,
      '{"name":"Rex","categoryId":7}\n',
    ]) {
      const [row] = await allRows(opened(text, { withIds: true }))
      assert.match(String(row && 'problems' in row && row.problems), /^id: must be an integer/)
    }
  })

  it('says what a file of another kind should look like', async () => {
    await assert.rejects(read(''), /The file is empty; it should begin with the line name,categoryId,status/)
    await assert.rejects(read('\n \n'), /UnreadableFile/)
    await assert.rejects(read('Rex,7,sold\n'), /Line 1: no column is understood/)
    await assert.rejects(
      read('D1,Dog,Birch,M,Available\nD2,Cat,Cedar,M,Adopted\n'),
      /Line 1: the file has no line of headings; write one above it/,
    )
    for (const [bytes, what] of [
      ['504b0304140006000800', /ZIP file is damaged/],
      ['d0cf11e0a1b11ae1', /old kind \(\.xls\).* export it as "CSV UTF-8/],
      ['255044462d312e37', /is a PDF/],
      [Buffer.from('\n<html><table><tr>').toString('hex'), /web page \(HTML\), whatever its name says/],
      [Buffer.from('<?xml version="1.0"?><a/>').toString('hex'), /^UnreadableFile: The file is XML/],
      [Buffer.from('{"animals":[]}').toString('hex'), /holds no list of objects/],
      [Buffer.from('[{"name":"a","categoryId":1},').toString('hex'), /ends before it is complete/],
    ] as const) {
      await assert.rejects(read(Buffer.from(bytes, 'hex')), what)
    }
  })
})
