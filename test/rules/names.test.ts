/** Names of categories and words of statuses that must be distinct. */
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { sharedWord, toNaming } from '../../src/rules/names.ts'

const LABELS = new Map([
  [1n, 'Dogs'],
  [2n, 'Cats'],
  [3n, 'cats'],
])

it('a category cannot take a name that looks like another, but can keep a shared one', () => {
  const named = (...names: [bigint, string | undefined][]) => toNaming(LABELS, new Map(names))
  assert.deepEqual(named([4n, 'dogs']).shared, { id: 4n, other: 1n, label: 'Dogs' })
  for (const label of ['grand felin', 'GRAND-FE\u0301LIN', ' grandfelin'])
    assert.equal(named([4n, 'Grand Félin'], [5n, label]).shared?.id, 4n, label)
  assert.equal(named([1n, 'Dogs']).changes.length, 0)
  assert.equal(named([1n, 'Hounds']).shared, undefined)
  assert.equal(named([1n, 'Cats'], [2n, 'Dogs'], [3n, undefined]).shared, undefined)
  assert.deepEqual(named([1n, undefined]).changes, [{ id: 1n, before: 'Dogs', after: undefined }])
})

it('the word of a status looks like no other status and no filter', () => {
  const other = (word: string, before = {}) => sharedWord(before, new Map([['sold', word]]), ['sold'])?.other
  assert.equal(other('Adopted'), undefined)
  assert.equal(other('pending'), 'pending')
  assert.equal(other('Reserved', { pending: 'Réserved' }), 'pending')
  assert.equal(other('ALL'), 'All')
})
