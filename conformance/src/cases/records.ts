/** Section 2: the records, above all that an int64 keeps its every digit. */
import { type CaseInSection, inSection } from '../case.ts'
import { expectFetched, expectPet, expectSamePet, expectStatus, INT64_CHANGED, outcome } from '../expect.ts'
import {
  ANIMALS,
  animal,
  animalUnlessRefused,
  createdAtOnce,
  inFull,
  longList,
  type Recipe,
  shownAnimals,
  stock,
} from '../fixtures.ts'
import { createPet, getPet } from '../http/request.ts'
import type { Exchange } from '../http/transport.ts'
import type { Kit } from '../kit.ts'
import { Violation } from '../verdicts.ts'

const INT64_CASES: readonly [id: string, what: string, keyof typeof ANIMALS][] = [
  ['int64-above-double', '9007199254740993, which no double holds,', 'aboveDouble'],
  ['int64-below-double', '-9007199254740993, which no double holds,', 'belowDouble'],
  ['int64-largest', 'the largest int64, 9223372036854775807,', 'largestCategory'],
  ['int64-smallest', 'the smallest int64, -9223372036854775808,', 'smallestCategory'],
  ['int64-zero', '0', 'zeroCategory'],
]

/** The animals whose categoryId a service would round that keeps it as a double. */
function beyondDouble(kit: Kit): readonly Recipe[] {
  return [ANIMALS.aboveDouble, ...inFull(kit, ANIMALS.belowDouble, ANIMALS.largestCategory, ANIMALS.smallestCategory)]
}

/** A category that is refused may be one that does not exist (O1); one that is taken has to come back as it was. */
function int64Case([id, what, which]: (typeof INT64_CASES)[number]): CaseInSection {
  return {
    id,
    title: `A categoryId of ${what} comes back as it was, where it is taken`,
    cites: ['R5', 'R3', 'O1'],
    needs: which === 'aboveDouble' ? [] : ['thorough'],
    run: async (kit) => {
      const { sent, exchange } = await kit.once(ANIMALS[which])
      if (exchange.answer.status === 400) {
        if (sent.categoryId < 0n) await expectNoneTaken(kit, exchange)
        return `categoryId ${sent.categoryId}: refused, ${outcome(exchange)}.`
      }
      expectStatus(exchange, 'R5', 201)
      const { categoryId } = expectPet(exchange)
      if (categoryId === sent.categoryId) return
      throw new Violation('R5', exchange, `categoryId ${sent.categoryId}`, `categoryId ${categoryId}`, INT64_CHANGED)
    },
  }
}

/**
 * Which categories exist is open, but who takes those that nobody can have heard of has no list of them: then a
 * negative one is refused for its sign, and that is an int64 like any other.
 */
async function expectNoneTaken(kit: Kit, refusal: Exchange): Promise<void> {
  for (const make of [ANIMALS.aboveDouble, ANIMALS.largestCategory]) {
    const { exchange } = await kit.once(make)
    if (exchange.answer.status !== 201) return
  }
  const cause = 'negative int64s refused'
  throw new Violation('R3', refusal, 'status 201, as for categories as far from 0 above it', 'status 400', cause)
}

/** An id far from those that a service gives by itself, so that to find it again is no accident. */
const CLIENT_ID = '7086219077'

export const firstRecordCases = inSection('2 Records', [
  {
    id: 'pet-fields',
    title: 'A created animal has id, name and categoryId, each of its type',
    cites: ['R4', 'R5'],
    restsOn: ['create-available'],
    run: async (kit) => {
      await animal(kit, ANIMALS.available)
    },
  },
  {
    id: 'ids-unique-created',
    title: 'Each created animal has an id of its own',
    cites: ['R4'],
    run: async (kit) => {
      const seen = new Set<bigint>()
      for (const make of [ANIMALS.available, ANIMALS.pending, ANIMALS.sold, ...inFull(kit, ANIMALS.soldToo)]) {
        const { id } = await animal(kit, make)
        const { exchange } = await kit.once(make)
        if (seen.has(id)) throw new Violation('R4', exchange, 'an id that no other animal has', `id ${id} once more`)
        seen.add(id)
      }
    },
  },
])

export const createdRecordCases = inSection('2 Records', [
  {
    id: 'id-not-adopted',
    title:
      'The id is assigned by the service: one that the client sends is not adopted; to refuse or ignore it is open',
    cites: ['R4', 'O17'],
    needs: ['thorough'],
    run: async (kit) => {
      const body = `{"id":${CLIENT_ID},"name":"${kit.namePrefix}own id","categoryId":${kit.category}}`
      const exchange = await kit.send(createPet(body))
      if (exchange.answer.status !== 201) return `Creation that brings its own id: refused, ${outcome(exchange)}.`
      const { id } = expectPet(exchange)
      if (String(id) !== CLIENT_ID) return 'Creation that brings its own id: accepted, and another id assigned.'
      throw new Violation('R4', exchange, 'an id assigned by the service', `id ${id}, which the client sent`)
    },
  },
  {
    id: 'ids-unique-at-once',
    title: 'Animals that are created at once, 8 at a time, have ids that differ',
    cites: ['R4', 'R9'],
    needs: ['thorough'],
    restsOn: ['create-available', 'pet-fields', 'ids-unique-created'],
    run: async (kit) => {
      const seen = new Set<bigint>()
      for (const exchange of await kit.once(createdAtOnce)) {
        expectStatus(exchange, 'R9', 201)
        const { id } = expectPet(exchange)
        if (seen.has(id)) throw new Violation('R4', exchange, 'an id that no other animal has', `id ${id} once more`)
        seen.add(id)
      }
    },
  },
  ...INT64_CASES.map(int64Case),
])

export const listedRecordCases = inSection('2 Records', [
  {
    id: 'pet-fields-listed',
    title: 'Every listed animal has id, name and categoryId, each of its type, and no status but the three',
    cites: ['R4', 'R2'],
    restsOn: ['list'],
    run: async (kit) => {
      await animal(kit, ANIMALS.withoutStatus)
      await longList(kit)
    },
  },
  {
    id: 'int64-listed',
    title: 'The list shows int64s to their last digit',
    cites: ['R5', 'R7'],
    restsOn: ['list', 'list-shows-created'],
    run: async (kit) => {
      const sent = new Map<bigint, bigint>()
      for (const make of beyondDouble(kit)) {
        const pet = await animalUnlessRefused(kit, make)
        if (pet !== undefined) sent.set(pet.id, pet.categoryId)
      }
      if (sent.size === 0) return
      await kit.eventually(async () => {
        const { exchange, shown } = await shownAnimals(kit, [...sent.keys()])
        for (const pet of shown)
          expectSamePet(exchange, 'R5', pet, { ...pet, categoryId: sent.get(pet.id) ?? pet.categoryId })
      })
    },
  },
])

/** Once getPet is known to work. */
export const fetchedRecordCases = inSection('2 Records', [
  {
    id: 'int64-fetched',
    title: 'A fetched animal shows int64s to their last digit',
    cites: ['R5', 'R11'],
    needs: ['getPet'],
    restsOn: ['get', 'ids-unique-created'],
    run: async (kit) => {
      for (const make of beyondDouble(kit)) {
        const created = await animalUnlessRefused(kit, make)
        if (created === undefined) continue
        const exchange = await kit.send(getPet(created.id))
        const pet = expectFetched(exchange, created.id)
        expectSamePet(exchange, 'R5', pet, { ...pet, categoryId: created.categoryId })
      }
    },
  },
])

/** Once there are many. */
export const fullRecordCases = inSection('2 Records', [
  {
    id: 'ids-unique-listed',
    title: 'No id comes twice in a list',
    cites: ['R4'],
    restsOn: ['list', 'ids-unique-created', 'ids-unique-at-once', 'limit-100', 'create-equal'],
    run: async (kit) => {
      if (kit.isThorough) await kit.once(stock)
      const { exchange, pets } = await longList(kit)
      const ids = pets.map(({ id }) => id)
      const repeated = ids.find((id, i) => ids.indexOf(id) !== i)
      if (repeated !== undefined)
        throw new Violation('R4', exchange, 'ids that differ', `id ${repeated} more than once`)
    },
  },
])
