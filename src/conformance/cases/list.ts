/** Section 4.1: the list, its limit and its filter. */
import { PetStatus } from '../../contract/schemas.ts'
import { type Case, inSection, NotRun } from '../case.ts'
import { outcome } from '../describe.ts'
import { expectPets, expectStatus } from '../expect.ts'
import { ANIMALS, animal, listed, stock } from '../fixtures.ts'
import { tryJson } from '../json-body.ts'
import { listPets } from '../request.ts'
import { header } from '../transport.ts'
import { Violation } from '../violation.ts'

/** The interface's largest page. A list that is not full shows every animal there is. */
const FULL = 100

function limitCase(limit: number): Omit<Case, 'section'> {
  return {
    id: `limit-${limit}`,
    title: `limit=${limit} is taken, and at most ${limit === 1 ? 'one animal comes' : `${limit} animals come`} back`,
    cites: ['R7'],
    run: async (kit) => {
      await kit.once(stock)
      expectPets(await kit.send(listPets(`?limit=${limit}`)), limit)
    },
  }
}

function filterCase(status: PetStatus): Omit<Case, 'section'> {
  return {
    id: `filter-${status}`,
    title: `status=${status} gives the animals that are ${status}, and no others`,
    cites: ['R8', 'R2'],
    run: async (kit) => {
      for (const other of PetStatus.enum) await kit.once(ANIMALS[other])
      const exchange = await kit.send(listPets(`?status=${status}&limit=${FULL}`))
      expectStatus(exchange, 'R8', 200)
      const pets = expectPets(exchange, FULL)
      const stray = pets.find((pet) => pet.status !== status)
      if (stray !== undefined) {
        const came = `the animal ${stray.id} with ${stray.status === undefined ? 'no status' : `status ${stray.status}`}`
        throw new Violation('R8', exchange, `animals with status ${status} only`, came)
      }
      const { id } = await animal(kit, ANIMALS[status])
      if (pets.length < FULL && !pets.some((pet) => pet.id === id)) {
        throw new Violation('R8', exchange, `the animal ${id}, created with status ${status}`, `${pets.length} others`)
      }
    },
  }
}

function openQueryCase(id: string, what: string, query: string, cites: Case['cites']): Omit<Case, 'section'> {
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

export const listCases = inSection('4.1 List animals', [
  {
    id: 'list',
    title: 'GET /pets is answered with 200 and a JSON array',
    cites: ['R7'],
    run: async (kit) => {
      expectPets(await kit.once(listed), FULL)
    },
  },
  {
    id: 'limit-default-at-most-20',
    title: 'Without limit, at most 20 animals come back',
    cites: ['R7'],
    run: async (kit) => {
      await kit.once(stock)
      expectPets(await kit.send(listPets()), 20)
    },
  },
  {
    id: 'limit-default-is-20',
    title: 'Without limit, as many animals come back as with limit=20',
    cites: ['R7'],
    run: async (kit) => {
      await kit.once(stock)
      const asked = expectPets(await kit.send(listPets('?limit=20')), 20).length
      const exchange = await kit.send(listPets())
      const came = expectPets(exchange, FULL).length
      if (came === asked) return
      throw new Violation('R7', exchange, `${asked} animals, as with limit=20`, `${came} animals`)
    },
  },
  ...[1, 5, 20, 100].map(limitCase),
  {
    id: 'limit-100-is-not-cut',
    title: 'limit=100 gives more than a default page when more animals are stored',
    cites: ['R7'],
    run: async (kit) => {
      const known = await kit.once(stock)
      const exchange = await kit.send(listPets('?limit=100'))
      const came = expectPets(exchange, FULL).length
      if (came >= Math.min(known.size, FULL)) return
      throw new Violation('R7', exchange, `at least the ${known.size} animals known to be stored`, `${came} animals`)
    },
  },
  {
    id: 'list-shows-created',
    title: 'A created animal is in the list',
    cites: ['R7', 'R9'],
    run: async (kit) => {
      const { id } = await animal(kit, ANIMALS.available)
      const exchange = await kit.send(listPets(`?limit=${FULL}`))
      const pets = expectPets(exchange, FULL)
      if (pets.some((pet) => pet.id === id)) return
      if (pets.length === FULL)
        throw new NotRun(`more than ${FULL} animals are stored, and the order of the list is open (O5)`)
      throw new Violation('R7', exchange, `the animal ${id}, created before`, `${pets.length} others`)
    },
  },
  {
    id: 'list-shows-as-created',
    title: 'An animal is listed as it was created',
    cites: ['R7', 'R4'],
    run: async (kit) => {
      const created = await animal(kit, ANIMALS.sold)
      const exchange = await kit.send(listPets(`?limit=${FULL}`))
      const pet = expectPets(exchange, FULL).find(({ id }) => id === created.id)
      if (pet === undefined) throw new NotRun('the list does not show the animal in question')
      for (const field of ['name', 'categoryId', 'status'] as const) {
        if (pet[field] !== created[field]) {
          throw new Violation(
            'R4',
            exchange,
            `${field} ${created[field]} for the animal ${pet.id}`,
            `${field} ${pet[field]}`,
          )
        }
      }
    },
  },
  ...PetStatus.enum.map(filterCase),
  {
    id: 'filter-with-limit',
    title: 'status and limit work together',
    cites: ['R8', 'R7'],
    run: async (kit) => {
      await kit.once(stock)
      for (const make of [ANIMALS.available, ANIMALS.zeroCategory]) await animal(kit, make)
      const exchange = await kit.send(listPets('?status=available&limit=1'))
      const [pet] = expectPets(exchange, 1)
      if (pet?.status === 'available') return
      const came = pet === undefined ? 'none' : `one with status ${pet.status}`
      throw new Violation('R8', exchange, 'one animal that is available', came)
    },
  },
  {
    id: 'filter-without-status',
    title: 'Where an animal is found that was created without a status',
    cites: ['O4'],
    run: async (kit) => {
      const { id } = await animal(kit, ANIMALS.withoutStatus)
      const found: string[] = []
      for (const status of PetStatus.enum) {
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
      await kit.once(stock)
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
      await kit.once(stock)
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
