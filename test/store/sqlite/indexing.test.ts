/** The index of names is brought up to date in small steps, whatever has become of the names since. */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { afterEach, beforeEach, it } from 'node:test'
import { systemClock } from '../../../src/common/system-clock.ts'
import { INT64_MIN } from '../../../src/contract/int64.ts'
import { Connection } from '../../../src/store/sqlite/file/connection.ts'
import { SqliteStore } from '../../../src/store/sqlite/store.ts'
import { searchWrites } from '../../../src/store/sqlite/writing/search-index.ts'
import { memoryFolder, removeFolder } from '../../support/folder.ts'

let folder: string
let connection: Connection
let index: ReturnType<typeof searchWrites>

beforeEach(async () => {
  folder = memoryFolder()
  const path = join(folder, 'pets.db')
  await (await SqliteStore.open(path, { serving: false, clock: systemClock })).close()
  connection = new Connection(path, { busyTimeoutMs: 0 })
  index = searchWrites(connection)
})
afterEach(() => {
  connection.close()
  removeFolder(folder)
})

function add(count: number, name: string): void {
  connection.exec(`WITH n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${count})
    INSERT INTO pets (name, category_id) SELECT ${name}, 1 FROM n`)
}

/** What each step does, to the end. */
function steps(): number[] {
  const done: number[] = []
  do done.push(index.indexNames())
  while (done.at(-1) !== 0)
  return done
}

/** The ids that the index has for a text. */
function indexed(text: string): bigint[] {
  const rows = connection.prepare('SELECT rowid FROM pet_names WHERE pet_names MATCH ? ORDER BY rowid').all(text)
  return (rows as unknown as [bigint][]).map(([id]) => id)
}

it('five thousand names at a time, or a hundred thousand letters', () => {
  add(5_000, "'Rex'")
  add(3, "printf('%.*c', 50000, 'y')")
  assert.deepEqual(steps(), [5_000, 2, 1, 0])
  assert.equal(indexed('rex').length, 5_000)
  assert.deepEqual(indexed('yyy'), [5_001n, 5_002n, 5_003n])
  assert.deepEqual(steps(), [0])
})

it('a name that has changed is found by the new one alone, one that is gone by none, and new ones come first', () => {
  add(3, "'Milo'")
  steps()
  connection.exec("UPDATE pets SET name = 'Ärmel' WHERE id = 2; DELETE FROM pets WHERE id = 3")
  for (const id of [2n, 3n, 9n]) index.noteName(id)
  add(1, "'Luna'")
  assert.equal(index.indexNames(), 1)
  assert.deepEqual([indexed('luna'), indexed('milo')], [[4n], [1n, 2n, 3n]])
  assert.deepEqual(steps(), [2, 0])
  assert.deepEqual([indexed('milo'), indexed('armel'), indexed('luna')], [[1n], [2n], [4n]])
})

it('an index that claims to hold nothing and holds something is made anew, and so is one that is replaced', () => {
  add(2, "'Milo'")
  steps()
  connection.exec(`UPDATE pet_search SET indexed_to = ${INT64_MIN}; INSERT INTO changed_names VALUES (1)`)
  assert.deepEqual(steps(), [2, 0], 'what was noted of the old one is settled')
  assert.deepEqual(indexed('milo'), [1n, 2n])
  connection.exec('INSERT INTO changed_names VALUES (1)')
  index.replaceIndex()
  assert.deepEqual(indexed('milo'), [])
  assert.deepEqual(steps(), [2, 0])
})
