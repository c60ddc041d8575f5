/** Sections 1 and 9: the base address, the media type, the version. */
import { inSection } from '../case.ts'
import { expectJsonType, expectStatus } from '../expect.ts'
import { ANIMALS, fetched, keylessList, listed, missingPet, refusedCreation } from '../fixtures.ts'
import { jsonOf } from '../json-body.ts'
import type { Kit } from '../kit.ts'
import type { Exchange } from '../transport.ts'

function isJson(make: (kit: Kit) => Promise<Exchange>) {
  return async (kit: Kit) => {
    const exchange = await kit.once(make)
    expectJsonType(exchange)
    jsonOf(exchange)
  }
}

export const baseCases = inSection('1 Base address and bodies', [
  { id: 'json-list', title: 'The list is application/json', cites: ['R1'], run: isJson(listed) },
  {
    id: 'json-creation',
    title: 'The answer to a creation is application/json',
    cites: ['R1'],
    run: isJson(async (kit) => (await kit.once(ANIMALS.available)).exchange),
  },
  {
    id: 'json-get',
    title: 'A fetched animal is application/json',
    cites: ['R1'],
    needs: ['getPet'],
    run: isJson(fetched),
  },
  { id: 'json-400', title: 'The Error of a 400 is application/json', cites: ['R1'], run: isJson(refusedCreation) },
  { id: 'json-401', title: 'The Error of a 401 is application/json', cites: ['R1'], run: isJson(keylessList) },
  {
    id: 'json-404',
    title: 'The Error of a 404 is application/json',
    cites: ['R1'],
    needs: ['getPet'],
    run: isJson(missingPet),
  },
])

export const versionCases = inSection('9 Versioning', [
  {
    id: 'version-path-alone',
    title: 'The base address alone selects the version: no header or parameter for it is needed',
    cites: ['R18', 'R1'],
    run: async (kit) => {
      expectStatus(await kit.once(listed), 'R18', 200)
    },
  },
])
