/** The operations (R1, R7-R12, R15, R16, R18): methods, paths, parameters and responses. */
import { errorBody } from './errors.ts'
import { FILTER_NAMES, PET_FILTERS } from './pet-filter.ts'
import { ErrorBody, Limit, type NamedSchema, NewPet, Pet, PetId, Pets } from './schemas.ts'

export const INTERFACE_VERSION = '1.0.0'
export const BASE_PATH = '/v1'

/** From then on getPet is an unknown path (R12, O21). Unix ms. */
export const GET_PET_REMOVAL_MS = Date.UTC(2030, 11, 5)
export const GET_PET_SUNSET = new Date(GET_PET_REMOVAL_MS).toUTCString()
/** A constant, because formatting a date loads ICU's tables, 17 ms at the start. */
export const GET_PET_REMOVAL_DAY = '5 December 2030'

export const RATE_LIMIT_HEADER = {
  limit: 'X-RateLimit-Limit',
  remaining: 'X-RateLimit-Remaining',
  reset: 'X-RateLimit-Reset',
} as const

export const RATE_LIMIT_HEADERS = {
  [RATE_LIMIT_HEADER.limit]: 'The limit in force, in requests.',
  [RATE_LIMIT_HEADER.remaining]: 'Requests remaining in the current window.',
  [RATE_LIMIT_HEADER.reset]: 'When the limit resets, as a Unix timestamp in seconds.',
} as const

/** Headers of the API, which pages of other origins can read too (O24). */
export const RESPONSE_HEADERS = [
  ...Object.values(RATE_LIMIT_HEADER),
  ...['Retry-After', 'Location', 'Link', 'Sunset', 'Date'],
  ...['Allow', 'Accept', 'Accept-Encoding', 'WWW-Authenticate', 'X-Request-Id'],
] as const
export const REQUEST_HEADERS = ['Authorization', 'Content-Type', 'X-Request-Id'] as const

export const NAMED_HEADERS = {
  'Retry-After': 'How long to wait before the next request, as RFC 9110 writes it: seconds, or an HTTP date.',
  'X-Request-Id': 'The id of the request in the log of the service. Quote it when you ask for help.',
  'WWW-Authenticate': 'How to send the key (RFC 6750).',
  Location: 'The address of the created animal, while it can be fetched by its `id`.',
  Link: 'On a list, the next page with `rel="next"`, if the service offers paging. On a fetched animal, the list that replaces this operation.',
  Sunset: 'When the operation is removed (RFC 8594).',
  Allow: 'The methods of the path, with status 405.',
} as const
type NamedHeader = keyof typeof NAMED_HEADERS

/** The examples of docs/interface.md, or responses of a service. */
const NEW_LUNA = { name: 'Luna', categoryId: 7, status: 'available' } as const
const LUNA = { id: 1, ...NEW_LUNA } as const

function refusal<Status extends number>(
  status: Status,
  description: string,
  message: string,
  headers: readonly NamedHeader[] = [],
) {
  return { description, body: ErrorBody, example: errorBody(status, message), headers } as const
}

const UNAUTHORIZED = refusal(
  401,
  'The API key is missing or invalid.',
  'A valid API key is needed: Authorization: Bearer <API_KEY>.',
  ['WWW-Authenticate'],
)
const INVALID_QUERY = refusal(
  400,
  'A parameter breaks its constraint.',
  'limit: must be an integer from 1 to 100, in plain decimal digits.',
)
const RATE_LIMITED = refusal(
  429,
  'The rate limit is exceeded. Wait for the time that `Retry-After` indicates, then back off exponentially.',
  'The limit of 60 requests is used up; try again in 4 s.',
  ['Retry-After'],
)
/** Every error response contains an Error (section 7). */
export const ANY_ERROR = refusal(
  503,
  'Any other error.',
  'Requests and responses of slow clients are using too much memory; try again.',
  ['Allow', 'Retry-After'],
)

export const TAGS = { pets: 'Animals for adoption.' } as const

interface OperationSpec {
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly tag: keyof typeof TAGS
  readonly summary: string
  /** Part of the first sentence of the document. */
  readonly brief: string
  readonly description: string
  readonly deprecated?: true
  /** The headers of all its responses. */
  readonly headers?: readonly NamedHeader[]
  readonly parameters: readonly object[]
  readonly body?: NamedSchema
  readonly example?: unknown
  readonly responses: Readonly<
    Record<
      number,
      {
        readonly description: string
        readonly body: NamedSchema
        readonly example: unknown
        readonly headers?: readonly NamedHeader[]
      }
    >
  >
}

export const OPERATIONS = {
  listPets: {
    method: 'GET',
    path: '/pets',
    tag: 'pets',
    summary: 'List animals',
    brief: 'Browse animals available for adoption',
    description: `Returns animals, optionally only those with a given ${FILTER_NAMES.join(' or ')}.`,
    parameters: [
      {
        name: 'limit',
        in: 'query',
        required: false,
        schema: Limit,
        example: 5,
        description: 'Maximum number of animals to return.',
      },
      ...FILTER_NAMES.map((name) => {
        const { schema, example, description } = PET_FILTERS[name]
        return { name, in: 'query', required: false, schema, example, description } as const
      }),
    ],
    responses: {
      200: { description: 'The animals.', body: Pets, example: [LUNA], headers: ['Link'] },
      400: INVALID_QUERY,
      401: UNAUTHORIZED,
      429: RATE_LIMITED,
    },
  },
  createPet: {
    method: 'POST',
    path: '/pets',
    tag: 'pets',
    summary: 'Add an animal',
    brief: 'add an animal',
    description: 'Adds an animal and assigns its `id`.',
    parameters: [],
    body: NewPet,
    example: NEW_LUNA,
    responses: {
      201: { description: 'The created animal, including its `id`.', body: Pet, example: LUNA, headers: ['Location'] },
      400: refusal(
        400,
        'The body lacks a required field or contains an invalid value.',
        'id: is assigned by the service and must not be sent; name: must be a string, not a number; categoryId: is required; status: must be one of available, pending, sold, not null.',
      ),
      401: UNAUTHORIZED,
      429: RATE_LIMITED,
    },
  },
  getPet: {
    method: 'GET',
    path: '/pets/{petId}',
    tag: 'pets',
    summary: 'Get an animal',
    brief: 'fetch one by its identifier',
    description: `Returns one animal. Deprecated: it will be removed on ${GET_PET_REMOVAL_DAY}. Use \`GET /pets\` with the \`status\` filter instead.`,
    deprecated: true,
    headers: ['Sunset', 'Link'],
    parameters: [
      {
        name: 'petId',
        in: 'path',
        required: true,
        schema: PetId,
        example: 1,
        description: 'Identifier of the animal.',
      },
    ],
    responses: {
      200: { description: 'The animal.', body: Pet, example: LUNA },
      401: UNAUTHORIZED,
      404: refusal(404, 'The animal could not be found.', 'There is no animal with this id.'),
      429: RATE_LIMITED,
    },
  },
} as const satisfies Readonly<Record<string, OperationSpec>>

export type Operation = keyof typeof OPERATIONS
