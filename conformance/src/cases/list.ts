/** Section 4.1: the list, its limit and its filter. */

import { type CaseInSection, inSection } from '../case.ts'
import { expectPets, expectSamePet, expectStatus, NOT_STORED } from '../expect.ts'
import {
  ANIMALS,
  animal,
  animalUnlessRefused,
  FULL,
  FULL_OF_OTHERS,
  inFull,
  isAllThereIs,
  listed,
  longList,
  shownAnimals,
  stock,
} from '../fixtures.ts'
import { listPets } from '../http/request.ts'
import { PET_STATUSES, type PetStatus } from '../interface.ts'
import { NotRun, Violation } from '../verdicts.ts'

function limitCase(limit: number): CaseInSection {
  return {
    id: `limit-${limit}`,
    title: `limit=${limit} gives that many animals, or all where fewer are stored`,
    cites: ['R7'],
    restsOn: ['list', 'list-shows-created', 'create-available'],
    run: async (kit) => {
      if (kit.isThorough) await kit.once(stock)
      await kit.eventually(async () => {
        const exchange = await kit.send(listPets(`?limit=${limit}`))
        const came = expectPets(exchange, limit).length
        if (came === limit || (await isAllThereIs(kit, came))) return
        throw new Violation(
          'R7',
          exchange,
          `${limit} animals, for more are stored`,
          `${came} animals`,
          'too few animals',
        )
      })
    },
  }
}

function filterCase(status: PetStatus): CaseInSection {
  return {
    id: `filter-${status}`,
    title: `status=${status} gives the animals that are ${status}, and no others`,
    cites: ['R8', 'R2'],
    restsOn: [`create-${status}`, 'list-shows-created', 'limit-100', 'ids-unique-created'],
    run: async (kit) => {
      if (kit.isThorough) await kit.once(stock)
      const { id } = await animal(kit, ANIMALS[status])
      await kit.eventually(async () => {
        const exchange = await kit.send(listPets(`?status=${status}&limit=${FULL}`))
        expectStatus(exchange, 'R8', 200)
        const pets = expectPets(exchange, FULL)
        const stray = pets.find((pet) => pet.status !== status)
        if (stray !== undefined) {
          const came = `the animal ${stray.id} with ${stray.status === undefined ? 'no status' : `status ${stray.status}`}`
          const cause = 'the filter lets others through'
          throw new Violation('R8', exchange, `animals with status ${status} only`, came, cause)
        }
        if (pets.length < FULL && !pets.some((pet) => pet.id === id)) {
          const expected = `the animal ${id}, created with status ${status}`
          throw new Violation('R8', exchange, expected, `${pets.length} others`, 'the filter loses some')
        }
      })
    },
  }
}

/** What nearly all others rest on. */
export const firstListCases = inSection('4.1 List animals', [
  {
    id: 'list',
    title: 'GET /pets is answered with 200 and a JSON array',
    cites: ['R7'],
    run: async (kit) => {
      expectPets(await kit.once(listed), FULL)
    },
  },
])

/** As soon as there is an animal. */
export const shownCases = inSection('4.1 List animals', [
  {
    id: 'list-shows-created',
    title: 'A created animal is in the list',
    cites: ['R7', 'R9'],
    restsOn: ['list', 'create-available', 'create-pending', 'create-sold', 'pet-fields', 'ids-unique-created'],
    run: async (kit) => {
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
  },
])

/** Before there are many animals: a list that is not full has to show them all. */
export const listCases = inSection('4.1 List animals', [
  {
    id: 'list-shows-as-created',
    title: 'An animal is listed as it was created',
    cites: ['R7', 'R4'],
    restsOn: ['list-shows-created', 'create-sold', 'create-name-spaces', 'create-name-unicode', 'ids-unique-created'],
    run: async (kit) => {
      const created = [await animal(kit, ANIMALS.sold)]
      for (const make of inFull(kit, ANIMALS.spaces, ANIMALS.unicode, ANIMALS.markup, ANIMALS.digits)) {
        const pet = await animalUnlessRefused(kit, make)
        if (pet !== undefined) created.push(pet)
      }
      const ids = created.map(({ id }) => id)
      await kit.eventually(async () => {
        const { exchange, shown } = await shownAnimals(kit, ids)
        for (const pet of shown) expectSamePet(exchange, 'R7', pet, created.find(({ id }) => id === pet.id) ?? pet)
      })
    },
  },
  {
    id: 'create-equal',
    title: 'Two animals that are equal but for the id are two animals',
    cites: ['R9', 'R4'],
    needs: ['thorough'],
    restsOn: ['list-shows-created', 'ids-unique-created'],
    run: async (kit) => {
      const first = await animal(kit, ANIMALS.twin)
      const second = await animal(kit, ANIMALS.twinOfIt)
      const { exchange } = await kit.once(ANIMALS.twinOfIt)
      if (first.id === second.id)
        throw new Violation('R9', exchange, 'an animal of its own', `id ${first.id} once more`, 'equals merged')
      await kit.eventually(async () => {
        const { exchange: list, pets } = await longList(kit)
        const shown = [first, second].filter(({ id }) => pets.some((pet) => pet.id === id)).length
        if (shown === 1 && pets.length < FULL)
          throw new Violation('R9', list, `the animals ${first.id} and ${second.id}`, 'one of them', 'equals merged')
      })
    },
  },
])

export const fullListCases = inSection('4.1 List animals', [
  ...[1, 5, 20, 100, 2, 11, 21, 33, 50, 64, 99].map(limitCase),
  {
    id: 'limit-default',
    title: 'Without limit, 20 animals come back or all there are, as with limit=20',
    cites: ['R7'],
    restsOn: ['list', 'list-shows-created', 'limit-20'],
    run: async (kit) => {
      if (kit.isThorough) await kit.once(stock)
      const exchange = await kit.send(listPets())
      const came = expectPets(exchange, FULL).length
      if (came === 20 || (came < 20 && (await isAllThereIs(kit, came)))) return
      throw new Violation('R7', exchange, '20 animals, as with limit=20', `${came} animals`)
    },
  },
  ...PET_STATUSES.map(filterCase),
  {
    id: 'filter-with-limit',
    title: 'status and limit work together: the limit is applied to what the filter leaves',
    cites: ['R8', 'R7'],
    needs: ['thorough'],
    restsOn: ['filter-sold', 'limit-1'],
    run: async (kit) => {
      await kit.once(stock)
      for (const make of [ANIMALS.sold, ANIMALS.soldToo, ANIMALS.soldAlso]) await animal(kit, make)
      const exchange = await kit.send(listPets('?status=sold&limit=2'))
      const pets = expectPets(exchange, 2)
      if (pets.length === 2 && pets.every(({ status }) => status === 'sold')) return
      const came = pets.length < 2 ? `${pets.length} animals` : 'some with another status'
      throw new Violation('R8', exchange, 'two animals that are sold, for three are stored', came)
    },
  },
  {
    id: 'filter-default',
    title: 'With a status and without limit, at most 20 animals come back',
    cites: ['R7', 'R8'],
    needs: ['thorough'],
    restsOn: ['limit-default', 'filter-available', 'filter-with-limit'],
    run: async (kit) => {
      await kit.once(stock)
      const exchange = await kit.send(listPets('?status=available'))
      const came = expectPets(exchange, Infinity).length
      if (came !== 20) throw new Violation('R7', exchange, '20 animals, for more are available', `${came} animals`)
    },
  },
])
