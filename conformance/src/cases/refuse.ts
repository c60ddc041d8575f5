/** Section 4.2: the creations that lack something or hold something invalid. */

import { type CaseInSection, inSection } from '../case.ts'
import { expectStatus, INT64_AS_STRING, INT64_CHANGED, NO_INT64, NO_NAME, NO_STATUS } from '../expect.ts'
import { storedNames } from '../fixtures.ts'
import { createPet } from '../http/request.ts'
import { PET_STATUSES } from '../interface.ts'
import { Violation } from '../verdicts.ts'

/** What the label of every animal begins with that must not be stored, so that it can be looked for. */
const REFUSED = 'x'

/** `body` is given the JSON text of a valid name. */
interface Invalid {
  readonly id: string
  readonly what: string
  readonly body: (name: string) => string
}

const CATEGORIES: Readonly<Record<string, readonly [what: string, value: string]>> = {
  null: ['null for a categoryId', 'null'],
  string: ['the digits of a categoryId in a string', '"7"'],
  'string-empty': ['an empty string for a categoryId', '""'],
  word: ['a word for a categoryId', '"dogs"'],
  boolean: ['true for a categoryId', 'true'],
  false: ['false for a categoryId', 'false'],
  array: ['an array for a categoryId', '[7]'],
  'array-empty': ['an empty array for a categoryId', '[]'],
  object: ['an object for a categoryId', '{"id":7}'],
  fraction: ['a categoryId with a fraction', '7.5'],
  'too-large': ['a categoryId one above the largest int64', '9223372036854775808'],
  'too-small': ['a categoryId one below the smallest int64', '-9223372036854775809'],
  'far-too-large': ['a categoryId of 1e30', '1e30'],
}
const NAMES: typeof CATEGORIES = {
  null: ['null for a name', 'null'],
  number: ['a number for a name', '7'],
  boolean: ['true for a name', 'true'],
  array: ['an array for a name', '["Rex"]'],
  object: ['an object for a name', '{"first":"Rex"}'],
}
const STATUSES: typeof CATEGORIES = {
  unknown: ['a status that is none of the three', '"lost"'],
  capital: ['a status with a capital letter', '"Available"'],
  'upper-case': ['a status in upper case', '"SOLD"'],
  empty: ['an empty status', '""'],
  space: ['a status with a space after it', '"sold "'],
  null: ['null for a status', 'null'],
  number: ['a number for a status', '1'],
  boolean: ['false for a status', 'false'],
  array: ['an array for a status', '["sold"]'],
}
/** What came with the second version of the suite. */
const NEWER = [
  'category-string-empty',
  'category-false',
  'category-array-empty',
  'status-boolean',
  'body-two',
  'body-number',
]

const BODIES: readonly (readonly [id: string, what: string, body: (name: string) => string])[] = [
  ['without-fields', 'no field at all', () => '{}'],
  ['without-name', 'no name', () => '{"categoryId":1}'],
  ['without-category', 'no categoryId', (name) => `{"name":${name}}`],
  ['body-empty', 'an empty body', () => ''],
  ['body-null', 'null for a body', () => 'null'],
  ['body-string', 'a string for a body', () => '"Rex"'],
  ['body-number', 'a number for a body', () => '7'],
  ['body-array', 'an array around a valid animal', (name) => `[{"name":${name},"categoryId":1}]`],
  ['body-cut', 'JSON that breaks off', (name) => `{"name":${name},"categoryId":1`],
  ['body-two', 'two JSON texts one after the other', (name) => `{"name":${name},"categoryId":1}{}`],
  ['body-form', 'a form instead of JSON', () => 'name=Rex&categoryId=1'],
]

function ofField(
  field: string,
  values: typeof CATEGORIES,
  body: (value: string) => Invalid['body'],
): readonly Invalid[] {
  return Object.entries(values).map(([id, [what, value]]) => ({ id: `${field}-${id}`, what, body: body(value) }))
}

const INVALID: readonly Invalid[] = [
  ...BODIES.map(([id, what, body]) => ({ id, what, body })),
  ...ofField('name', NAMES, (value) => () => `{"name":${value},"categoryId":1}`),
  ...ofField('category', CATEGORIES, (value) => (name) => `{"name":${name},"categoryId":${value}}`),
  ...ofField('status', STATUSES, (value) => (name) => `{"name":${name},"categoryId":1,"status":${value}}`),
]

/** As what a list shows that holds an animal which should have been refused. */
const TRACES: readonly (readonly [id: RegExp, cause: string])[] = [
  [/^category-far/, INT64_CHANGED],
  [/^category-string/, INT64_AS_STRING],
  [/^category/, NO_INT64],
  [/^name/, NO_NAME],
  [/^status/, NO_STATUS],
]

function invalidCase({ id, what, body }: Invalid, index: number): CaseInSection {
  const isOfStatus = id.startsWith('status')
  return {
    id: `refuse-${id}`,
    title: `A creation with ${what} is refused with 400`,
    cites: ['R10', isOfStatus ? 'R2' : 'R3', ...(/string|fraction|too/.test(id) ? (['R5'] as const) : [])],
    since: NEWER.includes(id) ? '1.1' : '1.0',
    // A service that takes even this looks at nothing.
    restsOn: id === 'without-fields' ? [] : ['refuse-without-fields'],
    run: async (kit) => {
      const name = JSON.stringify(`${kit.namePrefix}${REFUSED}${index}`)
      const exchange = await kit.send(createPet(body(name)))
      // An animal that is kept like this shows in later lists: that is this mistake again.
      const trace = TRACES.find(([pattern]) => pattern.test(id))?.[1]
      if (exchange.answer.status === 201 && trace !== undefined && !kit.foundBy.has(trace))
        kit.foundBy.set(trace, `refuse-${id}`)
      expectStatus(exchange, 'R10', 400)
    },
  }
}

const refuseCases = INVALID.map(invalidCase)

export const refusalCases = inSection('4.2 Add an animal', [
  ...refuseCases,
  {
    id: 'refused-not-stored',
    title: 'None of the refused animals is stored',
    cites: ['R10'],
    restsOn: ['list', ...refuseCases.map(({ id }) => id)],
    run: async (kit) => {
      for (const status of [undefined, ...PET_STATUSES]) {
        const { exchange, names } = await storedNames(kit, status)
        const stored = names.find((name) => name.startsWith(kit.namePrefix + REFUSED))
        if (stored !== undefined)
          throw new Violation('R10', exchange, 'no animal of a refused creation', `the animal "${stored}"`)
      }
    },
  },
])
