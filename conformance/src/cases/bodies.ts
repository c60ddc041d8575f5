/** Sections 1, 7 and 9: the media type, the Error that every listed error answer carries, the version. */
import { type CaseInSection, inSection } from '../case.ts'
import { expectError, expectJsonType, expectStatus } from '../expect.ts'
import { ANIMALS, fetched, keylessList, listed, missingPet, refusedCreation, unknownKeyList } from '../fixtures.ts'
import type { Exchange } from '../http/transport.ts'
import { jsonOf } from '../json-body.ts'
import type { Kit } from '../kit.ts'

/** `judgedBy` is the case about the answer itself, which has to be there before its body can be. */
function jsonCase(
  id: string,
  what: string,
  judgedBy: string,
  make: (kit: Kit) => Promise<Exchange>,
  ...needs: ['getPet'?]
): CaseInSection {
  return {
    id: `json-${id}`,
    title: `${what} is application/json`,
    cites: ['R1'],
    needs: needs.filter((need) => need !== undefined),
    restsOn: [judgedBy],
    run: async (kit) => {
      const exchange = await kit.once(make)
      expectJsonType(exchange)
      jsonOf(exchange)
    },
  }
}

export const baseCases = inSection('1 Base address and bodies', [
  jsonCase('list', 'The list', 'list', listed),
  jsonCase(
    'creation',
    'The answer to a creation',
    'create-available',
    async (kit) => (await kit.once(ANIMALS.available)).exchange,
  ),
  jsonCase('get', 'A fetched animal', 'get', fetched, 'getPet'),
  jsonCase('400', 'The Error of a 400', 'refuse-without-fields', refusedCreation),
  jsonCase('401', 'The Error of a 401', 'auth-list-without-key', keylessList),
  jsonCase('404', 'The Error of a 404', 'get-missing', missingPet, 'getPet'),
])

function isError(make: (kit: Kit) => Promise<Exchange>, status: number) {
  return async (kit: Kit) => {
    const exchange = await kit.once(make)
    expectStatus(exchange, 'R6', status)
    expectError(exchange)
  }
}

export const errorCases = inSection('7 Errors', [
  {
    id: 'error-400',
    title: 'The 400 to an invalid creation carries an Error',
    cites: ['R6', 'R10'],
    restsOn: ['json-400', 'refuse-without-fields'],
    run: isError(refusedCreation, 400),
  },
  {
    id: 'error-401',
    title: 'The 401 without a key carries an Error',
    cites: ['R6', 'R13'],
    restsOn: ['json-401', 'auth-list-without-key'],
    run: isError(keylessList, 401),
  },
  {
    id: 'error-401-unknown-key',
    title: 'The 401 with an unknown key carries an Error',
    cites: ['R6', 'R13'],
    restsOn: ['json-401', 'auth-unknown-key'],
    run: isError(unknownKeyList, 401),
  },
  {
    id: 'error-404',
    title: 'The 404 of an animal that is not there carries an Error',
    cites: ['R6', 'R11'],
    needs: ['getPet'],
    restsOn: ['json-404', 'get-missing'],
    run: isError(missingPet, 404),
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
