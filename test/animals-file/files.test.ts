/** Files of every form, as tables: what people see in them is what is read, and what is not a list is refused as what it is. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { deflateRawSync, gzipSync } from 'node:zlib'
import { writeOds } from 'hucre/ods'
import { writeXlsx } from 'hucre/xlsx'
import { ListReader, type Look } from '../../src/animals-file/reader.ts'
import type { RowFacts } from '../../src/animals-file/rows.ts'
import { INT64_MAX } from '../../src/contract/int64.ts'
import type { FileRow } from '../../src/store/staging.ts'
import { withFile } from '../support/lists.ts'

interface Reading {
  readonly look: Look
  readonly rows: readonly FileRow[]
  readonly facts: RowFacts | undefined
}

/** Reads a file in this thread. */
function read(bytes: string | Buffer | Uint8Array, mapping?: string): Promise<Reading> {
  return withFile(Buffer.from(bytes), async ({ fd }) => {
    const categories = { labels: new Map<bigint, string>(), gaps: [{ low: 0n, high: INT64_MAX }] }
    const how = { rowLimit: 65_536, isSync: false, byReference: false, withIds: false, nowMs: 0, kept: [] }
    const reader = new ListReader({ ...how, fd, source: 'list', categories, mapping, reference: undefined })
    const look = await reader.look()
    const batches = await Array.fromAsync(reader.rows())
    return { look, rows: batches.flatMap(({ rows }) => rows), facts: batches.at(-1)?.facts }
  })
}

const names = ({ rows }: Reading) => rows.map(({ name }) => name)
const told = ({ rows }: Reading) => rows.map((row) => `${row.name} ${row.newCategory} ${row.status}`)
const lineOf = ({ look }: Reading, key: string) => look.lines.find((line) => line.key === key)?.value

const HEADER = ['Animal ID', 'Name', 'Species', 'Status']
const ANIMALS = [
  ['A-1', 'Rex', 'Dog', 'Available'],
  ['A-2', 'Mia', 'Cat', 'On hold'],
]
const ROWS = [HEADER, ...ANIMALS]
const CSV = ROWS.map((row) => row.join(',')).join('\n')
const NO_STATUS = 'name = Name\ncategory = Species\nstatus: = none\n'
const OBJECTS = ANIMALS.map((row) => Object.fromEntries(HEADER.map((heading, at) => [heading, row[at]])))

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
  const envelope = { meta: { pages: [1, 2] }, tags: [{ id: 1 }], data: { animals: OBJECTS }, links: [{ rel: 'next' }] }
  const list = { name: 'List', rows: ROWS }
  const FORMS: Readonly<Record<string, string | Uint8Array | Promise<Uint8Array>>> = {
    CSV,
    'CSV, packed': gzipSync(CSV),
    'CSV with semicolons and quotes': ROWS.map((row) => row.map((cell) => `"${cell}"`).join('; ')).join('\r\n'),
    'UTF-16': Buffer.from(`\ufeff${CSV}`, 'utf16le'),
    'an array': JSON.stringify(OBJECTS, null, 2),
    'an envelope with other lists': JSON.stringify(envelope),
    'JSON:API': JSON.stringify({ data: OBJECTS.map((attributes) => ({ type: 'x', attributes })) }),
    'an object a line': OBJECTS.map((one) => JSON.stringify({ ...one, photos: [{ url: '{"' }] })).join('\n'),
    '.xlsx, behind a sheet of remarks': writeXlsx({ sheets: [{ name: 'Read me', rows: [['Our shelter']] }, list] }),
    '.ods': writeOds({ sheets: [list] }),
  }
  for (const [form, bytes] of Object.entries(FORMS)) {
    it(`from ${form}`, async () => {
      const reading = await read(await bytes)
      assert.deepEqual(told(reading), ['Rex Dog available', 'Mia Cat pending'])
      assert.equal(reading.rows[1]?.reference, 'A-2')
    })
  }
})

describe('a workbook', () => {
  it('has a question where two sheets could be the list, and is read whole where they have one header', async () => {
    const sheets = [
      { name: 'Old', rows: [['Name', 'Species']], hidden: true },
      { name: '2025', rows: ROWS },
      { name: '2026', rows: [HEADER, ['A-3', 'Tom', 'Cat', 'Available']] },
    ]
    const bytes = await writeXlsx({ sheets })
    assert.equal(lineOf(await read(bytes), 'sheet'), '?')
    assert.deepEqual(names(await read(bytes, `${NO_STATUS}sheet = 2026`)), ['Tom'])
    assert.deepEqual(names(await read(bytes, `${NO_STATUS}sheet = *`)), ['Rex', 'Mia', 'Tom'])
  })

  it('has a merged value in each row, and no hidden rows', async () => {
    const merges = [2, 3].map((column) => ({ startRow: 1, endRow: 2, startCol: column, endCol: column }))
    const rows = [HEADER, ['A-1', 'Rex', 'Dog', 'Adopted'], ['A-2', 'Bo', null, null], ['A-3', 'Mia', 'Cat', 'Sold']]
    const sheet = { name: 'List', rows, merges, rowDefs: new Map([[3, { hidden: true }]]) }
    const reading = await read(await writeXlsx({ sheets: [sheet] }))
    assert.deepEqual(told(reading), ['Rex Dog sold', 'Bo Dog sold'])
    assert.deepEqual(reading.facts?.skipped.hidden, { rows: 1, lines: [4] })
  })

  for (const [file, mapping, ...expected] of [
    ['filtered.xlsx', NO_STATUS, 'Rex Dog null', 'Luna Dog null', 'Mia Cat null'],
    ['filtered.ods', NO_STATUS, 'Rex Dog null', 'Luna Cat null'],
    ['merged.ods', undefined, 'Rex Dog available', 'Bruno Dog available', 'Luna Cat available'],
    ['two-header-rows.xlsx', undefined, 'Rex Dog available', 'Luna Cat sold'],
  ] as const) {
    it(`contains what people see in a public report: ${file}`, async () => {
      const bytes = readFileSync(join(import.meta.dirname, 'files', file))
      assert.deepEqual(told(await read(bytes, mapping)), expected)
    })
  }
})

describe('a table', () => {
  it('has titles above it and totals below it, and its header again, which are skipped', async () => {
    const text = `Our list\n\n${CSV}\n${HEADER.join(',')}\nTotal,2,,\n`
    const { facts, rows } = await read(text)
    assert.deepEqual([rows.length, facts?.skipped.header.rows, facts?.skipped.other.rows], [2, 1, 1])
  })

  for (const [title, more, refusal] of [
    ['another one begins below it', 'Animal ID,Name,Species,Adopted on\nA-9,Kim,Dog,', /4 another table begins/],
    ['quotes are broken', '"A-3"x,Kim,Dog,Available', /Line 4: the quotes of this row are broken/],
  ] as const) {
    it(`is refused where ${title}`, () => assert.rejects(read(`${CSV}\n${more}`), refusal))
  }

  it('has an invalid row where cells are missing or too many, or where a quote is in a cell without quotes', async () => {
    const { facts } = await read(`${CSV}\nA-3,Kim\nA-4,Tom,Cat,Available,and more\nA-5,Rex 5" tall,Dog,Available`)
    const problems = facts?.problems.map(({ line, text }) => `${line} ${text}`)
    assert.deepEqual(problems, [
      '4 has 2 fields where the header row has 4',
      '5 has 5 fields where the header row has 4',
      '6 has a quote inside a cell that is not in quotes',
    ])
  })
})

describe('JSON', () => {
  it('names the object of a problem, on whatever line it is', async () => {
    const { facts } = await read(JSON.stringify([...OBJECTS, { ...OBJECTS[0], 'Animal ID': 'x'.repeat(1_000) }]))
    assert.deepEqual([facts?.unit, facts?.problems.map(({ line }) => line)], ['object', [3]])
  })

  for (const [offset, isMore] of Object.entries({ itr1: true, 0: false })) {
    it(`has ${isMore ? '' : 'no '}more pages where an interface says ${offset}`, async () => {
      const { look } = await read(JSON.stringify({ records: OBJECTS, offset, version: 1.5 }))
      assert.equal(
        look.notes.some((note) => note.includes('more pages')),
        isMore,
      )
    })
  }
})

/** Text in a code page in which each of these letters is one byte. */
function inCodePage(text: string, page: string): Buffer {
  const decoder = new TextDecoder(page)
  const bytes = new Map(Array.from({ length: 256 }, (_, byte) => [decoder.decode(Uint8Array.of(byte)), byte]))
  return Buffer.from([...text].map((letter) => bytes.get(letter) ?? 0x3f))
}

describe('letters that are not UTF-8', () => {
  for (const [page, header, row] of [
    ['windows-1250', 'Nr;Imię;Gatunek;Status', 'P-1;Łatka;pies;do adopcji'],
    ['windows-1251', 'Номер;Кличка;Вид;Статус', 'R-1;Барсик;кошка;ищет дом'],
    ['windows-1252', 'Nr.;Tiername;Tierart;Status', 'D-1;Bärli;Hund;zu vermitteln'],
    ['windows-1253', 'Αριθμός;Όνομα;Είδος;Κατάσταση', 'G-1;Άρης;σκύλος;διαθέσιμος'],
  ] as const) {
    it(`are read as ${page} where its words say so`, async () => {
      const reading = await read(inCodePage(`${header}\n${row}\n`, page))
      assert.deepEqual([lineOf(reading, 'encoding'), names(reading)], [page, [row.split(';')[1]]])
    })
  }

  it('are asked where words do not tell code pages apart', async () => {
    const { look } = await read(inCodePage('Azonosító;Név;Faj\nH-1;Őszike;kutya\n', 'windows-1250'))
    const { value, candidates } = look.lines.find(({ key }) => key === 'encoding') ?? {}
    assert.deepEqual([value, candidates?.some(({ shows }) => shows.includes('Őszike'))], ['?', true])
  })

  it('are read as the mapping says', async () => {
    const bytes = inCodePage('ID;Name;Species\n1;Őz;Dog\n', 'windows-1250')
    assert.deepEqual(names(await read(bytes, `${NO_STATUS}encoding = windows-1250`)), ['Őz'])
    assert.deepEqual(names(await read(bytes, `${NO_STATUS}encoding = windows-1252`)), ['Õz'])
  })
})

describe('a file is refused as what it is', () => {
  const big = Buffer.alloc(60 << 20)
  const objects = Array.from({ length: 100 }, (_, n) => Array.from({ length: 100 }, (_, key) => [`k${n}.${key}`, 1]))
  const newKeys = objects.map((members) => JSON.stringify(Object.fromEntries(members))).join('\n')
  for (const [title, bytes, refusal] of [
    ['a picture', Buffer.from('89504e470d0a1a0a0000', 'hex'), /neither text nor a workbook/],
    ['bytes that are no text', Buffer.alloc(999, '\x00\x07\x05\x03\x01'), /neither text nor a workbook/],
    ['a PDF', Buffer.from('%PDF-1.7'), /is a PDF/],
    ['an old workbook', Buffer.from('d0cf11e0a1b11ae1', 'hex'), /workbook of the old kind/],
    ['a web page', '<!DOCTYPE html><table>', /is a web page/],
    ['an archive', zip({ 'list.csv': Buffer.from(CSV) }), /is a ZIP archive/],
    ['a damaged archive', gzipSync(CSV).subarray(0, 60), /\(\.gz\) is damaged/],
    ['nothing', '', /The file is empty/],
    ['a header alone', HEADER.join(','), /no animals below it/],
    ['258,000 columns', `name${','.repeat(258_000)}\n${'x\n'.repeat(1_000)}`, /1000 columns|longer than 65536 bytes/],
    ['a row without an end', `${CSV}\n"${'x'.repeat(200_000)}`, /longer than 65536 bytes/],
    ['objects of ever new keys', newKeys, /more than 1000 different keys/],
    ['objects that are too long', `{"name":"${'x'.repeat(70_000)}"}\n`.repeat(2), /Line 1 is longer than/],
    ['JSON that is nested without end', `[{"a":${'['.repeat(5_000)}`, /nested too deeply/],
    ['an .ods of too many cells', zip({ 'content.xml': Buffer.alloc(4 * 400_000, '<c/>') }), /too many cells/],
    ['JSON of too many values', `[${'[],'.repeat(2_000_001)}[]]`, /too many values/],
    ['a workbook of too many cells', zip({ 'xl/workbook.xml': Buffer.alloc(20 << 20, '<c/>') }), /too many cells/],
    ['JSON that is cut', '{"a":[{"name":"Rex"},', /damaged or not complete/],
    ['a workbook that unpacks to more than there is room for', zip({ 'xl/workbook.xml': big }), /more than 32 MiB/],
  ] as const) {
    it(title, async () => {
      await assert.rejects(read(bytes), refusal)
    })
  }

  it('a workbook with a second end is measured by the directory that is unpacked', async () => {
    const real = zip({ 'xl/workbook.xml': big })
    const name = 'xl/workbook.xml'
    const entry = Buffer.concat([Buffer.from('PK\x01\x02'), Buffer.alloc(42), Buffer.from(name)])
    entry.writeUInt16LE(name.length, 28)
    const second = Buffer.concat([Buffer.from('PK\x05\x06'), Buffer.alloc(16)])
    second.writeUInt16LE(1, 10)
    second.writeUInt32LE(real.length - 22, 16)
    const hidden = Buffer.concat([real.subarray(0, -22), entry, real.subarray(-22), second])
    await assert.rejects(read(hidden), /more than 32 MiB/)
  })
})
