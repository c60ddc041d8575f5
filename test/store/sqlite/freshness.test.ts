/** Cached answers are as fresh as the file, and the service's own creates do not clear the cache. */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { DatabaseSync, StatementSync } from 'node:sqlite'
import { afterEach, beforeEach, it } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import fc from 'fast-check'
import type { NewPet } from '../../../src/contract/schemas.ts'
import { SqliteReader } from '../../../src/store/sqlite/reading/reader.ts'
import { openSqlite, type SqliteStore } from '../../../src/store/sqlite/store.ts'
import { temporaryFolder } from '../../support/folder.ts'
import { ownCounters } from '../../support/own-counters.ts'
import { authorAt, PLAIN_IMPORT, textOf } from '../../support/store.ts'
import { clockAt, patientClock } from '../../support/time/clock.ts'

const rex: NewPet = { name: 'Rex', categoryId: 7n, status: 'available' }
const ALL = { limit: 100, status: undefined, before: undefined }
const SHELL_INSERT = "INSERT INTO pets (name, category_id, status) VALUES ('shell', 1, 'sold')"

const BY = PLAIN_IMPORT.by

let path: string
let store: SqliteStore
/** Another program that uses the same file without knowing this software. */
let shell: DatabaseSync

beforeEach(async () => {
  path = join(temporaryFolder(), 'pets.db')
  store = await openSqlite(path, { serving: true, clock: patientClock })
  shell = new DatabaseSync(path, { timeout: 5_000 })
})
afterEach(async () => {
  shell.close()
  await store.close()
})

function inFile(): string[] {
  return shell
    .prepare('SELECT name FROM pets ORDER BY id DESC LIMIT 100')
    .all()
    .map(({ name }) => String(name))
}

function listed(status?: 'sold'): string[] {
  return (JSON.parse(textOf(store.pets.list({ ...ALL, status }))) as { name: string }[]).map(({ name }) => name)
}

it('each list matches the file, whatever this service and other programs do', async () => {
  const step = fc.oneof(
    fc.record({ act: fc.constant('create' as const), count: fc.integer({ min: 1, max: 4 }), wait: fc.boolean() }),
    fc.record({ act: fc.constantFrom('insert', 'update', 'delete', 'status', 'key', 'look', 'turn') }),
  )
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
      const waiting: Promise<unknown>[] = []
      for (const [n, taken] of steps.entries()) {
        if ('count' in taken) {
          const created = Array.from({ length: taken.count }, (_, i) =>
            store.pets.create({ ...rex, name: `${n}.${i}` }),
          )
          if (taken.wait) await Promise.all(created)
          else waiting.push(...created)
        } else if (taken.act === 'insert') shell.exec(SHELL_INSERT)
        else if (taken.act === 'update') shell.exec(`UPDATE pets SET name = 'changed ${n}' WHERE id % 2 = 0`)
        else if (taken.act === 'delete') shell.exec('DELETE FROM pets WHERE id % 3 = 0')
        else if (taken.act === 'status')
          waiting.push(Promise.resolve(store.records.change([1n], { status: 'sold' }, BY)))
        else if (taken.act === 'key') waiting.push(Promise.resolve(store.keys.revoke('nobody', authorAt(1))))
        await nextTurn()
        if (taken.act === 'turn') continue
        // The file may get ahead of the list in between, by a commit that is under way; then it is asked again.
        let before = inFile()
        let seen = listed()
        for (let after = inFile(); String(after) !== String(before); after = inFile()) {
          await nextTurn()
          before = after
          seen = listed()
        }
        assert.deepEqual(seen, before)
      }
      await Promise.all(waiting)
      await nextTurn()
      assert.deepEqual(listed(), inFile())
    }),
    { numRuns: 40 },
  )
})

it('only a change by another program clears the cache', async (t) => {
  const { id } = await store.pets.create(rex)
  await nextTurn()
  store.pets.get(id)
  store.pets.list(ALL)
  const clock = clockAt(() => 1_000_000)
  const counters = ownCounters(store, clock)
  const reads = t.mock.method(StatementSync.prototype, 'all').mock
  for (let round = 0; round < 20; round += 1) {
    await store.pets.create(rex)
    counters.consume('key:one', { perMinute: 60, perDay: 60, ban: undefined })
    await nextTurn()
    assert.equal(listed().length, round + 2)
  }
  await counters.close()
  store.pets.list(ALL)
  assert.equal(reads.callCount(), 0)
  shell.exec(SHELL_INSERT)
  await nextTurn()
  assert.equal(listed()[0], 'shell')
  assert.equal(reads.callCount(), 1)
  shell.exec(`UPDATE pets SET name = 'changed' WHERE id = ${id}`)
  await nextTurn()
  assert.match(String(store.pets.get(id)), /changed/)
  listed()
  shell.exec(SHELL_INSERT)
  await store.pets.create(rex)
  await nextTurn()
  assert.deepEqual(listed(), inFile())
})

it('a commit of the service that is reported during a look is seen by that look', () => {
  const database = new SqliteReader(path, { busyTimeoutMs: 0, report: assert.fail })
  let applied = 0
  let told = 0
  database.onCatchUp(() => {
    told += 1
    if (told > 1) return
    const [from] = Object.values(shell.prepare('SELECT n FROM changes').get() ?? {}).map((n) => BigInt(Number(n)))
    assert(from !== undefined)
    shell.exec(SHELL_INSERT)
    database.noteOwn({ from, to: from + 1n, apply: () => void applied++ })
  })
  shell.exec(SHELL_INSERT)
  database.shareSnapshot()
  assert.deepEqual(database.prepare('SELECT count(*) FROM pets').get(), [2n])
  assert.equal(applied, 1)
  database.close()
})
