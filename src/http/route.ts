/** What a request asks for, determined once from its method, target and headers (R1, R7, R9, R11, O2, O18, O21). */
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import type { Clock } from '../common/clock.ts'
import type { MaybePromise } from '../common/maybe-promise.ts'
import { BASE_PATH, GET_PET_REMOVAL_MS, GET_PET_SUNSET, OPERATIONS, type Operation } from '../contract/operations.ts'
import type { LedgerOperation } from '../store/ledger.ts'
import { malformed, methodNotAllowed, NOT_FOUND, UNSUPPORTED_TRANSFER_CODING } from './error-responses.ts'
import { type HttpResponse, NO_HEADERS } from './response.ts'

/** What a method of a path stands for. `name` is for the ledger, the metrics and the log. */
type Endpoint =
  | {
      readonly kind: 'operation'
      readonly name: LedgerOperation
      readonly operation: HandledOperation
      readonly hasBody: boolean
    }
  | { readonly kind: 'page'; readonly name: 'page' }
  | { readonly kind: 'preflight'; readonly name: 'other' }
  /** An unknown path, or a method that it does not have. */
  | { readonly kind: 'none'; readonly name: 'other'; readonly response: HttpResponse }
  /** Not valid HTTP, although the parser accepts it. */
  | { readonly kind: 'violation'; readonly name: 'other'; readonly response: HttpResponse }

/** The interface names `listOrders` but does not define it (O2). */
type HandledOperation = Operation | 'listOrders'

/** `body` is empty and `keyId` undefined if the contract has no body. */
export type OperationHandlers = Readonly<
  Record<HandledOperation, (route: Route, body: Buffer, keyId: string | undefined) => MaybePromise<HttpResponse>>
>

export interface Route {
  readonly endpoint: Endpoint
  /** Percent-decoded; unchanged if its escapes are not UTF-8. */
  readonly path: string
  readonly query: string
  /** The last segment of getPet's path; empty for other paths. */
  readonly petId: string
  /** The headers of every response of the path, names and values alternating. */
  readonly headers: readonly string[]
}

interface RouterOptions {
  readonly clock: Clock
  readonly listUrl: string
  /** The schemes by which clients reach this server: `http`, `https`, or both behind a proxy. */
  readonly schemes: readonly string[]
  readonly isPage: (path: string) => boolean
  readonly isPreflight: (request: IncomingMessage) => boolean
}

interface Resource {
  readonly methods: ReadonlyMap<string, Endpoint>
  readonly otherwise: Endpoint
}

const BROKEN_ESCAPE = /%(?![0-9a-f]{2})/i
/** The start of a target in absolute form. */
const ABSOLUTE = /^([a-z][a-z0-9+.-]*):\/\/([^/?]*)/i
/** RFC 3986 3.2.2 and 3.2.3; a Host field may be empty. */
const HOST = /^(?:\[[\da-f:.]+\]|(?:[\w.~!$&'()*+,;=-]|%[\da-f]{2})*)(?::\d*)?$/i

const NOTHING: Endpoint = { kind: 'none', name: 'other', response: NOT_FOUND }
const PREFLIGHT: Endpoint = { kind: 'preflight', name: 'other' }
const OTHER_VERSION = violation(malformed('The first line must end with HTTP/1.1 or HTTP/1.0, and CR LF.'))
const NO_HOST = violation(malformed('A Host header is needed.'))
const SEVERAL_HOSTS = violation(malformed('There must be only one Host header.'))
const INVALID_HOST = violation(malformed('The Host header is not a valid host.'))
const FRAGMENT = violation(malformed('The address must not contain a fragment: write # as %23.'))
const INVALID_AUTHORITY = violation(malformed('The address does not name a valid host.'))
const OTHER_SCHEME = violation(malformed('This server does not answer addresses of this scheme.'))
const INVALID_ESCAPE = violation(malformed('The address is not valid percent-encoding: write % as %25.')) // O18
const OTHER_CODING = violation(UNSUPPORTED_TRANSFER_CODING) // O23

const UNKNOWN: Resource = { methods: new Map(), otherwise: NOTHING }
const PAGE: Resource = { methods: new Map(reads({ kind: 'page', name: 'page' })), otherwise: NOTHING }
const ORDERS: Resource = {
  methods: new Map(reads({ kind: 'operation', name: 'other', operation: 'listOrders', hasBody: false })),
  otherwise: NOTHING,
}
const PET = resource(OPERATIONS.getPet.path)
const PET_PREFIX = BASE_PATH + OPERATIONS.getPet.path.slice(0, OPERATIONS.getPet.path.indexOf('{'))
const RESOURCES: ReadonlyMap<string, Resource> = new Map([
  ...Object.values(OPERATIONS)
    .filter(({ path }) => !path.includes('{'))
    .map(({ path }) => [BASE_PATH + path, resource(path)] as const),
  [`${BASE_PATH}/store/orders`, ORDERS],
])

function violation(response: HttpResponse): Endpoint {
  return { kind: 'violation', name: 'other', response }
}

function resource(path: string): Resource {
  const methods = new Map(
    (Object.keys(OPERATIONS) as Operation[]).flatMap((name) => {
      const operation = OPERATIONS[name]
      const endpoint: Endpoint = { kind: 'operation', name, operation: name, hasBody: 'body' in operation }
      if (operation.path !== path) return []
      return operation.method === 'GET' ? reads(endpoint) : [[operation.method, endpoint] as const]
    }),
  )
  const response = methodNotAllowed([...methods.keys()].join(', '))
  return { methods, otherwise: { kind: 'none', name: 'other', response } }
}

/** HEAD is answered like GET (O23). */
function reads(endpoint: Endpoint): readonly (readonly [method: string, Endpoint])[] {
  return [
    ['GET', endpoint],
    ['HEAD', endpoint],
  ]
}

export class Router {
  readonly #options: RouterOptions
  /** The headers of every response of getPet's path until it is removed (R12, O21). */
  readonly #deprecation: readonly string[]

  constructor(options: RouterOptions) {
    this.#options = options
    this.#deprecation = ['Sunset', GET_PET_SUNSET, 'Link', `<${options.listUrl}>; rel="successor-version"`]
  }

  find(request: IncomingMessage): Route {
    const { url: target = '', method = '' } = request
    const queryAt = target.indexOf('?')
    const path = pathOf(queryAt === -1 ? target : target.slice(0, queryAt))
    const query = queryAt === -1 ? '' : target.slice(queryAt + 1)
    const isPet = isPetPath(path) && this.hasGetPet()
    const petId = isPet ? path.slice(PET_PREFIX.length) : ''
    const headers = isPet ? this.#deprecation : NO_HEADERS
    const { methods, otherwise } = isPet ? PET : (RESOURCES.get(path) ?? (this.#options.isPage(path) ? PAGE : UNKNOWN))
    const isPreflight = this.#options.isPreflight(request)
    const violation = this.#violation(request, target, isPreflight)
    const endpoint = violation ?? (isPreflight ? PREFLIGHT : (methods.get(method) ?? otherwise))
    return { endpoint, path, query, petId, headers }
  }

  /** The response if the request violates HTTP. The escapes of a preflight are not checked (O22). */
  #violation({ rawHeaders, headers, httpVersion }: IncomingMessage, target: string, isPreflight: boolean) {
    if (httpVersion !== '1.1' && httpVersion !== '1.0') return OTHER_VERSION
    const hosts = countFields(rawHeaders, 'host')
    if (hosts > 1) return SEVERAL_HOSTS
    if (hosts === 0 && httpVersion === '1.1') return NO_HOST
    if (!HOST.test(headers.host ?? '')) return INVALID_HOST
    if (target.includes('#')) return FRAGMENT
    const foreign = target.startsWith('/') ? undefined : this.#foreign(target)
    if (foreign !== undefined) return foreign
    if (!isPreflight && target.includes('%') && BROKEN_ESCAPE.test(target)) return INVALID_ESCAPE
    return hasUnsupportedTransferCoding(headers) ? OTHER_CODING : undefined
  }

  /** The response to an invalid absolute target. It can name any server, whatever Host names (RFC 9112 3.2.2). */
  #foreign(target: string): Endpoint | undefined {
    const [, scheme, authority = ''] = ABSOLUTE.exec(target) ?? []
    if (scheme === undefined) return undefined
    if (!this.#options.schemes.includes(scheme.toLowerCase())) return OTHER_SCHEME
    const isHost = HOST.test(authority) && authority !== '' && !authority.startsWith(':')
    return isHost ? undefined : INVALID_AUTHORITY
  }

  /** Once it is removed, getPet is an unknown path, and nothing refers to it (R12, O21). */
  hasGetPet(): boolean {
    return this.#options.clock.now() < GET_PET_REMOVAL_MS
  }
}

/** Whether there is a transfer coding other than chunked, so that the end of the body is not known (O23). */
export function hasUnsupportedTransferCoding({ 'transfer-encoding': coding }: IncomingHttpHeaders): boolean {
  return coding !== undefined && coding.toLowerCase() !== 'chunked'
}

function pathOf(plain: string): string {
  const path = plain.startsWith('/') ? plain : plain.replace(ABSOLUTE, '')
  if (!path.includes('%')) return path
  try {
    return decodeURI(path)
  } catch {
    return path
  }
}

function isPetPath(path: string): boolean {
  return path.length > PET_PREFIX.length && path.startsWith(PET_PREFIX) && !path.includes('/', PET_PREFIX.length)
}

/** The credentials; two fields name none (O23). */
export function authorizationOf({ rawHeaders, headers }: IncomingMessage): string | undefined {
  return countFields(rawHeaders, 'authorization') > 1 ? undefined : headers.authorization
}

/** How many fields with a lower-case name the request has: node keeps only one (RFC 9110 5.3). */
export function countFields(rawHeaders: readonly string[], name: string): number {
  let fields = 0
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const field = rawHeaders[i]
    if (field?.length === name.length && field.toLowerCase() === name) fields += 1
  }
  return fields
}
