/** A mapping: its text, and what a row means by it, without a file. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { applier } from '../../src/animals-file/apply.ts'
import { headingsOf, linesOf, readMapping, textOf } from '../../src/animals-file/mapping.ts'

describe('a mapping', () => {
  it('is the same after it is written as text, in whatever order its lines were', () => {
    const text = `
# a comment
status: In Foster = pending
name = Animal Name
category = * Dogs
sold = Adoption Date, "Given to, by"
reference = Animal ID
status = Stage
status: = available
gone: Location = DOA
status: Adopted* = sold
dates = day first
missing = remove
list-name = dogs`
    const lines = linesOf(readMapping(text))
    assert.deepEqual(linesOf(readMapping(textOf(lines))), lines)
    assert.deepEqual(
      [...headingsOf(readMapping(text)).keys()].sort(),
      ['adoptiondate', 'animalid', 'animalname', 'given to, by'.replaceAll(' ', ''), 'location', 'stage'].sort(),
    )
  })

  for (const [line, refusal] of [
    ['nmae = Name', /"nmae = Name" should be KEY = VALUE/],
    ['status: Adopted = gone away', /should be status: WORD = available, pending/],
    ['category: Canine =', /should be category: VALUE = CATEGORY/],
    ['missing = everything', /should be missing = keep or missing = sold or missing = remove/],
    ['dates = ', /should be dates = day first/],
    ['just words', /should be KEY = VALUE/],
  ] as const) {
    it(`is refused where a line cannot be read: ${line}`, () => assert.throws(() => readMapping(line), refusal))
  }
})

const HEADER = ['ID', 'Name', 'Species', 'Status', 'Adopted', 'Died', 'Place']
const BASE = 'reference = ID\nname = Name\ncategory = Species\n'

describe('a row means', () => {
  const rows: readonly (readonly [title: string, mapping: string, cells: string, meaning: string | undefined])[] = [
    ['what a line says of its word', 'status = Status\nstatus: On hold = pending', 'On hold,,,', 'pending'],
    ['the same in any case and with accents', 'status = Status\nstatus: reserve = pending', ' RÉSERVÉ ,,,', 'pending'],
    ['what the longest beginning says', 'status = Status\nstatus: a* = sold\nstatus: ad* = gone', 'Adopted,,,', 'gone'],
    [
      'what the whole word says before a beginning',
      'status = Status\nstatus: a* = sold\nstatus: Away = none',
      'away,,,',
      'none',
    ],
    ['nothing where no line names its word', 'status = Status\nstatus: Adopted = sold', 'Adopted by Kim,,,', undefined],
    ['nothing for a word that is still asked', 'status = Status\nstatus: Hold = ?', 'Hold,,,', undefined],
    ['what an empty value means', 'status = Status\nstatus: = available', ',,,', 'available'],
    ['nothing for an empty value of which no line tells', 'status = Status\nstatus: Hold = none', ',,,', undefined],
    [
      'the strongest of word and column',
      'status = Status\nstatus: Ready = available\nsold = Adopted',
      'Ready,2 May,,',
      'sold',
    ],
    ['gone before sold', 'status =\nsold = Adopted\ngone = Died', ',2 May,3 May,', 'gone'],
    ['skip before gone', 'status =\ngone = Died\nskip = Place', ',,3 May,X', 'skip'],
    ['none before pending', 'status =\nnone = Died\npending = Adopted', ',x,x,', 'none'],
    ['nothing by a column with a no', 'status =\nstatus: = available\ngone = Died', ',,No,', 'available'],
    ['nothing by a column with a dash', 'status =\nstatus: = available\ngone = Died', ',,-,', 'available'],
    [
      'nothing by a column with a zero date',
      'status =\nstatus: = available\ngone = Died',
      ',,0000-00-00,',
      'available',
    ],
    ['what a line says of a value', 'status =\nstatus: = available\ngone: Place = DOA', ',,,doa', 'gone'],
    [
      'nothing by another value of that column',
      'status =\nstatus: = available\ngone: Place = DOA',
      ',,,Run 4',
      'available',
    ],
    ['nothing by a column that is not named', 'status =\nstatus: = available', 'Deceased,2 May,3 May,DOA', 'available'],
    ['what a no means where a line names it', 'status =\nstatus: = available\nnone: Adopted = no', ',no,,', 'none'],
    [
      'nothing for an error of a spreadsheet outside the status',
      'status =\nstatus: = available\ngone = Died',
      ',,#N/A,',
      'available',
    ],
    ['what is asked for an error in the status', 'status = Status\nstatus: = available', '#N/A,,,', undefined],
  ]
  for (const [title, mapping, cells, meaning] of rows) {
    it(title, () => {
      const apply = applier(readMapping(BASE + mapping), HEADER)
      assert.equal(apply(['1', 'Rex', 'Dog', ...cells.split(',')]).meaning, meaning)
    })
  }

  it('a category by its line, by its own name or by that of all', () => {
    const category = (mapping: string) =>
      applier(readMapping(`${BASE}${mapping}`), HEADER)(['1', 'Rex', 'Canine', '', '', '', '']).category
    assert.deepEqual(
      [category('category: canine = Dog'), category(''), category('category = * Cats')],
      ['Dog', 'Canine', 'Cats'],
    )
  })

  it('days in the order that the mapping says', () => {
    const day = (order: 'day first' | 'month first', text: string) => {
      const { cameOn = 0 } = applier(readMapping(`arrived = ID\ndates = ${order}`), HEADER)([text])
      return new Date(cameOn * 86_400_000).toISOString().slice(0, 10)
    }
    const cases = [
      ['03/11/2026', '2026-11-03'],
      ['3. 11. 2026', '2026-11-03'],
      ['2026-11-03T10:00', '2026-11-03'],
      ['3 nov. 2026', '2026-11-03'],
      ['3 de noviembre de 2026', '2026-11-03'],
      ['November 3rd, 2026', '2026-11-03'],
      ['2026年11月3日', '2026-11-03'],
      ['R8.11.3', '2026-11-03'],
      ['03/11/2569', '2026-11-03'],
      ['3 พ.ย. 2569', '2026-11-03'],
      ['115/11/03', '2026-11-03'],
      ['20261103', '2026-11-03'],
    ]
    for (const [text = '', iso] of cases) assert.equal(day('day first', text), iso, text)
    assert.equal(day('month first', '03/11/2026'), '2026-03-11')
  })
})
