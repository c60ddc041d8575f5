/** Files that earlier versions of this software wrote, opened by this one. */
import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { join } from 'node:path'
import { it } from 'node:test'
import { PetStatus } from '../../../src/contract/schemas.ts'
import { MIGRATIONS, STEP_HASHES } from '../../../src/store/sqlite/file/migrations.ts'
import { openSqlite } from '../../../src/store/sqlite/store.ts'
import { openEarlier } from '../../support/earlier.ts'
import { memoryFolder } from '../../support/folder.ts'
import { textOf } from '../../support/store.ts'
import { patientClock } from '../../support/time/clock.ts'

const ANIMALS = 400

/** A file as it was at `version`, with animals whose status goes round: available, pending, sold, none. */
function fileOf(version: number): string {
  const path = join(memoryFolder(), 'pets.db')
  const file = openEarlier(path, version)
  const insert = file.prepare('INSERT INTO pets (name, category_id, status) VALUES (?, 1, ?)')
  file.exec('BEGIN')
  for (let n = 0; n < ANIMALS; n++) insert.run(`animal ${n}`, PetStatus.enum[n % 4] ?? null)
  file.exec(`UPDATE pet_counts SET n = ${ANIMALS / 4}; COMMIT`)
  if (version >= 18 && version < 20) file.exec("UPDATE identity SET id = 'what feeds of 2.0.0 have their ids of'")
  file.close()
  return path
}

for (const { to: version } of MIGRATIONS.slice(0, -1)) {
  it(`a file of version ${version} opens with every animal unchanged, and can be used further`, async () => {
    const store = await openSqlite(fileOf(version), { serving: false, clock: patientClock })
    const idsOf = (status: PetStatus | undefined) =>
      JSON.parse(textOf(store.pets.list({ limit: 100, status, before: undefined }))).map(({ id }: { id: number }) => id)
    for (const [index, status] of PetStatus.enum.entries()) {
      assert.deepEqual(
        idsOf(status),
        Array.from({ length: 100 }, (_, n) => ANIMALS - 3 + index - 4 * n),
      )
    }
    assert.deepEqual(idsOf(undefined)[0], ANIMALS)
    if (version >= 18 && version < 20)
      assert.equal(await store.words.register(), 'what feeds of 2.0.0 have their ids of')
    const { id } = await store.pets.create({ name: 'Rex', categoryId: 7n, status: 'sold' })
    assert.equal(id, BigInt(ANIMALS + 1))
    assert.equal(idsOf('sold')[0], ANIMALS + 1)
    await store.close()
  })
}

it('a step that files have had stays as it was, and each has its hash', () => {
  const now = MIGRATIONS.map(({ sql }) => hash('sha256', sql).slice(0, 8))
  const changed = MIGRATIONS.find((_, n) => now[n] !== STEP_HASHES[n] && n < STEP_HASHES.length)
  assert.equal(changed?.to, undefined, 'restore this step of migrations.ts, and add another at its end')
  assert.equal(STEP_HASHES.length, now.length, `add ${now.at(-1)} to STEP_HASHES in migrations.ts`)
})
