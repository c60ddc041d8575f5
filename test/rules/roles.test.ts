/** What each role may do. */
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { hasRole, ROLES, whoseFor } from '../../src/rules/roles.ts'

it('each role may do what those before it may, and no more; from managers on they remove any animal', () => {
  const table = ROLES.map((role) => [whoseFor(role), ...ROLES.map((needed) => hasRole(role, needed))])
  assert.deepEqual(table, [
    ['own', true, false, false, false],
    ['own', true, true, false, false],
    ['any', true, true, true, false],
    ['any', true, true, true, true],
  ])
})
