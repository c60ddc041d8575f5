/** Animals as created, listed (with limit and filter) and fetched. Above all, an int64 must keep every digit. */
import { ANIMALS, acceptedAnimals, animal, FULL, knownAnimals, longList, UNUSED_ID } from '../animals.ts'
import type { Case } from '../case.ts'
import { expectPet, expectPets, expectSame, expectStatus, outcome } from '../expect.ts'
import { createPet, getPet, listPets } from '../http/request.ts'
import { INT64_MIN, PET_STATUSES, type Requirement, type Statement } from '../interface.ts'
import { memberText } from '../json-body.ts'
import { NotRun, Unasked, Violation } from '../verdicts.ts'

type Cites = readonly [Requirement, ...Statement[]]
/** Creations. One that depends on an open point may be refused (O1, O19), but not changed. */
const CREATED: readonly (readonly [id: string, what: string, make: keyof typeof ANIMALS, cites: Cites])[] = [
  ...PET_STATUSES.map((status) => [`create-${status}`, `An animal that is ${status}`, status, ['R9', 'R2']] as const),
  ['create-without-status', 'An animal without a status', 'withoutStatus', ['R9', 'R3']],
  ['create-name', 'A name with spaces, quotes and signs of many scripts', 'odd', ['R9', 'R3', 'O19']],
  ['int64-above-double', 'A categoryId that no double holds', 'aboveDouble', ['R5', 'O1']],
  ['int64-largest', 'The largest int64 as a categoryId', 'largest', ['R5', 'O1']],
  ['int64-smallest', 'The smallest int64 as a categoryId', 'smallest', ['R5', 'O1']],
]

const createCases: readonly Case[] = [
  ...CREATED.map(
    ([id, what, make, cites]): Case => ({
      id,
      title: `${what} comes back as it was sent`,
      cites,
      restsOn: ['create'],
      run: async (kit) => {
        const { newPet, exchange } = await kit.once(ANIMALS[make])
        const isRefused = [400, 413].includes(exchange.answer.status)
        if (isRefused && make === 'smallest' && (await kit.once(ANIMALS.largest)).exchange.answer.status === 201)
          throw new Violation('R5', exchange, 'status 201, as for the largest int64', 'status 400')
        if (isRefused && cites.some((cited) => cited.startsWith('O'))) return `${what}: refused, ${outcome(exchange)}.`
        expectStatus(exchange, 'R9', 201)
        const pet = expectPet(exchange)
        // The status of an animal that was created without one is open (O4).
        expectSame(exchange, cites[0], pet, { ...newPet, status: newPet.status ?? pet.status })
        return
      },
    }),
  ),
  {
    id: 'id-not-adopted',
    title: 'The service assigns the id and ignores an id that the client sends',
    cites: ['R4', 'O17'],
    restsOn: ['create'],
    run: async (kit) => {
      const sent = '7086219077'
      const body = `{"id":${sent},"name":"${kit.namePrefix}own id","categoryId":${kit.category}}`
      const exchange = await kit.send(createPet(body))
      if (memberText(exchange.answer, 'id') === sent)
        throw new Violation('R4', exchange, 'an id assigned by the service', `id ${sent}, which the client sent`)
      return `A creation that brings its own id: ${outcome(exchange)}.`
    },
  },
]

const listCases: readonly Case[] = [
  {
    id: 'list-as-created',
    title: 'Created animals are in the list unchanged, each with its own id',
    cites: ['R7', 'R4', 'R5'],
    restsOn: ['list', ...createCases.map(({ id }) => id)],
    run: async (kit) => {
      const created = await acceptedAnimals(kit)
      const { exchange, pets } = await longList(kit)
      for (const ids of [created, pets].map((all) => all.map(({ id }) => id)))
        if (new Set(ids).size < ids.length) throw new Violation('R4', exchange, 'ids that differ', 'an id twice')
      const listed = new Map(pets.map((pet) => [pet.id, pet]))
      for (const pet of created) {
        const same = listed.get(pet.id)
        if (same !== undefined) expectSame(exchange, 'R7', same, pet)
        else if (pets.length < FULL)
          throw new Violation('R7', exchange, `the animal ${pet.id}`, 'others only', 'not stored')
      }
      // The order of the list is open (O5).
      if (!created.some(({ id }) => listed.has(id))) throw new NotRun('the list is full of other animals')
    },
  },
  ...[1, 3, undefined, FULL].map(
    (limit): Case => ({
      id: `limit-${limit ?? 'default'}`,
      title: `${limit ? `limit=${limit}` : 'No limit'} gives ${limit ?? 20} animals if more are stored`,
      cites: ['R7'],
      restsOn: ['list-as-created'],
      run: async (kit) => {
        const most = limit ?? 20
        const exchange = await kit.send(listPets(limit === undefined ? '' : `?limit=${limit}`))
        const count = expectPets(exchange, most).length
        const total = await kit.once(knownAnimals)
        if (total <= most) throw new Unasked(`only ${total} animals are known to be stored`)
        if (count < most) throw new Violation('R7', exchange, `${most} animals`, `${count} animals`, 'too few animals')
      },
    }),
  ),
  ...PET_STATUSES.map(
    (status): Case => ({
      id: `filter-${status}`,
      title: `status=${status} lists only animals that are ${status}`,
      cites: ['R8', 'R2'],
      restsOn: ['list-as-created'],
      run: async (kit) => {
        const { id } = await animal(kit, ANIMALS[status])
        const { exchange, pets } = await longList(kit, `&status=${status}`)
        const stray = pets.find((pet) => pet.status !== status)
        const came = stray === undefined ? `${pets.length} others` : `status ${stray.status ?? 'absent'}`
        const isMissing = pets.length < FULL && !pets.some((pet) => pet.id === id)
        if (stray !== undefined || isMissing)
          throw new Violation('R8', exchange, `all that are ${status}, and no others`, came, 'the filter is wrong')
      },
    }),
  ),
  {
    id: 'filter-with-limit',
    title: 'The limit applies after the filter',
    cites: ['R8', 'R7'],
    restsOn: ['filter-available', 'limit-1'],
    run: async (kit) => {
      const exchange = await kit.send(listPets('?status=available&limit=1'))
      if (expectPets(exchange, 1).length === 0) throw new Violation('R8', exchange, 'an animal', 'none')
    },
  },
]

const getCases: readonly Case[] = [
  {
    id: 'get-as-created',
    title: 'A fetched animal is as it was created',
    cites: ['R11', 'R4', 'R5'],
    needs: ['getPet'],
    restsOn: ['get', 'list-as-created'],
    run: async (kit) => {
      for (const created of await acceptedAnimals(kit)) {
        const exchange = await kit.send(getPet(created.id))
        expectStatus(exchange, 'R11', 200)
        const pet = expectPet(exchange)
        if (pet.id !== created.id) throw new Violation('R11', exchange, `id ${created.id}`, `id ${pet.id}`)
        expectSame(exchange, 'R11', pet, created)
      }
    },
  },
  ...[UNUSED_ID, INT64_MIN].map(
    (petId): Case => ({
      id: `get-missing-${petId < 0n ? 'smallest' : 'large'}`,
      title: `The id ${petId}, which no animal has, is answered with 404`,
      cites: ['R11', 'R5'],
      needs: ['getPet'],
      run: async (kit) => {
        const exchange = await kit.send(getPet(petId))
        // The store might contain it by chance.
        if (memberText(exchange.answer, 'id') !== String(petId)) expectStatus(exchange, 'R11', 404)
      },
    }),
  ),
  {
    id: 'get-until-removal',
    title: 'Fetching by id works until 5 December 2030 and not from then on',
    cites: ['R12', 'O21'],
    restsOn: ['get'],
    run: async (kit) => {
      const exchange = await kit.send(getPet((await animal(kit, ANIMALS.available)).id))
      if (kit.getPetExists) expectStatus(exchange, 'R12', 200)
      else if (exchange.answer.status === 200) throw new Violation('R12', exchange, 'no animal', 'status 200')
      return `Fetching by id: ${outcome(exchange, 'Deprecation', 'Sunset', 'Link')}.`
    },
  },
]

export const animalCases = [...createCases, ...listCases, ...getCases]
