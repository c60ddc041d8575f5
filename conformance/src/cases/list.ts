/** Section 4.1: the list, its limit and its filter. */

import { type Case, type CaseInSection, inSection } from '../case.ts'
import { outcome } from '../describe.ts'
import { expectPets, expectSamePet, expectStatus, NOT_STORED } from '../expect.ts'
import {
  ANIMALS,
  animal,
  animalUnlessRefused,
  expectStocked,
  FULL,
  FULL_OF_OTHERS,
  inFull,
  listed,
  longList,
  shownAnimals,
  stock,
} from '../fixtures.ts'
import { header } from '../http/answer.ts'
import { listPets } from '../http/request.ts'
import { PET_STATUSES, type PetStatus } from '../interface.ts'
import { tryJson } from '../json-body.ts'
import { NotRun, Violation } from '../verdicts.ts'

function limitCase(limit: number): CaseInSection {
  return {
    id: `limit-${limit}`,
    since: [1, 5, 20, 100].includes(limit) ? '1.0' : '1.3',
    title: `limit=${limit} gives that many animals, when more are stored`,
    cites: ['R7'],
    restsOn: ['list', 'list-shows-created', 'create-available'],
    run: async (kit) => {
      if (kit.isThorough) await kit.once(stock)
      await kit.eventually(async () => {
        const exchange = await kit.send(listPets(`?limit=${limit}`))
        const came = expectPets(exchange, limit).length
        if (came === limit) return
        await expectStocked(kit, limit)
        throw new Violation('R7', exchange, `${limit} animals, for more are stored`, `${came} animals`, {
          cause: 'too few animals',
        })
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
          const cause = { cause: 'the filter lets others through' }
          throw new Violation('R8', exchange, `animals with status ${status} only`, came, cause)
        }
        if (pets.length < FULL && !pets.some((pet) => pet.id === id)) {
          const expected = `the animal ${id}, created with status ${status}`
          throw new Violation('R8', exchange, expected, `${pets.length} others`, { cause: 'the filter loses some' })
        }
      })
    },
  }
}

function openQueryCase(id: string, what: string, query: string, cites: Case['cites']): CaseInSection {
  return {
    id,
    title: `How ${what} is answered`,
    cites,
    run: async (kit) => {
      const exchange = await kit.send(listPets(query))
      const json = tryJson(exchange.answer)?.value
      const count = Array.isArray(json) ? `, with ${json.length} ${json.length === 1 ? 'animal' : 'animals'}` : ''
      return `GET /pets${query}: ${outcome(exchange)}${count}.`
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
        throw new Violation('R7', exchange, `the animal ${missing}, created before`, came, { cause: NOT_STORED })
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
    since: '1.1',
    needs: ['thorough'],
    restsOn: ['list-shows-created', 'ids-unique-created'],
    run: async (kit) => {
      const first = await animal(kit, ANIMALS.twin)
      const second = await animal(kit, ANIMALS.twinOfIt)
      const { exchange } = await kit.once(ANIMALS.twinOfIt)
      if (first.id === second.id)
        throw new Violation('R9', exchange, 'an animal of its own', `id ${first.id} once more`, {
          cause: 'equals merged',
        })
      await kit.eventually(async () => {
        const { exchange: list, pets } = await longList(kit)
        const shown = [first, second].filter(({ id }) => pets.some((pet) => pet.id === id)).length
        if (shown === 1 && pets.length < FULL)
          throw new Violation('R9', list, `the animals ${first.id} and ${second.id}`, 'one of them', {
            cause: 'equals merged',
          })
      })
    },
  },
])

export const fullListCases = inSection('4.1 List animals', [
  ...[1, 5, 20, 100, 2, 11, 21, 33, 50, 64, 99].map(limitCase),
  {
    id: 'limit-default',
    title: 'Without limit, 20 animals come back, as with limit=20',
    cites: ['R7'],
    restsOn: ['list', 'list-shows-created', 'limit-20'],
    run: async (kit) => {
      if (kit.isThorough) await kit.once(stock)
      const exchange = await kit.send(listPets())
      const came = expectPets(exchange, FULL).length
      if (came === 20) return
      if (came < 20) await expectStocked(kit, 20)
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
    since: '1.3',
    needs: ['thorough'],
    restsOn: ['limit-default', 'filter-available', 'filter-with-limit'],
    run: async (kit) => {
      await kit.once(stock)
      const exchange = await kit.send(listPets('?status=available'))
      const came = expectPets(exchange, Infinity).length
      if (came !== 20) throw new Violation('R7', exchange, '20 animals, for more are available', `${came} animals`)
    },
  },
  {
    id: 'filter-without-status',
    title: 'Where an animal is found that was created without a status',
    cites: ['O4'],
    run: async (kit) => {
      const { id } = await animal(kit, ANIMALS.withoutStatus)
      const found: string[] = []
      for (const status of PET_STATUSES) {
        const pets = expectPets(await kit.send(listPets(`?status=${status}&limit=${FULL}`)), FULL)
        if (pets.some((pet) => pet.id === id)) found.push(status)
      }
      return `Created without a status: shown by ${found.length === 0 ? 'no status filter' : `the filter ${found.join(' and ')}`}.`
    },
  },
  {
    id: 'order',
    title: 'In which order the list comes',
    cites: ['O5'],
    run: async (kit) => {
      const ids = expectPets(await kit.send(listPets()), FULL).map((pet) => pet.id)
      const rises = ids.every((id, i) => i === 0 || id > (ids[i - 1] ?? id))
      const falls = ids.every((id, i) => i === 0 || id < (ids[i - 1] ?? id))
      return `Order of the list: by ${rises ? 'rising id' : falls ? 'falling id' : 'something else than the id'}.`
    },
  },
  {
    id: 'paging',
    title: 'Whether the list says how to page on, or how many animals there are',
    cites: ['O6'],
    run: async (kit) => {
      const { answer } = await kit.send(listPets('?limit=1'))
      const signs = answer.headers.filter(([name]) => /^link$|total|count|range|next|page/i.test(name))
      if (signs.length === 0) return 'Paging on beyond limit, and a total: no header tells.'
      return `Paging on beyond limit, or a total: ${signs.map(([name]) => `${name}: ${header(answer, name)}`).join('; ')}.`
    },
  },
  openQueryCase('limit-0', 'limit=0', '?limit=0', ['O16']),
  openQueryCase('limit-101', 'limit=101', '?limit=101', ['O16']),
  openQueryCase('limit-negative', 'limit=-1', '?limit=-1', ['O16']),
  openQueryCase('limit-word', 'limit=many', '?limit=many', ['O16']),
  openQueryCase('limit-empty', 'an empty limit', '?limit=', ['O16']),
  openQueryCase('limit-fraction', 'limit=5.0', '?limit=5.0', ['O16']),
  openQueryCase('limit-leading-zero', 'limit=05', '?limit=05', ['O16']),
  openQueryCase('limit-huge', 'a limit beyond 64 bits', '?limit=18446744073709551617', ['O16']),
  openQueryCase('limit-twice', 'limit given twice', '?limit=1&limit=2', ['O16']),
  openQueryCase('status-unknown', 'status=lost', '?status=lost', ['O16']),
  openQueryCase('status-upper-case', 'status=SOLD', '?status=SOLD', ['O16']),
  openQueryCase('status-empty', 'an empty status', '?status=', ['O16']),
  openQueryCase('status-twice', 'status given twice', '?status=sold&status=pending', ['O16']),
  openQueryCase('query-unknown', 'a query parameter that the interface does not know', '?limit=1&colour=red', ['O17']),
  {
    id: 'list-trailing-slash',
    title: 'How GET /pets/ is answered',
    cites: ['O23'],
    run: async (kit) => `GET /pets/: ${outcome(await kit.send({ ...listPets(), path: '/pets/' }))}.`,
  },
])
