/** The API as the kit checks it. With the contract of the service, the kit would share the service's mistakes. */
import manifest from '../package.json' with { type: 'json' }

export const KIT_VERSION = manifest.version

/** R18 */
export const INTERFACE_VERSION = '1.0.0'

/** R2 */
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

/** Optional members have a question mark. */
export const RECORDS = {
  Pet: { id: 'int64', name: 'string', categoryId: 'int64', status: 'PetStatus?' },
  Error: { code: 'string', message: 'string', status: 'int64' },
} as const
export type RecordName = keyof typeof RECORDS
export const RECORD_CITES = { Pet: 'R4', Error: 'R6' } as const satisfies Readonly<Record<RecordName, Requirement>>

/** `statuses` begins with the success, without 429 (O9) and 400 to a query (O16). `asking` begins the titles of cases. */
interface OperationStatement {
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly query: readonly string[]
  readonly statuses: readonly [number, ...number[]]
  readonly body: RecordName | readonly [RecordName]
  readonly cites: readonly [Requirement, ...Statement[]]
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

/** From then on getPet may be gone (R12, O21). Unix ms. */
export const GET_PET_REMOVAL_MS = Date.parse('2030-12-05T00:00:00Z')

/** R14, requests a minute and a day. Enterprise has no figures. */
export const PLANS = {
  Free: { perMinute: 60, perDay: 1_000 },
  Pro: { perMinute: 300, perDay: 10_000 },
  Business: { perMinute: 1_000, perDay: 100_000 },
} as const

/** R5 */
export const INT64_MIN = -9_223_372_036_854_775_808n
export const INT64_MAX = 9_223_372_036_854_775_807n

export const REQUIREMENTS = {
  R1: 'The API speaks JSON over HTTP: the base address ends in /v1, and bodies are application/json.',
  R2: 'A status is exactly one of available, pending and sold, in lower case.',
  R3: 'A new animal has a name (string) and a categoryId (int64), and may have a status.',
  R4: 'An animal has the fields of a new one and an id: an int64 that is unique and that the service assigns.',
  R5: 'An int64 is a JSON number that keeps every digit, over the whole range of 64 bits, in and out.',
  R6: 'An Error contains code (string), message (string) and status (integer, the same as the HTTP status).',
  R7: 'The list is a JSON array of the stored animals, at most limit of them: 1 to 100, and 20 unless given.',
  R8: 'With status, the list contains only animals with that status.',
  R9: 'A valid new animal gets 201 and the animal as created, including its id.',
  R10: 'A new animal that lacks a required field or contains an invalid value gets 400, and nothing is stored.',
  R11: 'Fetching an animal by its id gets 200, or 404 if there is none.',
  R12: 'Fetching by id is deprecated and works until 5 December 2030; the filtered list replaces it.',
  R13: 'Every operation needs a valid key as a bearer credential. Without a valid key, it gets 401.',
  R14: 'The plans: Free 60 a minute and 1,000 a day, Pro 300 and 10,000, Business 1,000 and 100,000, Enterprise custom.',
  R15: 'Every response reports the limit in force, the remaining requests and the reset as a Unix time in seconds.',
  R16: 'A request over the limit gets 429 with a Retry-After.',
  R17: 'A key that keeps sending after a 429 might be banned for a time.',
  R18: 'The version is 1.0.0, and only /v1 in the base address shows it.',
} as const

export type Requirement = keyof typeof REQUIREMENTS
/** An `O` is a point that the API leaves open. docs/interface.md lists them. */
export type Statement = Requirement | `O${number}`
const OPEN_POINTS = 25
export const STATEMENTS: readonly Statement[] = [
  ...(Object.keys(REQUIREMENTS) as Requirement[]),
  ...Array.from({ length: OPEN_POINTS }, (_, n) => `O${n + 1}` as const),
]

/** Whether an answer can break the statement: not the plans' figures, which are open (O10), nor a ban that might come. */
export function isRequirement(statement: Statement): boolean {
  return statement.startsWith('R') && statement !== 'R14' && statement !== 'R17'
}
