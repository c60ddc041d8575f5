/**
 * What a request asks for, determined once from its method, target and headers (R1, R7, R9, R11, O2, O18, O21). Paths
 * and methods are those of the contract. All later code decides by the Route alone.
 */
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import type { Clock } from '../common/clock.ts'
import { BASE_PATH, GET_PET_REMOVAL_MS, GET_PET_SUNSET, OPERATIONS, type Operation } from '../contract/operations.ts'
import type { LedgerOperation } from '../store/ledger.ts'

/**
 * The interface names `listOrders` but does not define it (O2). `malformed`: the parser accepts the request, and HTTP
 * does not: another version than 1.x, invalid escapes in the target (O18), an invalid Host, none or several of them in
 * HTTP/1.1, or a target with a fragment or of another scheme. `otherCoding` has an unsupported transfer coding (O23).
 */
type Purpose = Operation | 'listOrders' | 'page' | 'preflight' | 'malformed' | 'otherCoding'

export interface Route {
  /** Undefined if the path is unknown, or does not have the method. */
  readonly purpose: Purpose | undefined
  /** Percent-decoded; unchanged if its escapes are not UTF-8. */
  readonly path: string
  /** The text after the `?`, unchanged. */
  readonly query: string
  /** The last segment of getPet's path; empty for other paths. */
  readonly petId: string
  /** The methods of the path, as `Allow` lists them; undefined if the path is unknown. */
  readonly allow: string | undefined
  /** The headers of every response of the path, names and values alternating. */
  readonly headers: readonly string[]
}

interface RouterOptions {
  readonly clock: Clock
  /** The path of the list, which replaces getPet. */
  readonly listUrl: string
  /** The schemes by which clients reach this server: `http`, `https`, or both behind a proxy. */
  readonly schemes: readonly string[]
  readonly isPage: (path: string) => boolean
  readonly isPreflight: (request: IncomingMessage) => boolean
}

interface Resource {
  readonly purposes: ReadonlyMap<string, Purpose>
  readonly allow: string | undefined
}

const NO_HEADERS: readonly string[] = []
const BROKEN_ESCAPE = /%(?![0-9a-f]{2})/i
/** Scheme and authority of a target in absolute form. */
const ABSOLUTE = /^([a-z][a-z0-9+.-]*):\/\/([^/?]*)/i
/** RFC 3986 3.2.2 and 3.2.3; a Host field may be empty. */
const HOST = /^(?:\[[\da-f:.]+\]|(?:[\w.~!$&'()*+,;=-]|%[\da-f]{2})*)(?::\d*)?$/i

const PET_PREFIX = BASE_PATH + OPERATIONS.getPet.path.slice(0, OPERATIONS.getPet.path.indexOf('{'))
const PET = resource(OPERATIONS.getPet.path)
const LIST_PATH = BASE_PATH + OPERATIONS.listPets.path
const LIST = resource(OPERATIONS.listPets.path)
const ORDERS_PATH = `${BASE_PATH}/store/orders`
/** Its other methods behave as on an unknown path. */
const ORDERS: Resource = { purposes: reads('listOrders'), allow: undefined }
const UNKNOWN: Resource = { purposes: new Map(), allow: undefined }
const PAGE: Resource = { purposes: reads('page'), allow: undefined }

/** The resource that the contract has at a path. */
function resource(path: string): Resource {
  const purposes = new Map<string, Purpose>()
  for (const [name, operation] of Object.entries(OPERATIONS) as [Operation, { method: string; path: string }][]) {
    if (operation.path !== path) continue
    for (const [method, purpose] of operation.method === 'GET' ? reads(name) : [[operation.method, name] as const])
      purposes.set(method, purpose)
  }
  return { purposes, allow: [...purposes.keys()].join(', ') }
}

/** GET, and HEAD, which is answered like GET (O23). */
function reads(purpose: Purpose): Map<string, Purpose> {
  return new Map([
    ['GET', purpose],
    ['HEAD', purpose],
  ])
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
    const { purposes, allow } = isPet ? PET : this.#resourceAt(path)
    const isPreflight = this.#options.isPreflight(request)
    const purpose = this.#violation(request, target, isPreflight) ?? (isPreflight ? 'preflight' : purposes.get(method))
    return { purpose, path, query, petId, allow, headers }
  }

  /** How the request violates HTTP, or undefined. Of a preflight no escape is judged (O22). */
  #violation({ rawHeaders, headers, httpVersion }: IncomingMessage, target: string, isPreflight: boolean) {
    if (httpVersion !== '1.1' && httpVersion !== '1.0') return 'malformed'
    const hosts = countFields(rawHeaders, 'host')
    if (hosts > 1 || (hosts === 0 && httpVersion === '1.1') || !HOST.test(headers.host ?? '')) return 'malformed'
    if (target.includes('#') || (!target.startsWith('/') && this.#isForeign(target))) return 'malformed'
    if (!isPreflight && target.includes('%') && BROKEN_ESCAPE.test(target)) return 'malformed'
    return hasUnsupportedTransferCoding(headers) ? 'otherCoding' : undefined
  }

  /**
   * Whether a target in absolute form is of another scheme, or its authority is none. Which it is does not matter, nor
   * whether Host has the same (RFC 9112 3.2.2).
   */
  #isForeign(target: string): boolean {
    const [, scheme, authority = ''] = ABSOLUTE.exec(target) ?? []
    if (scheme === undefined) return false
    const isHost = HOST.test(authority) && authority !== '' && !authority.startsWith(':')
    return !isHost || !this.#options.schemes.includes(scheme.toLowerCase())
  }

  #resourceAt(path: string): Resource {
    if (path === LIST_PATH) return LIST
    if (path === ORDERS_PATH) return ORDERS
    return this.#options.isPage(path) ? PAGE : UNKNOWN
  }

  /** From the day of its removal getPet is an unknown path, and nothing refers to it (R12, O21). */
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

/** How many fields of a name, in lower case, the request has: node keeps one of several (RFC 9110 5.3). */
export function countFields(rawHeaders: readonly string[], name: string): number {
  let fields = 0
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const field = rawHeaders[i]
    if (field?.length === name.length && field.toLowerCase() === name) fields += 1
  }
  return fields
}

/** What a request counts as in the metrics. */
export function metricsOperation(purpose: Purpose | undefined): LedgerOperation | 'page' {
  return purpose === 'page' ? purpose : ledgerOperation(purpose)
}

/** What a request with a key counts as in the ledger. */
export function ledgerOperation(purpose: Purpose | undefined): LedgerOperation {
  switch (purpose) {
    case 'listPets':
    case 'createPet':
    case 'getPet':
      return purpose
    default:
      return 'other'
  }
}
