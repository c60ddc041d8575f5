/**
 * Section 5: the key, and the ways not to have one. Every request here that lacks a valid key counts for the address it
 * comes from.
 */
import { type CaseInSection, inSection } from '../case.ts'
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
import { CUT_KEY, createPet, getPet, type Headers, KEY, KEY_BASE64, listPets, OTHER_CASE_KEY } from '../http/request.ts'
import type { Exchange } from '../http/transport.ts'
import type { Kit } from '../kit.ts'
import { Violation } from '../verdicts.ts'

/** The label of an animal that must not be stored. */
const UNAUTHORISED = 'no key'

const NEW: Partial<CaseInSection> = { since: '1.1' }

function refused(
  id: string,
  title: string,
  make: (kit: Kit) => Promise<Exchange>,
  more: Partial<CaseInSection> = {},
): CaseInSection {
  return {
    id: `auth-${id}`,
    title,
    cites: ['R13'],
    ...more,
    run: async (kit) => {
      expectStatus(await make(kit), 'R13', 401)
    },
  }
}

/** Credentials that resemble a valid one. They say something only where a key that was never issued is refused. */
function refusedCredentials(
  id: string,
  what: string,
  headers: Headers,
  query = '',
  more: Partial<CaseInSection> = {},
): CaseInSection {
  const restsOn = ['auth-list-without-key', 'auth-unknown-key', ...(more.restsOn ?? [])]
  return refused(id, `${what} is answered with 401`, (kit) => kit.send(listPets(query, headers)), { ...more, restsOn })
}

const unauthorisedPet = (kit: Kit): string => newPetJson(kit.namePrefix + UNAUTHORISED, kit.category, 'pending')

export const authCases = inSection('5 Authentication', [
  refused('list-without-key', 'Listing without a key is answered with 401', (kit) => kit.once(keylessList)),
  refused('unknown-key', 'A key that was never issued is answered with 401', (kit) => kit.once(unknownKeyList), {
    restsOn: ['auth-list-without-key'],
  }),
  refused(
    'create-without-key',
    'Creating without a key is answered with 401',
    (kit) => kit.send(createPet(unauthorisedPet(kit), {})),
    { restsOn: ['auth-list-without-key'] },
  ),
  refused(
    'create-unknown-key',
    'Creating with an unknown key is answered with 401',
    (kit) => kit.send(createPet(unauthorisedPet(kit), UNKNOWN_KEY)),
    { restsOn: ['auth-unknown-key', 'auth-create-without-key'] },
  ),
  refused(
    'get-without-key',
    'Fetching an animal without a key is answered with 401',
    async (kit) => kit.send(getPet((await animal(kit, ANIMALS.available)).id, {})),
    { needs: ['getPet'], restsOn: ['auth-list-without-key'] },
  ),
  refused(
    'get-unknown-key',
    'Fetching an animal with an unknown key is answered with 401',
    async (kit) => kit.send(getPet((await animal(kit, ANIMALS.available)).id, UNKNOWN_KEY)),
    { needs: ['getPet'], restsOn: ['auth-unknown-key', 'auth-get-without-key'], since: '1.1' },
  ),
  refused(
    'get-missing-without-key',
    'Without a key an id that no animal has is answered with 401 all the same',
    (kit) => kit.send(getPet(UNUSED_ID, {})),
    { needs: ['getPet'], restsOn: ['auth-list-without-key', 'auth-get-without-key'] },
  ),
  refusedCredentials('empty', 'An empty Authorization', { Authorization: '' }),
  refusedCredentials('bearer-alone', 'Bearer without a key', { Authorization: 'Bearer' }),
  refusedCredentials('no-scheme', 'The key without a scheme', { Authorization: KEY }),
  refusedCredentials('scheme-basic', 'The key under the scheme Basic', { Authorization: `Basic ${KEY}` }),
  refusedCredentials('scheme-token', 'The key under the scheme Token', { Authorization: `Token ${KEY}` }, '', {
    restsOn: ['auth-scheme-basic'],
  }),
  refusedCredentials(
    'basic-user',
    'The key as the user name of Basic',
    { Authorization: `Basic ${KEY_BASE64}` },
    '',
    NEW,
  ),
  refusedCredentials('key-cut', 'The key without its last character', { Authorization: `Bearer ${CUT_KEY}` }),
  refusedCredentials('key-before', 'The key with a character before it', { Authorization: `Bearer x${KEY}` }),
  refusedCredentials('key-after', 'The key with a character after it', { Authorization: `Bearer ${KEY}x` }, '', NEW),
  refusedCredentials('key-two-words', 'The key with a word after it', { Authorization: `Bearer ${KEY} x` }, '', NEW),
  {
    ...refusedCredentials(
      'key-other-case',
      'The key in the other case',
      { Authorization: `Bearer ${OTHER_CASE_KEY}` },
      '',
      NEW,
    ),
    run: async (kit) => {
      // A key without a letter is the same in either case.
      if (!kit.keyHasLetters) return 'The key holds no letter, so there is no other case of it.'
      const exchange = await kit.send(listPets('', { Authorization: `Bearer ${OTHER_CASE_KEY}` }))
      expectStatus(exchange, 'R13', 401)
    },
  },
  refusedCredentials('key-in-header', 'The key in X-API-Key alone', { 'X-API-Key': KEY }),
  refusedCredentials('key-in-cookie', 'The key in a cookie alone', { Cookie: `api_key=${KEY}` }, '', NEW),
  ...['api_key', 'apiKey', 'key', 'token', 'access_token'].map((name) =>
    refusedCredentials(`key-in-query-${name}`, `The key in the query as ${name} alone`, {}, `?${name}=${KEY}`, NEW),
  ),
  {
    id: 'auth-nothing-stored',
    title: 'What was sent without a key is not stored',
    cites: ['R13'],
    restsOn: ['list', 'auth-create-without-key', 'auth-create-unknown-key'],
    run: async (kit) => {
      // Few animals are pending, so none is hidden behind others.
      const { exchange, names } = await storedNames(kit, 'pending')
      if (names.includes(kit.namePrefix + UNAUTHORISED)) {
        throw new Violation('R13', exchange, 'no animal that was sent without a key', 'such an animal')
      }
    },
  },
])
