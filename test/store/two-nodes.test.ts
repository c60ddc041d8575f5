/** Two nodes on one PostgreSQL database whose people do everything at once: the journal says all of it, in order. */
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { Client } from 'pg'
import type { PetStatus } from '../../src/contract/schemas.ts'
import type { SyncKind } from '../../src/rules/sync.ts'
import type { Author } from '../../src/store/author.ts'
import type { JournalEntry } from '../../src/store/journal.ts'
import { SessionEnded } from '../../src/store/people.ts'
import { openPostgres, type PostgresStore } from '../../src/store/postgres/store.ts'
import type { FileRow } from '../../src/store/staging.ts'
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

/** What was acknowledged. */
class Acknowledged {
  /** The number of entries by author, of whom each acts once. */
  readonly entries = new Map<string, number>()
  /** The version of the animal that an edit or an undo was based on, by author. */
  readonly basedOn = new Map<string, { readonly version: bigint; readonly isUndo: boolean }>()
  /** The animals of each import, in the order of their ids. */
  readonly imported = new Map<bigint, readonly FileRow[]>()
  readonly created = new Map<bigint, FileRow>()
  readonly revokedKeys = new Set<string>()
  readonly revokedPeople = new Set<string>()
}

/** What an animal is after each entry of the journal. */
interface Animal {
  name: string
  status: PetStatus | null
  isRemoved: boolean
  categoryId: bigint
  last: JournalEntry | undefined
  /** The number of the import, if nobody has changed it since. */
  untouchedOf: bigint | undefined
}

/** Acts at random, some at once, each on one of the two nodes. */
async function play(stores: readonly PostgresStore[]): Promise<Acknowledged> {
  const random = seededRandom(SEED)
  const below = (n: number) => Math.floor(random() * n)
  const oneOf = <T>(values: readonly [T, ...T[]] | readonly T[]): T => values[below(values.length)] as T
  const done = new Acknowledged()
  let serial = 0

  /** Decides at random what is done, and does it; resolves to the number of entries that it is to have. */
  function act(store: PostgresStore, by: Author): Promise<number> {
    const { records, imports, sync, categories } = store
    const mark = by.who
    const ids = Array.from({ length: 1 + below(3) }, () => BigInt(1 + below(12)))
    const [id = 1n] = ids
    const categoryId = oneOf(CATEGORIES)
    const status = oneOf(['available', 'pending', 'sold', null] as const)
    const n = BigInt(1 + below(done.imported.size + 3))
    const isNew = random() < 0.5
    const ofNew = isNew ? { categoryId: BigInt(100 + serial), newCategory: `category of ${mark}` } : { categoryId }
    const animals = Array.from({ length: 1 + below(4) }, (_, place) => ({ name: `${place} of ${mark}`, ...ofNew }))
    const read = async (isUndo: boolean) => {
      const version = (await records.get(id))?.version ?? 0n
      done.basedOn.set(mark, { version, isUndo })
      return { id, version }
    }
    const acts: readonly (() => Promise<number>)[] = [
      async () => (await records.change([...new Set(ids)], { name: mark, status }, by, 'all that can be')).changed,
      async () => (await records.change([await read(false)], { name: mark, categoryId }, by)).changed,
      async () => (await records.remove([id], by)).changed,
      async () => (await records.restore([id], by)).changed,
      async () => (await records.undo([await read(true)], by)).changed,
      async () => Number((await records.add({ name: mark, categoryId }, by, mark)).isNew),
      async () => {
        done.created.set((await store.pets.create({ name: mark, categoryId })).id, { name: mark, categoryId })
        return 0
      },
      async () => {
        const { n } = await imports.add(batchesOf(animals), { ...PLAIN_IMPORT, by })
        assert(n !== undefined)
        done.imported.set(n, animals)
        return 1 + Number(isNew)
      },
      async () => {
        const rows = animals.map((pet, line) => ({ ...pet, status, reference: `R${(below(3) + 3 * line) % 8}`, line }))
        const missing = oneOf(['keep', 'sold', 'remove'] as const)
        const how = { ...PLAIN_SYNC, by, missing, adopts: oneOf([true, false]), renumbers: true, renames: true }
        const { n, counts, refusal } = await sync.run(batchesOf(rows), how)
        assert.equal(refusal, undefined)
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

/** The animals as the journal's entries say, each of which goes on from the ones before it. */
function replay(
  journal: readonly JournalEntry[],
  { basedOn, imported, created }: Acknowledged,
  idsOf: ReadonlyMap<bigint, readonly bigint[]>,
) {
  const animals = new Map<bigint, Animal>()
  const labels = new Map<bigint, string | null>()
  const begin = (id: bigint, { name = '', categoryId = 0n, status = null }: Values) => {
    const rest = { isRemoved: false, last: undefined, untouchedOf: undefined }
    const animal: Animal = { name, status, categoryId, ...rest }
    animals.set(id, animal)
    return animal
  }
  for (const [id, pet] of created) begin(id, pet)
  for (const entry of journal) {
    const [from, to] = [valuesOf(entry.from), valuesOf(entry.to)]
    const about = `entry ${entry.n}, ${entry.act} by ${entry.who} of ${entry.petId}: ${entry.from} -> ${entry.to}`
    if (entry.petId !== undefined) {
      const id = BigInt(entry.petId)
      const animal = entry.act === 'add' ? begin(id, to) : animals.get(id)
      assert(animal !== undefined, about)
      const base = basedOn.get(entry.who)
      if (base?.isUndo) assert.equal(animal.last?.n ?? 0n, entry.undoes, about)
      else if (base !== undefined)
        assert(animal.last === undefined || animal.last.n <= base.version || !touched(animal.last), about)
      if (from.name !== undefined) assert.equal(animal.name, from.name, about)
      if (from.status !== undefined) assert.equal(animal.status, from.status, about)
      if (from.categoryId !== undefined) assert.equal(animal.categoryId, from.categoryId, about)
      assert.equal(animal.isRemoved, entry.act === 'restore', about)
      if (to.name !== undefined) animal.name = to.name
      if (to.status !== undefined) animal.status = to.status
      if (to.categoryId !== undefined) animal.categoryId = to.categoryId
      animal.isRemoved = entry.act === 'remove'
      animal.last = entry
      animal.untouchedOf = undefined
    } else if (entry.act === 'import') {
      const [n = 0n] = [to.import]
      const ids = idsOf.get(n) ?? []
      assert.equal(ids.length, imported.get(n)?.length, about)
      for (const [place, pet] of (imported.get(n) ?? []).entries()) begin(ids[place] ?? 0n, pet).untouchedOf = n
    } else if (entry.act === 'undo import') {
      for (const animal of animals.values()) if (animal.untouchedOf === from.import) animal.isRemoved = true
    } else if (entry.act === 'label') {
      assert.equal(from.label, labels.get(to.categoryId ?? 0n) ?? null, about)
      labels.set(to.categoryId ?? 0n, to.label ?? null)
    }
  }
  return { animals, labels }
}

function touched({ act, from, to }: JournalEntry): boolean {
  return act !== 'edit' || [valuesOf(from), valuesOf(to)].some(({ name, categoryId }) => name ?? categoryId)
}

interface Values {
  readonly name?: string
  readonly person?: string
  readonly status?: PetStatus | null | undefined
  readonly label?: string | null
  readonly categoryId?: bigint
  readonly import?: bigint
}

function valuesOf(json: string | undefined): Values {
  const isNumber = (key: string) => key === 'categoryId' || key === 'import'
  return JSON.parse(json ?? '{}', (key, value) => (isNumber(key) ? BigInt(value as number) : value)) as Values
}

it(
  'two nodes whose people change, revoke, import, sync and undo at once lose nothing and never get in the way',
  postgresNeeded,
  async (t) => {
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
      assert.deepEqual(
        revoked
          .map(({ from }) => valuesOf(from))
          .map(({ person }) => person)
          .toSorted(),
        [...done.revokedPeople].toSorted(),
      )
      for (const { n, from } of revoked) {
        const { person } = valuesOf(from)
        const later = journal.filter((entry) => entry.n > n && entry.who.endsWith(` of ${person}`))
        assert.deepEqual(later, [], `acts of a session that has ended`)
      }

      const ranges = 'SELECT import_n, first_id, last_id FROM import_ranges ORDER BY first_id'
      const idsOf = new Map<bigint, bigint[]>()
      for (const { import_n, first_id, last_id } of (await hand.query(ranges)).rows) {
        const ids = Array.from(
          { length: Number(last_id) - Number(first_id) + 1 },
          (_, n) => BigInt(first_id) + BigInt(n),
        )
        idsOf.set(BigInt(import_n), [...(idsOf.get(BigInt(import_n)) ?? []), ...ids])
      }
      const { animals, labels } = replay(journal, done, idsOf)
      const rows = (
        await hand.query(`
        SELECT id, name, category_id, status, false AS removed FROM pets
        UNION ALL SELECT id, name, category_id, status, true FROM removed_pets`)
      ).rows
      assert.equal(rows.length, animals.size)
      for (const { id, name, category_id, status, removed } of rows) {
        const said = animals.get(BigInt(id))
        assert.deepEqual(
          { name, status, removed },
          { name: said?.name, status: said?.status, removed: said?.isRemoved },
          `animal ${id}`,
        )
        assert.equal(said?.categoryId, BigInt(category_id), `animal ${id}`)
      }
      const named = [...labels].filter(([, label]) => label !== null)
      assert.deepEqual(new Map(named.sort()), new Map([...(await store.categories.names())].sort()))
    } finally {
      await hand.end()
      for (const store of stores) await store.close()
    }
  },
)
