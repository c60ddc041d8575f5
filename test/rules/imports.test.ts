/** What a list is refused for. */
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { addedBy, isAmbiguous } from '../../src/rules/imports.ts'

const FOUND = { animals: 5, duplicates: 0, takenIds: [], isAmbiguous: false }

it('an import adds all animals, those that are new if it leaves out the others, or none', () => {
  assert.equal(addedBy(FOUND, false), 5)
  assert.equal(addedBy({ ...FOUND, duplicates: 2 }, false), 0)
  assert.equal(addedBy({ ...FOUND, duplicates: 2 }, true), 3)
  assert.equal(addedBy({ ...FOUND, duplicates: 5 }, true), 0)
  assert.equal(addedBy({ ...FOUND, takenIds: [1n] }, true), 0)
  assert.equal(addedBy({ ...FOUND, isAmbiguous: true }, true), 0)
})

it('a few rows may have the reference of another animal, and up to a tenth of many', () => {
  assert.deepEqual(
    [isAmbiguous(3, 3), isAmbiguous(4, 39), isAmbiguous(4, 40), isAmbiguous(11, 100)],
    [false, true, false, true],
  )
})
