/** CSV for a spreadsheet: nothing in it is a formula, wherever the spreadsheet cuts fields. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { AnimalsWriter } from '../../src/animals-file/write.ts'

function written(name: string, forSpreadsheet = true): { text: string; neutralised: number } {
  const writer = new AnimalsWriter('csv', { forSpreadsheet })
  const [text = ''] = writer.rows([{ id: '1', name, categoryId: '7', status: 'sold' }])
  return { text, neutralised: writer.neutralised }
}

describe('CSV for a spreadsheet', () => {
  for (const [name, text] of Object.entries({
    'a;=1+1': "a;'=1+1",
    'a\t=1': "a\t'=1",
    'a; -1': "a;' -1",
    '＝1': "'＝1",
    'a;@SUM(A1);+1': "a;'@SUM(A1);'+1",
    'a\n=1': `"a\n'=1"`,
  }))
    it(`has an apostrophe before each formula: ${JSON.stringify(name)}`, () =>
      assert.deepEqual(written(name), { text: `1,${text},7,sold\n`, neutralised: 1 }))

  it('has no apostrophe in other texts, and a file for programs has none', () => {
    for (const name of ['Anne-Marie', 'Rex = good', 'a;b', "'=1", 'x, -5'])
      assert.equal(written(name).neutralised, 0, name)
    assert.equal(written('a;=1+1', false).text, '1,a;=1+1,7,sold\n')
  })

  it('is written in pieces of some hundred rows, or fewer of long names, for a loop that others wait for', () => {
    const writer = new AnimalsWriter('csv', { forSpreadsheet: true })
    const rows = (n: number, name: string) =>
      Array.from({ length: n }, (_, i) => ({ id: String(i), name, categoryId: '1', status: 'sold' as const }))
    for (const [pets, most] of [
      [rows(100_000, 'Luna'), 500],
      [rows(100, '\t'.repeat(65_536)), 5],
    ] as const) {
      const pieces = [...writer.rows(pets)]
      assert.equal(pieces.join(''), pets.flatMap((pet) => [...writer.rows([pet])]).join(''))
      for (const piece of pieces) assert(piece.split('\n').length - 1 <= most)
    }
    assert.deepEqual([...writer.rows([])], [])
  })

  it('begins no field with a formula, cut by semicolons, tabs or lines, whatever the names are', () => {
    const name = fc.string({
      unit: fc.constantFrom('a', ';', '\t', '\r', '\n', '=', '+', '-', '@', '"', ' ', ',', "'", '＝'),
    })
    fc.assert(
      fc.property(name, (name) => {
        const { text } = written(name)
        for (const separator of [/[;\r\n]/, /[\t\r\n]/, /[;\t\r\n]/]) {
          for (const field of text.split(separator))
            assert.doesNotMatch(field, /^["\s]*[=+\-@＝]/, JSON.stringify(text))
        }
      }),
    )
  })
})
