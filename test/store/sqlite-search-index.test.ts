/**
 * The search's index in SQLite is derived: whatever is wrong with it, every animal is found, nothing is damaged,
 * backups are made, and the next search makes it right.
 */
import assert from 'node:assert/strict'
import { closeSync, openSync, rmSync, writeFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, it } from 'node:test'
import { systemClock } from '../../src/common/system-clock.ts'
import { openStore } from '../../src/store/open.ts'
import { backUp } from '../../src/store/sqlite/upkeep/backup.ts'
import { restore } from '../../src/store/sqlite/upkeep/restore.ts'
import { verify } from '../../src/store/sqlite/upkeep/verify.ts'
import type { Store } from '../../src/store/store.ts'
import { authorAt } from '../support/author.ts'
import { pets } from '../support/commands/commands.ts'
import { temporaryFolder } from '../support/folder.ts'
import { PLAIN_IMPORT } from '../support/imports.ts'
import { until } from '../support/until.ts'

const ANIMALS = 2_000

function newDatabase() {
  const folder = temporaryFolder()
  const path = join(folder, 'pets.db')
  return { folder, path, database: `sqlite:${path}` }
}

async function done(...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await pets(args)
  assert.equal(code, 0, stderr)
  return stdout + stderr
}

async function withStore<T>(database: string, work: (store: Store) => Promise<T>): Promise<T> {
  const store = await openStore(database, { serving: false, clock: systemClock })
  try {
    return await work(store)
  } finally {
    await store.close()
  }
}

async function found(store: Store, text: string, withinMs?: number): Promise<string[]> {
  const limit = 100
  const { pets } = await store.records.find({ text, status: undefined, limit, ...(withinMs && { withinMs }) })
  return pets.map(({ name }) => name)
}

async function* numbered(name: string, count: number, firstId?: bigint) {
  yield Array.from({ length: count }, (_, n) => ({
    name: `${name} number ${n}`,
    categoryId: 1n,
    ...(firstId !== undefined && { id: firstId + BigInt(n) }),
  }))
}

/** Without the guard that SQLite has against it. */
function damage(path: string, sql: string): void {
  const db = new DatabaseSync(path, { defensive: false, timeout: 5_000 })
  db.exec(sql)
  db.close()
}

describe('animals that an import brings with ids below what is indexed', () => {
  it('are found, the database is sound, and a backup of it is made and restored', async () => {
    const { folder, database } = newDatabase()
    await withStore(database, async (store) => {
      await store.imports.add(numbered('Rex', 3, 100n), { ...PLAIN_IMPORT, withIds: true })
      assert.equal((await found(store, 'rex number')).length, 3)
    })
    const file = join(folder, 'animals.csv')
    writeFileSync(file, 'id,name,categoryId\n5,Wolfgang,1\n99,Amadeus,1\n')
    await done('import', file, '--with-ids', '--database', database)
    for (const name of ['wolfgang', 'amadeus']) {
      assert.match(await done('find', name, '--database', database), new RegExp(name, 'i'))
    }
    assert.match(await done('verify', '--database', database), /^The database is sound: 5 animals/)
    const backup = join(folder, 'backup.db')
    await done('backup', backup, '--database', database)
    const restored = `sqlite:${join(folder, 'restored.db')}`
    await done('restore', backup, '--database', restored)
    assert.match(await done('find', 'wolfgang', '--database', restored), /Wolfgang/)
  })

  it('are found by a search whose time is bounded, before they are indexed', async () => {
    const { database } = newDatabase()
    await withStore(database, async (store) => {
      await store.imports.add(numbered('Rex', 3, 100n), { ...PLAIN_IMPORT, withIds: true })
      await found(store, 'rex number')
      await store.imports.add(numbered('Bello', 3, 10n), { ...PLAIN_IMPORT, withIds: true })
      assert.deepEqual(await found(store, 'bello', 60_000), ['Bello number 2', 'Bello number 1', 'Bello number 0'])
    })
  })
})

describe('names that change below what is indexed', () => {
  it('are found as they are now, and never as they were', async () => {
    const { database } = newDatabase()
    await withStore(database, async (store) => {
      await store.imports.add(numbered('Rex', 5), PLAIN_IMPORT)
      await found(store, 'rex number')
      await store.records.change([2n], { name: 'Hasso' }, authorAt(1))
      await store.records.remove([3n], authorAt(1))
      for (const _ of ['not indexed yet', 'indexed']) {
        assert.deepEqual(await found(store, 'hasso'), ['Hasso'])
        assert.deepEqual(
          (await found(store, 'rex number')).map((name) => name.at(-1)),
          ['4', '3', '0'],
        )
      }
      await store.records.restore([3n], authorAt(1))
      assert.equal((await found(store, 'rex number')).length, 4)
    })
    assert.match(await done('verify', '--database', database), /^The database is sound/)
  })
})

const KINDS: Readonly<Record<string, string | ((path: string) => void)>> = {
  'names are missing': 'DELETE FROM pet_names_docsize WHERE id < 50',
  'it claims more than was added': 'UPDATE pet_search SET indexed_to = 1000000',
  'its structure is gone': 'DELETE FROM pet_names_data WHERE id = 10',
  'its blocks are other bytes': "UPDATE pet_names_data SET block = x'00112233'",
  'its tables are gone': 'DROP TABLE pet_names_data; DROP TABLE pet_names_idx',
  'its list of names is gone': 'DROP TABLE pet_names_docsize',
  'it is of a format that SQLite does not know': 'UPDATE pet_names_config SET v = 99',
  'a page of it is other bytes': (path) => {
    const db = new DatabaseSync(path, { timeout: 5_000 })
    db.exec('PRAGMA wal_checkpoint(TRUNCATE)')
    const { page } = db.prepare("SELECT rootpage AS page FROM sqlite_schema WHERE name = 'pet_names_data'").get() ?? {}
    db.close()
    const file = openSync(path, 'r+')
    writeSync(file, Buffer.alloc(4096, 0xab), 0, 4096, (Number(page) - 1) * 4096)
    closeSync(file)
  },
}

describe('an index that is damaged', () => {
  for (const [kind, means] of Object.entries(KINDS)) {
    const again = (path: string) => (typeof means === 'string' ? damage(path, means) : means(path))
    const damaged = async () => {
      const { folder, path, database } = newDatabase()
      await withStore(database, async (store) => {
        await store.imports.add(numbered('Rex', ANIMALS), PLAIN_IMPORT)
        await found(store, 'rex number')
      })
      again(path)
      return { folder, path, database }
    }

    it(`is no damage of the database, and a backup is made and restored, if ${kind}`, async () => {
      const { folder, path, database } = await damaged()
      assert.deepEqual(verify(path).damage, [])
      const file = join(folder, 'backup.db')
      assert.equal((await backUp(path, file, { clock: systemClock })).animals, ANIMALS)
      rmSync(path)
      await restore(file, path, { clock: systemClock, onReturning: () => {} })
      await withStore(database, async (store) => {
        assert.deepEqual((await found(store, 'rex number 1077')).at(0), 'Rex number 1077')
      })
      const { damage, isIndexWrong, contents } = verify(path)
      assert.deepEqual([damage, isIndexWrong, contents.animals], [[], false, ANIMALS])
    })

    it(`keeps no change from being made, and is made right by verify and the next search, if ${kind}`, async () => {
      const { path, database } = await damaged()
      for (const serving of [true, false]) {
        const store = await openStore(database, { serving, clock: systemClock })
        try {
          await store.records.change([7n], { status: 'sold' }, authorAt(1))
          await store.records.change([8n], { name: 'Hasso' }, authorAt(1))
          await store.records.remove([serving ? 9n : 10n], authorAt(1))
          verify(path)
          const expected = serving ? ['Rex number 1777'] : ['Rex number 1777 again', 'Rex number 1777']
          assert.deepEqual(await found(store, 'rex number 1777', 60_000), expected, `serving: ${serving}`)
          if (serving) await until('the index', async () => !verify(path).isIndexWrong)
          assert.deepEqual(await found(store, 'hasso'), ['Hasso'])
          assert.deepEqual(await found(store, 'rex number 1777'), expected)
          if (serving) await store.pets.create({ name: 'Rex number 1777 again', categoryId: 1n })
        } finally {
          await store.close()
        }
        if (serving) again(path)
      }
      const { damage, isIndexWrong, contents } = verify(path)
      assert.deepEqual([damage, isIndexWrong, contents.animals], [[], false, ANIMALS - 1])
    })
  }

  it('is rebuilt at the next search, says verify, and not that the database is damaged', async () => {
    const { path, database } = newDatabase()
    await withStore(database, async (store) => {
      await store.imports.add(numbered('Rex', 100), PLAIN_IMPORT)
      await found(store, 'rex number')
    })
    damage(path, 'DELETE FROM pet_names_docsize WHERE id < 50')
    assert.match(await done('verify', '--database', database), /index of names .*rebuilt at the next search\.$/m)
    await done('find', 'rex', '--database', database)
    assert.doesNotMatch(await done('verify', '--database', database), /index of names/)
  })
})
