/** Files that earlier versions of this software wrote, opened by this one. */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { PetStatus } from '../../src/contract/schemas.ts'
import { MIGRATIONS } from '../../src/store/sqlite/migrations.ts'
import { SqliteStore } from '../../src/store/sqlite/store.ts'
import { temporaryFolder } from '../support/folder.ts'

const ANIMALS = 400

/** A file as it was at `version`, with animals whose status goes round: available, pending, sold, none. */
async function fileOf(version: number): Promise<string> {
  const path = join(temporaryFolder(), 'pets.db')
  await new SqliteStore(path, { serving: false }).close()
  const file = new DatabaseSync(path)
  const tables = file.prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'").all()
  for (const { name } of tables) file.exec(`DROP TABLE ${name}`)
  for (const migration of MIGRATIONS.slice(0, version)) file.exec(migration)
  file.exec(`PRAGMA user_version = ${version}`)
  const insert = file.prepare('INSERT INTO pets (name, category_id, status) VALUES (?, 1, ?)')
  for (let n = 0; n < ANIMALS; n++) insert.run(`animal ${n}`, PetStatus.enum[n % 4] ?? null)
  file.exec(`UPDATE pet_counts SET n = ${ANIMALS / 4}`)
  file.close()
  return path
}

for (let version = 1; version < MIGRATIONS.length; version++) {
  test(`a file of version ${version} opens with every animal in its place, and goes on from there`, async () => {
    const store = new SqliteStore(await fileOf(version), { serving: false })
    const idsOf = (status: PetStatus | undefined) =>
      JSON.parse(String(store.pets.list({ limit: 100, status, before: undefined }).json)).map(
        ({ id }: { id: number }) => id,
      )
    for (const [index, status] of PetStatus.enum.entries()) {
      assert.deepEqual(
        idsOf(status),
        Array.from({ length: 100 }, (_, n) => ANIMALS - 3 + index - 4 * n),
      )
    }
    assert.deepEqual(idsOf(undefined)[0], ANIMALS)
    const { id } = await store.pets.create({ name: 'Rex', categoryId: 7n, status: 'sold' })
    assert.equal(id, BigInt(ANIMALS + 1))
    assert.equal(idsOf('sold')[0], ANIMALS + 1)
    await store.close()
  })
}
