/**
 * Sections 2, 4.1 and 4.3: animals as created, as listed (with limit and filter) and as fetched. Above all, an int64
 * must keep every digit.
 */
import { type CaseInSection, inSection, requirement } from '../case.ts'
import {
  expectFetched,
  expectPet,
  expectPets,
  expectSamePet,
  expectStatus,
  INT64_CHANGED,
  NOT_STORED,
  outcome,
  withHeaders,
} from '../expect.ts'
import {
  ANIMALS,
  animal,
  animalsTaken,
  createdAtOnce,
  expectFull,
  FULL,
  FULL_OF_OTHERS,
  fetched,
  inFull,
  listed,
  longList,
  missingPet,
  type Recipe,
  shownAnimals,
  stock,
  UNUSED_ID,
} from '../fixtures.ts'
import { createPet, getPet, listPets } from '../http/request.ts'
import type { Exchange } from '../http/transport.ts'
import { type FILTERS, INT64_MAX, INT64_MIN, PET_STATUSES, type Pet } from '../interface.ts'
import { memberText } from '../json-body.ts'
import type { Kit } from '../kit.ts'
import { NotRun, Unasked, Violation } from '../verdicts.ts'

const INT64_CASES: readonly [id: string, what: string, keyof typeof ANIMALS][] = [
  ['int64-above-double', '9007199254740993, which no double holds,', 'aboveDouble'],
  ['int64-below-double', '-9007199254740993, which no double holds,', 'belowDouble'],
  ['int64-largest', 'the largest int64, 9223372036854775807,', 'largestCategory'],
  ['int64-smallest', 'the smallest int64, -9223372036854775808,', 'smallestCategory'],
  ['int64-zero', '0', 'zeroCategory'],
]

/** In a run that is not thorough, one animal. */
const ODD_NAMES = [ANIMALS.unicode, ANIMALS.spaces]

/** The animals whose categoryId would be rounded if it were stored as a double. Throws Unasked if none is taken. */
async function beyondDouble(kit: Kit): Promise<readonly Pet[]> {
  const { aboveDouble, belowDouble, largestCategory, smallestCategory } = ANIMALS
  const more = inFull(kit, belowDouble, largestCategory, smallestCategory)
  const animals = await animalsTaken(kit, [aboveDouble, ...more])
  if (animals.length === 0) throw new Unasked('no categoryId beyond 2^53 is taken')
  return animals
}

/** A category may be refused as unknown (O1), but one that is accepted must come back unchanged. */
function int64Case([id, what, which]: (typeof INT64_CASES)[number]): CaseInSection {
  return {
    id,
    title: `A categoryId of ${what} comes back as it was, where it is taken`,
    cites: ['R5', 'R3', 'O1'],
    needs: which === 'aboveDouble' ? [] : ['thorough'],
    run: async (kit) => {
      const { newPet, exchange } = await kit.once(ANIMALS[which])
      if (exchange.answer.status === 400) {
        if (newPet.categoryId < 0n) await expectNoneTaken(kit, exchange)
        return `categoryId ${newPet.categoryId}: refused, ${outcome(exchange)}.`
      }
      expectStatus(exchange, 'R5', 201)
      const { categoryId } = expectPet(exchange)
      if (categoryId === newPet.categoryId) return
      throw new Violation('R5', exchange, `categoryId ${newPet.categoryId}`, `categoryId ${categoryId}`, INT64_CHANGED)
    },
  }
}

/**
 * Which categories exist is open. But a service that accepts arbitrary large ones has no list of categories: if it
 * refuses a negative one, it does so for the sign, and a negative number is a valid int64.
 */
async function expectNoneTaken(kit: Kit, refusal: Exchange): Promise<void> {
  for (const make of [ANIMALS.aboveDouble, ANIMALS.largestCategory]) {
    const { exchange } = await kit.once(make)
    if (exchange.answer.status !== 201) return
  }
  const cause = 'negative int64s refused'
  throw new Violation('R3', refusal, 'status 201, as for categories as far from 0 above it', 'status 400', cause)
}

/** An id far from those that a service assigns, so that finding it shows that the client's id was used. */
const CLIENT_ID = '7086219077'

export const firstRecordCases = inSection('2 Records', [
  requirement(
    { id: 'pet-fields', cites: ['R4', 'R5'], restsOn: ['create-available'] },
    'A created animal has id, name and categoryId, each of its type',
    async (kit) => {
      await animal(kit, ANIMALS.available)
    },
  ),
  requirement({ id: 'ids-unique-created', cites: ['R4'] }, 'Each created animal has an id of its own', async (kit) => {
    const seen = new Set<bigint>()
    for (const make of [ANIMALS.available, ANIMALS.pending, ANIMALS.sold, ...inFull(kit, ANIMALS.soldToo)]) {
      const { id } = await animal(kit, make)
      const { exchange } = await kit.once(make)
      if (seen.has(id)) throw new Violation('R4', exchange, 'an id that no other animal has', `id ${id} once more`)
      seen.add(id)
    }
  }),
])

export const createdRecordCases = inSection('2 Records', [
  requirement(
    { id: 'id-not-adopted', cites: ['R4', 'O17'], needs: ['thorough'] },
    'The id is assigned by the service: one that the client sends is not adopted; to refuse or ignore it is open',
    async (kit) => {
      const body = `{"id":${CLIENT_ID},"name":"${kit.namePrefix}own id","categoryId":${kit.category}}`
      const exchange = await kit.send(createPet(body))
      if (exchange.answer.status !== 201) return `Creation that brings its own id: refused, ${outcome(exchange)}.`
      const { id } = expectPet(exchange)
      if (String(id) !== CLIENT_ID) return 'Creation that brings its own id: accepted, and another id assigned.'
      throw new Violation('R4', exchange, 'an id assigned by the service', `id ${id}, which the client sent`)
    },
  ),
  requirement(
    {
      id: 'ids-unique-at-once',
      cites: ['R4', 'R9'],
      needs: ['thorough'],
      restsOn: ['pet-fields', 'ids-unique-created'],
    },
    'Animals that are created at once, 8 at a time, have ids that differ',
    async (kit) => {
      const seen = new Set<bigint>()
      for (const exchange of await kit.once(createdAtOnce)) {
        expectStatus(exchange, 'R9', 201)
        const { id } = expectPet(exchange)
        if (seen.has(id)) throw new Violation('R4', exchange, 'an id that no other animal has', `id ${id} once more`)
        seen.add(id)
      }
    },
  ),
  ...INT64_CASES.map(int64Case),
])

export const listedRecordCases = inSection('2 Records', [
  requirement(
    { id: 'pet-fields-listed', cites: ['R4', 'R2'], restsOn: ['list'] },
    'Every listed animal has id, name and categoryId, each of its type, and no status but the three',
    async (kit) => {
      await animal(kit, ANIMALS.withoutStatus)
      await longList(kit)
    },
  ),
  requirement(
    { id: 'int64-listed', cites: ['R5', 'R7'], restsOn: ['list', 'list-shows-created'] },
    'The list shows int64s to their last digit',
    async (kit) => {
      const created = await beyondDouble(kit)
      await kit.eventually(async () => {
        const { exchange, shown } = await shownAnimals(kit, created)
        for (const [pet, { categoryId }] of shown) expectSamePet(exchange, 'R5', pet, { ...pet, categoryId })
      })
    },
  ),
])

/** Run once getPet is known to work. */
export const fetchedRecordCases = inSection('2 Records', [
  requirement(
    { id: 'int64-fetched', cites: ['R5', 'R11'], needs: ['getPet'], restsOn: ['get', 'ids-unique-created'] },
    'A fetched animal shows int64s to their last digit',
    async (kit) => {
      for (const { id, categoryId } of await beyondDouble(kit)) {
        const exchange = await kit.send(getPet(id))
        const pet = expectFetched(exchange, id)
        expectSamePet(exchange, 'R5', pet, { ...pet, categoryId })
      }
    },
  ),
])

/** Run once many animals are stored. */
export const fullRecordCases = inSection('2 Records', [
  requirement(
    { id: 'ids-unique-listed', cites: ['R4'], restsOn: ['ids-unique-at-once', 'limit-100', 'create-equal'] },
    'No id comes twice in a list',
    async (kit) => {
      if (kit.isThorough) await kit.once(stock)
      const { exchange, pets } = await longList(kit)
      const ids = pets.map(({ id }) => id)
      const repeated = ids.find((id, i) => ids.indexOf(id) !== i)
      if (repeated !== undefined)
        throw new Violation('R4', exchange, 'ids that differ', `id ${repeated} more than once`)
    },
  ),
])

function limitCase(limit: number, isDefault = false): CaseInSection {
  const restsOn = ['list', 'list-shows-created', isDefault ? 'limit-20' : 'create-available']
  return requirement(
    { id: `limit-${isDefault ? 'default' : limit}`, cites: ['R7'], restsOn },
    `${isDefault ? 'No limit' : `limit=${limit}`} gives ${limit} animals, where more are stored`,
    async (kit) => {
      if (kit.isThorough) await kit.once(stock)
      await kit.eventually(async () => {
        const exchange = await kit.send(listPets(isDefault ? '' : `?limit=${limit}`))
        await expectFull(kit, exchange, expectPets(exchange, limit).length, limit)
      })
    },
  )
}

/** The case that judges what the list shows of the member of each filter: without it those of the filter tell nothing. */
const LISTED_BY: Readonly<Record<(typeof FILTERS)[number], string>> = { status: 'list-shows-created' }

/** That a parameter of the list leaves the animals which have what `make` has, and no others. */
function filterCase(
  about: Pick<CaseInSection, 'id' | 'cites'>,
  title: string,
  parameter: (typeof FILTERS)[number],
  make: Recipe,
): CaseInSection {
  return requirement({ ...about, restsOn: ['limit-100', make.judgedBy, LISTED_BY[parameter]] }, title, async (kit) => {
    if (kit.isThorough) await kit.once(stock)
    const { id, [parameter]: value } = await animal(kit, make)
    await kit.eventually(async () => {
      const exchange = await kit.send(listPets(`?${parameter}=${value}&limit=${FULL}`))
      expectStatus(exchange, 'R8', 200)
      const pets = expectPets(exchange, FULL)
      const stray = pets.find((pet) => pet[parameter] !== value)
      if (stray !== undefined) {
        const has = stray[parameter] === undefined ? `no ${parameter}` : `${parameter} ${stray[parameter]}`
        const cause = 'the filter lets others through'
        throw new Violation(
          'R8',
          exchange,
          `animals with ${parameter} ${value} only`,
          `the animal ${stray.id} with ${has}`,
          cause,
        )
      }
      if (pets.length < FULL && !pets.some((pet) => pet.id === id)) {
        const expected = `the animal ${id}, created with ${parameter} ${value}`
        throw new Violation('R8', exchange, expected, `${pets.length} others`, 'the filter loses some')
      }
    })
  })
}

/** The cases that nearly all others rest on. */
export const firstListCases = inSection('4.1 List animals', [
  requirement({ id: 'list', cites: ['R7'] }, 'GET /pets is answered with 200 and a JSON array', async (kit) => {
    expectPets(await kit.once(listed), FULL)
  }),
])

/** Run as soon as an animal exists. */
export const shownCases = inSection('4.1 List animals', [
  requirement(
    {
      id: 'list-shows-created',
      cites: ['R7', 'R9'],
      restsOn: ['list', 'create-available', 'create-pending', 'create-sold', 'pet-fields', 'ids-unique-created'],
    },
    'A created animal is in the list',
    async (kit) => {
      const created = [ANIMALS.available, ANIMALS.pending, ANIMALS.sold].map((make) => animal(kit, make))
      const ids = (await Promise.all(created)).map(({ id }) => id)
      await kit.eventually(async () => {
        const { exchange, pets } = await longList(kit)
        const missing = ids.find((id) => !pets.some((pet) => pet.id === id))
        if (missing === undefined) return
        if (pets.length === FULL) throw new NotRun(FULL_OF_OTHERS)
        const came = `${pets.length} others`
        throw new Violation('R7', exchange, `the animal ${missing}, created before`, came, NOT_STORED)
      })
    },
  ),
])

/** Run before there are many animals: a list that is not full must show them all. */
export const listCases = inSection('4.1 List animals', [
  requirement(
    {
      id: 'list-shows-as-created',
      cites: ['R7', 'R4'],
      restsOn: ['list-shows-created', 'create-name-spaces', 'create-name-unicode'],
    },
    'An animal is listed as it was created',
    async (kit) => {
      const odd = [...ODD_NAMES, ...inFull(kit, ANIMALS.markup, ANIMALS.digits)]
      const created = [await animal(kit, ANIMALS.sold), ...(await animalsTaken(kit, odd))]
      await kit.eventually(async () => {
        const { exchange, shown } = await shownAnimals(kit, created)
        for (const [pet, as] of shown) expectSamePet(exchange, 'R7', pet, as)
      })
    },
  ),
  requirement(
    { id: 'create-equal', cites: ['R9', 'R4'], needs: ['thorough'], restsOn: ['list-shows-created'] },
    'Two animals that are equal but for the id are two animals',
    async (kit) => {
      const first = await animal(kit, ANIMALS.twin)
      const second = await animal(kit, ANIMALS.twinOfIt)
      const { exchange } = await kit.once(ANIMALS.twinOfIt)
      if (first.id === second.id)
        throw new Violation('R9', exchange, 'an animal of its own', `id ${first.id} once more`, 'equals merged')
      await kit.eventually(async () => {
        const { exchange: list, pets } = await longList(kit)
        const listedCount = [first, second].filter(({ id }) => pets.some((pet) => pet.id === id)).length
        if (listedCount === 1 && pets.length < FULL)
          throw new Violation('R9', list, `the animals ${first.id} and ${second.id}`, 'one of them', 'equals merged')
      })
    },
  ),
])

export const fullListCases = inSection('4.1 List animals', [
  ...[1, 5, 20, 100, 2, 11, 21, 33, 50, 64, 99].map((limit) => limitCase(limit)),
  limitCase(20, true),
  ...PET_STATUSES.map((status) => {
    const title = `status=${status} gives the animals that are ${status}, and no others`
    return filterCase({ id: `filter-${status}`, cites: ['R8', 'R2'] }, title, 'status', ANIMALS[status])
  }),
  requirement(
    { id: 'filter-with-limit', cites: ['R8', 'R7'], needs: ['thorough'], restsOn: ['filter-sold', 'limit-1'] },
    'status and limit work together: the limit is applied to what the filter leaves',
    async (kit) => {
      await kit.once(stock)
      for (const make of [ANIMALS.sold, ANIMALS.soldToo, ANIMALS.soldAlso]) await animal(kit, make)
      const exchange = await kit.send(listPets('?status=sold&limit=2'))
      const pets = expectPets(exchange, 2)
      if (pets.length === 2 && pets.every(({ status }) => status === 'sold')) return
      const came = pets.length < 2 ? `${pets.length} animals` : 'some with another status'
      throw new Violation('R8', exchange, 'two animals that are sold, for three are stored', came)
    },
  ),
  requirement(
    {
      id: 'filter-default',
      cites: ['R7', 'R8'],
      needs: ['thorough'],
      restsOn: ['limit-default', 'filter-available', 'filter-with-limit'],
    },
    'With a status and without limit, at most 20 animals come back',
    async (kit) => {
      await kit.once(stock)
      const exchange = await kit.send(listPets('?status=available'))
      const came = expectPets(exchange, Infinity).length
      if (came !== 20) throw new Violation('R7', exchange, '20 animals, for more are available', `${came} animals`)
    },
  ),
])

function missingCase(id: string, petId: bigint): CaseInSection {
  return {
    id,
    title: `The id ${petId} is taken as an id: 404 when there is no such animal`,
    cites: ['R11', 'R5'],
    needs: ['getPet'],
    restsOn: ['get-missing'],
    run: async (kit) => expectMissing(await kit.send(getPet(petId)), petId),
  }
}

/** Expects 404, or the animal with this id, because the store may happen to hold it. */
function expectMissing(exchange: Exchange, petId: bigint): string | undefined {
  expectStatus(exchange, 'R11', 404, 200)
  if (exchange.answer.status === 404) return
  const id = memberText(exchange.answer, 'id')
  if (id !== String(petId)) {
    const came = id === '' ? 'status 200 without it' : `the animal ${id}`
    throw new Violation('R11', exchange, `404, or the animal ${petId}`, came)
  }
  return `The id ${petId}: there is such an animal.`
}

export const getCases = inSection('4.3 Get an animal', [
  requirement(
    { id: 'get', cites: ['R11', 'R12'], needs: ['getPet'] },
    'A created animal is fetched by its id with 200',
    async (kit) => {
      const exchange = await kit.once(fetched)
      if (exchange.answer.status === 404) throw new Violation('R11', exchange, 'status 200', 'status 404', NOT_STORED)
      expectStatus(exchange, 'R11', 200)
      expectPet(exchange)
    },
  ),
  requirement(
    {
      id: 'get-as-created',
      cites: ['R11', 'R4'],
      needs: ['getPet'],
      restsOn: ['get', 'ids-unique-created', 'create-equal'],
    },
    'A fetched animal is as it was created',
    async (kit) => {
      const makes = [ANIMALS.sold, ANIMALS.withoutStatus, ...ODD_NAMES, ...inFull(kit, ANIMALS.markup)]
      for (const created of await animalsTaken(kit, makes)) {
        const exchange = await kit.send(getPet(created.id))
        expectSamePet(exchange, 'R11', expectFetched(exchange, created.id), created)
      }
    },
  ),
  requirement(
    { id: 'get-missing', cites: ['R11'], needs: ['getPet'] },
    'An id that no animal has is answered with 404',
    async (kit) => expectMissing(await kit.once(missingPet), UNUSED_ID),
  ),
  missingCase('get-largest', INT64_MAX - 1n),
  missingCase('get-smallest', INT64_MIN),
  missingCase('get-zero', 0n),
  missingCase('get-negative', -1n),
  missingCase('get-beyond-double', 2n ** 53n + 1n),
  requirement(
    { id: 'get-until-removal', cites: ['R12', 'O21'], restsOn: ['get'] },
    'At the time of the run fetching by id works, or from 5 December 2030 on is gone',
    async (kit) => {
      const exchange = await kit.once(fetched)
      if (kit.getPetExists) {
        expectStatus(exchange, 'R12', 200)
        return `Deprecation of getPet: ${withHeaders(exchange, 'Deprecation', 'Sunset', 'Link').slice(2) || 'no header shows it'}.`
      }
      if (exchange.answer.status === 200)
        throw new Violation('R12', exchange, 'any answer but the animal', 'status 200')
      return `getPet after its removal: ${outcome(exchange)}.`
    },
  ),
])
