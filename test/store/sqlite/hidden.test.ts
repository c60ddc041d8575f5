/**
 * Whatever imports are unfinished and wherever a list begins, what is shown is what a look at each row of the file
 * shows. And an export comes in pieces of bounded size, and leaves nothing open.
 */
import assert from 'node:assert/strict'
import { readdirSync, readlinkSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, before, it } from 'node:test'
import fc from 'fast-check'
import { systemClock } from '../../../src/common/system-clock.ts'
import { INT64_MIN } from '../../../src/contract/int64.ts'
import type { PetStatus } from '../../../src/contract/schemas.ts'
import { SqliteStore } from '../../../src/store/sqlite/store.ts'
import { authorAt } from '../../support/author.ts'
import { textOf } from '../../support/browser/page.ts'
import { memoryFolder, removeFolder } from '../../support/folder.ts'

const FIRST = -6
const LAST = 24
/** Where a list may begin: anywhere, so that it meets each edge of what is hidden. */
const BEGINS = [undefined, ...Array.from({ length: LAST - FIRST + 5 }, (_, n) => FIRST - 2 + n)]
const STATUSES: readonly PetStatus[] = ['available', 'pending', 'sold']
let folder: string
let store: SqliteStore
/** Another program that writes to the file. */
let shell: DatabaseSync
before(async () => {
  folder = memoryFolder()
  const path = join(folder, 'pets.db')
  store = await SqliteStore.open(path, { serving: true, clock: systemClock })
  shell = new DatabaseSync(path)
})
after(async () => {
  shell.close()
  await store.close()
  removeFolder(folder)
})

const idsIn = (text: string) => [...text.matchAll(/"id":(-?\d+)/g)].map(([, id]) => Number(id))
const filter = fc.option(fc.constantFrom(...STATUSES), { nil: undefined })
const from = fc.option(fc.integer({ min: FIRST - 2, max: LAST + 2 }), { nil: undefined })
const edges = fc.uniqueArray(fc.integer({ min: FIRST - 1, max: LAST + 1 }), { maxLength: 6 })

async function exported(from?: bigint, statuses?: readonly PetStatus[]) {
  const batches: { readonly id: string; readonly name: string }[][] = []
  for await (const batch of store.pets.export(from, statuses)) batches.push([...batch])
  return batches
}

it('lists, animals and exports show the rows that no unfinished import hides', async () => {
  const rows = fc.uniqueArray(fc.record({ id: fc.integer({ min: FIRST, max: LAST }), status: filter }), {
    selector: ({ id }) => id,
    maxLength: 24,
  })
  const asked = fc.record({ limit: fc.integer({ min: 1, max: 9 }), status: filter, behind: from })
  await fc.assert(
    fc.asyncProperty(rows, edges, fc.array(asked, { minLength: 3, maxLength: 3 }), async (all, marks, queries) => {
      const sorted = marks.toSorted((a, b) => a - b)
      const hidden = Array.from({ length: sorted.length >> 1 }, (_, n) => [sorted[2 * n] ?? 0, sorted[2 * n + 1] ?? 0])
      shell.exec('BEGIN; DELETE FROM pets; DELETE FROM unfinished_imports')
      for (const [first = 0, last = 0] of hidden)
        shell.exec(`INSERT INTO unfinished_imports VALUES (${first}, ${last})`)
      const insert = shell.prepare("INSERT INTO pets (id, name, category_id, status) VALUES (?, 'x', 1, ?)")
      for (const { id, status } of all) insert.run(id, status ?? null)
      shell.exec('COMMIT')
      const shown = all
        .filter(({ id }) => !hidden.some(([first = 0, last = 0]) => first <= id && id <= last))
        .sort((a, b) => b.id - a.id)
      await new Promise(setImmediate)
      for (const { limit, status, behind } of queries) {
        const found = shown.filter((row) => status === undefined || row.status === status).map(({ id }) => id)
        for (const begin of BEGINS) {
          const rest = found.filter((id) => begin === undefined || id < begin)
          const page = store.pets.list({ limit, status, before: begin === undefined ? undefined : BigInt(begin) })
          assert.deepEqual(idsIn(textOf(page)), rest.slice(0, limit))
          assert.equal(page.nextBefore, rest.length > limit ? String(rest[limit - 1]) : undefined)
        }
        const taken = (await exported(BigInt(behind ?? FIRST - 1), status && [status]))
          .flat()
          .map(({ id }) => Number(id))
        assert.deepEqual(taken, found.filter((id) => id > (behind ?? FIRST - 1)).reverse())
      }
      for (let id = FIRST - 1; id <= LAST + 1; id += 1) {
        const told = store.pets.get(BigInt(id))
        assert.deepEqual(told === undefined ? [] : idsIn(told), shown.some((row) => row.id === id) ? [id] : [])
      }
    }),
    { numRuns: 60 },
  )
})

it('nothing is before the first id that there can be', async () => {
  shell.exec(`DELETE FROM unfinished_imports; DELETE FROM pets;
    INSERT INTO pets (id, name, category_id) VALUES (${INT64_MIN}, 'first', 1), (9223372036854775807, 'last', 1)`)
  await new Promise(setImmediate)
  const listed = (id: bigint) => store.pets.list({ limit: 2, status: undefined, before: id })
  assert.deepEqual(listed(INT64_MIN), { json: '[]', nextBefore: undefined })
  assert.equal(textOf(listed(INT64_MIN + 1n)), `[{"id":${INT64_MIN},"name":"first","categoryId":1}]`)
})

it('an export comes a thousand animals at a time, and fewer where names are long', async () => {
  const many = (from: number, count: number, name: string) =>
    shell.exec(`WITH n(id) AS (SELECT ${from} UNION ALL SELECT id + 1 FROM n WHERE id < ${from + count - 1})
      INSERT INTO pets (id, name, category_id) SELECT id, ${name}, 1 FROM n`)
  shell.exec('DELETE FROM pets')
  many(1, 2_000, "'x'")
  many(2_001, 7, `printf('%.*c', ${1 << 19}, 'y')`)
  many(2_008, 5, "'z'")
  const sizes = (await exported()).map((batch) => batch.length)
  assert.deepEqual(sizes, [1_000, 1_000, 2, 2, 2, 6])
  shell.exec('DELETE FROM pets WHERE id > 2000')
  assert.deepEqual(
    (await exported()).map((batch) => batch.length),
    [1_000, 1_000],
  )
})

const onLinux = { skip: process.platform !== 'linux' && 'reads /proc' }
it('an export leaves no file open, whether it is read to its end or not', onLinux, async () => {
  const isOfStore = (fd: string) => {
    try {
      return readlinkSync(`/proc/self/fd/${fd}`).startsWith(folder)
    } catch {
      return false // that with which the folder was read
    }
  }
  const opened = () => readdirSync('/proc/self/fd').filter(isOfStore).length
  // The writer's thread has the file open too, by then.
  await store.categories.name(new Map([[1n, 'Cats']]), authorAt(1))
  await exported()
  const before = opened()
  for (let n = 0; n < 5; n += 1) {
    await exported()
    for await (const _ of store.pets.export()) break
  }
  assert.equal(opened(), before)
})
