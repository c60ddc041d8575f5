/**
 * One list in every form of file is read as the same: workbooks, JSON of several shapes, packed. What unpacks to more
 * than there is room for is refused before it is held.
 */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { Readable } from 'node:stream'
import { describe, it } from 'node:test'
import { deflateRawSync, gzipSync } from 'node:zlib'
import { writeOds } from 'hucre/ods'
import { writeXlsx } from 'hucre/xlsx'
import { openContainer } from '../../src/animals-file/container.ts'
import { readRules } from '../../src/animals-file/mapping.ts'
import { AnimalsFile } from '../../src/animals-file/read.ts'
import { anyCategories, pieces, stagedRows } from './staged.ts'

const HEADINGS = ['Animal ID', 'Name', 'Species', 'Status', 'Intake Date', 'Adopted'] as const
const ANIMALS = [
  ['A-1', 'Rex', 'Dog', 'Available', new Date(Date.UTC(2026, 10, 3)), false],
  ['A-2', 'Mia', 'Cat', 'On hold', new Date(Date.UTC(2026, 10, 4)), true],
  ['A-3', '', 'Dog', 'On hold', null, false],
] as const
const ROWS = [[...HEADINGS], ...ANIMALS.map((row) => [...row])]
const OBJECTS = ANIMALS.map((row) => Object.fromEntries(HEADINGS.map((heading, at) => [heading, row[at]])))
const READ = ['A-1 Rex Dog available', 'A-2 Mia Cat sold', 'A-3 A-3 Dog pending']
const CSV = ROWS.map((row) =>
  row.map((cell) => (cell instanceof Date ? cell.toISOString() : (cell ?? ''))).join(','),
).join('\n')

async function read(bytes: Buffer | Uint8Array | string, map: readonly string[] = []): Promise<string[]> {
  const categories = anyCategories()
  const options = { rowLimit: 65_536, withIds: false, mapping: readRules(map), categories, isSync: true }
  const file = new AnimalsFile(pieces(Buffer.from(bytes), 65_536), options)
  const rows = await stagedRows(file)
  return rows.map(({ reference, name, categoryId, status }) =>
    [reference, name, categories.added.get(categoryId), status].join(' '),
  )
}

/** A ZIP file; the sizes that it claims need not be true. */
function zip(entries: Readonly<Record<string, Buffer>>): Buffer {
  const [parts, directory]: [Buffer[], Buffer[]] = [[], []]
  let offset = 0
  for (const [name, raw] of Object.entries(entries)) {
    const data = deflateRawSync(raw)
    const local = Buffer.alloc(30)
    local.writeUInt32BE(0x504b0304)
    local.writeUInt16LE(name.length, 26)
    const entry = Buffer.alloc(46)
    entry.writeUInt32BE(0x504b0102)
    entry.writeUInt16LE(8, 10)
    entry.writeUInt32LE(data.length, 20)
    entry.writeUInt16LE(name.length, 28)
    entry.writeUInt32LE(offset, 42)
    parts.push(local, Buffer.from(name), data)
    directory.push(entry, Buffer.from(name))
    offset += 30 + name.length + data.length
  }
  const end = Buffer.alloc(22)
  end.writeUInt32BE(0x504b0506)
  end.writeUInt16LE(Object.keys(entries).length, 10)
  end.writeUInt32LE(offset, 16)
  return Buffer.concat([...parts, ...directory, end])
}

describe('a list is read as the same', () => {
  const FORMS: Readonly<Record<string, () => Promise<Uint8Array> | string | Uint8Array>> = {
    CSV: () => CSV,
    'CSV, packed': () => gzipSync(CSV),
    'an array': () => JSON.stringify(OBJECTS, null, 2),
    'an envelope': () =>
      JSON.stringify({ meta: { pages: [1, 2] }, data: { animals: OBJECTS }, links: [{ rel: 'next' }] }),
    'JSON:API': () =>
      JSON.stringify({ data: OBJECTS.map((attributes, n) => ({ type: 'x', key: `k${n}`, attributes })) }),
    'an object a line': () => OBJECTS.map((one) => JSON.stringify({ ...one, photos: [{ url: '{"' }] })).join('\n'),
    '.xlsx, behind a sheet of remarks': () =>
      writeXlsx({
        sheets: [
          { name: 'Read me', rows: [['Our shelter']] },
          { name: 'List', rows: ROWS },
        ],
      }),
    '.ods': () => writeOds({ sheets: [{ name: 'List', rows: ROWS }] }),
  }
  for (const [form, write] of Object.entries(FORMS)) {
    it(`from ${form}`, async () => assert.deepEqual(await read(await write()), READ))
  }

  it('and what is left out of it is told: other sheets, other lists; a hidden sheet is none', async () => {
    const facts = async (bytes: Uint8Array | string) => {
      const options = { rowLimit: 65_536, withIds: false, mapping: readRules([]), categories: anyCategories() }
      const file = new AnimalsFile(pieces(Buffer.from(bytes)), options)
      await Array.fromAsync(file.rows())
      return [file.understood?.split(':')[0], ...file.notes.flatMap(({ text }) => text.match(/^Only .*/) ?? [])]
    }
    const old = { name: 'Old', rows: [['Name', 'Species']], hidden: true }
    const sheets = [old, { name: 'Dogs', rows: ROWS }, { name: 'Cats', rows: ROWS }]
    for (const write of [writeXlsx({ sheets }), writeOds({ sheets: sheets.slice(1) })])
      assert.deepEqual(await facts(await write), ['Read as the sheet "Dogs" of a workbook with 2 sheets'])
    const lists = JSON.stringify({ dogs: OBJECTS, cats: OBJECTS }, null, 2)
    const told = 'Only the first list of objects is read, and others are left out on 3 lines (29, 37, 45).'
    assert.deepEqual(await facts(lists), ['Read as UTF-8, JSON', told])
  })

  it('by a mapping of the keys of JSON, nested ones too', async () => {
    const text = JSON.stringify([{ code: 'x1', call: 'Rex', kind: { of: 'Dog' }, was: 'gone out' }])
    const map = ['reference=code', 'name=call', 'category=kind.of', 'status=was', 'status:gone out=sold']
    assert.deepEqual(await read(text, map), ['x1 Rex Dog sold'])
  })

  it('with the zeros that a sheet shows, all digits of a number that it shortens, and what is no date as nothing', async () => {
    for (const [numFmt, id, reference] of [
      ['0000', 7, '0007'],
      ['0.00E+00', 985_112_345_678_901, '985112345678901'],
      ['yyyy-mm-dd hh:mm', 46_000.25, '2025-12-09 06:00:00'],
    ] as const) {
      const columns = ['id', 'Name', 'Species', 'Born'].map((key) => ({ header: key, key, numFmt }))
      const data = [{ id, Name: 'Rex', Species: 'Dog', Born: 5_551_234_567 }]
      const sheets = [{ name: 'List', columns, data }]
      assert.deepEqual(await read(await writeXlsx({ sheets })), [`${reference} Rex Dog none`])
    }
  })

  it('and a workbook that is refused for its headings leaves no thread behind', async () => {
    const started = once(process, 'worker')
    const bytes = await writeXlsx({ sheets: [{ name: 'List', rows: ROWS }] })
    await assert.rejects(read(bytes, ['name=Nickname']), /no column Nickname/)
    assert.equal((await started)[0].threadId, -1)
  })
})

describe('a file that unpacks to far more than it is', () => {
  const zeros = Buffer.alloc(260 << 20)
  for (const [form, bytes, what] of [
    ['a packed list', gzipSync(zeros, { level: 1 }), /more than 256 MiB/],
    ['a workbook', zip({ 'xl/workbook.xml': Buffer.from('<a/>'), 'xl/sheet.xml': zeros }), /more than 128 MiB/],
  ] as const) {
    it(`is refused: ${form}`, async () => {
      const before = process.memoryUsage.rss()
      const all = async () => {
        const opened = await openContainer(Readable.from([bytes]))
        if ('text' in opened) for await (const chunk of opened.text) assert(chunk.length < 1 << 20)
      }
      await assert.rejects(all, what)
      const grown = process.memoryUsage.rss() - before
      assert(grown < 100 << 20, `${grown} bytes`)
    })
  }

  it('and what is damaged says so', async () => {
    await assert.rejects(read(gzipSync(CSV).subarray(0, 60)), /\(\.gz\) is damaged/)
    await assert.rejects(read(zip({ 'list.csv': Buffer.from(CSV) })), /ZIP archive; unpack it/)
    await assert.rejects(read(zip({ 'xl/workbook.xml': Buffer.from('<a') })), /workbook cannot be read/)
  })
})
