/** A dry run only looks: it waits for nobody who writes to the file. */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { Readable } from 'node:stream'
import { afterEach, beforeEach, it } from 'node:test'
import { systemClock } from '../../../src/common/system-clock.ts'
import { openSqlite, type SqliteStore } from '../../../src/store/sqlite/store.ts'
import type { SyncOptions } from '../../../src/store/sync.ts'
import { memoryFolder, removeFolder } from '../../support/folder.ts'
import { PLAIN_IMPORT } from '../../support/store.ts'

const SYNC: SyncOptions = {
  ...{ by: PLAIN_IMPORT.by, source: 'list.csv', missing: 'remove', adopts: true, maxChangedShare: 1 },
  dryRun: true,
}

let folder: string
let store: SqliteStore
let other: DatabaseSync

beforeEach(async () => {
  folder = memoryFolder()
  const path = join(folder, 'pets.db')
  store = await openSqlite(path, { serving: false, clock: systemClock })
  await store.imports.add(Readable.from([[{ name: 'Milo', categoryId: 7n }]]), PLAIN_IMPORT)
  other = new DatabaseSync(path)
  other.exec('BEGIN IMMEDIATE')
})
afterEach(async () => {
  other.exec('ROLLBACK')
  other.close()
  await store.close()
  removeFolder(folder)
})

it('an import, one with ids, and a sync tell what they would do while another program holds the write lock', async () => {
  const animals = [
    { name: 'Milo', categoryId: 7n },
    { name: 'Luna', categoryId: 7n },
  ]
  const look = (more: object, rows: object[]) =>
    store.imports.add(Readable.from([rows]), { ...PLAIN_IMPORT, allowDuplicates: false, dryRun: true, ...more })
  assert.deepEqual(await look({}, animals), { n: undefined, animals: 2, duplicates: 1, taken: [] })
  const withIds = animals.map((animal, i) => ({ ...animal, id: BigInt(i + 1) }))
  assert.deepEqual((await look({ withIds: true }, withIds)).taken, [1n])
  const listed = animals.map((animal, i) => ({ ...animal, reference: `A${i}`, status: null, line: i + 2 }))
  const { n, counts } = await store.sync.run(Readable.from([listed]), SYNC)
  assert.deepEqual([n, counts.added, counts.adopted], [undefined, 1, 1])
})
