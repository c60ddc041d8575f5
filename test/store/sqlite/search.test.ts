/**
 * A search finds what a look at each name finds, in its order: however much of the names is indexed, wherever it begins
 * and whichever way it goes, and also when its time is over again and again and it is continued.
 */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, it } from 'node:test'
import fc from 'fast-check'
import type { Clock } from '../../../src/common/clock.ts'
import { systemClock } from '../../../src/common/system-clock.ts'
import type { PetStatus } from '../../../src/contract/schemas.ts'
import { FORGET_INDEX } from '../../../src/store/sqlite/file/empty-index.ts'
import { SqliteStore } from '../../../src/store/sqlite/store.ts'
import { writeHere } from '../../histories/in-this-thread.ts'
import { authorAt } from '../../support/author.ts'
import { memoryFolder, removeFolder } from '../../support/folder.ts'

const ANIMALS = 22_500
/** Animals of another status are so few that their names are compared one by one. */
const MANY = 21_000
const NAMES = ['Rex', 'Bello', 'Söckchen', 'Miss Marple', 'Rexona', 'Al', 'O"x', 'Straße']
const TEXTS = ['', 'rex', 'ROCK söck', 'sock', 'mar mis', 'al', 'o', 'o"x', 'rex 12', 'xona 1 re', 'strass', 'none']
/** Ids of imports that have not ended: names are indexed up to the first of them. */
const HIDDEN: readonly (readonly [number, number])[] = [
  [22_400, 22_440],
  [22_480, 22_500],
]

interface Row {
  readonly id: number
  name: string
  readonly categoryId: bigint
  status: PetStatus | undefined
}

let folder: string
let store: SqliteStore
let rows: Row[]
let removed: Row[]
/** How far the clock goes on whenever it is read, in ms. */
let tickMs = 0

beforeEach(async () => {
  folder = memoryFolder()
  const path = join(folder, 'pets.db')
  let nowMs = 0
  const clock: Clock = {
    ...systemClock,
    monotonic: () => {
      nowMs += tickMs
      return nowMs
    },
  }
  tickMs = 0
  store = await SqliteStore.open(path, { serving: true, clock, startWriter: writeHere })
  rows = Array.from({ length: ANIMALS }, (_, n) => ({
    id: n + 1,
    name: `${NAMES[n % NAMES.length]} ${n % 13}`,
    categoryId: BigInt(1 + (n % 3)),
    status: n < MANY ? 'available' : n % 2 === 0 ? 'pending' : undefined,
  }))
  const shell = new DatabaseSync(path)
  const insert = shell.prepare('INSERT INTO pets (id, name, category_id, status) VALUES (?, ?, ?, ?)')
  shell.exec('BEGIN')
  for (const { id, name, categoryId, status } of rows) insert.run(id, name, categoryId, status ?? null)
  shell.exec(
    `UPDATE pet_counts SET n = (SELECT count(*) FROM pets WHERE coalesce(pets.status, 'none') = pet_counts.status)`,
  )
  for (const [first, last] of HIDDEN) shell.exec(`INSERT INTO unfinished_imports VALUES (${first}, ${last})`)
  shell.exec('COMMIT')
  shell.close()
  const gone = [7n, 8n, 9n, 10n, 300n, 21_600n]
  await store.records.remove(gone, authorAt(1))
  removed = rows.filter(({ id }) => gone.includes(BigInt(id)))
  rows = rows.filter(
    ({ id }) => !gone.includes(BigInt(id)) && !HIDDEN.some(([first, last]) => first <= id && id <= last),
  )
})
afterEach(async () => {
  await store.close()
  removeFolder(folder)
})

interface Asked {
  readonly text: string
  readonly isWhole: boolean
  readonly status: PetStatus | 'removed' | 'none' | undefined
  readonly categoryId: bigint | undefined
  readonly at: number | undefined
  readonly isOlder: boolean
  readonly limit: number
  readonly tick: number
}

const known = new Map<string, string>()
/** As a search compares names. */
function plain(text: string): string {
  const found = known.get(text) ?? text.toLowerCase().replaceAll('ö', 'o').replaceAll('ß', 'ss')
  known.set(text, found)
  return found
}

/** By a look at each. */
function expected({ text, isWhole, status, categoryId, at, isOlder, limit }: Asked): number[] {
  const words = plain(text).split(' ')
  const found = (status === 'removed' ? removed : rows)
    .filter(({ name }) => (isWhole ? plain(name) === plain(text) : words.every((word) => plain(name).includes(word))))
    .filter((row) => status === undefined || status === 'removed' || (row.status ?? 'none') === status)
    .filter((row) => categoryId === undefined || row.categoryId === categoryId)
    .map(({ id }) => id)
  if (isOlder)
    return found
      .filter((id) => at === undefined || id < at)
      .reverse()
      .slice(0, limit)
  return found
    .filter((id) => at === undefined || id > at)
    .slice(0, limit)
    .reverse()
}

async function found({ tick, at, isOlder, limit, ...query }: Asked): Promise<number[]> {
  tickMs = tick
  const from = at === undefined ? undefined : BigInt(at)
  let bounds = isOlder ? { before: from } : { after: from ?? ('end' as const) }
  const ids: number[] = []
  // Names are indexed meanwhile, so a search finds them in several states of the index.
  for (;;) {
    const { pets, stoppedAt } = await store.records.find({
      ...query,
      ...bounds,
      limit: limit - ids.length,
      withinMs: 1,
    })
    const page = pets.map(({ id }) => Number(id))
    if (isOlder) ids.push(...page)
    else ids.unshift(...page)
    assert(page.length <= limit)
    if (stoppedAt === undefined) return ids
    assert(ids.length < limit, 'it does not go on when it has enough')
    bounds = isOlder ? { before: stoppedAt } : { after: stoppedAt }
  }
}

const asked = fc.record({
  text: fc.constantFrom(...TEXTS),
  isWhole: fc.constant(false),
  // Most of them where the index is used.
  status: fc.constantFrom(undefined, undefined, 'available', 'available', 'pending', 'sold', 'none', 'removed'),
  categoryId: fc.constantFrom(undefined, undefined, 1n, 9n),
  at: fc.oneof(
    fc.constant(undefined),
    fc.integer({ min: -1, max: ANIMALS + 2 }),
    fc.constantFrom(1, MANY, 22_399, 22_441, 22_460),
  ),
  isOlder: fc.boolean(),
  limit: fc.constantFrom(1, 25, 400, 2_500),
  // A step ends after 6 ms: within a few names, within some hundred, or after all of them.
  tick: fc.constantFrom(0, 0.02, 0.3),
})
const whole = asked.chain((query) =>
  fc
    .constantFrom('rex 3', 'O"x 12', 'Miss Marple 1', 'Marple Miss 1')
    .map((text) => ({ ...query, text, isWhole: true })),
)
const any = fc.oneof({ weight: 4, arbitrary: asked }, { weight: 1, arbitrary: whole })

it('while the index is made, beside it, and with names that have changed since', async () => {
  const check = fc.asyncProperty(any, async (query) => {
    assert.deepEqual(await found(query), expected(query))
  })
  await fc.assert(check, { numRuns: 50, endOnFailure: true })
  // All is indexed now, or will be by this search, which waits for it.
  tickMs = 0
  await store.records.find({ text: 'none', status: undefined, limit: 1 })
  const renamed = new Map([
    [22_450, 'Rock Söckchen'],
    [5, 'Rock Söckchen'],
    [6, 'Nothing'],
  ])
  for (const [id, name] of renamed) await store.records.change([BigInt(id)], { name }, authorAt(2))
  rows = rows.map((row) => ({ ...row, name: renamed.get(row.id) ?? row.name }))
  await fc.assert(check, { numRuns: 50, endOnFailure: true })
})

it('while the index is made anew under it, or lost and made again', async () => {
  const shell = new DatabaseSync(join(folder, 'pets.db'))
  const growing = fc.record({
    text: fc.constantFrom('rex', 'xona 1 re', 'mar mis'),
    // Most from the first name on, as the index is made.
    isOlder: fc.constantFrom(false, false, false, true),
    // Steps of some names, of some hundred, and as many as the index gives at once.
    tick: fc.constantFrom(0, 0.01, 0.5),
    /** After so many turns of the event loop the index is lost, and another search makes it anew. */
    lostAfter: fc.option(fc.integer({ min: 1, max: 60 }), { nil: undefined }),
  })
  const check = fc.asyncProperty(growing, async ({ tick, lostAfter, ...query }) => {
    shell.exec(FORGET_INDEX)
    await new Promise(setImmediate)
    tickMs = tick
    const all = { ...query, isWhole: false, status: undefined, categoryId: undefined, limit: ANIMALS }
    const end = query.isOlder ? {} : { after: 'end' as const }
    const searching = store.records.find({ ...all, ...end, withinMs: 1e9 })
    if (lostAfter !== undefined) {
      for (let n = 0; n < lostAfter; n += 1) await new Promise(setImmediate)
      shell.exec(FORGET_INDEX)
      await store.records.find({ text: 'none', status: undefined, limit: 1 })
    }
    const { pets, stoppedAt } = await searching
    assert.equal(stoppedAt, undefined)
    assert.deepEqual(
      pets.map(({ id }) => Number(id)),
      expected({ ...all, at: undefined, tick }),
    )
  })
  try {
    await fc.assert(check, { numRuns: 12, endOnFailure: true })
  } finally {
    shell.close()
  }
})

it('looks at a few names in a step, so that others are answered between two of them', async () => {
  tickMs = 2
  const stopsAt = async (text: string, before: bigint, categoryId?: bigint) => {
    const query = { text, status: undefined, categoryId, before, limit: 9, withinMs: 1 }
    const { pets, stoppedAt } = await store.records.find(query)
    assert.deepEqual(pets, [])
    const looked = Number(before) - Number(stoppedAt)
    assert(looked > 0 && looked <= 10 * 8, `from ${before} to ${stoppedAt}`)
  }
  await stopsAt('zz', 22_000n)
  tickMs = 0
  await store.records.find({ text: 'none', status: undefined, limit: 1 })
  tickMs = 2
  // By the index, which has each eighth of the names for it.
  await stopsAt('marple', 22_000n, 9n)
})
