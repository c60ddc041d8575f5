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

function refused(
  id: string,
  what: string,
  make: (kit: Kit) => Promise<Exchange>,
  restsOn: readonly string[],
  needs: CaseInSection['needs'] = [],
): CaseInSection {
  return {
    id: `auth-${id}`,
    title: `${what} is answered with 401`,
    cites: ['R13'],
    needs,
    restsOn,
    run: async (kit) => expectStatus(await make(kit), 'R13', 401),
  }
}

/** Credentials that resemble a valid one, by what they are. */
const RESEMBLING: readonly (readonly [id: string, what: string, headers: Headers])[] = [
  ['empty', 'An empty Authorization', { Authorization: '' }],
  ['bearer-alone', 'Bearer without a key', { Authorization: 'Bearer' }],
  ['no-scheme', 'The key without a scheme', { Authorization: KEY }],
  ['scheme-basic', 'The key under the scheme Basic', { Authorization: `Basic ${KEY}` }],
  ['scheme-token', 'The key under the scheme Token', { Authorization: `Token ${KEY}` }],
  ['basic-user', 'The key as the user name of Basic', { Authorization: `Basic ${KEY_BASE64}` }],
  ['key-cut', 'The key without its last character', { Authorization: `Bearer ${CUT_KEY}` }],
  ['key-before', 'The key with a character before it', { Authorization: `Bearer x${KEY}` }],
  ['key-after', 'The key with a character after it', { Authorization: `Bearer ${KEY}x` }],
  ['key-two-words', 'The key with a word after it', { Authorization: `Bearer ${KEY} x` }],
  ['key-in-header', 'The key in X-API-Key alone', { 'X-API-Key': KEY }],
  ['key-in-cookie', 'The key in a cookie alone', { Cookie: `api_key=${KEY}` }],
]
const IN_QUERY = ['api_key', 'apiKey', 'key', 'token', 'access_token']
/** They say something only where a key that was never issued is refused. */
const REFUSING = ['auth-list-without-key', 'auth-unknown-key']

const unauthorisedPet = (kit: Kit): string => newPetJson(kit.namePrefix + UNAUTHORISED, kit.category, 'pending')
const fetchOf = async (kit: Kit, credentials: Headers): Promise<Exchange> =>
  kit.send(getPet((await animal(kit, ANIMALS.available)).id, credentials))

export const authCases = inSection('5 Authentication', [
  refused('list-without-key', 'Listing without a key', (kit) => kit.once(keylessList), []),
  refused('unknown-key', 'A key that was never issued', (kit) => kit.once(unknownKeyList), ['auth-list-without-key']),
  refused('create-without-key', 'Creating without a key', (kit) => kit.send(createPet(unauthorisedPet(kit), {})), [
    'auth-list-without-key',
  ]),
  refused(
    'create-unknown-key',
    'Creating with an unknown key',
    (kit) => kit.send(createPet(unauthorisedPet(kit), UNKNOWN_KEY)),
    ['auth-unknown-key', 'auth-create-without-key'],
  ),
  refused(
    'get-without-key',
    'Fetching an animal without a key',
    (kit) => fetchOf(kit, {}),
    ['auth-list-without-key'],
    ['getPet'],
  ),
  refused(
    'get-unknown-key',
    'Fetching an animal with an unknown key',
    (kit) => fetchOf(kit, UNKNOWN_KEY),
    ['auth-unknown-key', 'auth-get-without-key'],
    ['getPet'],
  ),
  refused(
    'get-missing-without-key',
    'Fetching an id that no animal has without a key',
    (kit) => kit.send(getPet(UNUSED_ID, {})),
    ['auth-list-without-key', 'auth-get-without-key'],
    ['getPet'],
  ),
  ...RESEMBLING.map(([id, what, headers]) =>
    refused(id, what, (kit) => kit.send(listPets('', headers)), [
      ...REFUSING,
      ...(id === 'scheme-token' ? ['auth-scheme-basic'] : []),
    ]),
  ),
  {
    id: 'auth-key-other-case',
    title: 'The key in the other case is answered with 401',
    cites: ['R13'],
    restsOn: REFUSING,
    run: async (kit) => {
      if (!kit.keyHasLetters) return 'The key holds no letter, so there is no other case of it.'
      const exchange = await kit.send(listPets('', { Authorization: `Bearer ${OTHER_CASE_KEY}` }))
      expectStatus(exchange, 'R13', 401)
    },
  },
  ...IN_QUERY.map((name) =>
    refused(
      `key-in-query-${name}`,
      `The key in the query as ${name} alone`,
      (kit) => kit.send(listPets(`?${name}=${KEY}`, {})),
      REFUSING,
    ),
  ),
  {
    id: 'auth-nothing-stored',
    title: 'What was sent without a key is not stored',
    cites: ['R13'],
    restsOn: ['list', 'auth-create-without-key', 'auth-create-unknown-key'],
    run: async (kit) => {
      // Few animals are pending, so none is hidden behind others.
      const { exchange, names } = await storedNames(kit, 'pending')
      if (names.includes(kit.namePrefix + UNAUTHORISED))
        throw new Violation('R13', exchange, 'no animal that was sent without a key', 'such an animal')
    },
  },
])
