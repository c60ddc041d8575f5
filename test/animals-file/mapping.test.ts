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
    const headings = [...headingsOf(readMapping(text)).values()].sort()
    assert.deepEqual(headings, ['Adoption Date', 'Animal ID', 'Animal Name', 'Given to, by', 'Location', 'Stage'])
  })

  for (const [line, refusal] of [
    ['nmae = Name', /"nmae = Name" should be KEY = VALUE/],
    ['status: Adopted = gone away', /should be status: WORD = available, pending/],
    ['category: Canine =', /should be category: VALUE = CATEGORY/],
    ['missing = everything', /should be missing = keep or missing = sold or missing = remove/],
    ['just words', /should be KEY = VALUE/],
  ] as const) {
    it(`is refused where a line cannot be read: ${line}`, () => assert.throws(() => readMapping(line), refusal))
  }
})

const HEADER = ['ID', 'Name', 'Species', 'Status', 'Adopted', 'Died', 'Place']
const meaningOf = (mapping: string, cells: string) =>
  applier(readMapping(mapping.replaceAll('; ', '\n')), HEADER)(['1', 'Rex', 'Dog', ...cells.split(',')]).meaning

describe('a word of the status means', () => {
  for (const [title, lines, word, meaning] of [
    ['what its line says', 'On hold = pending', 'On hold', 'pending'],
    ['the same in any case and with accents', 'reserve = pending', ' RÉSERVÉ ', 'pending'],
    ['what the longest beginning says', 'a* = sold; status: ad* = gone', 'Adopted', 'gone'],
    ['what the whole word says before a beginning', 'a* = sold; status: Away = none', 'away', 'none'],
    ['nothing without a line', 'Adopted = sold', 'Adopted by Kim', undefined],
    ['nothing while it is asked', 'Hold = ?', 'Hold', undefined],
    ['what the line for an empty value says', '= available', '', 'available'],
    ['nothing if it is empty and has no line', 'Hold = none', '', undefined],
    ['nothing if it is an error of a spreadsheet', '= available', '#N/A', undefined],
  ] as const) {
    it(title, () => assert.equal(meaningOf(`status = Status; status: ${lines}`, `${word},,,`), meaning))
  }
})

describe('a row means', () => {
  for (const [title, lines, cells, meaning] of [
    ['sold by a column with a value', 'sold = Adopted', '2 May,,', 'sold'],
    ['gone before sold', 'sold = Adopted; gone = Died', '2 May,3 May,', 'gone'],
    ['skip before gone', 'gone = Died; skip = Place', ',3 May,X', 'skip'],
    ['none before pending', 'none = Died; pending = Adopted', 'x,x,', 'none'],
    ['nothing by a no', 'gone = Died', ',No,', 'available'],
    ['nothing by a dash', 'gone = Died', ',-,', 'available'],
    ['nothing by a zero date', 'gone = Died', ',0000-00-00,', 'available'],
    ['nothing by an error of a spreadsheet', 'gone = Died', ',#N/A,', 'available'],
    ['what a line says of a value', 'gone: Place = DOA', ',,doa', 'gone'],
    ['nothing by another value of that column', 'gone: Place = DOA', ',,Run 4', 'available'],
    ['nothing by a column without a line', 'gone: Place = DOA', '2 May,3 May,', 'available'],
    ['what a no means if a line names it', 'none: Adopted = no', 'no,,', 'none'],
  ] as const) {
    it(title, () => assert.equal(meaningOf(`status =; status: = available; ${lines}`, `,${cells}`), meaning))
  }

  it('a category by its line, by its own name or by that of all', () => {
    const category = (mapping: string) => applier(readMapping(mapping), HEADER)(['1', 'Rex', 'Canine']).category
    const found = ['category = Species\ncategory: canine = Dog', 'category = Species', 'category = * Cats'].map(
      category,
    )
    assert.deepEqual(found, ['Dog', 'Canine', 'Cats'])
  })

  it('days in the order that the mapping says', () => {
    const day = (order: 'day first' | 'month first', text: string) => {
      const { cameOn = 0 } = applier(readMapping(`arrived = ID\ndates = ${order}`), HEADER)([text])
      return new Date(cameOn * 86_400_000).toISOString().slice(0, 10)
    }
    for (const text of [
      ...['03/11/2026', '3. 11. 2026', '2026-11-03T10:00', '20261103', '3 nov. 2026', '3 de noviembre de 2026'],
      ...['November 3rd, 2026', '2026年11月3日', 'R8.11.3', '03/11/2569', '3 พ.ย. 2569', '115/11/03'],
    ])
      assert.equal(day('day first', text), '2026-11-03', text)
    assert.equal(day('month first', '03/11/2026'), '2026-03-11')
  })
})
