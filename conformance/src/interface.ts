/**
 * The interface, as far as the kit checks it: its records, operations and plans, and in one short sentence each what it
 * states (R) and what it leaves open (O). Cases can fail a requirement; the answer to an open point is only reported.
 * The kit has its own copy on purpose: if it read the contract of the service, it would share the mistakes of the
 * service. The numbers of statements are the project's own and are also used in its documentation.
 */
import manifest from '../package.json' with { type: 'json' }

/** The version of the package. */
export const KIT_VERSION = manifest.version
export const USER_AGENT = `pet-adoption-conformance/${KIT_VERSION}`

/** R18 */
export const INTERFACE_VERSION = '1.0.0'

/** R2, in the order of the interface. */
export const PET_STATUSES = ['available', 'pending', 'sold'] as const
export type PetStatus = (typeof PET_STATUSES)[number]

export function isPetStatus(value: unknown): value is PetStatus {
  return PET_STATUSES.some((status) => status === value)
}

/** R3, R4; an int64 is a bigint. */
export interface Pet {
  readonly id: bigint
  readonly name: string
  readonly categoryId: bigint
  readonly status?: PetStatus | undefined
}

/** The members of each record (R4, R6), the optional ones with a question mark. */
export const RECORDS = {
  Pet: { id: 'int64', name: 'string', categoryId: 'int64', status: 'PetStatus?' },
  Error: { code: 'string', message: 'string', status: 'int64' },
} as const
export type RecordName = keyof typeof RECORDS
/** The statement that describes each record. */
export const RECORD_CITES = { Pet: 'R4', Error: 'R6' } as const satisfies Readonly<Record<RecordName, string>>

/**
 * An operation as the interface states it; the cases that apply to each operation are derived from it. `path` is relative
 * to the base address. `statuses` are the listed ones, success first, except 429 (O9) and 400 to a query (O16). `body` is
 * a record or a list of records. `id` is a part of the ids of cases, and `asking` the beginning of their titles.
 */
interface OperationStatement {
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly query: readonly string[]
  readonly statuses: readonly [number, ...number[]]
  readonly body: RecordName | readonly [RecordName]
  readonly cites: readonly [Statement, ...Statement[]]
  readonly id: string
  readonly asking: string
  readonly needs?: 'getPet'
}

/** R7-R9, R11 */
export const OPERATIONS = {
  listPets: {
    method: 'GET',
    path: '/pets',
    query: ['limit', 'status'],
    statuses: [200, 401],
    body: ['Pet'],
    cites: ['R7', 'R1', 'R18'],
    id: 'list',
    asking: 'Listing animals',
  },
  createPet: {
    method: 'POST',
    path: '/pets',
    query: [],
    statuses: [201, 400, 401],
    body: 'Pet',
    cites: ['R9', 'R1'],
    id: 'create',
    asking: 'Creating an animal',
  },
  getPet: {
    method: 'GET',
    path: '/pets/{petId}',
    query: [],
    statuses: [200, 401, 404],
    body: 'Pet',
    cites: ['R11', 'R1'],
    id: 'get',
    asking: 'Fetching an animal',
    needs: 'getPet',
  },
} as const satisfies Readonly<Record<string, OperationStatement>>

export type Operation = keyof typeof OPERATIONS

export const EACH_OPERATION: readonly (OperationStatement & { readonly name: Operation })[] = (
  Object.keys(OPERATIONS) as Operation[]
).map((name) => ({ name, ...OPERATIONS[name] }))

/** From this instant on getPet may be gone (R12, O21). Unix ms. */
export const GET_PET_REMOVAL_MS = Date.parse('2030-12-05T00:00:00Z')

/** R14, requests a minute and a day; Enterprise has no figures. */
export const PLANS = {
  Free: { perMinute: 60, perDay: 1_000 },
  Pro: { perMinute: 300, perDay: 10_000 },
  Business: { perMinute: 1_000, perDay: 100_000 },
} as const

/** R5 */
export const INT64_MIN = -9_223_372_036_854_775_808n
export const INT64_MAX = 9_223_372_036_854_775_807n

const plans = Object.entries(PLANS).map(([name, { perMinute, perDay }], n) => {
  const [minute, day] = n === 0 ? [' a minute', ' a day'] : ['', '']
  return `${name} ${perMinute.toLocaleString('en')}${minute} and ${perDay.toLocaleString('en')}${day}`
})

export const STATEMENTS = {
  R1: 'The interface speaks JSON over HTTP: the base address ends in /v1, and bodies are application/json.',
  R2: 'A status is exactly one of available, pending and sold, in lower case.',
  R3: 'A new animal has a name (string) and a categoryId (int64), and may have a status.',
  R4: 'An animal has the fields of a new one and an id: an int64 that is unique and that the service assigns.',
  R5: 'An int64 is a JSON number and keeps its every digit, over the whole range of 64 bits, in and out.',
  R6: 'An Error holds code (string), message (string) and status (integer, the same as the HTTP status).',
  R7: 'The list is a JSON array of the stored animals, at most limit of them: 1 to 100, and 20 unless given.',
  R8: 'With status, the list contains only animals of that status.',
  R9: 'A valid new animal is answered with 201 and the animal as created, its id included.',
  R10: 'A new animal that lacks a required field or holds an invalid value is answered with 400, and nothing is stored.',
  R11: 'An animal is fetched by its id with 200; where there is none, the answer is 404.',
  R12: 'Fetching by id is deprecated and works until 5 December 2030; the filtered list replaces it.',
  R13: 'Every operation needs a valid key as a bearer credential; without one the answer is 401.',
  R14: `The plans: ${plans.join(', ')}, Enterprise custom.`,
  R15: 'Every response says the limit in force, the requests remaining and the Unix time, in seconds, of the reset.',
  R16: 'A request over the limit is answered with 429 and a Retry-After.',
  R17: 'A key that goes on asking after a 429 may be banned for a time.',
  R18: 'The version is 1.0.0, and /v1 in the base address is all that shows it.',
  O1: 'Categories: their fields and operations are open, and with them which categoryIds exist.',
  O2: 'The listing of orders at /store/orders is named but not defined.',
  O3: 'How the status of a stored animal changes is open.',
  O4: 'Which status an animal has that was created without one is open.',
  O5: 'The order of the list is open.',
  O6: 'How to page on beyond limit, and whether a total is given, is open.',
  O7: 'How keys are issued, scoped and revoked is open.',
  O8: 'The values of code are open.',
  O9: 'The body of a 429 is open.',
  O10: 'Whether the limits of the plans hold for these operations is open.',
  O11: 'Which of the windows the limit headers describe is open.',
  O12: 'When a window begins and ends is open.',
  O13: 'Which requests count against the limit is open.',
  O14: 'What the limit headers describe where no valid key is given is open.',
  O15: 'When a ban comes and how long it lasts is open.',
  O16: 'The answer to an invalid limit or status in the query is open.',
  O17: 'Unknown query parameters, unknown fields and an id sent by the client are open.',
  O18: 'The answer to an id in the path that is no int64 is open.',
  O19: 'How long a name, a body and the list of animals may be, and which characters a name may hold, is open.',
  O20: 'The finer points of JSON (7.0 for 7, a field given twice, broken UTF-8) are open.',
  O21: 'How the deprecation shows in answers, and what comes after the removal, is open.',
  O22: 'Which check comes first when a request is wrong in two ways is open.',
  O23: 'Answers that HTTP itself defines, such as 405, 415 or that to HEAD, are open.',
  O24: 'Use by web pages of other origins is open.',
  O25: 'Events and further versions are open.',
} as const

export type Statement = keyof typeof STATEMENTS

/**
 * Whether an answer can break the statement. An open point cannot be broken. Nor can the figures of the plans, because
 * it is open whether they apply (R14, O10), nor the ban that may come (R17).
 */
export function isRequirement(statement: Statement): boolean {
  return statement.startsWith('R') && statement !== 'R14' && statement !== 'R17'
}
