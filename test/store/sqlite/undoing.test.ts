/** The undo of an import is seen at once, and its animals are moved in small steps, however often these are cut off. */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { afterEach, beforeEach, it } from 'node:test'
import { systemClock } from '../../../src/common/system-clock.ts'
import { SessionEnded } from '../../../src/store/people.ts'
import { Connection } from '../../../src/store/sqlite/file/connection.ts'
import { SqliteStore } from '../../../src/store/sqlite/store.ts'
import { undoWrites } from '../../../src/store/sqlite/writing/undoing.ts'
import { memoryFolder, removeFolder } from '../../support/folder.ts'
import { PLAIN_IMPORT } from '../../support/imports.ts'

const { by } = PLAIN_IMPORT
/** Of the animals 1 to 8. */
const CHANGED = [1n, 4n]
const UNCHANGED = [2n, 3n, 5n, 6n, 7n, 8n]

let folder: string
let connection: Connection
let undo: ReturnType<typeof undoWrites>
let n: bigint

beforeEach(async () => {
  folder = memoryFolder()
  const path = join(folder, 'pets.db')
  const store = await SqliteStore.open(path, { serving: false, clock: systemClock })
  const animals = Array.from({ length: 8 }, (_, i) => ({ name: `Milo ${i + 1}`, categoryId: 7n }))
  const added = await store.imports.add(Readable.from([animals]), PLAIN_IMPORT)
  n = added.n ?? 0n
  await store.records.change(CHANGED, { status: 'sold' }, by)
  // So that all names are indexed.
  await store.records.find({ text: 'milo', status: undefined, limit: 1 })
  await store.close()
  connection = new Connection(path, { busyTimeoutMs: 0 })
  undo = undoWrites(connection, () => assert.fail('it was no sync'))
})
afterEach(() => {
  connection.close()
  removeFolder(folder)
})

function idsOf(from: string): bigint[] {
  return (connection.prepare(from).all() as unknown as [bigint][]).map(([id]) => id)
}

const moved = () => idsOf('SELECT id FROM removed_pets ORDER BY id')

/** What anybody sees. */
const seen = () =>
  idsOf(`SELECT id FROM pets WHERE NOT EXISTS (
    SELECT 1 FROM unfinished_imports WHERE id BETWEEN first_id AND last_id) ORDER BY id`)

it('an undo is seen at once by everyone, and each of its steps goes on where the one before ended', () => {
  const told = { removed: UNCHANGED.length, kept: CHANGED.length }
  assert.deepEqual(undo.beginUndo(n, by), told)
  assert.deepEqual([seen(), moved()], [CHANGED, []])
  const steps: boolean[] = []
  for (let step = 1; steps.at(-1) !== false; step += 1) {
    if (moved().length < UNCHANGED.length) {
      assert.deepEqual(undo.beginUndo(n, by), told, 'who asks meanwhile is told the same')
    }
    steps.push(undo.undoSome(2))
    assert.ok(moved().length <= 2 * step, 'a step is small')
    assert.deepEqual(moved(), UNCHANGED.slice(0, moved().length))
    assert.deepEqual(seen(), CHANGED)
  }
  assert.ok(steps.length >= 4)
  assert.deepEqual([moved(), idsOf('SELECT id FROM pets ORDER BY id')], [UNCHANGED, CHANGED])
  assert.deepEqual(idsOf('SELECT first_id FROM undone_ranges UNION SELECT first_id FROM unfinished_imports'), [])
  assert.equal(undo.beginUndo(n, by), undefined, 'there is nothing to be undone any more')
  const left = idsOf('SELECT pet_id FROM changed_names')
  assert.deepEqual(
    UNCHANGED.filter((id) => !left.includes(id)),
    [],
    'the index learns that they are gone',
  )
})

it('an undo does nothing in a session that has ended', () => {
  assert.throws(() => undo.beginUndo(n, { ...by, session: 'gone' }), SessionEnded)
  assert.deepEqual([seen().length, moved()], [8, []])
  assert.equal(undo.undoSome(100), false)
})
