/** Searches bring the index of names up to date, and leave one that is right as it is. */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, it } from 'node:test'
import { systemClock } from '../../../src/common/system-clock.ts'
import { SqliteStore } from '../../../src/store/sqlite/store.ts'
import { writeHere } from '../../histories/in-this-thread.ts'
import { memoryFolder, removeFolder } from '../../support/folder.ts'
import { until } from '../../support/until.ts'

let folder: string
let shell: DatabaseSync
let store: SqliteStore

const open = () =>
  SqliteStore.open(join(folder, 'pets.db'), { serving: true, clock: systemClock, startWriter: writeHere })

beforeEach(async () => {
  folder = memoryFolder()
  store = await open()
  shell = new DatabaseSync(join(folder, 'pets.db'))
})
afterEach(async () => {
  shell.close()
  await store.close()
  removeFolder(folder)
})

function add(...names: readonly string[]): void {
  for (const name of names) shell.prepare('INSERT INTO pets (name, category_id) VALUES (?, 1)').run(name)
}

/** The ids that the index has for a text. */
function indexed(text: string): unknown[] {
  const rows = shell.prepare('SELECT rowid AS id FROM pet_names WHERE pet_names MATCH ? ORDER BY rowid').all(text)
  return rows.map(({ id }) => id)
}

async function find(text: string, withinMs?: number, onIndexed?: (names: number) => void): Promise<string[]> {
  const query = { text, status: undefined, limit: 100, ...(withinMs !== undefined && { withinMs }) }
  return (await store.records.find(query, onIndexed)).pets.map(({ id }) => id)
}

it('a search that may take its time indexes all names first and tells how many, one in a hurry does so meanwhile', async () => {
  add('Milo', 'Milo')
  const told: number[] = []
  assert.deepEqual(await find('milo', undefined, (names) => void told.push(names)), ['2', '1'])
  assert.deepEqual([told, indexed('milo')], [[2], [1, 2]])
  for (const all of [
    ['3', '2', '1'],
    ['4', '3', '2', '1'],
  ]) {
    add('Milo')
    assert.deepEqual(await find('milo', 60_000, () => assert.fail('it waits for nothing')), all)
    await until('what is new is indexed', () => indexed('milo').length === all.length)
  }
})

it('an index that lacks a name is made anew by the first search, and one that lacks none is kept', async () => {
  add('Luna', 'Milo', 'Bo', 'Al')
  await find('milo')
  // What only an index that is kept still has.
  shell.exec("INSERT INTO pet_names (rowid, name) VALUES (900, 'milo')")
  await store.close()
  store = await open()
  for (let times = 0; times < 2; times += 1) assert.deepEqual(await find('milo'), ['2'])
  assert.deepEqual(indexed('milo'), [2, 900])
  // By a program that knows nothing of the index.
  shell.exec("UPDATE pets SET name = 'Luna' WHERE id = 3")
  await store.close()
  store = await open()
  assert.deepEqual(await find('luna'), ['3', '1'])
  assert.deepEqual(indexed('milo'), [2])
})
