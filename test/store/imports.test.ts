/** Imports: duplicates are exactly what is there already, on every engine; and the steps of an import into SQLite. */

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import fc from 'fast-check'
import { INT64_MAX, INT64_MIN } from '../../src/contract/int64.ts'
import type { NewPet } from '../../src/contract/schemas.ts'
import { openStore } from '../../src/store/open.ts'
import { CommandWriter } from '../../src/store/sqlite/command-writer.ts'
import { Database } from '../../src/store/sqlite/database.ts'
import { SqliteImports } from '../../src/store/sqlite/imports.ts'
import { KindFilter } from '../../src/store/sqlite/kind-filter.ts'
import type { Store } from '../../src/store/store.ts'
import { temporaryFolder } from '../support/folder.ts'
import { PLAIN_IMPORT } from '../support/imports.ts'
import { storeEngines } from './engines.ts'

const LOOKING = { ...PLAIN_IMPORT, allowDuplicates: false }

async function* batchesOf(...batches: readonly NewPet[][]): AsyncIterable<readonly NewPet[]> {
  yield* batches
}

function numbered(from: number, to: number): NewPet[] {
  return Array.from({ length: to - from }, (_, n) => ({ name: `${from + n}`, categoryId: BigInt((from + n) % 7) }))
}

/** Few, so that they meet; some differ only where a name or an int64 could be cut. */
const kind = fc.record({
  name: fc.constantFrom(
    '',
    'Rex',
    'rex',
    'Rex ',
    'Réx',
    'Re\u0301x',
    '🐈‍⬛',
    '🐈',
    'x'.repeat(5_000),
    `${'x'.repeat(5_000)}y`,
  ),
  categoryId: fc.constantFrom(0n, 1n, -1n, 2n ** 32n, 2n ** 53n, 2n ** 53n + 1n, INT64_MIN, INT64_MAX),
})

for (const engine of storeEngines) {
  describe(`duplicates found by ${engine.name}`, engine.needed, () => {
    let running: Awaited<ReturnType<typeof engine.start>>
    before(async () => {
      running = await engine.start()
    })
    after(() => running?.stop())

    async function withStore(serving: boolean, work: (store: Store) => Promise<void>): Promise<void> {
      const store = await openStore(await running.createDatabase(), { serving })
      try {
        await work(store)
      } finally {
        await store.close()
      }
    }

    test('are exactly the animals with the name and the category of one that is there', () =>
      withStore(false, async (store) => {
        let there = new Set<string>()
        const textOf = ({ name, categoryId }: NewPet) => `${categoryId} ${name}`
        await fc.assert(
          fc.asyncProperty(
            fc.array(kind, { maxLength: 3 }),
            fc.array(kind, { maxLength: 12 }),
            async (added, asked) => {
              await store.imports.add(batchesOf(added), PLAIN_IMPORT)
              there = there.union(new Set(added.map(textOf)))
              const outcome = await store.imports.add(batchesOf(asked.slice(0, 2), asked.slice(2)), {
                ...LOOKING,
                dryRun: true,
              })
              const expected = asked.filter((pet) => there.has(textOf(pet))).length
              assert.deepEqual(outcome, { n: undefined, animals: asked.length, duplicates: expected, taken: [] })
            },
          ),
          { numRuns: 30 },
        )
      }))

    for (const serving of [false, true]) {
      const where = serving ? 'in the service' : 'in a command'
      test(`are counted among many, ${where}, and nothing is imported while there are any`, () =>
        withStore(serving, async (store) => {
          await store.imports.add(batchesOf(numbered(0, 12_345)), LOOKING)
          const again = await store.imports.add(batchesOf(numbered(12_000, 16_000), numbered(3, 11_003)), LOOKING)
          assert.deepEqual(again, { n: undefined, animals: 15_000, duplicates: 11_345, taken: [] })
          assert.equal((await store.pets.count()).none, 12_345)
          const other = numbered(0, 12_345).map(({ name, categoryId }) => ({ name, categoryId: categoryId + 7n }))
          assert.equal((await store.imports.add(batchesOf(other), LOOKING)).duplicates, 0)
          assert.equal((await store.pets.count()).none, 24_690)
        }))
    }

    test('are not animals that have been removed', () =>
      withStore(false, async (store) => {
        const { id } = await store.pets.create({ name: 'Rex', categoryId: 7n })
        const rex = () => batchesOf([{ name: 'Rex', categoryId: 7n }])
        assert.equal((await store.imports.add(rex(), LOOKING)).duplicates, 1)
        await store.records.remove([id], LOOKING.by)
        assert.equal((await store.imports.add(rex(), LOOKING)).duplicates, 0)
      }))
  })
}

test('where a step of an import takes long, the next ones hold the write lock for less, and nothing is lost', async () => {
  const database = new Database(`${temporaryFolder()}/slow.db`, { busyTimeoutMs: 0, report: assert.fail })
  const steps: number[] = []
  class SlowWriter extends CommandWriter {
    override run: CommandWriter['run'] = (name, ...args) => {
      const result = super.run(name, ...args)
      if (name !== 'copyStaged') return result
      const [, from, to] = args as unknown as [bigint, number, number]
      steps.push(to - from + 1)
      const untilMs = performance.now() + 100
      while (performance.now() < untilMs);
      return result
    }
  }
  const imports = new SqliteImports(database, new SlowWriter(database, () => {}))
  await imports.add(batchesOf(numbered(0, 15_000)), PLAIN_IMPORT)
  assert.equal(steps[0], 10_000)
  assert(
    steps.slice(1).every((rows) => rows <= 2_000),
    steps.join(),
  )
  const names = database.prepare('SELECT name FROM pets ORDER BY id').all() as unknown as [string][]
  assert.deepEqual(
    names.flat(),
    numbered(0, 15_000).map(({ name }) => name),
  )
  database.close()
})

describe('the filter of kinds', () => {
  test('finds every kind that was added, and hardly any other', () => {
    const filter = new KindFilter()
    assert.equal(filter.mayHold('Rex', 7), false)
    for (let n = 0; n < 100_000; n += 1) filter.add(`Rex ${n}`, n % 40)
    let wrong = 0
    for (let n = 0; n < 100_000; n += 1) {
      assert(filter.mayHold(`Rex ${n}`, n % 40))
      if (filter.mayHold(`Rex ${n}`, 40 + (n % 40))) wrong += 1
      if (filter.mayHold(`rex ${n}`, n % 40)) wrong += 1
    }
    assert(wrong < 100, `${wrong} of 200,000`)
  })
})
