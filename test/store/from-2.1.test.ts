/** A database of 2.1, opened by this version: nothing of it is lost, and it works on. An older one is refused. */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, it } from 'node:test'
import pg from 'pg'
import { hashSecret } from '../../src/domain/keys.ts'
import { openStore } from '../../src/store/open.ts'
import { schema } from '../../src/store/sqlite/file/migrations.ts'
import { memoryFolder } from '../support/folder.ts'
import { patientClock } from '../support/time/clock.ts'
import { EARLIER_KEY, fillEarlierDatabase, makeEarlierFile } from './earlier.ts'
import { onEachEngine } from './on-each-engine.ts'

const isServer = (url: string) => url.startsWith('postgres')
const open = (url: string) => openStore(url, { serving: false, clock: patientClock })
const BY = { who: 'a test', atMs: Date.UTC(2026, 11, 1) }

async function earlier(createDatabase: () => Promise<string>): Promise<string> {
  const url = await createDatabase()
  if (isServer(url)) {
    await fillEarlierDatabase(url)
    return url
  }
  const path = join(memoryFolder(), 'earlier.db')
  makeEarlierFile(path)
  return `sqlite:${path}`
}

async function setSchema(url: string, version: number): Promise<void> {
  if (!isServer(url)) {
    using file = new DatabaseSync(url.slice('sqlite:'.length))
    file.exec(`PRAGMA user_version = ${version}`)
    return
  }
  const client = new pg.Client(url)
  await client.connect()
  await client.query('UPDATE pets_schema SET version = $1', [version])
  await client.end()
}

onEachEngine(
  (name) => `a database of 2.1 on ${name}`,
  (engine) => {
    it('keeps animals, removed ones, references, origins, categories, keys, people, journal and imports', async () => {
      const store = await open(await earlier(() => engine.createDatabase()))
      const { records, keys, people, imports, categories, words, origins } = store
      const animals = await records.find({ text: '', status: undefined, limit: 100 })
      assert.deepEqual(
        animals.map(({ id, name, categoryId, status }) => [String(id), name, String(categoryId), status]),
        [
          ['6', 'Søren', '9223372036854775807', undefined],
          ['4', 'Tommy', '1', undefined],
          ['3', 'Bruno', '1', 'pending'],
          ['2', 'Zoë', '2', 'sold'],
          ['1', 'Luna', '1', 'available'],
        ],
      )
      assert.deepEqual(
        (await records.find({ text: 'ZOE', status: undefined, limit: 9 })).map(({ name }) => name),
        ['Zoë'],
      )
      assert.deepEqual(await store.pets.count(), { available: 1, pending: 1, sold: 1, none: 2 })
      assert.equal((await records.get(5n))?.removedAtMs, 1795891177317)
      const [luna, soren] = await origins.provenance([1n, 6n])
      assert.deepEqual([luna?.reference, luna?.cameOnMs, luna?.origin?.importN], ['A-1', 20727 * 86_400_000, 1n])
      assert.deepEqual([soren?.origin?.kind, soren?.origin?.who], ['key', 'key_efbba9514e82'])
      assert.deepEqual(
        [...(await categories.names())],
        [
          [1n, 'Dog'],
          [2n, 'Cat'],
          [7n, 'Rabbits'],
        ],
      )
      assert.deepEqual(
        (await keys.list({ limit: 9 }))
          .map(({ id, label, revokedAtMs }) => [id, label, revokedAtMs !== undefined])
          .toSorted(),
        [
          ['key_3ebee9fa0f6b', 'Old', true],
          ['key_efbba9514e82', 'Tierheim', false],
        ],
      )
      assert.equal((await store.requests.findKey(hashSecret(EARLIER_KEY)))?.id, 'key_efbba9514e82')
      assert.deepEqual(
        (await people.list()).map(({ name, role }) => [name, role]),
        [['Ana Ruiz', 'manager']],
      )
      const journal = await records.journal({ limit: 100 })
      assert.deepEqual(
        journal.map(({ act }) => act).join(),
        'export,rename person,invite,revoke key,issue key,issue key,label,undo import,remove,edit,import,sync,add,add,add,label,label',
      )
      assert.equal(journal[9]?.from, '{"name":"Tom"}')
      assert.deepEqual(
        (await imports.list(9)).map(({ n, source, undoneAtMs }) => [n, source, undoneAtMs !== undefined]),
        [
          [2n, '-', true],
          [1n, 'a.csv', false],
        ],
      )
      assert.equal(await words.register(), '9315c33675446bcecdaeefc8b5b0a057')
      assert.deepEqual(await words.shelter(), {}, 'no first step is skipped any more')
      await store.close()
    })

    it('has the columns of the journal, also for what a node of 2.1 writes during an update', async () => {
      const url = await earlier(() => engine.createDatabase())
      const filled = async () => {
        const store = await open(url)
        const entries = (await store.records.journal({ limit: 100 })).toReversed()
        const parts = await store.records.partsOf(entries.map(({ n }) => n))
        await store.close()
        const ofAnimals = entries.filter(({ petId, importN }) => petId !== undefined || importN !== undefined)
        return {
          parts: [...parts],
          entries: ofAnimals.map((one) =>
            [one.act, one.petId, one.importN, one.statusWas, one.statusNow, one.undoneBy].join(),
          ),
        }
      }
      const entries = [
        ...['add,1,1,,available,', 'add,2,1,,sold,', 'add,3,1,,pending,', 'sync,,1,,,', 'import,,2,,,10'],
        ...['edit,4,,none,none,', 'remove,5,,none,none,', 'undo import,,2,,,'],
      ]
      const parts = [[6n, { add: 3 }]]
      assert.deepEqual(await filled(), { parts, entries })
      if (!isServer(url)) return
      const client = new pg.Client(url)
      await client.connect()
      await client.query(`INSERT INTO journal (n, at_ms, who, act, pet_id, from_values, to_values, undoes) VALUES
        (90, 1, 'x', 'edit', 1, '{"status":"available"}', '{"status":null}', NULL),
        (91, 1, 'x', 'edit', 1, '{"status":null}', '{"status":"available"}', 90),
        (92, 1, 'x', 'edit', 1, '{"status":"available"}', '{"status":null}', 91),
        (93, 1, 'x', 'edit', 1, '{"status":null}', '{"status":"available"}', 92)`)
      await client.end()
      for (let times = 0; times < 2; times += 1) {
        const one = (await filled()).entries.find((entry) => entry.startsWith('edit,1'))
        assert.equal(one, 'edit,1,,available,none,93', 'the last undo of a chain decides')
      }
    })

    it('can be used further: no id is given again, a removed animal comes back, an import is undone', async () => {
      const url = await earlier(() => engine.createDatabase())
      const store = await open(url)
      assert.equal((await store.pets.create({ name: 'Rex', categoryId: 7n })).id, 7n)
      assert.equal((await store.records.restore([5n], BY)).changed, 1)
      assert.equal((await store.imports.undo(1n, BY)) !== undefined, true)
      assert.deepEqual(
        (await store.records.find({ text: '', status: undefined, limit: 9 })).map(({ name }) => name),
        ['Rex', 'Søren', 'Kim', 'Tommy'],
      )
      await store.close()
      await (await open(url)).close()
    })

    it('is refused if it is older, with what to do, and is left as it is', async () => {
      const url = await earlier(() => engine.createDatabase())
      const version = isServer(url) ? 19 : 22
      await setSchema(url, version)
      const sentence = new RegExp(`version before 2\\.1 \\(schema ${version}\\)\\. Update to 2\\.1 first`)
      for (let n = 0; n < 2; n += 1) await assert.rejects(open(url), sentence)
    })
  },
)

describe('the schema of a new file', () => {
  it('is that of an upgraded one', async () => {
    const folder = memoryFolder()
    makeEarlierFile(join(folder, 'earlier.db'))
    const schemas = await Promise.all(
      ['new', 'earlier'].map(async (name) => {
        await (await open(`sqlite:${folder}/${name}.db`)).close()
        using file = new DatabaseSync(join(folder, `${name}.db`), { readOnly: true })
        return [
          file.prepare('PRAGMA user_version').get()?.user_version,
          file
            .prepare('SELECT sql FROM sqlite_schema ORDER BY name')
            .all()
            .map(({ sql }) => String(sql)),
        ]
      }),
    )
    assert.equal(schemas[0]?.[0], schema())
    assert.deepEqual(schemas[0], schemas[1])
  })
})
