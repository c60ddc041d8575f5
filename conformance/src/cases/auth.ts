/** Authentication: requests without a valid key (R13), whatever else is wrong with them. */
import { expectNotStored, UNUSED_ID } from '../animals.ts'
import type { Case } from '../case.ts'
import { expectStatus } from '../expect.ts'
import { CUT_KEY, createPet, getPet, KEY, listPets, type Request, WITHOUT_KEY } from '../http/request.ts'
import { WITHOUT_KEY_LABEL } from './operations.ts'

const listWith = (value: string) => listPets('', { Authorization: value })

const REFUSED: readonly (readonly [id: string, what: string, request: Request, restsOn?: string])[] = [
  ['empty', 'An empty Authorization', listWith('')],
  ['scheme-basic', 'The key under the scheme Basic', listWith(`Basic ${KEY}`)],
  ['key-cut', 'The key without its last character', listWith(`Bearer ${CUT_KEY}`)],
  ['key-in-query', 'The key in the query alone', listPets(`?api_key=${KEY}`, {})],
  // The API states 401 without a condition, so it comes before any 400 or 404.
  ['list-invalid', 'An invalid limit without a key', listPets('?limit=0', WITHOUT_KEY), 'list-without-key'],
  ['create-invalid', 'An invalid creation without a key', createPet('{}', WITHOUT_KEY), 'create-without-key'],
  ['get-missing', 'An unused id without a key', getPet(UNUSED_ID, WITHOUT_KEY), 'get-without-key'],
]

export const authCases: readonly Case[] = [
  ...REFUSED.map(
    ([id, what, request, restsOn = 'list-unknown-key']): Case => ({
      id: `auth-${id}`,
      title: `${what} is answered with 401`,
      cites: ['R13'],
      needs: id === 'get-missing' ? ['getPet'] : [],
      restsOn: ['list-without-key', restsOn],
      run: async (kit) => expectStatus(await kit.send(request), 'R13', 401),
    }),
  ),
  {
    id: 'auth-nothing-stored',
    title: 'An animal sent without a key is not stored',
    cites: ['R13'],
    restsOn: ['list-as-created', 'create-without-key', 'create-unknown-key'],
    run: (kit) => expectNotStored(kit, WITHOUT_KEY_LABEL, 'R13'),
  },
]
