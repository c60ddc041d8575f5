/** What the public page asks of the store, on each engine. */
import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { Client } from 'pg'
import type { NewPet } from '../../src/contract/schemas.ts'
import { openStore } from '../../src/store/open.ts'
import type { StoredAnimal } from '../../src/store/rows.ts'
import type { Store } from '../../src/store/store.ts'
import { onEachEngine } from '../store/on-each-engine.ts'
import { authorAt, batchesOf, PLAIN_IMPORT } from '../support/store.ts'
import { patientClock } from '../support/time/clock.ts'
import { until } from '../support/until.ts'

const BY = authorAt(Date.UTC(2026, 10, 23))
const REX = { name: 'Rex', categoryId: 1n } as const

onEachEngine(
  (name) => `for the public page, the store on ${name}`,
  (engine) => {
    let database: string
    let store: Store
    /** How much the store's monotonic time is ahead of the system's. */
    let laterMs = 0
    const open = () =>
      openStore(database, {
        serving: false,
        clock: { ...patientClock, monotonic: () => patientClock.monotonic() + laterMs },
      })
    before(async () => {
      database = await engine.createDatabase()
      store = await open()
    })
    after(() => store.close())

    /** The version when nothing is under way any more: other databases of the server may be in use. */
    const settled = async () => {
      let version = await store.changeVersion()
      await until('the same version twice', async () => {
        laterMs += 100_000
        const last = version
        version = await store.changeVersion()
        return version === last
      })
      return version
    }

    it('has another version after each commit that changed animals or names of categories', async () => {
      const other = await open()
      const { id } = await other.pets.create(REX)
      const changes: Readonly<Record<string, () => unknown>> = {
        'a new animal': () => other.pets.create(REX),
        'another status': () => other.records.change([id], { status: 'available' }, BY),
        'a removal': () => other.records.remove([id], BY),
        'a return': () => other.records.restore([id], BY),
        'an import': () => other.imports.add(batchesOf([REX, REX]), PLAIN_IMPORT),
        'its undo': () => other.imports.undo(1n, BY),
        'a name': () => other.categories.name(new Map([[1n, 'Dogs']]), BY),
        'another name': () => other.categories.name(new Map([[1n, 'Hounds']]), BY),
        'a word': () => other.words.set(new Map([['sold', 'Adopted']]), BY),
      }
      try {
        let version = await settled()
        for (const [what, change] of Object.entries(changes)) {
          await change()
          assert.notEqual(await store.changeVersion(), version, what)
          version = await settled()
        }
      } finally {
        await other.close()
      }
    })

    if (!engine.name.startsWith('SQLite')) {
      it('has another version after a commit whose numbers are smaller than those of one before', async () => {
        const client = new Client({ connectionString: database })
        client.on('error', () => {}) // of a server that ends with the test
        await client.connect()
        try {
          const add = "INSERT INTO pets (id, name, category_id, status) VALUES ($1, 'Late', 1, 'available')"
          const { rows } = await client.query("SELECT nextval('pet_ids') AS early, nextval('pet_ids') AS middle")
          await store.pets.create(REX)
          const [before, { early, middle }] = [await store.changeVersion(), rows[0]]
          await client.query(add, [early])
          assert.notEqual(await store.changeVersion(), before, 'soon after')
          await client.query('BEGIN')
          await client.query(add, [middle])
          await store.pets.create(REX)
          laterMs += 100_000
          await store.changeVersion()
          laterMs += 100_000
          const during = await store.changeVersion()
          await client.query('COMMIT')
          assert.notEqual(await store.changeVersion(), during, 'long after')
        } finally {
          await client.end()
        }
      })
    }

    it('gives the animals of some statuses, and all of these', async () => {
      const wanted = (['available', 'pending'] as const).map((status) => ({ ...REX, status }))
      const { id } = await store.pets.create(REX)
      const kinds: readonly NewPet[] = [...wanted, { ...REX, status: 'sold' } as const, REX]
      await store.imports.add(batchesOf(Array.from({ length: 6_000 }, (_, n) => kinds[n % 4] ?? REX)), PLAIN_IMPORT)
      const found: StoredAnimal[] = []
      for await (const pets of store.pets.export(id, ['pending', 'available'])) found.push(...pets)
      assert.deepEqual(
        found.map((pet) => `${pet.id} ${pet.status}`),
        Array.from({ length: 6_000 }, (_, n) => `${id + BigInt(n + 1)} ${kinds[n % 4]?.status}`).filter((pet) =>
          /available|pending/.test(pet),
        ),
      )
      for await (const pets of store.pets.export(undefined, [])) assert.deepEqual(pets, [])
    })

    it('names the database and its register by constant words', async () => {
      const wordsOf = async (one: Store) => [await one.identity(), await one.words.register()]
      const own = await wordsOf(store)
      for (const word of own) assert.match(word, /\S{8}/)
      await store.words.setShelter({ name: 'Harbour Street' }, BY)
      assert.deepEqual(await store.words.shelter(), { name: 'Harbour Street' })
      await store.close()
      store = await open()
      assert.deepEqual(await wordsOf(store), own)
      const other = await openStore(await engine.createDatabase(), { serving: false, clock: patientClock })
      const [identity, register] = await wordsOf(other)
      assert.notEqual(identity, own[0])
      // Databases of tests in PostgreSQL are copies of one.
      if (engine.name.startsWith('SQLite')) assert.notEqual(register, own[1])
      await other.close()
    })
  },
)
