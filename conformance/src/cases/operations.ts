/** The cases of each operation, derived from its entry in `OPERATIONS`: its success, and its refusals without a key. */
import { assertCategory, requestOf, SERVED } from '../animals.ts'
import type { Case } from '../case.ts'
import { expectBody, expectJson, expectStatus } from '../expect.ts'
import { WITH_UNKNOWN_KEY, WITHOUT_KEY } from '../http/request.ts'
import { EACH_OPERATION } from '../interface.ts'

export const successCases = EACH_OPERATION.map(
  ({ name, id, asking, statuses: [success], body, cites, needs }): Case => ({
    id,
    title: `${asking} is answered with ${success} and the listed body`,
    cites,
    needs: needs === undefined ? [] : [needs],
    restsOn: id === 'get' ? ['create'] : [],
    run: async (kit) => {
      const exchange = await kit.once(SERVED[name])
      if (name === 'createPet') assertCategory(kit, exchange)
      expectStatus(exchange, cites[0], success)
      expectJson(exchange)
      expectBody(exchange, body)
    },
  }),
)

export const WITHOUT_KEY_LABEL = 'no key'

export const keyCases = EACH_OPERATION.flatMap(({ name, id, asking, needs }) =>
  (
    [
      ['without-key', 'without a key', WITHOUT_KEY],
      ['unknown-key', 'with a key that was never issued', WITH_UNKNOWN_KEY],
    ] as const
  ).map(
    ([suffix, how, credentials]): Case => ({
      id: `${id}-${suffix}`,
      title: `${asking} ${how} is answered with 401`,
      cites: ['R13'],
      needs: needs === undefined ? [] : [needs],
      restsOn: suffix === 'unknown-key' ? [`${id}-without-key`] : [],
      run: async (kit) =>
        expectStatus(await kit.send(await requestOf(kit, name, credentials, WITHOUT_KEY_LABEL)), 'R13', 401),
    }),
  ),
)
