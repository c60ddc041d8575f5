/** Imports: duplicates are exactly what is there already, on every engine. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { it } from 'node:test'
import fc from 'fast-check'
import { fold } from '../../src/common/fold.ts'
import { INT64_MAX, INT64_MIN } from '../../src/contract/int64.ts'
import type { NewPet } from '../../src/contract/schemas.ts'
import type { ImportOutcome } from '../../src/store/imports.ts'
import { openStore } from '../../src/store/open.ts'
import type { Store } from '../../src/store/store.ts'
import { batchesOf, PLAIN_IMPORT, purgeBefore, WHOLE_JOURNAL } from '../support/store.ts'
import { patientClock } from '../support/time/clock.ts'
import { closeAfterEach } from './closing.ts'
import { onEachEngine } from './on-each-engine.ts'

const LOOKING = { ...PLAIN_IMPORT, allowDuplicates: false }

function numbered(from: number, to: number): NewPet[] {
  return Array.from({ length: to - from }, (_, n) => ({ name: `${from + n}`, categoryId: BigInt((from + n) % 7) }))
}

/** Few, so that they meet; some differ only where a name or an int64 could be cut. */
const kind = fc.record({
  name: fc.constantFrom(
    ...'|Rex|rex|Rex |Réx|Re\u0301x|🐈‍⬛|🐈'.split('|'),
    'x'.repeat(5_000),
    `${'x'.repeat(5_000)}y`,
  ),
  categoryId: fc.constantFrom(0n, 1n, -1n, 2n ** 32n, 2n ** 53n, 2n ** 53n + 1n, INT64_MIN, INT64_MAX),
})

onEachEngine(
  (name) => `duplicates found by ${name}`,
  (engine) => {
    const test = engine.testOn({ serving: true })

    test('are exactly the animals with the name and the category of one that is there', async (store) => {
      let there = new Set<string>()
      const textOf = ({ name, categoryId }: NewPet) => `${categoryId} ${fold(name)}`
      await fc.assert(
        fc.asyncProperty(fc.array(kind, { maxLength: 3 }), fc.array(kind, { maxLength: 12 }), async (added, asked) => {
          await store.imports.add(batchesOf(added), PLAIN_IMPORT)
          there = there.union(new Set(added.map(textOf)))
          const outcome = await store.imports.add(batchesOf(asked.slice(0, 2), asked.slice(2)), {
            ...LOOKING,
            dryRun: true,
          })
          const expected = asked.filter((pet) => there.has(textOf(pet))).length
          const nothing = { n: undefined, takenIds: [] }
          assert.deepEqual(briefly(outcome), { ...nothing, animals: asked.length, duplicates: expected })
          const sum = (kind: string) =>
            outcome.groups.reduce((all, group) => (group.kind === kind ? all + group.animals : all), 0)
          assert.deepEqual([sum('added'), sum('alike')], [asked.length - expected, expected], 'each is in one group')
        }),
        { numRuns: 30 },
      )
    })

    test('are counted among many, and nothing is imported while there are any', async (store) => {
      await store.imports.add(batchesOf(numbered(0, 2_345)), LOOKING)
      const again = await store.imports.add(batchesOf(numbered(2_000, 6_000), numbered(3, 1_003)), LOOKING)
      assert.deepEqual(briefly(again), { n: undefined, animals: 5_000, duplicates: 1_345, takenIds: [] })
      assert.equal((await store.pets.count()).none, 2_345)
      const other = numbered(0, 2_345).map(({ name, categoryId }) => ({ name, categoryId: categoryId + 7n }))
      assert.equal((await store.imports.add(batchesOf(other), LOOKING)).duplicates, 0)
      assert.equal((await store.pets.count()).none, 4_690)
    })

    test('are skipped on request, and undone with the others', async (store) => {
      const leavingOut = { ...LOOKING, leaveOutDuplicates: true }
      await store.imports.add(batchesOf(numbered(0, 2_345)), LOOKING)
      const list = numbered(2_000, 4_000).map((pet, n): NewPet => ({ ...pet, ...(n % 2 && { status: 'sold' }) }))
      const dry = await store.imports.add(batchesOf(list), { ...leavingOut, dryRun: true })
      assert.deepEqual(briefly(dry), { n: undefined, animals: 2_000, duplicates: 345, takenIds: [] })
      const { n = 0n, ...done } = await store.imports.add(batchesOf(list), leavingOut)
      assert.deepEqual(briefly({ n, ...done }), { n, animals: 2_000, duplicates: 345, takenIds: [] })
      assert.deepEqual(await store.pets.count(), { available: 0, pending: 0, sold: 828, none: 3_172 })
      const [newest] = await store.records.find({ text: '', status: undefined, limit: 1 })
      const [record] = await store.imports.list(1)
      assert.deepEqual([newest?.name, record?.n, record?.animals], ['3999', n, 1_655])
      assert.equal((await store.imports.add(batchesOf(list), leavingOut)).n, undefined)
      assert.deepEqual(await store.imports.undo(n, LOOKING.by), { removed: 1_655, kept: 0 })
      assert.equal((await store.pets.count()).none, 2_345)
    })

    test('are found among rows about one animal by texts of any length', async (store) => {
      const name = randomBytes(20_000).toString('base64')
      const row = { name, categoryId: 1n, reference: 'A1' }
      const rows = ['', '', 'another '].map((other) => ({ ...row, same: `${other}A1 ${name}` }))
      const { file } = await store.imports.add(batchesOf(rows), PLAIN_IMPORT)
      assert.deepEqual([file.rows, file.repeated.rows], [2, 1])
    })

    test('and names of categories are stored together, or not at all if a name was taken', async (store) => {
      const { by } = LOOKING
      await store.pets.create({ name: 'Old', categoryId: 9n })
      const newCategories = new Map([
        [3n, 'Cats'],
        [4n, 'Dogs'],
      ])
      const pets = [...newCategories].map(([categoryId, newCategory]) => ({ name: 'Rex', categoryId, newCategory }))
      const add = () => store.imports.add(batchesOf(pets), LOOKING)
      for (const [id, label] of [
        [4n, 'Emus'],
        [5n, 'Dogs'],
      ] as const) {
        await store.categories.name(new Map([[id, label]]), by)
        await assert.rejects(add, /^StoreUnusable: Categories were named while the file was read; nothing was imported/)
        await store.categories.name(new Map([[id, undefined]]), by)
        assert.deepEqual([...(await store.categories.names())], [])
        assert.equal((await store.pets.count()).none, 1)
      }
      const { n } = await add()
      assert.deepEqual(await store.categories.names(), newCategories)
      assert.deepEqual(
        (await store.records.journal({ ...WHOLE_JOURNAL, limit: 3 })).map(({ act }) => act),
        ['import', 'label', 'label'],
      )
      await store.imports.undo(n ?? 0n, by)
      assert.deepEqual(await store.categories.names(), newCategories, 'as the command tells')
    })

    test('are not animals that have been removed', async (store) => {
      const { id } = await store.pets.create({ name: 'Rex', categoryId: 7n })
      const rex = () => batchesOf([{ name: 'Rex', categoryId: 7n }])
      assert.equal((await store.imports.add(rex(), LOOKING)).duplicates, 1)
      await store.records.remove([id], LOOKING.by)
      assert.equal((await store.imports.add(rex(), LOOKING)).duplicates, 0)
    })
  },
)

onEachEngine(
  (name) => `imports at the same time and their undoing in ${name}`,
  (engine) => {
    const { closing } = closeAfterEach()
    async function withTwo(work: (one: Store, other: Store) => Promise<void>): Promise<void> {
      const url = await engine.createDatabase()
      const open = async () => closing(await openStore(url, { serving: false, clock: patientClock }))
      await work(await open(), await open())
    }

    it('the same file imported twice at the same time is added once', () =>
      withTwo(async (...stores) => {
        const isRead = stores.map(() => Promise.withResolvers<void>())
        const outcomes = await Promise.allSettled(
          stores.map((store, n) => {
            const file = (async function* () {
              yield numbered(0, 1_000)
              isRead[n]?.resolve()
              await Promise.all(isRead.map(({ promise }) => promise))
            })()
            return store.imports.add(file, LOOKING).finally(() => isRead[n]?.resolve())
          }),
        )
        const added: ImportOutcome[] = []
        for (const outcome of outcomes) {
          // Where imports cannot run at once, the second one is told so.
          if (outcome.status === 'rejected') assert.match(String(outcome.reason), /Another import/)
          else if (outcome.value.n !== undefined) added.push(outcome.value)
          else assert.equal(outcome.value.duplicates, 1_000)
        }
        assert.equal(added.length, 1)
        assert.equal((await stores[0].pets.count()).none, 1_000)
      }))

    it('journal entries of earlier animals with the same ids do not prevent an undo', () =>
      withTwo(async (store) => {
        const { pets, records, imports } = store
        const { by } = PLAIN_IMPORT
        const { id } = await pets.create({ name: 'Rex', categoryId: 7n })
        await records.change([id], { status: 'sold' }, by)
        await records.remove([id], by)
        assert.equal(await purgeBefore(records, by.atMs + 1), 1)
        const file = [id, id + 1n, id + 2n].map((one) => ({ id: one, name: `${one}`, categoryId: 7n }))
        const { n } = await imports.add(batchesOf(file), { ...PLAIN_IMPORT, withIds: true })
        await records.change([id + 1n], { status: 'sold' }, by)
        assert.deepEqual(await imports.undo(n ?? 0n, by), { removed: 2, kept: 1 })
        assert.equal(await pets.get(id), undefined)
        assert.match((await pets.get(id + 1n)) ?? '', /sold/)
      }))

    it('a file that fails while it is read undoes no one else’s changes', () =>
      withTwo(async ({ pets, records, imports }) => {
        const { by } = PLAIN_IMPORT
        await imports.add(batchesOf(numbered(0, 20)), PLAIN_IMPORT)
        const ids = (await records.find({ text: '', status: undefined, limit: 20 })).map(({ id }) => BigInt(id))
        let removing: Promise<unknown> | undefined
        async function* file() {
          yield numbered(20, 30)
          removing = records.remove(ids, by)
          throw new Error('a bad row')
        }
        await assert.rejects(imports.add(file(), PLAIN_IMPORT), /^Error: a bad row$/)
        await removing
        assert.equal((await pets.count()).none, 0)
        assert.equal((await records.journal({ ...WHOLE_JOURNAL, acts: ['remove'] })).length, 20)
      }))

    it('keeps the ids of animals created in the meantime unique (R4)', () =>
      withTwo(async (store, other) => {
        let isOver = false
        const importing = other.imports.add(batchesOf(numbered(0, 8_000)), PLAIN_IMPORT).finally(() => {
          isOver = true
        })
        const created: string[] = []
        while (!isOver) {
          created.push(String((await store.pets.create({ name: 'new', categoryId: 7n })).id))
          await new Promise(setImmediate)
        }
        await importing
        const found: string[] = []
        let imported = 0
        for await (const rows of store.pets.export()) {
          found.push(...rows.filter(({ name }) => name === 'new').map(({ id }) => id))
          imported += rows.filter(({ name }) => name !== 'new').length
        }
        assert.equal(imported, 8_000)
        assert.deepEqual(found, created)
      }))
  },
)

function briefly({ file, groups: _, ...outcome }: ImportOutcome) {
  return { ...outcome, animals: file.rows }
}
