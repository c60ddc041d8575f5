/**
 * Undoing an import in SQLite is whole or nothing, whatever cuts it off, and it says the true number: on real
 * processes.
 */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { copyFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { systemClock } from '../../src/common/system-clock.ts'
import { openStore } from '../../src/store/open.ts'
import type { Store } from '../../src/store/store.ts'
import { authorAt } from '../support/author.ts'
import { pets } from '../support/commands/commands.ts'
import { temporaryFolder } from '../support/folder.ts'
import { PLAIN_IMPORT } from '../support/imports.ts'
import { pets as petsProcess } from '../support/service.ts'

const ANIMALS = 40_000
const PETS = resolve(import.meta.dirname, '../../src/cli/pets.ts')
/** The animal that is there before the import, and the two of the import that somebody has changed since. */
const KEPT = ['Before', 'Hasso', 'Rex 20000']
const WHOLE = { petId: undefined, keyId: undefined, sinceMs: undefined, before: undefined, limit: 1_000 }

async function* rows(count: number, firstId?: bigint) {
  yield Array.from({ length: count }, (_, n) => ({
    name: `Rex ${n}`,
    categoryId: 1n,
    ...(n % 3 > 0 && { status: 'available' as const }),
    ...(firstId !== undefined && { id: firstId + BigInt(n) }),
  }))
}

async function withStore<T>(database: string, work: (store: Store) => Promise<T>, serving = false): Promise<T> {
  const store = await openStore(database, { serving, clock: systemClock })
  try {
    return await work(store)
  } finally {
    await store.close()
  }
}

/** A database with an import, of whose animals two have been changed. */
async function imported() {
  const path = join(temporaryFolder(), 'pets.db')
  const database = `sqlite:${path}`
  await withStore(database, async (store) => {
    await store.pets.create({ name: 'Before', categoryId: 1n })
    await store.imports.add(rows(ANIMALS), PLAIN_IMPORT)
    await store.records.change([12n], { name: 'Hasso' }, authorAt(2))
    await store.records.change([20_002n], { status: 'sold' }, authorAt(2))
  })
  return { path, database }
}

async function namesIn(store: Store): Promise<string[]> {
  const names: string[] = []
  for await (const batch of store.pets.export()) names.push(...batch.map(({ name }) => name))
  return names
}

function count(path: string, source: string): number {
  using db = new DatabaseSync(path, { readOnly: true, timeout: 5_000 })
  return Number(db.prepare(`SELECT count(*) AS n FROM ${source}`).get()?.n)
}

async function assertUndone(database: string): Promise<void> {
  await withStore(database, async (store) => {
    assert.deepEqual(await namesIn(store), KEPT)
    assert.deepEqual(await store.pets.count(), { available: 1, pending: 0, sold: 1, none: 1 })
    const entries = (await store.records.journal(WHOLE)).filter(({ act }) => act === 'undo import')
    assert.deepEqual(
      entries.map(({ from }) => from),
      [`{"import":1,"animals":${ANIMALS - 2}}`],
    )
  })
  const { stdout } = await pets(['verify', '--database', database])
  assert.match(stdout, /^The database is sound: 3 animals/)
}

describe('an undo of an import', () => {
  it('that is killed at any moment is whole or nothing, and says the true number', async () => {
    const { path, database } = await imported()
    const other = join(temporaryFolder(), 'other.db')
    copyFileSync(path, other)
    const begin = (file: string) =>
      spawn(process.execPath, [PETS, 'imports', 'undo', '1', '--database', `sqlite:${file}`])
    const beganMs = performance.now()
    await once(begin(other), 'exit')
    const wholeMs = performance.now() - beganMs
    // From the first quarter on, in sixteenths of the time that it takes as a whole on this machine.
    for (let part = 4; ; part += 1) {
      const command = begin(path)
      const exit = once(command, 'exit')
      await Promise.race([exit, sleep((wholeMs * part) / 16)])
      command.kill('SIGKILL')
      await exit
      const there = (await withStore(database, namesIn)).length
      assert(there === KEPT.length || there === ANIMALS + 1, `${there} animals`)
      if (there === KEPT.length) break
    }
    assert.equal(count(path, 'removed_pets'), ANIMALS - 2)
    await assertUndone(database)
  })

  it('that is run twice at once is done once, and both say the true number or that it is done', async () => {
    const { database } = await imported()
    const undo = () => petsProcess(['imports', 'undo', '1', '--database', database])
    const results = await Promise.all([undo(), undo()])
    for (const { code, stdout, stderr } of results) {
      if (code === 0) assert.match(stdout, /^Import 1 is undone: 39998 animals removed; 2 animals/)
      else assert.match(stderr, /already undone/)
    }
    assert(results.some(({ code }) => code === 0))
    await assertUndone(database)
  })

  it('reaches animals whose ids have an older history', async () => {
    const database = `sqlite:${join(temporaryFolder(), 'pets.db')}`
    const withIds = { ...PLAIN_IMPORT, withIds: true }
    await withStore(database, async (store) => {
      await store.imports.add(rows(3, 5n), withIds)
      await store.records.change([5n], { name: 'Hasso' }, authorAt(1))
      await store.records.remove([5n, 6n, 7n], authorAt(1))
      assert.equal(await store.records.purge(2, authorAt(31 * 86_400_000)), 3)
      const { n } = await store.imports.add(rows(3, 5n), withIds)
      await store.records.change([7n], { name: 'Hasso' }, authorAt(1))
      assert.deepEqual(await store.imports.undo(n ?? 0n, authorAt(1)), { removed: 2, kept: 1 })
      assert.deepEqual(await namesIn(store), ['Hasso'])
      assert.equal(await store.imports.undo(n ?? 0n, authorAt(1)), undefined)
      assert.deepEqual(await store.imports.undo(1n, authorAt(1)), { removed: 0, kept: 3 })
      assert.deepEqual(await namesIn(store), ['Hasso'])
    })
  })
})
