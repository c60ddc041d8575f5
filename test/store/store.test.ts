/** What every store guarantees, whichever engine is behind it. */
import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import fc from 'fast-check'
import { INT64_MAX, INT64_MIN } from '../../src/contract/int64.ts'
import { petJson } from '../../src/contract/json.ts'
import { filterKey, matches } from '../../src/contract/pet-filter.ts'
import { type NewPet, PetStatus } from '../../src/contract/schemas.ts'
import { openStore } from '../../src/store/open.ts'
import type { Key, StoredAnimal } from '../../src/store/rows.ts'
import type { PetPage, Store } from '../../src/store/store.ts'
import { anyCharacter } from '../support/draws.ts'
import { authorAt, batchesOf, FILTERS_TOGETHER, keyOf, PLAIN_IMPORT, textOf, WHOLE_JOURNAL } from '../support/store.ts'
import { patientClock } from '../support/time/clock.ts'
import { onEachEngine } from './on-each-engine.ts'

const AT_MS = Date.UTC(2026, 10, 21, 12)
const ALL = { limit: 100, status: undefined, before: undefined }

/** Every name that the contract lets through: any text but U+0000 and unpaired surrogates (O19). */
const name = fc.oneof(
  fc.string({ unit: anyCharacter, maxLength: 40 }).filter((text) => !text.includes('\0') && text.isWellFormed()),
  fc.constantFrom('', 'NULL', '🐈‍⬛', 'e\u0301', '\\N', '{"a"}', ...' \'"\\{},\u2028\uFFFF\uFEFF'),
)
const int64 = fc.oneof(fc.bigInt({ min: INT64_MIN, max: INT64_MAX }), fc.constantFrom(INT64_MIN, INT64_MAX, 0n, -1n))
const newPet: fc.Arbitrary<NewPet> = fc
  .record({ name, categoryId: int64, status: fc.constantFrom(undefined, ...PetStatus.enum) })
  .map(({ status, ...pet }) => (status === undefined ? pet : { ...pet, status }))

const rex: NewPet = { name: 'Rex', categoryId: 7n, status: 'available' }

let keys = 0
function newKey(more: Partial<Key> = {}): Key {
  keys += 1
  const numbers = { perMinute: 300, perDay: 10_000, createdAtMs: AT_MS + keys }
  return keyOf({ id: `key${keys}`, plan: 'pro', label: "Tierheim „Köln“ 'nord'", ...numbers, ...more })
}

async function rowsOf(store: Store): Promise<StoredAnimal[]> {
  const rows: StoredAnimal[] = []
  for await (const batch of store.pets.export()) rows.push(...batch)
  return rows
}

onEachEngine(
  (name) => `the store on ${name}`,
  (engine) => {
    let url: string
    let store: Store

    before(async () => {
      url = await engine.createDatabase()
      // Thousands of them are asked for at once below, and nobody measures how soon they come.
      store = await openStore(url, { serving: true, clock: patientClock })
    })
    after(async () => {
      await store.close()
    })

    const test = engine.testOn({ serving: true })

    it('an animal comes back as it was created, to the last digit and character (R3-R5, O4, O19)', async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(newPet, { minLength: 1, maxLength: 12 }), async (pets) => {
          const created = await Promise.all(pets.map((pet) => store.pets.create(pet)))
          const expected = pets.map(({ name, categoryId, status }, index) =>
            petJson(created[index]?.id ?? 0n, name, categoryId, status),
          )
          assert.deepEqual(
            created.map(({ json }) => json),
            expected,
          )
          assert.deepEqual(await Promise.all(created.map(({ id }) => store.pets.get(id))), expected)
          const json = textOf(await store.pets.list({ ...ALL, limit: pets.length }))
          assert.deepEqual(
            new Set((JSON.parse(json) as { name: string }[]).map(({ name }) => name)),
            new Set(pets.map(({ name }) => name)),
          )
        }),
        { numRuns: 40 },
      )
    })

    it('animals created at the same time get ids of their own, and each its own animal (R4)', async () => {
      const created = await Promise.all(
        Array.from({ length: 2_500 }, (_, n) => store.pets.create({ name: `n${n}`, categoryId: BigInt(n) })),
      )
      assert.equal(new Set(created.map(({ id }) => id)).size, 2_500)
      const found = await Promise.all(created.map(({ id }) => store.pets.get(id)))
      assert.deepEqual(
        found,
        created.map(({ id }, n) => petJson(id, `n${n}`, BigInt(n), undefined)),
      )
    })

    it('there is no animal of an id that was never assigned, at either end of int64 too (R11, O18)', async () => {
      const ids = [0n, -1n, INT64_MIN, INT64_MAX]
      for (const id of ids) assert.equal(await store.pets.get(id), undefined)
      const { id, json } = await store.pets.create(rex)
      assert.deepEqual(await Promise.all([id, -1n, id].map((id) => store.pets.get(id))), [json, undefined, json])
    })

    test('a list has the newest animals of a status, up to the limit, and a place to continue (R7, R8, O5)', async (store) => {
      assert.deepEqual(await store.pets.list(ALL), { json: '[]', nextBefore: undefined })
      const statuses = [undefined, ...PetStatus.enum]
      const created: { id: bigint; json: string; status: string | undefined }[] = []
      for (let n = 0; n < 30; n += 1) {
        const status = statuses[n % 4]
        const pet = status === undefined ? { name: `${n}`, categoryId: 1n } : { name: `${n}`, categoryId: 1n, status }
        created.unshift({ ...(await store.pets.create(pet)), status })
      }
      for (const status of statuses) {
        const expected = created.filter((pet) => status === undefined || pet.status === status)
        for (const limit of [1, 3, expected.length - 1, expected.length, 100]) {
          let before: bigint | undefined
          const pages: string[] = []
          do {
            const page = await store.pets.list({ limit, status, before })
            pages.push(...(JSON.parse(textOf(page)) as { id: number }[]).map(({ id }) => String(id)))
            before = page.nextBefore === undefined ? undefined : BigInt(page.nextBefore)
            if (before !== undefined) assert.equal(pages.length % limit, 0)
          } while (before !== undefined)
          assert.deepEqual(
            pages,
            expected.map(({ id }) => id.toString()),
          )
        }
      }
    })

    test('simultaneous lists of different filters do not mix', async (store) => {
      const pets = FILTERS_TOGETHER.map((filter, n) => ({ categoryId: 1n, ...filter, name: `${n}` }) as NewPet)
      for (const pet of pets) await store.pets.create(pet)
      for (const before of [undefined, BigInt(pets.length + 1)]) {
        const pages = await Promise.all(
          FILTERS_TOGETHER.map((filter) => store.pets.list({ ...filter, limit: 100, before })),
        )
        for (const [n, filter] of FILTERS_TOGETHER.entries()) {
          const names = (JSON.parse(textOf(pages[n] as PetPage)) as NewPet[]).map(({ name }) => name)
          const expected = pets.filter((pet) => matches(filter, pet)).map(({ name }) => name)
          assert.deepEqual(names, expected.toReversed(), filterKey(filter))
        }
      }
    })

    test('long names arrive whole next to short ones, in pages of any length (O19)', async (store) => {
      const names = Array.from({ length: 30 }, (_, n) => `${n}${n % 3 === 0 ? '' : 'ü"'.repeat(16_000)}`)
      const texts: string[] = []
      for (const name of names) texts.unshift((await store.pets.create({ name, categoryId: 1n })).json)
      const limits = [30, 30, 1, 2, 20]
      for (const before of [undefined, 29n]) {
        const pages = await Promise.all(limits.map((limit) => store.pets.list({ ...ALL, limit, before })))
        const from = before === undefined ? 0 : 2
        for (const [n, limit] of limits.entries())
          assert(textOf(pages[n] as PetPage) === `[${texts.slice(from, from + limit).join(',')}]`, `${limit}`)
      }
      assert(JSON.parse(texts[0] ?? '').name === names.at(-1))
      assert((await store.pets.get(2n)) === texts.at(-2))
    })

    it('every request after a create sees the animal, however many are simultaneous', async () => {
      for (let round = 0; round < 20; round += 1) {
        const asking = Array.from({ length: 10 }, () => store.pets.list({ ...ALL, limit: 5 }))
        const { id, json } = await store.pets.create({ name: `round ${round}`, categoryId: 1n })
        const after = await Promise.all(Array.from({ length: 10 }, () => store.pets.list({ ...ALL, limit: 5 })))
        for (const page of after) assert.ok(textOf(page).startsWith(`[${json}`))
        assert.equal(await store.pets.get(id), json)
        await Promise.all(asking)
      }
    })

    test('an import adds every animal in its order', async (store) => {
      const pets = Array.from({ length: 5_000 }, (_, n): NewPet => ({ name: `${n}`, categoryId: BigInt(n) }))
      const batches = batchesOf(pets.slice(0, 3_000), [], pets.slice(3_000))
      const { file, n } = await store.imports.add(batches, PLAIN_IMPORT)
      assert.deepEqual([file.rows, n], [5_000, 1n])
      assert.deepEqual(
        (await rowsOf(store)).map(({ name }) => name),
        pets.map(({ name }) => name),
      )
      await store.pets.create(rex)
      assert.equal((await rowsOf(store)).at(-1)?.name, 'Rex')
    })

    test('an export is every animal in order of id, exact, as of the moment it began', async (store) => {
      await store.imports.add(
        batchesOf(Array.from({ length: 12_345 }, (_, n) => ({ ...rex, categoryId: INT64_MIN + BigInt(n) }))),
        PLAIN_IMPORT,
      )
      const rows: StoredAnimal[] = []
      for await (const batch of store.pets.export()) {
        if (rows.length === 0) await store.pets.create(rex)
        rows.push(...batch)
      }
      assert.equal(rows.length, 12_345)
      assert.deepEqual(rows.at(0), { id: '1', name: 'Rex', categoryId: INT64_MIN.toString(), status: 'available' })
      assert.ok(rows.every(({ id }, n) => n === 0 || BigInt(id) > BigInt(rows[n - 1]?.id ?? '')))
      const rest: StoredAnimal[] = []
      for await (const batch of store.pets.export(12_340n)) rest.push(...batch)
      assert.deepEqual(
        rest.map(({ id }) => id),
        ['12341', '12342', '12343', '12344', '12345', '12346'],
      )
      for await (const batch of store.pets.export()) if (batch.length > 0) break
      assert.equal((await store.pets.list({ ...ALL, limit: 1 })).nextBefore, '12346')
    })

    it('processes that open a new database at the same moment agree on its tables', async () => {
      const own = await engine.createDatabase()
      const stores = await Promise.all(
        Array.from({ length: 5 }, () => openStore(own, { serving: false, clock: patientClock })),
      )
      const created = await Promise.all(stores.map((store) => store.pets.create(rex)))
      assert.equal(new Set(created.map(({ id }) => id)).size, 5)
      await Promise.all(stores.map((store) => store.close()))
    })

    it('a change by another process is visible immediately', async () => {
      const other = await openStore(url, { serving: false, clock: patientClock })
      const { id, json } = await store.pets.create(rex)
      await store.pets.list(ALL)
      assert.equal(await other.pets.get(id), json)
      await other.records.change([id], { status: 'sold' }, PLAIN_IMPORT.by)
      // A request that knows of it cannot arrive in the turn of the event loop in which the store last looked.
      await nextTurn()
      assert.match((await store.pets.get(id)) ?? '', /"sold"/)
      const added = await other.pets.create(rex)
      await nextTurn()
      assert.ok(textOf(await store.pets.list(ALL)).startsWith(`[${added.json}`))
      await other.close()
    })

    it('a key is found by its hash, with everything it was added with', async () => {
      const plain = newKey()
      const custom = newKey({
        plan: 'enterprise',
        perMinute: Number.MAX_SAFE_INTEGER,
        perDay: Number.MAX_SAFE_INTEGER,
        expiresAtMs: AT_MS + 1,
        revokedAtMs: AT_MS + 2,
        lastUsedAtMs: AT_MS + 3,
      })
      await store.keys.add(plain, 'plain', authorAt(1))
      await store.keys.add(custom, 'custom', authorAt(1))
      const found = ['plain', 'custom', 'none'].map((hash) => Promise.resolve(store.requests.findKey(hash)))
      assert.deepEqual(await Promise.all(found), [plain, custom, undefined])
      assert.deepEqual((await store.keys.list({ limit: 1_000 })).slice(-2), [plain, custom])
      await assert.rejects(async () => store.keys.add(plain, 'another', authorAt(1)))
      await assert.rejects(async () => store.keys.add(newKey(), 'plain', authorAt(1)))
    })

    it('a key that was looked up before it was issued works from the moment it is issued (O7)', async () => {
      assert.equal(await store.requests.findKey('soon'), undefined)
      await store.keys.add(newKey(), 'soon', authorAt(1))
      assert.notEqual(await store.requests.findKey('soon'), undefined)
    })

    it('revoking a key applies here immediately, and a second time changes nothing (O7)', async () => {
      const key = newKey()
      await store.keys.add(key, 'revoked', authorAt(1))
      await store.requests.findKey('revoked')
      const asked = store.requests.findKey('revoked')
      assert.ok(await store.keys.revoke(key.id, authorAt(AT_MS + 5)))
      await asked
      assert.equal((await store.requests.findKey('revoked'))?.revokedAtMs, AT_MS + 5)
      assert.ok(await store.keys.revoke(key.id, authorAt(AT_MS + 6)))
      assert.equal((await store.requests.findKey('revoked'))?.revokedAtMs, AT_MS + 5)
      assert.ok(!(await store.keys.revoke('nobody', authorAt(AT_MS))))
    })

    it('a key and its replacement are stored together, or not at all', async () => {
      const key = newKey({ expiresAtMs: AT_MS + 100 })
      const successor = newKey({ lineage: key.lineage })
      await store.keys.add(key, 'old', authorAt(1))
      await store.requests.findKey('old')
      await assert.rejects(async () =>
        store.keys.replace(key.id, AT_MS + 50, { key: successor, hash: 'old' }, authorAt(1), key.id),
      )
      assert.equal((await store.requests.findKey('old'))?.expiresAtMs, AT_MS + 100)
      const entries = await store.records.journal({ ...WHOLE_JOURNAL, keyId: key.id })
      assert.deepEqual(
        entries.map(({ act }) => act),
        ['issue key'],
        'what was refused leaves no entry',
      )
      await store.keys.replace(key.id, AT_MS + 200, { key: successor, hash: 'new' }, authorAt(1), key.id)
      assert.equal((await store.requests.findKey('old'))?.expiresAtMs, AT_MS + 100)
      await store.keys.replace(
        key.id,
        AT_MS + 50,
        { key: newKey({ lineage: key.lineage }), hash: 'newer' },
        authorAt(1),
        successor.id,
      )
      assert.equal((await store.requests.findKey('old'))?.expiresAtMs, AT_MS + 50)
      assert.equal((await store.requests.findKey('new'))?.lineage, key.lineage)
    })

    it('reported uses are listed', async () => {
      const [used, unused] = [newKey(), newKey()]
      await store.keys.add(used, 'used', authorAt(1))
      await store.keys.add(unused, 'unused', authorAt(1))
      await store.requests.markKeysUsed(new Map([used.id, 'gone'].map((id) => [id, AT_MS])))
      const lastUses = [await store.keys.get(used.id), await store.keys.get(unused.id)].map((key) => key?.lastUsedAtMs)
      assert.deepEqual(lastUses, [AT_MS, undefined])
    })
  },
)
