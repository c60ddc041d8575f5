/** Section 5: the key, and the ways not to have one. Every request here that lacks a valid key counts for the address it comes from. */
import { type Case, inSection } from '../case.ts'
import { outcome, withHeaders } from '../describe.ts'
import { expectStatus } from '../expect.ts'
import {
  ANIMALS,
  animal,
  keylessList,
  newPetJson,
  storedNames,
  UNKNOWN_KEY,
  UNUSED_ID,
  unknownKeyList,
} from '../fixtures.ts'
import type { Kit } from '../kit.ts'
import { CUT_KEY, createPet, getPet, type Headers, KEY, listPets } from '../request.ts'
import type { Exchange } from '../transport.ts'
import { Violation } from '../violation.ts'

const UNAUTHORISED = 'must not be stored without a key'

function refused(
  id: string,
  title: string,
  make: (kit: Kit) => Promise<Exchange>,
  ...needs: ['getPet'?]
): Omit<Case, 'section'> {
  return {
    id: `auth-${id}`,
    title,
    cites: ['R13'],
    needs: needs.filter((need) => need !== undefined),
    run: async (kit) => {
      expectStatus(await make(kit), 'R13', 401)
    },
  }
}

function refusedCredentials(id: string, what: string, headers: Headers, query = ''): Omit<Case, 'section'> {
  return refused(id, `${what} is answered with 401`, (kit) => kit.send(listPets(query, headers)))
}

const unauthorisedPet = (kit: Kit): string => newPetJson(kit.namePrefix + UNAUTHORISED, 1n, 'available')

export const authCases = inSection('5 Authentication', [
  refused('list-without-key', 'Listing without a key is answered with 401', (kit) => kit.once(keylessList)),
  refused('unknown-key', 'A key that was never issued is answered with 401', (kit) => kit.once(unknownKeyList)),
  refused('create-without-key', 'Creating without a key is answered with 401', (kit) =>
    kit.send(createPet(unauthorisedPet(kit), {})),
  ),
  refused('create-unknown-key', 'Creating with an unknown key is answered with 401', (kit) =>
    kit.send(createPet(unauthorisedPet(kit), UNKNOWN_KEY)),
  ),
  refused(
    'get-without-key',
    'Fetching an animal without a key is answered with 401',
    async (kit) => kit.send(getPet((await animal(kit, ANIMALS.available)).id, {})),
    'getPet',
  ),
  refused(
    'get-missing-without-key',
    'Without a key an id that no animal has is answered with 401 all the same',
    (kit) => kit.send(getPet(UNUSED_ID, {})),
    'getPet',
  ),
  refused('list-invalid-without-key', 'Without a key an invalid limit is answered with 401 all the same', (kit) =>
    kit.send(listPets('?limit=0', {})),
  ),
  refusedCredentials('empty', 'An empty Authorization', { Authorization: '' }),
  refusedCredentials('bearer-alone', 'Bearer without a key', { Authorization: 'Bearer' }),
  refusedCredentials('no-scheme', 'The key without a scheme', { Authorization: KEY }),
  refusedCredentials('scheme-basic', 'The key under the scheme Basic', { Authorization: `Basic ${KEY}` }),
  refusedCredentials('scheme-token', 'The key under the scheme Token', { Authorization: `Token ${KEY}` }),
  refusedCredentials('key-cut', 'The key without its last character', { Authorization: `Bearer ${CUT_KEY}` }),
  refusedCredentials('key-longer', 'The key with a character before it', { Authorization: `Bearer x${KEY}` }),
  refusedCredentials('key-in-header', 'The key in X-API-Key alone', { 'X-API-Key': KEY }),
  refusedCredentials('key-in-query', 'The key in the query alone', {}, `?api_key=${KEY}`),
  {
    id: 'auth-nothing-stored',
    title: 'What was sent without a key is not stored',
    cites: ['R13'],
    run: async (kit) => {
      const { exchange, names } = await storedNames(kit)
      if (names.includes(kit.namePrefix + UNAUTHORISED)) {
        throw new Violation('R13', exchange, 'no animal that was sent without a key', 'such an animal')
      }
    },
  },
  {
    id: 'auth-scheme-lower-case',
    title: 'Whether the scheme may be written in lower case, as HTTP has it',
    cites: ['O23'],
    run: async (kit) =>
      `The scheme in lower case (bearer): ${outcome(await kit.send(listPets('?limit=1', { Authorization: `bearer ${KEY}` })))}.`,
  },
  {
    id: 'auth-challenge',
    title: 'Whether a 401 names the scheme to use, as HTTP has it',
    cites: ['O23'],
    run: async (kit) =>
      `Challenge of a 401: ${withHeaders(await kit.once(keylessList), 'WWW-Authenticate').slice(2) || 'no WWW-Authenticate'}.`,
  },
  {
    id: 'auth-before-body',
    title: 'Which comes first for an invalid creation without a key',
    cites: ['O22'],
    run: async (kit) => `Invalid creation without a key: ${outcome(await kit.send(createPet('{}', {})))}.`,
  },
  {
    id: 'auth-before-path',
    title: 'Which comes first for an unknown path without a key',
    cites: ['O22'],
    run: async (kit) =>
      `Unknown path without a key: ${outcome(await kit.send({ ...listPets('', {}), path: '/no-such-path' }))}.`,
  },
])
