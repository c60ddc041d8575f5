/**
 * Section 4.2: the creations that lack something or hold something invalid; and what JSON is and what it is not
 * (RFC 8259), beyond the values of single fields.
 */

import { type CaseInSection, inSection } from '../case.ts'
import {
  expectPet,
  expectStatus,
  INT64_AS_STRING,
  INT64_CHANGED,
  NO_INT64,
  NO_NAME,
  NO_STATUS,
  outcome,
} from '../expect.ts'
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

const SINCE = '1.3'

/** Texts that are no JSON, each a valid animal but for that. `name` is the JSON text of a valid name. */
const NO_JSON: readonly (readonly [id: string, what: string, body: (name: string) => string])[] = [
  ['comment-line', 'a comment after two slashes', (name) => `{"name":${name},// a name\n"categoryId":1}`],
  ['comment-block', 'a comment between slash and star', (name) => `{"name":${name},/* a name */"categoryId":1}`],
  ['comma-last', 'a comma after the last field', (name) => `{"name":${name},"categoryId":1,}`],
  ['quotes-single', 'single quotes', (name) => `{'name':${name.replaceAll('"', "'")},'categoryId':1}`],
  ['names-bare', 'field names without quotes', (name) => `{name:${name},categoryId:1}`],
  ['zero-before', 'a number that begins with a zero', (name) => `{"name":${name},"categoryId":07}`],
  ['plus-before', 'a number that begins with a plus', (name) => `{"name":${name},"categoryId":+7}`],
  ['hexadecimal', 'a number in hexadecimal', (name) => `{"name":${name},"categoryId":0x7}`],
  ['point-last', 'a number that ends with its point', (name) => `{"name":${name},"categoryId":7.}`],
  ['underscores', 'a number with an underscore', (name) => `{"name":${name},"categoryId":7_0}`],
  ['line-break', 'a line break within a string', (name) => `{"name":${name.slice(0, -1)}\n","categoryId":1}`],
  [
    'escape-unknown',
    'an escape that JSON does not know',
    (name) => `{"name":${name.slice(0, -1)}\\x41","categoryId":1}`,
  ],
  ['equals', 'equals signs for colons', (name) => `{"name"=${name},"categoryId"=1}`],
]

/** Texts that are JSON, and no valid animal. */
const NO_ANIMAL: typeof NO_JSON = [
  ['fields-case', 'its field names in another case', (name) => `{"Name":${name},"CategoryId":1}`],
  ['fields-snake', 'category_id for categoryId', (name) => `{"name":${name},"category_id":1}`],
  ['fields-prototype', 'its fields in a field __proto__', (name) => `{"__proto__":{"name":${name},"categoryId":1}}`],
  ['fields-inside', 'its fields in a field pet', (name) => `{"pet":{"name":${name},"categoryId":1}}`],
  ['category-infinite', 'a categoryId of 1e400', (name) => `{"name":${name},"categoryId":1e400}`],
  ['category-nan', 'NaN for a categoryId', (name) => `{"name":${name},"categoryId":NaN}`],
  ['category-digits-other', 'Arabic digits for a categoryId', (name) => `{"name":${name},"categoryId":٧}`],
  ...['constructor', 'toString', '__proto__'].map((status): (typeof NO_JSON)[number] => [
    `status-${status.replaceAll('_', '')}`,
    `the status ${status}`,
    (name) => `{"name":${name},"categoryId":1,"status":"${status}"}`,
  ]),
  ['nesting', 'twenty thousand arrays one within the other', () => '['.repeat(20_000) + ']'.repeat(20_000)],
  ['nesting-open', 'twenty thousand arrays that are never closed', () => '['.repeat(20_000)],
]

/** The plainer case that a refusal takes for granted. */
function restOf(id: string): string {
  if (id.startsWith('fields')) return 'refuse-without-category'
  if (id.startsWith('status')) return 'refuse-status-unknown'
  if (id === 'nesting-open') return 'refuse-nesting'
  return id.startsWith('nesting') ? 'refuse-body-array' : 'refuse-body-cut'
}

function refusal([id, what, body]: (typeof NO_JSON)[number]): CaseInSection {
  return {
    id: `refuse-${id}`,
    title: `A creation with ${what} is refused with 400`,
    cites: ['R10', 'R3'],
    since: SINCE,
    restsOn: ['refuse-without-fields', restOf(id)],
    run: async (kit) => {
      const exchange = await kit.send(createPet(body(JSON.stringify(`${kit.namePrefix}j`))))
      // How large a body may be is open, and a server may count its levels as well as its bytes.
      const open = id.startsWith('nesting') ? [413] : []
      expectStatus(exchange, 'R10', 400, ...open)
    },
  }
}

/** Other ways to write the same animal; each is given the name without quotes, the category and the status. */
const SAME: readonly (readonly [id: string, what: string, body: (name: string, category: bigint) => string])[] = [
  [
    'escapes',
    'written in escapes',
    (name, category) => `{"na\\u006de":"${name}","categor\\u0079Id":${category},"status":"s\\u006fl\\u0064"}`,
  ],
  [
    'spaces',
    'with white space between its parts',
    (name, category) => `\r\n{\t"name" : "${name}" ,\n  "categoryId":\t${category} , "status" : "sold" } \n`,
  ],
  [
    'order',
    'with its fields in another order',
    (name, category) => `{"status":"sold","categoryId":${category},"name":"${name}"}`,
  ],
]

function sameCase([id, what, body]: (typeof SAME)[number]): CaseInSection {
  return {
    id: `create-${id}`,
    title: `An animal ${what} is the same animal`,
    cites: ['R9', 'R3'],
    since: SINCE,
    needs: ['thorough'],
    restsOn: ['create-sold', 'create-as-sent'],
    run: async (kit) => {
      const name = `${kit.namePrefix}${id}`
      const exchange = await kit.send(createPet(body(name, kit.category)))
      expectStatus(exchange, 'R9', 201)
      const pet = expectPet(exchange)
      const came = `name ${JSON.stringify(pet.name)}, categoryId ${pet.categoryId}, status ${pet.status ?? 'absent'}`
      const expected = `name ${JSON.stringify(name)}, categoryId ${kit.category}, status sold`
      if (came !== expected) throw new Violation('R9', exchange, expected, came)
    },
  }
}

export const jsonCases = inSection('4.2 Add an animal', [
  ...[...NO_JSON, ...NO_ANIMAL].map(refusal),
  ...SAME.map(sameCase),
  {
    id: 'create-exponent',
    title: 'A categoryId of 1e2 is 100, where it is taken',
    cites: ['R5', 'O20'],
    since: SINCE,
    needs: ['thorough'],
    restsOn: ['create-as-sent'],
    run: async (kit) => {
      const exchange = await kit.send(createPet(`{"name":"${kit.namePrefix}exponent","categoryId":1e2}`))
      if (exchange.answer.status === 400) return `categoryId 1e2: refused, ${outcome(exchange)}.`
      expectStatus(exchange, 'R5', 201)
      const { categoryId } = expectPet(exchange)
      if (categoryId === 100n) return
      throw new Violation('R5', exchange, 'categoryId 100', `categoryId ${categoryId}`, { cause: INT64_CHANGED })
    },
  },
])
