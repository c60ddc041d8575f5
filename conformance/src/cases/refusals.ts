/** Creations that lack a field or hold an invalid value: a table of bodies (R10). */
import { expectNotStored } from '../animals.ts'
import type { Case } from '../case.ts'
import { expectStatus } from '../expect.ts'
import { createPet } from '../http/request.ts'
import type { Statement } from '../interface.ts'

/** `N` stands for a valid name. */
type Invalid = readonly [id: string, what: string, body: string, cites: Statement]

const INVALID: readonly Invalid[] = [
  ['fields', 'no field at all', '{}', 'R3'],
  ['no-name', 'no name', '{"categoryId":1}', 'R3'],
  ['no-category', 'no categoryId', '{"name":N}', 'R3'],
  ['body-empty', 'an empty body', '', 'R1'],
  ['body-cut', 'JSON that breaks off', '{"name":N,"categoryId":1', 'R1'],
  ['name-number', 'a number for a name', '{"name":7,"categoryId":1}', 'R3'],
  ['category-string', 'the digits of a categoryId in a string', '{"name":N,"categoryId":"7"}', 'R5'],
  ['category-fraction', 'a categoryId with a fraction', '{"name":N,"categoryId":7.5}', 'R5'],
  ['category-large', 'a categoryId above the largest int64', '{"name":N,"categoryId":9223372036854775808}', 'R5'],
  ['status-unknown', 'an unknown status', '{"name":N,"categoryId":1,"status":"lost"}', 'R2'],
  ['status-case', 'a status in upper case', '{"name":N,"categoryId":1,"status":"SOLD"}', 'R2'],
  ['status-null', 'null for a status', '{"name":N,"categoryId":1,"status":null}', 'R2'],
]

const REFUSED = 'x'

export const refusalCases: readonly Case[] = [
  ...INVALID.map(
    ([id, what, body, cites], n): Case => ({
      id: `refuse-${id}`,
      title: `A creation with ${what} is refused with 400`,
      cites: ['R10', cites],
      // A service that accepts a creation without fields validates nothing.
      restsOn: id === 'fields' ? [] : ['refuse-fields'],
      run: async (kit) => {
        const name = JSON.stringify(`${kit.namePrefix}${REFUSED}${n}`)
        expectStatus(await kit.send(createPet(body.replace('N', name))), 'R10', 400)
      },
    }),
  ),
  {
    id: 'refused-not-stored',
    title: 'None of the refused animals is stored',
    cites: ['R10'],
    restsOn: ['list', 'list-as-created', ...INVALID.map(([id]) => `refuse-${id}`)],
    run: (kit) => expectNotStored(kit, REFUSED, 'R10'),
  },
]
