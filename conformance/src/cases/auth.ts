/** Section 5: authentication. Requests without a valid key count against the client's address. */
import { type CaseInSection, inSection, requirement } from '../case.ts'
import { expectStatus } from '../expect.ts'
import { storedNames, UNAUTHORISED, UNUSED_ID, WITH_UNKNOWN_KEY, WITHOUT_KEY } from '../fixtures.ts'
import { CUT_KEY, getPet, type Headers, KEY, KEY_BASE64, listPets, OTHER_CASE_KEY } from '../http/request.ts'
import type { Exchange } from '../http/transport.ts'
import { EACH_OPERATION, OPERATIONS } from '../interface.ts'
import type { Kit } from '../kit.ts'
import { Unasked, Violation } from '../verdicts.ts'

function refused(
  id: string,
  what: string,
  restsOn: readonly string[],
  make: (kit: Kit) => Promise<Exchange>,
  needs: CaseInSection['needs'] = [],
): CaseInSection {
  const about = { id: `auth-${id}`, cites: ['R13'], needs, restsOn } as const
  return requirement(about, `${what} is answered with 401`, async (kit) => {
    if (id === 'key-cut' && kit.keyLength < 2) throw new Unasked('the key is one character')
    expectStatus(await make(kit), 'R13', 401)
  })
}

/** Invalid credentials that resemble a valid one. */
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
const NO_KEY = ['auth-list-without-key']
/** These cases mean something only if a key that was never issued is refused. */
const REFUSING = ['auth-unknown-key']

/** Where ids and words of the first suite are others. */
const WITH_UNKNOWN: Readonly<Record<string, readonly [id: string, what: string]>> = {
  list: ['unknown-key', 'A key that was never issued'],
  get: ['get-unknown-key', 'Fetching with an unknown key'],
}

/** An operation without a key, and with one that was never issued. */
const operationCases = EACH_OPERATION.flatMap(({ name, id, asking, needs }) => {
  const [unknownId, what] = WITH_UNKNOWN[id] ?? [`${id}-unknown-key`, `${asking} with an unknown key`]
  return [
    refused(`${id}-without-key`, `${asking} without a key`, NO_KEY, (kit) => kit.once(WITHOUT_KEY[name]), needs),
    refused(unknownId, what, [...REFUSING, `auth-${id}-without-key`], (kit) => kit.once(WITH_UNKNOWN_KEY[name]), needs),
  ]
})

export const authCases = inSection('5 Authentication', [
  ...operationCases,
  refused(
    'get-missing-without-key',
    'Fetching an unused id without a key',
    ['auth-get-without-key'],
    (kit) => kit.send(getPet(UNUSED_ID, {})),
    OPERATIONS.getPet.needs,
  ),
  ...RESEMBLING.map(([id, what, headers]) =>
    refused(id, what, id === 'scheme-token' ? ['auth-scheme-basic'] : REFUSING, (kit) =>
      kit.send(listPets('', headers)),
    ),
  ),
  requirement(
    { id: 'auth-key-other-case', cites: ['R13'], restsOn: REFUSING },
    'The key in the other case is answered with 401',
    async (kit) => {
      if (!kit.keyHasLetters) throw new Unasked('the key holds no letter')
      const exchange = await kit.send(listPets('', { Authorization: `Bearer ${OTHER_CASE_KEY}` }))
      expectStatus(exchange, 'R13', 401)
    },
  ),
  ...IN_QUERY.map((name) =>
    refused(`key-in-query-${name}`, `The key in the query as ${name} alone`, REFUSING, (kit) =>
      kit.send(listPets(`?${name}=${KEY}`, {})),
    ),
  ),
  requirement(
    { id: 'auth-nothing-stored', cites: ['R13'], restsOn: ['list', 'auth-create-unknown-key'] },
    'What was sent without a key is not stored',
    async (kit) => {
      // Few animals are pending, so none is hidden behind others.
      const { exchange, names } = await storedNames(kit, 'pending')
      if (names.includes(kit.namePrefix + UNAUTHORISED))
        throw new Violation('R13', exchange, 'no animal that was sent without a key', 'such an animal')
    },
  ),
])
