/** Syncs, on every engine: what they do, what the journal says of it, and what an undo takes back, held to a model. */
import assert from 'node:assert/strict'
import { it } from 'node:test'
import fc from 'fast-check'
import { INT64_MAX } from '../../../src/contract/int64.ts'
import type { PetStatus } from '../../../src/contract/schemas.ts'
import type { FileRow } from '../../../src/store/staging.ts'
import type { Store } from '../../../src/store/store.ts'
import type { SyncOptions } from '../../../src/store/sync.ts'
import { SyncModel } from '../../model/sync.ts'
import { runs } from '../../support/draws.ts'
import { authorAt, batchesOf, PLAIN_IMPORT, PLAIN_SYNC, purgeBefore, WHOLE_JOURNAL } from '../../support/store.ts'
import { clockAt } from '../../support/time/clock.ts'
import { onEachEngine, withNewStore } from '../on-each-engine.ts'
import { everythingOf } from './everything.ts'

const by = authorAt(1)
type Listed = FileRow & {
  readonly reference: string
  readonly categoryId: bigint
  readonly status: PetStatus | null | undefined
}

const row = (reference: string, name: string, status?: PetStatus | null): Listed => {
  return { reference, name, categoryId: 7n, status, line: 2 }
}

interface Values {
  readonly name: string
  readonly categoryId: bigint
  readonly status: PetStatus | null
}

function expected(model: SyncModel) {
  const animals = [...model.has.given].map((id) => {
    const { animal, ...place } = model.at(id) ?? {}
    return [id, { ...place, values: { ...animal, status: animal?.status ?? null } }] as const
  })
  const journal = model.has.journal.map(({ act, animal, from, to }) => {
    return { act, petId: animal === undefined ? undefined : Number(animal), from, to }
  })
  return { animals: Object.fromEntries(animals), journal, undone: model.undone }
}

const values = fc
  .tuple(
    fc.constantFrom('Rex', 'Luna', 'Ré"x\\'),
    fc.constantFrom(1n, INT64_MAX),
    fc.constantFrom<PetStatus | null>('available', 'sold', null),
  )
  .map(([name, categoryId, status]): Values => ({ name, categoryId, status }))
const listed = fc
  .tuple(
    fc.array(
      fc.record({
        reference: fc.constantFrom('A1', 'A2', 'A3', 'A4', '<x>'),
        of: values,
        isGone: fc.constantFrom(false, false, false, true),
      }),
      { maxLength: 5 },
    ),
    fc.integer({ min: 0, max: 9 }),
  )
  .map(([rows, kind]): Listed[] => {
    // Most lists name each reference once, and some say nothing of the status.
    const once = kind === 0 ? rows : [...new Map(rows.map((one) => [one.reference, one])).values()]
    return once.map(({ reference, of: { name, categoryId, status }, isGone }, n) => {
      return { reference, name, categoryId, status: kind > 7 ? undefined : status, isGone, line: n + 2 }
    })
  })
type Step = (store: Store, model: SyncModel) => Promise<void>
const syncing = fc
  .record({
    rows: listed,
    missing: fc.constantFrom<SyncOptions['missing']>('keep', 'sold', 'remove'),
    adopts: fc.constantFrom(undefined, true, false, false, ['A1', 'A3']),
    agrees: fc.constantFrom(true, true, true, false),
    dryRun: fc.constantFrom(false, false, false, true),
  })
  .map(
    ({ rows, ...options }): Step =>
      async (store, model) => {
        const all = { ...PLAIN_SYNC, ...options }
        const looked = await store.sync.run(batchesOf(rows), { ...all, dryRun: true })
        const outcome = await store.sync.run(batchesOf(rows.slice(0, 1), rows.slice(1)), all)
        assert.deepEqual(
          outcome,
          { ...looked, n: outcome.n, isDone: outcome.isDone, groups: outcome.groups },
          'what a dry run tells is what happens',
        )
        for (const [kind, n] of Object.entries(looked.counts)) {
          const groups = looked.groups.filter((group) => group.kind === kind)
          const animals = groups.reduce((sum, group) => sum + group.animals, 0)
          assert.equal(animals, n, kind)
        }
        const told = model.sync(rows, all)
        const { n, counts, isRefused } = outcome
        assert.deepEqual({ n: n === undefined ? n : Number(n), counts, isRefused }, told)
      },
  )
const undoing = fc.integer({ min: 1, max: 5 }).map(
  (n): Step =>
    async (store, model) => {
      assert.deepEqual(await store.imports.undo(BigInt(n), by), model.undo(n))
    },
)
const creating = values.map(
  (of): Step =>
    async (store, model) => {
      const { status, ...rest } = of
      await store.pets.create(status === null ? rest : { ...rest, status })
      model.create({ ...rest, status: status ?? undefined })
    },
)
const changing = fc
  .record({
    at: fc.nat(),
    act: fc.constantFrom<'edit' | 'remove' | 'restore'>('edit', 'edit', 'remove', 'restore'),
    changes: fc.constantFrom<Partial<Values>>({ status: 'pending' }, { name: 'Luna' }, { categoryId: 1n }),
  })
  .map(
    ({ at, act, changes }): Step =>
      async ({ records }, model) => {
        if (model.has.given.size === 0) return
        const id = BigInt(1 + (at % model.has.given.size))
        if (act === 'edit') await records.change([id], changes, by)
        else await records[act]([id], by)
        model.act(id, act, act === 'edit' ? changes : {})
      },
  )
const steps = fc.array(fc.oneof({ weight: 4, arbitrary: syncing }, undoing, creating, changing), {
  minLength: 3,
  maxLength: 12,
})

onEachEngine(
  (name) => `syncs with ${name}`,
  (engine) => {
    const { test } = engine
    it('do what a model does, with edits and undos in between, and the journal says the same', () =>
      fc.assert(
        fc.asyncProperty(steps, (play) =>
          withNewStore(engine, async (store) => {
            const model = new SyncModel()
            for (const step of play) {
              await step(store, model)
              assert.deepEqual(await everythingOf(store), expected(model))
            }
          }),
        ),
        { numRuns: runs(engine.name === 'SQLite' ? 10 : 4) },
      ))

    engine.testOn({ serving: true })(
      'change nothing, and journal nothing, when the same list comes again',
      async (store) => {
        const list = () => batchesOf([row('A1', 'Rex', 'sold'), row('A2', 'Luna', null)])
        assert.equal((await store.sync.run(list(), PLAIN_SYNC)).n, 1n)
        const before = await everythingOf(store)
        const again = await store.sync.run(list(), { ...PLAIN_SYNC, missing: 'remove', agrees: false })
        assert.equal(again.n, undefined)
        assert.deepEqual(await everythingOf(store), before)
        assert.equal((await store.imports.list(10)).length, 1)
        assert.deepEqual(await store.imports.undo(1n, by), { removed: 2, putBack: 0, kept: 0 })
      },
    )

    test('keep at an undo an animal that someone removed since', async (store) => {
      await store.sync.run(batchesOf([row('A1', 'Rex')]), PLAIN_SYNC)
      await store.records.remove([1n], by)
      assert.deepEqual(await store.imports.undo(1n, by), { removed: 0, putBack: 0, kept: 1 })
    })

    test('forget the reference of an animal that is purged: its row is a new animal then', async (store) => {
      await store.sync.run(batchesOf([row('A1', 'Rex')]), PLAIN_SYNC)
      await store.records.remove([1n], by)
      assert.equal(await purgeBefore(store.records, 2), 1)
      const { counts } = await store.sync.run(batchesOf([row('A1', 'Rex')]), PLAIN_SYNC)
      assert.deepEqual([counts.added, counts.restored], [1, 0])
    })

    test('stop if many references seem new, unless a person agrees', async (store) => {
      const rows = ['Rex', 'Luna', 'Tom'].map((name, n) => ({ ...row(`A${n}`, name), line: n + 2 }))
      await store.sync.run(batchesOf(rows), PLAIN_SYNC)
      const renamed = rows.map((one, n) =>
        n === 0 ? one : { ...one, reference: `B${n}`, name: one.name.toUpperCase() },
      )
      const { n, guard } = await store.sync.run(batchesOf(renamed), { ...PLAIN_SYNC, agrees: false })
      const pairs = [
        ['A1', 'B1'],
        ['A2', 'B2'],
      ]
      assert.deepEqual([n, guard?.vanished, guard?.vanishedAlike, guard?.pairs], [undefined, 2, 2, pairs])
      assert.equal((await store.sync.run(batchesOf(renamed), PLAIN_SYNC)).counts.added, 2)
    })

    test('do not take animals for others whose category changes, and of whose names only case and accents do', async (store) => {
      const before = [row('A1', 'Zoë'), row('A2', 'André')]
      await store.sync.run(batchesOf(before), PLAIN_SYNC)
      const shouted = [row('A1', 'ZOË'), row('A2', 'ANDRÉ')].map((one) => ({ ...one, categoryId: 8n }))
      const { n, counts } = await store.sync.run(batchesOf(shouted), PLAIN_SYNC)
      assert.deepEqual([n, counts.changed], [2n, 2])
      const { guard } = await store.sync.run(batchesOf([row('A1', 'Rex'), row('A2', 'Tom')]), PLAIN_SYNC)
      assert.equal(guard?.reassigned, 2)
    })

    test('know a reference in whatever case and with whatever dash, and of two rows with one the last counts', async (store) => {
      await store.sync.run(batchesOf([row('A-1', 'Rex')]), PLAIN_SYNC)
      const rows = ['Rexy', 'Rexi'].map((name, n) => ({ ...row('a\u20111', name), line: n + 2 }))
      const { counts } = await store.sync.run(batchesOf(rows), PLAIN_SYNC)
      assert.deepEqual([counts.added, counts.changed], [0, 1])
      assert.match((await store.pets.get(1n)) ?? '', /"Rexi"/)
    })

    test('know the longest references that staff have corrected, or agreed to', async (store) => {
      const long = Array.from({ length: 200 }, () => '\ufdfa').join('') // 18 letters each as they are compared
      const { id } = await store.pets.create({ name: 'Rex', categoryId: 7n })
      await store.pets.create({ name: 'Luna', categoryId: 7n })
      await store.records.change([id], { reference: long }, by)
      const rows = [row(long, 'Rex', 'sold'), { ...row(`${long}2`, 'Luna'), line: 3 }]
      const { counts } = await store.sync.run(batchesOf(rows), { ...PLAIN_SYNC, adopts: [`${long}2`] })
      assert.deepEqual([counts.added, counts.changed, counts.adopted], [0, 1, 1])
    })

    test('know an animal by a name that is too long to be folded', async (store) => {
      const name = `\u00c9${'X'.repeat(1_024)}`
      await store.pets.create({ name, categoryId: 7n })
      const { counts } = await store.sync.run(batchesOf([row('A1', name)]), { ...PLAIN_SYNC, adopts: ['A1'] })
      assert.deepEqual([counts.added, counts.adopted], [0, 1])
    })

    test('and imports take of the rows about one animal the latest, and nothing if it has left by then', async (store) => {
      const rows = [
        { ...row('A1', 'Rex', 'pending'), line: 2, latest: 20 },
        { ...row('A1', 'Rex', 'available'), line: 3, latest: 10, newCategory: 'Puppy', categoryId: 8n },
        { ...row('A2', 'Luna', 'available'), line: 4, latest: 10 },
        { ...row('a2', 'Luna'), line: 5, isGone: true },
        { ...row('A3', 'Tom', 'available'), line: 6, latest: 10 },
        { ...row('A3', 'Tom'), line: 7, latest: 11, isGone: true },
        { ...row('A4', 'Mia', 'pending'), line: 8 },
        { reference: 'A4', name: 'Mia', status: 'pending' as const, line: 7, latest: -2 },
      ]
      const { file } = await store.imports.add(batchesOf(rows.slice(0, 3), rows.slice(3)), PLAIN_IMPORT)
      const { rows: older, references, named } = file.repeated
      assert.deepEqual(
        [
          file.rows,
          older,
          references,
          named,
          file.newCategories.size,
          file.first.map(({ name, status }) => [name, status]),
        ],
        [
          ...[3, 4, 4, 0, 0],
          [
            ['Rex', 'pending'],
            ['Luna', 'available'],
            ['Mia', 'pending'],
          ],
        ],
      )
      assert.deepEqual((await store.sync.run(batchesOf(rows), { ...PLAIN_SYNC, adopts: true })).file, file)
      assert.equal((await store.categories.names()).size, 0)
      assert.deepEqual(await Promise.all([3n, 4n].map((id) => Promise.resolve(store.pets.get(id)))), [
        '{"id":3,"name":"Mia","categoryId":7,"status":"pending"}',
        undefined,
      ])
    })

    test('keep two lists apart that have the same references, and miss animals only in their own', async (store) => {
      const dogs = { ...PLAIN_SYNC, list: 'dogs', missing: 'sold' as const }
      const cats = { ...dogs, list: 'cats' }
      await store.sync.run(batchesOf([row('1', 'Rex', 'available')]), dogs)
      await store.sync.run(batchesOf([row('1', 'Luna', 'available')]), cats)
      const { counts } = await store.sync.run(batchesOf([row('2', 'Mia', 'available')]), cats)
      assert.deepEqual([counts.added, counts.marked], [1, 1])
      const statuses = await Promise.all(
        [1n, 2n].map(async (id) => /"status":"(\w+)"/.exec((await store.pets.get(id)) ?? '')?.[1]),
      )
      assert.deepEqual(statuses, ['available', 'sold'])
    })

    test('take over an animal whose reference belongs to no list yet', async (store) => {
      const { id } = await store.pets.create({ name: 'Rex', categoryId: 7n })
      await store.records.change([id], { reference: 'A1' }, by)
      const same = await store.sync.run(batchesOf([row('A1', 'Rex')]), PLAIN_SYNC)
      assert.deepEqual([same.n, same.isDone], [undefined, true])
      const { counts } = await store.sync.run(batchesOf([row('A2', 'Tom')]), { ...PLAIN_SYNC, missing: 'remove' })
      assert.equal(counts.removed, 1)
    })

    let nowMs = 0
    const clock = clockAt(() => nowMs++)
    engine.testOn({ clock })(
      'and imports have one time, that of their transaction, in all that is written',
      async (store) => {
        const late = { by: { who: 'a test' } }
        const named = ['Rex', 'Luna'].map((name, n) => ({ ...row(`A${n}`, name), newCategory: 'Dogs' }))
        await store.sync.run(batchesOf(named), { ...PLAIN_SYNC, ...late })
        const tom = { ...row('B', 'Tom'), categoryId: 8n, newCategory: 'Cats' }
        await store.imports.add(batchesOf([tom]), { ...PLAIN_IMPORT, ...late })
        const [imported, synced] = await store.imports.list(2)
        const times = (await store.records.journal(WHOLE_JOURNAL)).map(({ atMs }) => atMs)
        const [ofImport, ofSync] = [imported, synced].map((one) => one?.atMs)
        assert.deepEqual(times, [ofImport, ofImport, ofSync, ofSync, ofSync, ofSync])
      },
    )

    test('and imports do nothing while it is open which of several rows counts, or what category a row has', async (store) => {
      const allows = { differing: false, names: false, newCategories: true }
      const twice = [row('K', 'Rex'), row('K', 'Luna')]
      const without = [{ reference: 'K', name: 'Rex' }]
      for (const rows of [twice, without]) {
        const synced = await store.sync.run(batchesOf(rows), { ...PLAIN_SYNC, allows })
        const added = await store.imports.add(batchesOf(rows), { ...PLAIN_IMPORT, allows })
        assert.deepEqual([synced.n, synced.isDone, added.n], [undefined, false, undefined])
      }
      assert.deepEqual(await everythingOf(store), { animals: {}, journal: [], undone: [] })
    })

    test('do nothing if the list breaks off', async (store) => {
      const broken = (async function* () {
        yield [row('A1', 'Rex')]
        throw new Error('broken off')
      })()
      await assert.rejects(store.sync.run(broken, PLAIN_SYNC), /broken off/)
      assert.deepEqual(await everythingOf(store), { animals: {}, journal: [], undone: [] })
      assert.equal((await store.sync.run(batchesOf([row('A1', 'Rex')]), PLAIN_SYNC)).n, 1n)
    })

    test('find animals by their new names afterwards, and no longer by the old ones', async (store) => {
      const names = async () =>
        (await store.records.find({ text: 'réx', status: undefined, limit: 9 })).map(({ name }) => name)
      await store.sync.run(batchesOf([row('A1', 'Réxona')]), PLAIN_SYNC)
      await store.sync.run(batchesOf([row('A1', 'Hasso'), row('A3', 'Rexîne')]), PLAIN_SYNC)
      assert.deepEqual(await names(), ['Rexîne'])
      await store.imports.undo(2n, by)
      assert.deepEqual(await names(), ['Réxona'])
    })
  },
)
