/** Section 2: the records, above all that an int64 keeps its every digit. */
import { type Case, inSection, NotRun } from '../case.ts'
import { expectPet, expectPets, expectStatus } from '../expect.ts'
import { ANIMALS, animal, stock } from '../fixtures.ts'
import type { Kit } from '../kit.ts'
import { getPet, listPets } from '../request.ts'
import type { Exchange } from '../transport.ts'
import { Violation } from '../violation.ts'

const INT64_CASES: readonly [id: string, what: string, keyof typeof ANIMALS][] = [
  ['int64-largest', 'the largest int64, 9223372036854775807,', 'largestCategory'],
  ['int64-smallest', 'the smallest int64, -9223372036854775808,', 'smallestCategory'],
  ['int64-above-double', '9007199254740993, which no double holds,', 'aboveDouble'],
  ['int64-below-double', '-9007199254740993, which no double holds,', 'belowDouble'],
  ['int64-zero', '0', 'zeroCategory'],
]

/** The animals whose categoryId a service would round that keeps it as a double. */
const BEYOND_DOUBLE = [ANIMALS.largestCategory, ANIMALS.smallestCategory, ANIMALS.aboveDouble, ANIMALS.belowDouble]

function int64Case([id, what, which]: (typeof INT64_CASES)[number]): Omit<Case, 'section'> {
  return {
    id,
    title: `A categoryId of ${what} is taken and comes back as it was`,
    cites: ['R5', 'R3'],
    run: async (kit) => {
      const { sent, exchange } = await kit.once(ANIMALS[which])
      expectStatus(exchange, 'R5', 201)
      const { categoryId } = expectPet(exchange)
      if (categoryId === sent.categoryId) return
      throw new Violation('R5', exchange, `categoryId ${sent.categoryId}`, `categoryId ${categoryId}`)
    },
  }
}

export const recordCases = inSection('2 Records', [
  {
    id: 'pet-fields',
    title: 'A created animal has id, name and categoryId, each of its type',
    cites: ['R4', 'R5'],
    run: async (kit) => {
      await animal(kit, ANIMALS.available)
    },
  },
  {
    id: 'pet-fields-listed',
    title: 'Every listed animal has id, name and categoryId, each of its type, and no status but the three',
    cites: ['R4', 'R2'],
    run: async (kit) => {
      await kit.once(stock)
      expectPets(await kit.send(listPets('?limit=100')), 100)
    },
  },
  {
    id: 'ids-unique-created',
    title: 'Each created animal has an id of its own',
    cites: ['R4'],
    run: async (kit) => {
      const seen = new Set<bigint>()
      for (const make of [ANIMALS.available, ANIMALS.pending, ANIMALS.sold, ANIMALS.withoutStatus]) {
        const { id } = await animal(kit, make)
        const { exchange } = await kit.once(make)
        if (seen.has(id)) throw new Violation('R4', exchange, 'an id that no other animal has', `id ${id} once more`)
        seen.add(id)
      }
    },
  },
  {
    id: 'ids-unique-listed',
    title: 'No id comes twice in a list',
    cites: ['R4'],
    run: async (kit) => {
      await kit.once(stock)
      const exchange = await kit.send(listPets('?limit=100'))
      const ids = expectPets(exchange, 100).map(({ id }) => id)
      const repeated = ids.find((id, i) => ids.indexOf(id) !== i)
      if (repeated !== undefined)
        throw new Violation('R4', exchange, 'ids that differ', `id ${repeated} more than once`)
    },
  },
  ...INT64_CASES.map(int64Case),
  {
    id: 'int64-listed',
    title: 'The list shows int64s to their last digit',
    cites: ['R5', 'R7'],
    run: async (kit) => {
      const sent = new Map<bigint, bigint>()
      for (const make of BEYOND_DOUBLE) sent.set((await animal(kit, make)).id, (await kit.once(make)).sent.categoryId)
      const exchange = await kit.send(listPets('?limit=100'))
      const listed = expectPets(exchange, 100).filter(({ id }) => sent.has(id))
      if (listed.length === 0) throw new NotRun('the list does not show the animals in question')
      for (const { id, categoryId } of listed) expectCategory(exchange, id, categoryId, sent.get(id))
    },
  },
  {
    id: 'int64-fetched',
    title: 'A fetched animal shows int64s to their last digit',
    cites: ['R5', 'R11'],
    needs: ['getPet'],
    run: async (kit) => {
      for (const make of BEYOND_DOUBLE) await fetchAndCompare(kit, make)
    },
  },
])

async function fetchAndCompare(kit: Kit, make: (typeof BEYOND_DOUBLE)[number]): Promise<void> {
  const { id } = await animal(kit, make)
  const { sent } = await kit.once(make)
  const exchange = await kit.send(getPet(id))
  expectStatus(exchange, 'R11', 200)
  expectCategory(exchange, id, expectPet(exchange).categoryId, sent.categoryId)
}

function expectCategory(exchange: Exchange, id: bigint, came: bigint, sent: bigint | undefined): void {
  if (came !== sent)
    throw new Violation('R5', exchange, `categoryId ${sent} for the animal ${id}`, `categoryId ${came}`)
}
