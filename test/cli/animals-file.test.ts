/** Reading animals from CSV and NDJSON: exact whatever the spelling and wherever the bytes are cut, mistakes named by line. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { stringify } from 'csv-stringify/sync'
import fc from 'fast-check'
import { type Row, readAnimals } from '../../src/cli/animals-file.ts'
import { INT64_MAX, INT64_MIN } from '../../src/contract/int64.ts'
import { petJson } from '../../src/contract/json.ts'

const HEADER = 'name,categoryId,status\n'

async function read(bytes: Buffer | string, pieceSize = Infinity, rowLimit = 65_536): Promise<Row[]> {
  const all = Buffer.from(bytes)
  const pieces = async function* () {
    for (let at = 0; at < all.length; at += pieceSize) yield all.subarray(at, Math.min(all.length, at + pieceSize))
  }
  return await Array.fromAsync(readAnimals(pieces(), rowLimit))
}

async function problems(bytes: Buffer | string): Promise<[number, string][]> {
  return (await read(bytes)).flatMap((row) =>
    'problems' in row ? [[row.line, row.problems.join('; ')] as [number, string]] : [],
  )
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

describe('reading animals from a file', () => {
  it('gives back every name and every digit, from CSV of either line end, with or without a byte order mark, cut anywhere (R5)', async () => {
    await fc.assert(
      fc.asyncProperty(
        pets,
        fc.constantFrom('\n', '\r\n'),
        fc.boolean(),
        fc.integer({ min: 1, max: 40 }),
        async (pets, newline, bom, pieceSize) => {
          const text = stringify(
            [
              ['name', 'categoryId', 'status'],
              ...pets.map(({ name, categoryId, status }) => [name, categoryId.toString(), status]),
            ],
            { record_delimiter: newline, quoted_match: /[\r\n]/ },
          )
          const rows = await read(`${bom ? '\ufeff' : ''}${text}`, pieceSize)
          assert.deepEqual(
            rows.map((row) => ('value' in row ? row.value : row)),
            pets.map(({ name, categoryId, status }) => ({ name, categoryId, ...(status && { status }) })),
          )
        },
      ),
      { numRuns: 300 },
    )
  })

  it('gives back the same from NDJSON, cut anywhere (R5)', async () => {
    await fc.assert(
      fc.asyncProperty(
        pets,
        fc.constantFrom('\n', '\r\n'),
        fc.boolean(),
        fc.integer({ min: 1, max: 40 }),
        async (pets, newline, bom, pieceSize) => {
          const lines = pets.map(({ name, categoryId, status }) =>
            petJson(1n, name, categoryId, status).replace('"id":1,', ''),
          )
          const rows = await read(`${bom ? '\ufeff' : ''}${lines.join(newline)}`, pieceSize)
          assert.deepEqual(
            rows,
            pets.map(({ name, categoryId, status }, index) => ({
              line: index + 1,
              value: { name, categoryId, ...(status && { status }) },
            })),
          )
        },
      ),
      { numRuns: 300 },
    )
  })

  it('takes the columns in any order, others beside them, and none for the status', async () => {
    assert.deepEqual(await read('status,age,name,categoryId\nsold,3,Rex,7\n'), [
      { line: 2, value: { name: 'Rex', categoryId: 7n, status: 'sold' } },
    ])
    assert.deepEqual(await read('name,categoryId\nRex,7\n'), [{ line: 2, value: { name: 'Rex', categoryId: 7n } }])
  })

  it('names each mistake by the line that an editor shows, blank lines and quoted line ends counted', async () => {
    assert.deepEqual(
      (await problems(`${HEADER}Rex,1,sold\n\nB,x,\n"two\nlines",2,\nC,1,lost\nD,1\nE,1,,9\nF"f,1,\nG,07,\n`)).map(
        ([line, text]) => [line, text.split(/[: ]/)[0]],
      ),
      [
        [4, 'categoryId'],
        [7, 'status'],
        [8, 'has'],
        [9, 'has'],
        [10, 'has'],
        [11, 'categoryId'],
      ],
    )
    assert.deepEqual(
      (await problems('{"name":"a","categoryId":1}\n\n{oops}\n{"name":"b"}\n{"id":4,"name":"c","categoryId":1}\n')).map(
        ([line, text]) => [line, text.split(/[: ]/)[0]],
      ),
      [
        [3, 'is'],
        [4, 'categoryId'],
        [5, 'id'],
      ],
    )
  })

  it('never loses the rows behind a broken quote: it says where the quotes break and stops', async () => {
    await assert.rejects(
      read(`${HEADER}A,1,\n"B"b,2,\nC,3,\n`),
      /^CommandFailed: Line 3: the quotes of this row are broken/,
    )
    await assert.rejects(read(`${HEADER}A,1,\n"B,2,\nC,3,\nD,4,\n`), /^CommandFailed: Line 3: the quotes/)
  })

  it('names a line of NDJSON that is longer than a body may be, and reads on behind it', async () => {
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

  it('reads a line of any length in a time that grows with it, and keeps none of it', async () => {
    const piece = Buffer.alloc(65_536, 'x')
    const pieces = async function* () {
      yield Buffer.from('{"name":"')
      for (let i = 0; i < 2_000; i += 1) yield piece
      yield Buffer.from('","categoryId":1}\n{"name":"a","categoryId":1}')
    }
    const before = process.threadCpuUsage()
    const rows = await Array.fromAsync(readAnimals(pieces(), 65_536))
    const { user } = process.threadCpuUsage(before)
    assert.deepEqual(
      rows.map((row) => 'problems' in row),
      [true, false],
    )
    assert(user < 5_000_000, `${user} µs for 131 MB`)
  })

  it('ends at a row of CSV that is longer than a body may be: its quote may be open to the end of the file', async () => {
    const long = 'x'.repeat(66_000)
    await assert.rejects(read(`${HEADER}A,1,\n${long},1,\n`), /^CommandFailed: Line 3: .* longer than 65536 bytes/)
    await assert.rejects(read(`${HEADER}A,1,\n"B,1,\n${'C,1,\n'.repeat(20_000)}`), /^CommandFailed: Line 3: /)
    await assert.rejects(read(long), /^CommandFailed: Line 1: .* longer/)
    await assert.rejects(read(' '.repeat(100_000)), /begins with more than 65536 blanks/)
  })

  it('shows a wrong header without its control characters', async () => {
    await assert.rejects(read('na\x1b[31mme,categoryId\n'), /it is na\\u\{1b\}\[31mme,categoryId/)
  })

  it('refuses what is not UTF-8, by its line, also in the very last byte', async () => {
    await assert.rejects(
      read(Buffer.from(`${HEADER}A,1,\nB\xe9,2,\nC,3,\n`, 'latin1')),
      /^CommandFailed: Line 3: the file is not UTF-8/,
    )
    await assert.rejects(
      read(Buffer.concat([Buffer.from(`${HEADER}A,1,\nB`), Buffer.from([0xc3])])),
      /Line 3: the file is not UTF-8/,
    )
    await assert.rejects(read(Buffer.from(`${HEADER}A,1,\n`, 'utf16le')), /header must name|not UTF-8/)
  })

  it('says what a file of another kind should look like', async () => {
    await assert.rejects(read(''), /The file is empty; it should begin with the line name,categoryId,status/)
    await assert.rejects(read('\n \n'), /CommandFailed/)
    await assert.rejects(
      read('name;categoryId\nRex;7\n'),
      /Line 1: the header must name the columns name,categoryId,status; it is name;categoryId/,
    )
    await assert.rejects(read('Rex,7,sold\n'), /Line 1: the header/)
    await assert.rejects(read('[{"name":"a","categoryId":1}]'), /one JSON object on each line/)
  })
})
