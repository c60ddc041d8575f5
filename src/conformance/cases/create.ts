/** Section 4.2: adding an animal, what is taken and what is refused. */
import { PetStatus } from '../../contract/schemas.ts'
import { type Case, inSection } from '../case.ts'
import { creationOutcome, withHeaders } from '../describe.ts'
import { expectPet, expectStatus } from '../expect.ts'
import { ANIMALS, storedNames } from '../fixtures.ts'
import { createPet, type Headers, WITH_KEY } from '../request.ts'
import { Violation } from '../violation.ts'

/** In the name of every animal that must not be stored, so that it can be looked for. */
const REFUSED = 'must not be stored'

function statusCase(status: PetStatus): Omit<Case, 'section'> {
  return {
    id: `create-${status}`,
    title: `An animal that is ${status} is created with 201 and comes back with the status sent`,
    cites: ['R9', 'R2'],
    run: async (kit) => {
      const { exchange } = await kit.once(ANIMALS[status])
      expectStatus(exchange, 'R9', 201)
      const came = expectPet(exchange).status
      if (came === status) return
      throw new Violation('R9', exchange, `status ${status}`, came === undefined ? 'no status' : `status ${came}`)
    },
  }
}

function nameCase(id: string, what: string, make: (typeof ANIMALS)[keyof typeof ANIMALS]): Omit<Case, 'section'> {
  return {
    id,
    title: `A name with ${what} comes back as it was sent`,
    cites: ['R9', 'R3'],
    run: async (kit) => {
      const { sent, exchange } = await kit.once(make)
      expectStatus(exchange, 'R9', 201)
      const { name } = expectPet(exchange)
      if (name === sent.name) return
      throw new Violation('R9', exchange, `name ${JSON.stringify(sent.name)}`, `name ${JSON.stringify(name)}`)
    },
  }
}

/** `body` is given the JSON text of a valid name. */
type Invalid = readonly [id: string, what: string, body: (name: string) => string, ...alsoCites: ('R2' | 'R3' | 'R5')[]]

const withCategory = (text: string) => (name: string) => `{"name":${name},"categoryId":${text}}`
const withName = (text: string) => () => `{"name":${text},"categoryId":1}`
const withStatus = (text: string) => (name: string) => `{"name":${name},"categoryId":1,"status":${text}}`

const INVALID: readonly Invalid[] = [
  ['without-fields', 'no field at all', () => '{}', 'R3'],
  ['without-name', 'no name', () => '{"categoryId":1}', 'R3'],
  ['without-category', 'no categoryId', (name) => `{"name":${name}}`, 'R3'],
  ['name-null', 'null for a name', withName('null'), 'R3'],
  ['name-number', 'a number for a name', withName('7'), 'R3'],
  ['name-boolean', 'true for a name', withName('true'), 'R3'],
  ['name-array', 'an array for a name', withName('["Rex"]'), 'R3'],
  ['name-object', 'an object for a name', withName('{"first":"Rex"}'), 'R3'],
  ['category-null', 'null for a categoryId', withCategory('null'), 'R3'],
  ['category-string', 'the digits of a categoryId in a string', withCategory('"7"'), 'R3', 'R5'],
  ['category-word', 'a word for a categoryId', withCategory('"dogs"'), 'R3'],
  ['category-boolean', 'true for a categoryId', withCategory('true'), 'R3'],
  ['category-array', 'an array for a categoryId', withCategory('[7]'), 'R3'],
  ['category-object', 'an object for a categoryId', withCategory('{"id":7}'), 'R3'],
  ['category-fraction', 'a categoryId with a fraction', withCategory('7.5'), 'R3', 'R5'],
  ['category-too-large', 'a categoryId one above the largest int64', withCategory('9223372036854775808'), 'R3', 'R5'],
  ['category-too-small', 'a categoryId one below the smallest int64', withCategory('-9223372036854775809'), 'R3', 'R5'],
  ['category-far-too-large', 'a categoryId of 1e30', withCategory('1e30'), 'R3', 'R5'],
  ['status-unknown', 'a status that is none of the three', withStatus('"lost"'), 'R2'],
  ['status-capital', 'a status with a capital letter', withStatus('"Available"'), 'R2'],
  ['status-upper-case', 'a status in upper case', withStatus('"SOLD"'), 'R2'],
  ['status-empty', 'an empty status', withStatus('""'), 'R2'],
  ['status-space', 'a status with a space after it', withStatus('"sold "'), 'R2'],
  ['status-null', 'null for a status', withStatus('null'), 'R2', 'R3'],
  ['status-number', 'a number for a status', withStatus('1'), 'R2', 'R3'],
  ['status-array', 'an array for a status', withStatus('["sold"]'), 'R2', 'R3'],
  ['body-empty', 'an empty body', () => '', 'R3'],
  ['body-null', 'null for a body', () => 'null', 'R3'],
  ['body-string', 'a string for a body', () => '"Rex"', 'R3'],
  ['body-array', 'an array around a valid animal', (name) => `[${withCategory('1')(name)}]`, 'R3'],
  ['body-cut', 'JSON that breaks off', (name) => `{"name":${name},"categoryId":1`, 'R3'],
  ['body-form', 'a form instead of JSON', () => 'name=Rex&categoryId=1', 'R3'],
]

function invalidCase([id, what, body, ...alsoCites]: Invalid): Omit<Case, 'section'> {
  return {
    id: `refuse-${id}`,
    title: `A creation with ${what} is refused with 400`,
    cites: ['R10', ...alsoCites],
    run: async (kit) => {
      const name = JSON.stringify(`${kit.namePrefix}${REFUSED}: ${id}`)
      expectStatus(await kit.send(createPet(body(name))), 'R10', 400)
    },
  }
}

interface Open {
  readonly id: string
  /** Goes on from "How a creation … is answered". */
  readonly what: string
  readonly cites: Case['cites']
  readonly body: (name: string) => string | Buffer
  readonly contentHeaders?: Headers
}

const valid = withCategory('1')

const OPEN: readonly Open[] = [
  {
    id: 'with-id',
    what: 'that brings its own id',
    cites: ['O17'],
    body: (name) => `{"id":7086219077,"name":${name},"categoryId":1}`,
  },
  {
    id: 'with-unknown-field',
    what: 'with a field that the interface does not know',
    cites: ['O17'],
    body: (name) => `{"name":${name},"categoryId":1,"colour":"red"}`,
  },
  { id: 'category-point-zero', what: 'with a categoryId of 7.0', cites: ['O20'], body: withCategory('7.0') },
  { id: 'category-exponent', what: 'with a categoryId of 7e0', cites: ['O20'], body: withCategory('7e0') },
  {
    id: 'field-twice',
    what: 'that gives categoryId twice, 7 and then 8,',
    cites: ['O20'],
    body: (name) => `{"name":${name},"categoryId":7,"categoryId":8}`,
  },
  {
    id: 'byte-order-mark',
    what: 'that begins with a byte order mark',
    cites: ['O20'],
    body: (name) => `\uFEFF${valid(name)}`,
  },
  {
    id: 'broken-utf8',
    what: 'whose name is not valid UTF-8',
    cites: ['O20'],
    body: (name) => Buffer.from(`{"name":${name.slice(0, -1)}\xFF","categoryId":1}`, 'latin1'),
  },
  {
    id: 'name-nul',
    what: 'whose name holds U+0000',
    cites: ['O19'],
    body: (name) => valid(`${name.slice(0, -1)}\\u0000"`),
  },
  {
    id: 'name-surrogate',
    what: 'whose name holds half of a surrogate pair',
    cites: ['O19'],
    body: (name) => valid(`${name.slice(0, -1)}\\ud83d"`),
  },
  {
    id: 'name-long',
    what: 'with a name of 10,000 letters',
    cites: ['O19'],
    body: (name) => valid(`${name.slice(0, -1)}${'a'.repeat(10_000)}"`),
  },
  { id: 'name-empty', what: 'with an empty name', cites: ['O19'], body: () => valid('""') },
  {
    id: 'category-unheard-of',
    what: 'with a categoryId that no one has heard of',
    cites: ['O1'],
    body: withCategory('7086219'),
  },
  {
    id: 'charset',
    what: 'as application/json; charset=utf-8',
    cites: ['O23'],
    body: valid,
    contentHeaders: { 'Content-Type': 'application/json; charset=utf-8' },
  },
  {
    id: 'text-plain',
    what: 'as text/plain',
    cites: ['O23'],
    body: valid,
    contentHeaders: { 'Content-Type': 'text/plain' },
  },
  { id: 'no-type', what: 'without a Content-Type', cites: ['O23'], body: valid, contentHeaders: {} },
  {
    id: 'content-coding',
    what: 'that claims a content coding',
    cites: ['O23'],
    body: valid,
    contentHeaders: { 'Content-Type': 'application/json', 'Content-Encoding': 'gzip' },
  },
  {
    id: 'large-body',
    // It lacks a categoryId, so that it is stored in no case.
    what: 'of 2 MiB',
    cites: ['O19', 'O23'],
    body: (name) => `{"name":${name.slice(0, -1)}${'a'.repeat(2 ** 21)}"}`,
  },
]

function openCase({ id, what, cites, body, contentHeaders }: Open): Omit<Case, 'section'> {
  return {
    id: `create-${id}`,
    title: `How a creation ${what} is answered`,
    cites,
    run: async (kit) => {
      const name = JSON.stringify(kit.namePrefix + id)
      const exchange = await kit.trySend(createPet(body(name), WITH_KEY, contentHeaders))
      return `Creation ${what.replace(/,$/, '')}: ${typeof exchange === 'string' ? `no answer, ${exchange}` : creationOutcome(exchange)}.`
    },
  }
}

export const createCases = inSection('4.2 Add an animal', [
  ...PetStatus.enum.map(statusCase),
  {
    id: 'create-without-status',
    title: 'An animal without a status is created with 201; which status it then has is open',
    cites: ['R9', 'R3', 'O4'],
    run: async (kit) => {
      const { exchange } = await kit.once(ANIMALS.withoutStatus)
      expectStatus(exchange, 'R9', 201)
      const { status } = expectPet(exchange)
      return `status omitted: ${status === undefined ? 'no status member' : `status ${status}`} is returned.`
    },
  },
  nameCase('create-name-unicode', 'letters and signs of many scripts', ANIMALS.unicode),
  nameCase('create-name-escapes', 'quotes, backslashes and line breaks', ANIMALS.escapes),
  nameCase('create-name-spaces', 'spaces around it and within', ANIMALS.spaces),
  {
    id: 'create-location',
    title: 'Whether a 201 says where the animal is found',
    cites: ['O23'],
    run: async (kit) => {
      const { exchange } = await kit.once(ANIMALS.available)
      return `Where a created animal is found: ${withHeaders(exchange, 'Location').slice(2) || 'no Location'}.`
    },
  },
  ...INVALID.map(invalidCase),
  {
    id: 'refused-not-stored',
    title: 'None of the refused animals is stored',
    cites: ['R10'],
    run: async (kit) => {
      for (const filter of ['', ...PetStatus.enum.map((status) => `&status=${status}`)]) {
        const { exchange, names } = await storedNames(kit, filter)
        const stored = names.find((name) => name.startsWith(kit.namePrefix + REFUSED))
        if (stored !== undefined)
          throw new Violation('R10', exchange, 'no animal of a refused creation', `the animal "${stored}"`)
      }
    },
  },
  ...OPEN.map(openCase),
])
