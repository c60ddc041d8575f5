/**
 * Section 4.2: creations that lack a field or hold an invalid one, bodies that are not JSON (RFC 8259), and valid JSON
 * in unusual spellings.
 */
import { type CaseInSection, inSection, requirement } from '../case.ts'
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

/** The prefix of the label of each animal that must not be stored, so that lists can be searched for it. */
const REFUSED = 'x'

/** `body` is given a valid name as JSON text. */
type Invalid = readonly [id: string, what: string, body: (name: string) => string]

const category = (id: string, what: string, value: string): Invalid => [
  `category-${id}`,
  what,
  (name) => `{"name":${name},"categoryId":${value}}`,
]
const invalidName = (id: string, what: string, value: string): Invalid => [
  `name-${id}`,
  what,
  () => `{"name":${value},"categoryId":1}`,
]
const status = (id: string, what: string, value: string): Invalid => [
  `status-${id}`,
  what,
  (name) => `{"name":${name},"categoryId":1,"status":${value}}`,
]

const INVALID: readonly Invalid[] = [
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
  invalidName('null', 'null for a name', 'null'),
  invalidName('number', 'a number for a name', '7'),
  invalidName('boolean', 'true for a name', 'true'),
  invalidName('array', 'an array for a name', '["Rex"]'),
  invalidName('object', 'an object for a name', '{"first":"Rex"}'),
  category('null', 'null for a categoryId', 'null'),
  category('string', 'the digits of a categoryId in a string', '"7"'),
  category('string-empty', 'an empty string for a categoryId', '""'),
  category('word', 'a word for a categoryId', '"dogs"'),
  category('boolean', 'true for a categoryId', 'true'),
  category('false', 'false for a categoryId', 'false'),
  category('array', 'an array for a categoryId', '[7]'),
  category('array-empty', 'an empty array for a categoryId', '[]'),
  category('object', 'an object for a categoryId', '{"id":7}'),
  category('fraction', 'a categoryId with a fraction', '7.5'),
  category('too-large', 'a categoryId one above the largest int64', '9223372036854775808'),
  category('too-small', 'a categoryId one below the smallest int64', '-9223372036854775809'),
  category('far-too-large', 'a categoryId of 1e30', '1e30'),
  status('unknown', 'a status that is none of the three', '"lost"'),
  status('capital', 'a status with a capital letter', '"Available"'),
  status('upper-case', 'a status in upper case', '"SOLD"'),
  status('empty', 'an empty status', '""'),
  status('space', 'a status with a space after it', '"sold "'),
  status('null', 'null for a status', 'null'),
  status('number', 'a number for a status', '1'),
  status('boolean', 'false for a status', 'false'),
  status('array', 'an array for a status', '["sold"]'),
]

/** The causes that later lists give if an animal that should have been refused was stored. */
const TRACES: readonly (readonly [id: RegExp, cause: string])[] = [
  [/^category-far/, INT64_CHANGED],
  [/^category-string/, INT64_AS_STRING],
  [/^category/, NO_INT64],
  [/^name/, NO_NAME],
  [/^status/, NO_STATUS],
]

/** The simpler case that a refusal rests on. */
function restOf(id: string): string {
  if (id.startsWith('fields')) return 'refuse-without-category'
  if (id.startsWith('status')) return 'refuse-status-unknown'
  if (id === 'nesting-open') return 'refuse-nesting'
  return id.startsWith('nesting') ? 'refuse-body-array' : 'refuse-body-cut'
}

function refusal([id, what, body]: Invalid, label: string, restsOn: readonly string[]): CaseInSection {
  const int64 = /^category-(?:string|fraction|too|far)/.test(id)
  return {
    id: `refuse-${id}`,
    title: `A creation with ${what} is refused with 400`,
    cites: ['R10', id.startsWith('status') ? 'R2' : 'R3', ...(int64 ? (['R5'] as const) : [])],
    restsOn,
    run: async (kit) => {
      const exchange = await kit.send(createPet(body(JSON.stringify(kit.namePrefix + label))))
      // If the animal is stored, later lists show it: that is the same finding.
      const trace = TRACES.find(([pattern]) => pattern.test(id))?.[1]
      if (exchange.answer.status === 201 && trace !== undefined && !kit.foundBy.has(trace))
        kit.foundBy.set(trace, `refuse-${id}`)
      // The maximum size of a body is open, and a server may also limit its nesting.
      expectStatus(exchange, 'R10', 400, ...(id.startsWith('nesting') ? [413] : []))
    },
  }
}

// A service that accepts a creation without fields validates nothing.
const refuseCases = INVALID.map((row, i) =>
  refusal(row, `${REFUSED}${i}`, row[0] === 'without-fields' ? [] : ['refuse-without-fields']),
)

export const refusalCases = inSection('4.2 Add an animal', [
  ...refuseCases,
  requirement(
    { id: 'refused-not-stored', cites: ['R10'], restsOn: ['list', ...refuseCases.map(({ id }) => id)] },
    'None of the refused animals is stored',
    async (kit) => {
      for (const status of [undefined, ...PET_STATUSES]) {
        const { exchange, names } = await storedNames(kit, status)
        const stored = names.find((name) => name.startsWith(kit.namePrefix + REFUSED))
        if (stored !== undefined)
          throw new Violation('R10', exchange, 'no animal of a refused creation', `the animal "${stored}"`)
      }
    },
  ),
])

const unread = (id: string, what: string, value: string): Invalid => {
  const [, , body] = category('', '', value)
  return [id, what, body]
}

/** Bodies that would be valid animals if they were JSON, and JSON that is not a valid animal. */
const NEARLY: readonly Invalid[] = [
  ['comment-line', 'a comment after two slashes', (name) => `{"name":${name},// a name\n"categoryId":1}`],
  ['comment-block', 'a comment between slash and star', (name) => `{"name":${name},/* a name */"categoryId":1}`],
  ['comma-last', 'a comma after the last field', (name) => `{"name":${name},"categoryId":1,}`],
  ['quotes-single', 'single quotes', (name) => `{'name':${name.replaceAll('"', "'")},'categoryId':1}`],
  ['names-bare', 'field names without quotes', (name) => `{name:${name},categoryId:1}`],
  unread('zero-before', 'a number that begins with a zero', '07'),
  unread('plus-before', 'a number that begins with a plus', '+7'),
  unread('hexadecimal', 'a number in hexadecimal', '0x7'),
  unread('point-last', 'a number that ends with its point', '7.'),
  unread('underscores', 'a number with an underscore', '7_0'),
  ['line-break', 'a line break within a string', (name) => `{"name":${name.slice(0, -1)}\n","categoryId":1}`],
  ['escape-unknown', 'an escape of no JSON', (name) => `{"name":${name.slice(0, -1)}\\x41","categoryId":1}`],
  ['equals', 'equals signs for colons', (name) => `{"name"=${name},"categoryId"=1}`],
  ['fields-case', 'its field names in another case', (name) => `{"Name":${name},"CategoryId":1}`],
  ['fields-snake', 'category_id for categoryId', (name) => `{"name":${name},"category_id":1}`],
  ['fields-prototype', 'its fields in a field __proto__', (name) => `{"__proto__":{"name":${name},"categoryId":1}}`],
  ['fields-inside', 'its fields in a field pet', (name) => `{"pet":{"name":${name},"categoryId":1}}`],
  category('infinite', 'a categoryId of 1e400', '1e400'),
  category('nan', 'NaN for a categoryId', 'NaN'),
  category('digits-other', 'Arabic digits for a categoryId', '٧'),
  status('constructor', 'the status constructor', '"constructor"'),
  status('toString', 'the status toString', '"toString"'),
  status('proto', 'the status __proto__', '"__proto__"'),
  ['nesting', 'twenty thousand arrays one within the other', () => '['.repeat(20_000) + ']'.repeat(20_000)],
  ['nesting-open', 'twenty thousand arrays that are never closed', () => '['.repeat(20_000)],
]

/** Other spellings of the same animal. `body` is given the name without quotes, and the category. */
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
  return requirement(
    { id: `create-${id}`, cites: ['R9', 'R3'], needs: ['thorough'], restsOn: ['create-sold', 'create-as-sent'] },
    `An animal ${what} is the same animal`,
    async (kit) => {
      const name = `${kit.namePrefix}${id}`
      const exchange = await kit.send(createPet(body(name, kit.category)))
      expectStatus(exchange, 'R9', 201)
      const pet = expectPet(exchange)
      const came = `name ${JSON.stringify(pet.name)}, categoryId ${pet.categoryId}, status ${pet.status ?? 'absent'}`
      const expected = `name ${JSON.stringify(name)}, categoryId ${kit.category}, status sold`
      if (came !== expected) throw new Violation('R9', exchange, expected, came)
    },
  )
}

export const jsonCases = inSection('4.2 Add an animal', [
  ...NEARLY.map((row) => refusal(row, 'j', [restOf(row[0])])),
  ...SAME.map(sameCase),
  requirement(
    { id: 'create-exponent', cites: ['R5', 'O20'], needs: ['thorough'], restsOn: ['create-as-sent'] },
    'A categoryId of 1e2 is 100, where it is taken',
    async (kit) => {
      const exchange = await kit.send(createPet(`{"name":"${kit.namePrefix}exponent","categoryId":1e2}`))
      if (exchange.answer.status === 400) return `categoryId 1e2: refused, ${outcome(exchange)}.`
      expectStatus(exchange, 'R5', 201)
      const { categoryId } = expectPet(exchange)
      if (categoryId === 100n) return
      throw new Violation('R5', exchange, 'categoryId 100', `categoryId ${categoryId}`, INT64_CHANGED)
    },
  ),
])
