/** Two nodes on one PostgreSQL database whose people do everything at once: nothing is refused, lost or told twice. */
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { Client } from 'pg'
import type { SyncKind } from '../../src/rules/sync.ts'
import type { Author } from '../../src/store/author.ts'
import { SessionEnded } from '../../src/store/people.ts'
import { openPostgres, type PostgresStore } from '../../src/store/postgres/store.ts'
import { seededRandom } from '../support/random.ts'
import { postgresNeeded, sharedPostgres } from '../support/servers/postgres.ts'
import { batchesOf, keyOf, PLAIN_IMPORT, PLAIN_SYNC, WHOLE_JOURNAL } from '../support/store.ts'
import { patientClock } from '../support/time/clock.ts'

const { atMs } = PLAIN_IMPORT.by
const SEED = 20_261_126
const ROUNDS = 30
const AT_ONCE = 6
const PEOPLE = ['ada', 'ben', 'eve', 'kim']
const KEYS = ['key_a', 'key_b', 'key_c']
const CATEGORIES = [1n, 2n, 3n]
const MEMBERS = ['name', 'status', 'categoryId']

class Acknowledged {
  /** The number of entries by author, of whom each acts once. */
  readonly entries = new Map<string, number>()
  readonly revokedKeys = new Set<string>()
  readonly revokedPeople = new Set<string>()
}

/** Acts at random, some at once, each on one of the two nodes. */
async function play(stores: readonly PostgresStore[]): Promise<Acknowledged> {
  const random = seededRandom(SEED)
  const below = (n: number) => Math.floor(random() * n)
  const oneOf = <T>(values: readonly [T, ...T[]] | readonly T[]): T => values[below(values.length)] as T
  const done = new Acknowledged()
  let [serial, imported] = [0, 0]

  /** Decides at random what is done, and does it; resolves to the number of entries that it is to have. */
  function act(store: PostgresStore, by: Author): Promise<number> {
    const { records, imports, sync, categories } = store
    const mark = by.who
    const ids = Array.from({ length: 1 + below(3) }, () => BigInt(1 + below(12)))
    const [id = 1n] = ids
    const categoryId = oneOf(CATEGORIES)
    const status = oneOf(['available', 'pending', 'sold', null] as const)
    const n = BigInt(1 + below(imported + 3))
    const isNew = random() < 0.5
    const ofNew = isNew ? { categoryId: BigInt(100 + serial), newCategory: `category of ${mark}` } : { categoryId }
    const animals = Array.from({ length: 1 + below(4) }, (_, place) => ({ name: `${place} of ${mark}`, ...ofNew }))
    const read = async () => ({ id, version: (await records.get(id))?.version ?? 0n })
    const acts: readonly (() => Promise<number>)[] = [
      async () => (await records.change([...new Set(ids)], { name: mark, status }, by, 'all that can be')).changed,
      async () => (await records.change([await read()], { name: mark, categoryId }, by)).changed,
      async () => (await records.remove([id], by)).changed,
      async () => (await records.restore([id], by)).changed,
      async () => (await records.undo([await read()], by)).changed,
      async () => Number((await records.add({ name: mark, categoryId }, by, mark)).isNew),
      async () => {
        await store.pets.create({ name: mark, categoryId })
        return 0
      },
      async () => {
        const { n } = await imports.add(batchesOf(animals), { ...PLAIN_IMPORT, by })
        assert(n !== undefined)
        imported += 1
        return 1 + Number(isNew)
      },
      async () => {
        const rows = animals.map((pet, line) => ({ ...pet, status, reference: `R${(below(3) + 3 * line) % 8}`, line }))
        const missing = oneOf(['keep', 'sold', 'remove'] as const)
        const how = { ...PLAIN_SYNC, by, missing, adopts: oneOf([true, false]) }
        const { n, counts, isRefused } = await sync.run(batchesOf(rows), how)
        assert(!isRefused)
        if (n === undefined) return 0
        return (Object.keys(counts) as SyncKind[]).reduce((sum, kind) => sum + counts[kind], 1 + Number(isNew))
      },
      async () => {
        const undone = await imports.undo(n, by)
        if (undone === undefined) return 0
        return undone.putBack === undefined ? 1 : 1 + undone.removed + undone.putBack
      },
      async () => {
        await categories.name(new Map([[categoryId, mark]]), by)
        return 1
      },
    ]
    return oneOf(acts)()
  }

  async function revoke(store: PostgresStore, by: Author): Promise<number> {
    const [key, person] = [oneOf(KEYS), oneOf(PEOPLE)]
    if (random() < 0.5) {
      done.revokedKeys.add(key)
      assert.ok(await store.keys.revoke(key, by))
    } else {
      done.revokedPeople.add(person)
      assert.ok(await store.people.revoke(person, by))
    }
    return Number.NaN
  }

  for (let round = 0; round < ROUNDS; round += 1) {
    await Promise.all(
      Array.from({ length: AT_ONCE }, async () => {
        serial += 1
        const person = oneOf(PEOPLE)
        const session = random() < 0.3 ? person : undefined
        const by = { who: session === undefined ? `act ${serial}` : `act ${serial} of ${person}`, atMs, session }
        const work = session === undefined && random() < 0.05 ? revoke : act
        try {
          done.entries.set(by.who, await work(oneOf(stores), by))
        } catch (error) {
          if (!(error instanceof SessionEnded && done.revokedPeople.has(person))) throw error
          done.entries.set(by.who, 0)
        }
      }),
    )
  }
  return done
}

type Values = Readonly<Record<string, unknown>>
const valuesOf = (json: string | undefined): Values => JSON.parse(json ?? '{}')

it('two nodes with simultaneous changes, imports, syncs and undos lose nothing', postgresNeeded, async (t) => {
  const server = await sharedPostgres()
  t.after(() => server.stop())
  const url = await server.createDatabase()
  const open = () => openPostgres(url, { serving: false, clock: patientClock })
  const stores = [await open(), await open()]
  const hand = new Client(url)
  await hand.connect()
  try {
    const [store] = stores as [PostgresStore]
    for (const name of PEOPLE) {
      const person = { name, folded: name, role: 'manager' as const, hash: name, endsAtMs: atMs + 1 }
      await store.people.invite(person, { who: 'first', atMs })
      await store.people.accept(name, 'passphrase', { hash: name, atMs })
    }
    for (const id of KEYS) await store.keys.add(keyOf({ id, createdAtMs: atMs }), id, { who: 'first', atMs })

    const done = await play(stores)
    const journal = (await store.records.journal({ ...WHOLE_JOURNAL, limit: 1_000_000 })).toReversed()
    const entriesBy = Map.groupBy(journal, ({ who }) => who)
    for (const [who, entries] of done.entries) {
      if (!Number.isNaN(entries)) assert.equal(entriesBy.get(who)?.length ?? 0, entries, `${who}`)
    }
    const keys = journal.filter(({ act }) => act === 'revoke key').map(({ keyId }) => keyId)
    assert.deepEqual(keys.toSorted(), [...done.revokedKeys].toSorted())
    const revoked = journal.filter(({ act }) => act === 'revoke person')
    assert.deepEqual(new Set(revoked.map(({ from }) => valuesOf(from).person)), done.revokedPeople)
    for (const { n, from } of revoked) {
      const { person } = valuesOf(from)
      const later = journal.filter((entry) => entry.n > n && entry.who.endsWith(` of ${person}`))
      assert.deepEqual(later, [], `acts of a session that has ended`)
    }

    // Each entry goes on from the ones before it, and what the last ones say is stored.
    const said = new Map<string, Values>()
    for (const { n, who, act, petId = '', from, to } of journal.filter(({ petId }) => petId !== undefined)) {
      const known = { ...valuesOf(from), ...said.get(petId) }
      for (const member of MEMBERS)
        if (member in valuesOf(from))
          assert.deepEqual(valuesOf(from)[member], known[member], `entry ${n}, ${act} by ${who} of ${petId}`)
      said.set(petId, { ...known, ...valuesOf(to) })
    }
    const tables =
      'SELECT id, name, category_id, status FROM pets UNION ALL SELECT id, name, category_id, status FROM removed_pets'
    for (const { id, name, category_id, status } of (await hand.query(tables)).rows) {
      const stored: Values = { name, status, categoryId: Number(category_id) }
      const known = said.get(String(id)) ?? {}
      for (const member of MEMBERS) if (member in known) assert.equal(stored[member], known[member], `animal ${id}`)
    }
    assert(said.size > 10, `${said.size} animals`)
  } finally {
    await hand.end()
    for (const store of stores) await store.close()
  }
})
