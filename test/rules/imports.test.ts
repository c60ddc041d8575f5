/** What a list is refused for. */
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { addedBy } from '../../src/rules/imports.ts'

const FOUND = { animals: 5, duplicates: 0, takenIds: [] }

it('an import adds all animals, those that are new if it leaves out the others, or none', () => {
  assert.equal(addedBy(FOUND, false), 5)
  assert.equal(addedBy({ ...FOUND, duplicates: 2 }, false), 0)
  assert.equal(addedBy({ ...FOUND, duplicates: 2 }, true), 3)
  assert.equal(addedBy({ ...FOUND, duplicates: 5 }, true), 0)
  assert.equal(addedBy({ ...FOUND, takenIds: [1n] }, true), 0)
})
