/** Section 4.2: what JSON is and what it is not (RFC 8259), beyond the values of single fields. */
import { type CaseInSection, inSection } from '../case.ts'
import { outcome } from '../describe.ts'
import { expectPet, expectStatus, INT64_CHANGED } from '../expect.ts'
import { createPet } from '../http/request.ts'
import { Violation } from '../verdicts.ts'

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
