/** What each role may do. */
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { hasRole, ROLES } from '../../src/rules/roles.ts'

it('each role may do what those before it may, and no more', () => {
  const table = ROLES.map((role) => ROLES.map((needed) => hasRole(role, needed)))
  assert.deepEqual(table, [
    [true, false, false, false],
    [true, true, false, false],
    [true, true, true, false],
    [true, true, true, true],
  ])
})
