/**
 * What is declared once and must stand elsewhere too, compared with its declaration: figures that a reader, the kit and
 * the model of the tests have in their own words, so that none of them can be forgotten.
 */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, it } from 'node:test'
import { PLANS as OF_KIT } from '../../conformance/src/interface.ts'
import { STATEMENTS } from '../../conformance/src/statements.ts'
import { PLANS } from '../../src/contract/plans.ts'
import { PLANS as OF_MODEL } from '../model/operator.ts'

const read = (file: string) => readFileSync(`${import.meta.dirname}/../../${file}`, 'utf8')
const declared = Object.entries(PLANS)
const withFigures = declared.flatMap(([name, quota]) => (quota === undefined ? [] : [{ name, ...quota }]))
const figure = (n: number) => n.toLocaleString('en')

describe('the plans (R14)', () => {
  for (const file of ['README.md', 'docs/interface.md']) {
    it(`stand in the table of ${file}, with their figures`, () => {
      const [, table = ''] = /^\| plan \|.*\n\|[-:| ]+\|\n((?:\|.*\n)+)/m.exec(read(file)) ?? []
      const rows = table.trimEnd().split('\n')
      const cells = rows.map((row) => row.split('|').map((cell) => cell.trim().replaceAll('`', '').toLowerCase()))
      assert.deepEqual(
        cells.map(([, name]) => name),
        declared.map(([name]) => name),
      )
      for (const { name, perMinute, perDay } of withFigures) {
        const row = cells.find(([, plan]) => plan === name)
        assert.deepEqual(row?.slice(2, 4), [figure(perMinute), figure(perDay)], name)
      }
    })
  }

  it('are those of the conformance kit, its statement, and the model of the tests', () => {
    const figures = withFigures.map(({ name, perMinute, perDay }) => [name, { perMinute, perDay }])
    assert.deepEqual(
      Object.entries(OF_KIT).map(([name, quota]) => [name.toLowerCase(), quota]),
      figures,
    )
    assert.deepEqual(Object.entries(OF_MODEL), figures)
    for (const { name, perMinute, perDay } of withFigures) {
      const said = new RegExp(`\\b${name} ${figure(perMinute)}(?: a minute)? and ${figure(perDay)}\\b`, 'i')
      assert.match(STATEMENTS.R14, said)
    }
    for (const [name] of declared) assert.match(STATEMENTS.R14, new RegExp(`\\b${name}\\b`, 'i'))
  })
})
