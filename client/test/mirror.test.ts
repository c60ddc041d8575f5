/** A mirror of the real service's animals: random histories, each step held to what the interface lets anybody know. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { GET_PET_REMOVAL_MS } from '../../src/contract/operations.ts'
import { PLAIN_IMPORT } from '../../test/support/imports.ts'
import { type MirrorCoverage, PET_STATUS_VALUES, type PetStatus } from '../src/index.ts'
import { GET_PET_ENDS_MS } from '../src/mirror.ts'
import { type Animals, Copy, type Place, startPlace, stored } from './support/mirrored.ts'

const BY = PLAIN_IMPORT.by
const PAGE = 100
const HOUR_MS = 3_600_000
const LISTS = [undefined, ...PET_STATUS_VALUES]

/** One thing that happens to the animals. `which` chooses among those that are there, in thousandths. */
type Step =
  | { readonly what: 'create'; readonly status: PetStatus | undefined }
  | { readonly what: 'import'; readonly status: PetStatus | undefined; readonly many: number }
  | { readonly what: 'edit'; readonly status: PetStatus | null; readonly which: readonly number[] }
  | { readonly what: 'rename' | 'sort' | 'remove'; readonly which: readonly number[] }
  | { readonly what: 'restore' }

const status = fc.constantFrom(...PET_STATUS_VALUES, undefined)
const which = fc.array(fc.nat(999), { minLength: 1, maxLength: 40, size: 'max' })
const imported = (status: PetStatus | undefined, many: number): Step => ({ what: 'import', status, many })
/** Most histories begin with lists that are full, or nearly. */
const beginning = fc.tuple(
  ...LISTS.map((status) => fc.constantFrom(0, 60, 99, 100, 101).map((many) => imported(status, many))),
)
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ what: fc.constant('create' as const), status }),
  fc.record({ what: fc.constant('import' as const), status, many: fc.integer({ min: 1, max: 25 }) }),
  fc.record({ what: fc.constant('edit' as const), status: fc.constantFrom(...PET_STATUS_VALUES, null), which }),
  fc.record({ what: fc.constantFrom('rename' as const, 'sort' as const, 'remove' as const), which }),
  fc.record({ what: fc.constant('restore' as const) }),
)

class History {
  readonly #place: Place
  readonly #create: (status: PetStatus | undefined) => Promise<unknown>
  readonly #removed: bigint[] = []
  #number = 0

  constructor(place: Place, key: string) {
    this.#place = place
    const client = place.clientOf(key)
    this.#create = (status) => client.createPet({ name: this.#name(), categoryId: 1, status })
  }

  #name(): string {
    return `animal ${++this.#number}`
  }

  async take(step: Step): Promise<void> {
    const { records, imports } = this.#place.app.store
    if (step.what === 'create') return void (await this.#create(step.status))
    if (step.what === 'import') {
      const { status, many } = step
      const pet = { categoryId: 1n, ...(status !== undefined && { status }) }
      return void (await imports.add(
        batches(many, () => ({ ...pet, name: this.#name() })),
        PLAIN_IMPORT,
      ))
    }
    if (step.what === 'restore') return void (await records.restore(this.#removed.splice(0), BY))
    const there = [...(await stored(this.#place)).keys()]
    const ids = new Set(step.which.flatMap((part) => there[Math.floor((part * there.length) / 1_000)] ?? []))
    if (ids.size === 0) return
    if (step.what === 'edit') await records.change([...ids], { status: step.status }, BY)
    else if (step.what === 'rename') await records.change([...ids], { name: this.#name() }, BY)
    else if (step.what === 'sort') await records.change([...ids], { categoryId: BigInt(++this.#number) }, BY)
    else {
      await records.remove([...ids], BY)
      this.#removed.push(...ids)
    }
  }
}

async function* batches<T>(many: number, make: () => T): AsyncGenerator<readonly T[]> {
  yield Array.from({ length: many }, make)
}

/** The lists that the service shows, by the animals that it has. */
function listsOf(animals: Animals): (readonly bigint[])[] {
  const newest = [...animals].reverse()
  return LISTS.map((status) => {
    const ofStatus = newest.filter(([, text]) => status === undefined || text.endsWith(` ${status}`))
    return ofStatus.slice(0, PAGE).map(([id]) => id)
  })
}

/** What a mirror that held `before`, and can ask for each of them, can know, and what it has to say of it. */
function knowable(animals: Animals, before: readonly bigint[]) {
  const lists = listsOf(animals)
  const listed = new Set(lists.flat())
  const isAll = (lists[0]?.length ?? 0) < PAGE
  const held = new Set([...listed, ...before.filter((id) => animals.has(id))])
  return {
    animals: new Map([...animals].filter(([id]) => held.has(id))),
    partial: isAll ? [] : LISTS.filter((_, index) => lists[index]?.length === PAGE).map((status) => status ?? 'none'),
    unlisted: held.size - listed.size,
  }
}

function assertHolds(copy: Copy, coverage: MirrorCoverage, expected: ReturnType<typeof knowable>, what: string): void {
  const sorted = (animals: Animals) => [...animals].sort(([a], [b]) => Number(a - b))
  assert.deepEqual(sorted(copy.animals), sorted(expected.animals), what)
  const { partial, unlisted } = coverage
  assert.deepEqual({ partial, unlisted }, { partial: expected.partial, unlisted: expected.unlisted }, what)
}

/** A service with animals, a copy of those that can be seen, and what happens to them. */
async function begin(
  imports: readonly Step[],
  options: { startMs?: number | undefined; perMinute?: number; share?: number } = {},
) {
  const { startMs, perMinute = 600, share = 0.5 } = options
  const place = await startPlace(startMs)
  const history = new History(place, await place.app.issue())
  for (const step of imports) await history.take(step)
  const copy = new Copy(
    place.clientOf(await place.app.issue('enterprise', { perMinute, perDay: 1e6 })).mirror({ share }),
  )
  assertHolds(copy, await copy.reach(0), knowable(await stored(place), []), 'at first')
  return { place, copy, history, [Symbol.asyncDispose]: () => place[Symbol.asyncDispose]() }
}

describe('a mirror', () => {
  const histories = fc.array(step, { minLength: 7, maxLength: 9 })

  for (const [when, startMs, title] of [
    [
      'until getPet is removed',
      undefined,
      'holds after each step what can be known, and says what cannot be (R7, R8, R11)',
    ],
    ['after that', Date.UTC(2031, 0, 1), 'says of an animal that no list shows that it is unseen, not gone (R12)'],
  ] as const) {
    it(`${when} ${title}`, async () => {
      await fc.assert(
        fc.asyncProperty(beginning, histories, async (imports, steps) => {
          await using begun = await begin(imports, { startMs })
          const { place, copy, history } = begun
          for (const [index, step] of steps.entries()) {
            const before = [...copy.animals.keys()]
            await history.take(step)
            // In this instant the last animal may have been asked for, too.
            const atMs = place.clock.now()
            const animals = await stored(place)
            const listed = new Set(listsOf(animals).flat())
            let coverage: MirrorCoverage
            do {
              coverage = await copy.reach(0)
              assert.equal(coverage.unlisted, [...copy.animals.keys()].filter((id) => !listed.has(id)).length)
              // An animal that no list shows may be in one of the next pass, having changed between two lists.
            } while (coverage.asOf.getTime() <= atMs || (startMs !== undefined && coverage.unlisted > 0))
            const expected = knowable(animals, startMs === undefined ? before : [])
            assertHolds(copy, coverage, expected, `step ${index}: ${JSON.stringify(step)}`)
          }
        }),
        { numRuns: 3, endOnFailure: true },
      )
    })
  }

  it('comes to the same when animals change in the middle of a pass, at any event', async () => {
    const moments = fc.array(fc.tuple(step, fc.integer({ min: 1, max: 12 })), { minLength: 7, maxLength: 9 })
    await fc.assert(
      fc.asyncProperty(beginning, moments, async (imports, moments) => {
        await using begun = await begin(imports)
        const { place, copy, history } = begun
        for (const [step, events] of moments) {
          for (let event = 0; event < events; event++) await copy.next()
          await history.take(step)
        }
        const before = new Set(copy.animals.keys())
        // The list of which animals come may have been asked for in the instant of the last step, and before it.
        const coverage = await copy.reach(place.clock.now() + 1)
        const animals = await stored(place)
        // Of a list that was asked for before the last step, animals may have come that none shows any more.
        const after = [...copy.animals.keys()].filter((id) => !before.has(id))
        assertHolds(copy, coverage, knowable(animals, [...before, ...after]), JSON.stringify(moments))
      }),
      { numRuns: 3, endOnFailure: true },
    )
  })

  it('takes no 404 of the removed getPet for an animal that is gone (R11, R12, O21)', async () => {
    const imports = LISTS.map((status) => imported(status, PAGE))
    // A request in two hours, so that those for eight animals in turn begin before and end after that time.
    const begun = await begin(imports, { startMs: GET_PET_REMOVAL_MS - 20 * HOUR_MS, perMinute: 4, share: 1 / 480 })
    await using place = begun.place
    await begun.history.take(imported('sold', 8))
    const warnings: string[] = []
    process.on('warning', ({ message }) => warnings.push(message))
    const seen: string[] = []
    while (place.clock.now() < GET_PET_REMOVAL_MS + 48 * HOUR_MS) seen.push((await begun.copy.next()).kind)
    const eight = (kind: string) => Array.from({ length: 8 }, () => kind)
    assert.deepEqual(
      seen.filter((kind) => kind !== 'covered'),
      [...eight('added'), ...eight('unseen')],
    )
    assert(GET_PET_ENDS_MS < GET_PET_REMOVAL_MS)
    assert(!warnings.some((message) => message.includes('{petId}')), `${warnings}`)
  })
})
