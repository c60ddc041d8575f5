/** Section 7: the Error that every listed error answer carries. */
import { inSection } from '../case.ts'
import { expectError, expectStatus } from '../expect.ts'
import { keylessList, missingPet, refusedCreation, unknownKeyList } from '../fixtures.ts'
import type { Exchange } from '../http/transport.ts'
import type { Kit } from '../kit.ts'

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
