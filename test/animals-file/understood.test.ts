/**
 * Files as people have them: columns, statuses and categories by their words. What is understood is what a plain table
 * says; anything else is named with its line and value, and no word is taken for another that looks like it.
 */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { stringify } from 'csv-stringify/sync'
import fc from 'fast-check'
import { Categories } from '../../src/animals-file/categories.ts'
import { NO_MAPPING, readMapping } from '../../src/animals-file/mapping.ts'
import { AnimalsFile } from '../../src/animals-file/read.ts'
import type { ReadOptions, Row } from '../../src/animals-file/row.ts'

const LABELS = new Map([
  [1n, 'Cats'],
  [2n, 'Dog'],
  [3n, 'Ponies'],
  [4n, 'Fische'],
  [5n, 'Mice'],
  [6n, 'Guinea Pigs'],
  [8n, 'Fish'],
  [9n, 'fish '],
])

/** What is understood: the model. Everything else is a problem. */
const CATEGORY_WORDS: Readonly<Record<string, bigint>> = {
  ...{ '1': 1n, '-7': -7n, cats: 1n, Cat: 1n, ' CATS ': 1n, Dog: 2n, DOGS: 2n, dógs: 2n, pony: 3n, ponies: 3n },
  ...{ mouse: 5n, MICE: 5n, 'guinea-pig': 6n, 'Guinea  Pigs': 6n, fische: 4n },
}
const STATUS_WORDS = {
  ...{ available: 'available', 'Available ': 'available', Adoptable: 'available', PENDING: 'pending' },
  ...{ 'On Hold': 'pending', on_hold: 'pending', 'In Foster': 'pending', ADOPTED: 'sold', adoption: 'sold' },
  sold: 'sold',
} as const
/** Also words whose letters are near to known ones. */
const OTHERS = ['', 'Cart', 'do', 'dogss', 'Catss', 'x', '07', '1.0', '9223372036854775808', 'fish', 'constructor']
const OTHER_STATUSES = ['soled', 'hold it', 'Transfer', 'old', 'pendng', 'lost', 'constructor', '__proto__']

async function read(text: string, options: Partial<ReadOptions> = {}): Promise<{ file: AnimalsFile; rows: Row[] }> {
  const bytes = (async function* () {
    yield Buffer.from(text)
  })()
  const file = new AnimalsFile(bytes, {
    ...{ rowLimit: 65_536, withIds: false, mapping: NO_MAPPING, categories: new Categories(LABELS) },
    ...options,
  })
  return { file, rows: (await Array.fromAsync(file.rows())).flat() }
}

function adviceOf({ notes }: AnimalsFile): readonly string[] {
  return notes.flatMap(({ advice }) => (advice === undefined ? [] : [advice]))
}

describe('words of a file', () => {
  it('are what a plain table says, or a problem that shows line and value; the guess gives the same again', async () => {
    const row = fc.record({
      name: fc.string({ unit: 'grapheme', maxLength: 5 }).filter((text) => text.isWellFormed() && !text.includes('\0')),
      category: fc.constantFrom(...Object.keys(CATEGORY_WORDS), ...OTHERS),
      status: fc.constantFrom('', ...Object.keys(STATUS_WORDS), ...OTHER_STATUSES),
    })
    await fc.assert(
      fc.asyncProperty(
        fc.array(row, { maxLength: 6 }),
        fc.constantFrom('name', 'Animal Name', 'PET_NAME'),
        fc.constantFrom('categoryId', 'Species', 'Animal Type', 'type'),
        fc.constantFrom('Status', 'Outcome Type', 'availability'),
        async (rows, ...header) => {
          const text = stringify(
            [['Age', ...header], ...rows.map(({ name, category, status }) => ['9', name, category, status])],
            {
              quoted: true,
              quoted_empty: true,
            },
          ).replaceAll(/\r(?!\n)/g, '')
          const { file, rows: found } = await read(text)
          assert.equal(found.length, rows.length)
          for (const [index, { category, status }] of rows.entries()) {
            const categoryId = Object.hasOwn(CATEGORY_WORDS, category) ? CATEGORY_WORDS[category] : undefined
            const meant =
              status === '' || !Object.hasOwn(STATUS_WORDS, status)
                ? undefined
                : STATUS_WORDS[status as keyof typeof STATUS_WORDS]
            const isWrong = categoryId === undefined || (status !== '' && meant === undefined)
            const row = found[index]
            assert(row !== undefined && 'problems' in row === isWrong, JSON.stringify([category, status]))
            if ('value' in row) {
              assert.deepEqual([row.value.categoryId, row.value.status], [categoryId, meant])
              continue
            }
            const problems = row.problems.join('; ')
            if (categoryId === undefined)
              assert(problems.includes(category === '' ? 'is empty' : `"${category}"`), problems)
            if (status !== '' && meant === undefined)
              assert(problems.includes(`status: "${status}" is not one of`), problems)
          }
          const [keep = ''] = adviceOf(file).filter((advice) => advice.startsWith('To keep it so'))
          const mapping = readMapping(/--map "(.*)"$/.exec(keep)?.[1] ?? 'name=name')
          if (keep === '') return
          const again = await read(text, { mapping })
          assert.deepEqual(again.rows, found)
          assert(!again.file.notes.some(({ text }) => text.startsWith('Guessed')))
        },
      ),
      { numRuns: 100 },
    )
  })

  it('name a column only where one fits; otherwise it says which could be meant', async () => {
    await assert.rejects(
      read('Name,Species,Animal Type\nRex,1,1\n'),
      /^UnreadableFile: Line 1: "Species" and "Animal Type" could each be the categoryId\. .*--map "categoryId=Species"\.$/,
    )
    await assert.rejects(read('Name,Type,Outcome,Availability\nRex,1,,\n'), /or --map "status=" if none is/)
    const [own] = (await read('Name,Type,categoryId\nRex,x,1\n')).rows
    assert.deepEqual(own, { line: 2, value: { name: 'Rex', categoryId: 1n } })
    const mapping = readMapping('status=')
    const [none] = (await read('Name,Type,Outcome,Availability\nRex,1,sold,x\n', { mapping })).rows
    assert.deepEqual(none, { line: 2, value: { name: 'Rex', categoryId: 1n } })
  })

  it('can mean no status, and a mapping ranks before what is known', async () => {
    const mapping = readMapping('status:died=,status:adopted=pending,status:=available,categoryId:pup=Dogs')
    const { rows } = await read('name,categoryId,status\na,1,Died\nb,1,Adopted\nc,pup,\n', { mapping })
    assert.deepEqual(
      rows.map((row) => 'value' in row && [row.value.categoryId, row.value.status]),
      [
        [1n, undefined],
        [1n, 'pending'],
        [2n, 'available'],
      ],
    )
  })
})

describe('names of categories', () => {
  it('that could be two are a problem, and one that is not there is told with those that are', () => {
    const categories = new Categories(LABELS)
    assert.deepEqual(categories.of('fish'), { problem: 'could be 8 or 9; write the number' })
    assert.deepEqual(categories.of('Cart'), {
      problem:
        'is neither a whole number nor the name of a category: Cats, Dog, Ponies, Fische, Mice, Guinea Pigs, Fish, fish ',
    })
  })

  it('that are new get the first numbers that nothing has, once each, and no number of the file means two things', () => {
    const making = { used: [3n, 4n], rule: 'no digits', isName: (text: string) => !/\d/.test(text) }
    const categories = new Categories(new Map([[1n, 'Cats']]), making)
    assert.deepEqual(categories.of('6'), { id: 6n })
    const said = ['Rabbit', 'rabbits', 'Emu', 'emu', 'Hen', 'cat'].map((word) => categories.of(word))
    assert.deepEqual(
      said.map((meaning) => 'id' in meaning && meaning.id),
      [2n, 2n, 5n, 5n, 7n, 1n],
    )
    assert.deepEqual(
      [...categories.added],
      [
        [2n, 'Rabbit'],
        [5n, 'Emu'],
        [7n, 'Hen'],
      ],
    )
    assert.deepEqual(categories.of('5'), { problem: 'is the number that "Emu" is given here; name it before' })
    assert.deepEqual(categories.of('R2'), { problem: 'cannot be a name: no digits' })
    assert('problem' in categories.of('07') && 'problem' in categories.of('9223372036854775808'))
  })
})

describe('what is told of a file', () => {
  it('is each thing once, with its number and first lines', async () => {
    const header = 'Name,Species,Species,Age,Outcome\n'
    const text = `${header}a,cat,,,Adopted\n,1,,,lost\n${header} ,1,,,Lost\n,1,,,LOST\n,1,,,lost\nb,emu,,,hold\n`
    await assert.rejects(read(text), /could each be the categoryId/)
    const { file } = await read(text, { mapping: readMapping('categoryId=Species') })
    assert.deepEqual(
      file.notes.map(({ text }) => text),
      [
        'Guessed: status=Outcome, status:adopted=sold, status:hold=pending.',
        'Categories by another form of their name: "cat" is 1 (Cats).',
        'Columns left out: Species, Age.',
        'The heading "Species" is there 2 times; the first of these columns, number 2, is used.',
        'The header is there again on line 4, and left out.',
        'No name on 4 lines (3, 5, 6, …): such an animal has an empty name.',
        'Not understood as a status: "lost" on 4 lines (3, 5, 6, …).',
        'Not understood as a category: "emu" on line 8.',
      ],
    )
    assert.deepEqual(adviceOf(file), [
      'To keep it so: --map "status=Outcome,status:adopted=sold,status:hold=pending"',
      'Say what they mean, available, pending, sold or nothing: --map "status:lost=MEANING"',
      '`pets categories set` or --new-categories names them; or say what they mean: --map "categoryId:emu=MEANING"',
    ])
  })
})
