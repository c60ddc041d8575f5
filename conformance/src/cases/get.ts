/** Section 4.3: fetching one animal by its id, for as long as that operation exists. */

import { type CaseInSection, inSection } from '../case.ts'
import { expectFetched, expectPet, expectSamePet, expectStatus, NOT_STORED, outcome, withHeaders } from '../expect.ts'
import { ANIMALS, animalUnlessRefused, fetched, inFull, missingPet, UNUSED_ID } from '../fixtures.ts'
import { getPet } from '../http/request.ts'
import type { Exchange } from '../http/transport.ts'
import { INT64_MAX, INT64_MIN } from '../interface.ts'
import { memberText } from '../json-body.ts'
import { Violation } from '../verdicts.ts'

const ODD_NAMES = [ANIMALS.unicode, ANIMALS.spaces, ANIMALS.markup]

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

/** A store may hold just this animal; then the answer has to be that animal. */
function expectMissing(exchange: Exchange, petId: bigint): string | undefined {
  expectStatus(exchange, 'R11', 404, 200)
  if (exchange.answer.status === 404) return
  const id = memberText(exchange.answer, 'id')
  if (id !== String(petId)) {
    throw new Violation(
      'R11',
      exchange,
      `404, or the animal ${petId}`,
      id === '' ? 'status 200 without it' : `the animal ${id}`,
    )
  }
  return `The id ${petId}: there is such an animal.`
}

export const getCases = inSection('4.3 Get an animal', [
  {
    id: 'get',
    title: 'A created animal is fetched by its id with 200',
    cites: ['R11', 'R12'],
    needs: ['getPet'],
    run: async (kit) => {
      const exchange = await kit.once(fetched)
      if (exchange.answer.status === 404) throw new Violation('R11', exchange, 'status 200', 'status 404', NOT_STORED)
      expectStatus(exchange, 'R11', 200)
      expectPet(exchange)
    },
  },
  {
    id: 'get-as-created',
    title: 'A fetched animal is as it was created',
    cites: ['R11', 'R4'],
    needs: ['getPet'],
    restsOn: ['get', 'ids-unique-created', 'create-equal'],
    run: async (kit) => {
      for (const make of [ANIMALS.sold, ANIMALS.withoutStatus, ...inFull(kit, ...ODD_NAMES)]) {
        const created = await animalUnlessRefused(kit, make)
        if (created === undefined) continue
        const exchange = await kit.send(getPet(created.id))
        expectSamePet(exchange, 'R11', expectFetched(exchange, created.id), created)
      }
    },
  },
  {
    id: 'get-missing',
    title: 'An id that no animal has is answered with 404',
    cites: ['R11'],
    needs: ['getPet'],
    run: async (kit) => expectMissing(await kit.once(missingPet), UNUSED_ID),
  },
  missingCase('get-largest', INT64_MAX - 1n),
  missingCase('get-smallest', INT64_MIN),
  missingCase('get-zero', 0n),
  missingCase('get-negative', -1n),
  missingCase('get-beyond-double', 2n ** 53n + 1n),
  {
    id: 'get-until-removal',
    title: 'Fetching by id works until 5 December 2030, and no longer',
    cites: ['R12', 'O21'],
    restsOn: ['get'],
    run: async (kit) => {
      const exchange = await kit.once(fetched)
      if (kit.getPetExists) {
        expectStatus(exchange, 'R12', 200)
        return `Deprecation of getPet: ${withHeaders(exchange, 'Deprecation', 'Sunset', 'Link').slice(2) || 'no header shows it'}.`
      }
      if (exchange.answer.status === 200)
        throw new Violation('R12', exchange, 'any answer but the animal', 'status 200')
      return `getPet after its removal: ${outcome(exchange)}.`
    },
  },
])
