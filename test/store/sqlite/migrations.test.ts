/** The steps that make the schema of a file. test/store/from-2.1.test.ts opens what 2.1 left. */
import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { it } from 'node:test'
import { MIGRATIONS, STEP_HASHES } from '../../../src/store/sqlite/file/migrations.ts'

it('a step that files have had stays as it was, and each has its hash', () => {
  const now = MIGRATIONS.map(({ sql }) => hash('sha256', sql).slice(0, 8))
  const changed = MIGRATIONS.find((_, n) => now[n] !== STEP_HASHES[n] && n < STEP_HASHES.length)
  assert.equal(changed?.to, undefined, 'restore this step of migrations.ts, and add another at its end')
  assert.equal(STEP_HASHES.length, now.length, `add ${now.at(-1)} to STEP_HASHES in migrations.ts`)
})
