/**
 * The API as a function: the response to a request, given animals, keys, their use and the time. It is written from the
 * register of the API alone, whose numbers it cites; where that refers to HTTP, from RFC 9110 and 9112.
 */
import { type Animal, jsonOf, readId, readNewAnimal, readQuery } from './pets.ts'
import { LONGEST_TARGET, type Request, valuesOf } from './request.ts'
import { type BanPolicy, judge, type Limits, UNUSED, type Use, type Verdict } from './windows.ts'

export interface World {
  readonly animals: ReadonlyMap<bigint, Animal>
  /** The keys in force, by their secrets. Keys of one lineage share their use. */
  readonly keys: ReadonlyMap<string, Limits & { readonly lineage: string }>
  readonly uses: ReadonlyMap<string, Use>
  readonly settings: Settings
}

export interface Settings {
  readonly anonymousPerMinute: number
  readonly bodyLimit: number
  readonly ban: BanPolicy | undefined
  readonly isSecure?: boolean
}

/** What the register asks of the answer. A header that is named here and undefined must not be there. */
export interface Expected {
  readonly status: number
  readonly headers: Readonly<Record<string, string | undefined>>
  /** The body of a 200, to the letter. */
  readonly json: string | undefined
  /** The animal of a 201; its id is the service's to choose (R4). */
  readonly created: Animal | undefined
  /** Whether the answer to a creation says where the animal is: while getPet exists (O23). */
  readonly locates: boolean
  /** The code of the Error (O8); undefined where none is sent. */
  readonly code: string | undefined
  readonly hasBody: boolean
  /** Whether the connection must end behind the answer; otherwise the answer says whether it does. */
  readonly ends: boolean
  readonly used: readonly [subject: string, use: Use]
}

const CODES: Readonly<Record<number, string>> = {
  400: 'invalid_request',
  401: 'unauthorized',
  404: 'not_found',
  405: 'method_not_allowed',
  413: 'payload_too_large',
  414: 'uri_too_long',
  415: 'unsupported_media_type',
  417: 'expectation_failed',
  429: 'rate_limited',
  431: 'headers_too_large',
  501: 'not_implemented',
} // O8

const REMOVAL_MS = Date.parse('2030-12-05T00:00:00Z') // R12, O21
const SUNSET = 'Thu, 05 Dec 2030 00:00:00 GMT'

/** For requests that the parser refuses: it counts for the address, whatever the key (O14), and ends the connection. */
export function answerToRefused(world: World, status: number, address: string, nowMs: number): Expected {
  const verdict = judgeAddress(world, address, nowMs)
  return made({ status: verdict.admitted ? status : 429, verdict, subject: address, ends: true })
}

/** To a request from `address`. The order of the lines is O22's. */
export function answerTo(world: World, request: Request, address: string, nowMs: number): Expected {
  const { method, version } = request
  const hosts = valuesOf(request, 'host').length
  const ends = isLast(request) || request.isCoded || request.isBroken || version === 'other'
  const path = pathOf(request.target)
  const isPet = /^\/v1\/pets\/[^/]+$/.test(path) && nowMs < REMOVAL_MS // R12, O21
  const headers: Record<string, string | undefined> = isPet
    ? { sunset: SUNSET, link: '</v1/pets>; rel="successor-version"' }
    : { sunset: undefined, link: undefined }
  const common = { hasBody: method !== 'HEAD', ends, headers }
  // The key (R13), then the limit (R16).
  const key = keyOf(world, request)
  const subject = key?.lineage ?? address
  const verdict =
    key === undefined
      ? judgeAddress(world, address, nowMs)
      : judge(used(world, subject), key, world.settings.ban, nowMs)
  const end = (status: number, more: Partial<Expected> = {}) =>
    made({ status, verdict, subject, ...common, ...more, headers: { ...headers, ...more.headers } })
  if (!verdict.admitted) return end(429)
  if (key === undefined) return end(401, { headers: { 'www-authenticate': challengeOf(request) } }) // O23
  if (request.target.length > LONGEST_TARGET) return end(414)
  // What is malformed (O18, O22, O23; RFC 9112, 3.2).
  const isOdd =
    version === 'other' || !isHost(valuesOf(request, 'host')[0] ?? '') || /#|%(?![0-9A-Fa-f]{2})/.test(request.target)
  if (hosts > 1 || (hosts === 0 && version === '1.1') || isOdd || isForeign(request, world.settings)) return end(400)
  if (request.isCoded) return end(501)
  // Path and method.
  const reads = method === 'GET' || method === 'HEAD' // O23
  const isList = path === '/v1/pets'
  if (!isPet && !isList) return end(path === '/v1/store/orders' && reads ? expects(request, 501) : 404) // O2
  const allow = isPet ? 'GET, HEAD' : 'GET, HEAD, POST' // O23
  if (!reads && !(isList && method === 'POST')) return end(405, { headers: { allow } })
  if (expects(request, 200) !== 200) return end(417)
  if (isPet) {
    const id = readId(path.slice('/v1/pets/'.length)) // O18
    const animal = id === undefined ? undefined : world.animals.get(id)
    return id === undefined || animal === undefined ? end(404) : end(200, { json: jsonOf(id, animal) }) // R11
  }
  if (reads) {
    const query = readQuery(/\?(.*)$/s.exec(request.target)?.[1] ?? '')
    if (query === undefined) return end(400) // O16
    const wanted = [...world.animals].filter(([, animal]) => query.lists(animal))
    wanted.sort(([a], [b]) => (a > b ? -1 : 1)) // O5
    const shown = wanted.slice(0, query.limit).map(([id, animal]) => jsonOf(id, animal)) // R7, R8
    return end(200, { json: `[${shown.join()}]` })
  }
  // Media type, then body (R10, O19, O23).
  if (isEncoded(request)) return end(415, { headers: { 'accept-encoding': 'identity' } })
  if (!isJson(request)) return isAbsent(request) ? end(400) : end(415, { headers: { accept: 'application/json' } })
  if (request.isBroken) return end(400)
  if (request.body.length > world.settings.bodyLimit) return end(413)
  const created = readNewAnimal(request.body)
  if (created === undefined) return end(400)
  return end(201, { created, locates: nowMs < REMOVAL_MS }) // R9, O23
}

/** The world after an answer; `id` is what the service gave the animal of a 201 (R4). */
export function after(world: World, { used: [subject, use], created }: Expected, id?: bigint): World {
  const uses = new Map(world.uses).set(subject, use)
  if (created === undefined || id === undefined) return { ...world, uses }
  return { ...world, uses, animals: new Map(world.animals).set(id, created) }
}

type Made = Partial<Omit<Expected, 'used'>> & Pick<Expected, 'status'> & { verdict: Verdict; subject: string }

const PLAIN = { json: undefined, created: undefined, locates: false, hasBody: true, ends: false }
/** Headers that are sent only where something asks for them. */
const UNSENT = { allow: undefined, 'www-authenticate': undefined, accept: undefined, 'accept-encoding': undefined }

/** R6, R15, R16: an Error from 400 up, and the limit headers always. */
function made({ status, verdict, subject, headers, ...more }: Made): Expected {
  return {
    ...PLAIN,
    ...more,
    status,
    code: status < 400 ? undefined : CODES[status],
    headers: {
      'content-type': 'application/json', // R1
      'cache-control': 'no-store', // O23
      'x-ratelimit-limit': String(verdict.limit),
      'x-ratelimit-remaining': String(verdict.remaining),
      'x-ratelimit-reset': String(verdict.resetS),
      'retry-after': verdict.retryAfterS === undefined ? undefined : String(verdict.retryAfterS),
      ...UNSENT,
      ...headers,
    },
    used: [subject, verdict.after],
  }
}

function used({ uses }: World, subject: string): Use {
  return uses.get(subject) ?? UNUSED
}

function judgeAddress(world: World, address: string, nowMs: number): Verdict {
  const limits = { perMinute: world.settings.anonymousPerMinute, perDay: undefined }
  return judge(used(world, address), limits, undefined, nowMs)
}

/** R13; two fields name no key (O23). The scheme's case does not matter (RFC 9110, 11.1). */
function keyOf({ keys }: World, request: Request) {
  const fields = valuesOf(request, 'authorization')
  const secret = fields.length === 1 ? /^bearer +([^ ]+)$/i.exec(fields[0] ?? '')?.[1] : undefined
  return secret === undefined ? undefined : keys.get(secret)
}

/** RFC 6750, 3.1: whether a key was sent. Two fields name none. */
function challengeOf(request: Request): string {
  const fields = valuesOf(request, 'authorization')
  const isSent = fields.length === 1 && /^bearer +[^ ]/i.test(fields[0] ?? '')
  return isSent ? 'Bearer error="invalid_token"' : 'Bearer'
}

/** Percent-decoded (O18), of a target in origin or absolute form. A `/` that is escaped separates nothing. */
function pathOf(target: string): string {
  const plain = target.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/?]*/i, '').replace(/\?.*$/s, '')
  return plain.replace(/%([0-9A-Fa-f]{2})/g, (escaped, hex: string) => {
    const character = String.fromCharCode(Number.parseInt(hex, 16))
    return /^[!-~]$/.test(character) && !'/?#;:@&=+$,'.includes(character) ? character : escaped
  })
}

/** RFC 3986, 3.2: a name, an address, or nothing, and perhaps a port. */
function isHost(text: string): boolean {
  const [, name = '', port = ''] = /^(\[.*\]|[^:]*)(?::(.*))?$/s.exec(text) ?? [undefined, ' ']
  const isName = /^\[[0-9A-Fa-f:.]+\]$/.test(name) || !/[^\w.~!$&'()*+,;=%-]|%(?![0-9A-Fa-f]{2})/.test(name)
  return isName && !/\D/.test(port)
}

/** Which server an absolute target names does not matter, as long as it is one, by http (RFC 9112, 3.2.2; O23). */
function isForeign(request: Request, { isSecure = false }: Settings): boolean {
  const [, scheme, authority = ''] = /^([a-z][a-z0-9+.-]*):\/\/([^/?]*)/i.exec(request.target) ?? []
  if (scheme === undefined) return false
  return scheme.toLowerCase() !== (isSecure ? 'https' : 'http') || /^(:|$)/.test(authority) || !isHost(authority)
}

/** RFC 9110, 10.1.1: an expectation that is not known is not met. */
function expects(request: Request, status: number): number {
  return valuesOf(request, 'expect').every((value) => value.toLowerCase() === '100-continue') ? status : 417
}

/** O23: parameters are fine. */
function isJson(request: Request): boolean {
  const [type = '', ...more] = valuesOf(request, 'content-type')
  return more.length === 0 && /^application\/json[ \t]*(;.*)?$/i.test(type)
}

/** O23: whether a content coding changes something. */
function isEncoded(request: Request): boolean {
  return valuesOf(request, 'content-encoding').some((coding) => coding.toLowerCase() !== 'identity')
}

/** No body, and nothing said of one: what is missing are the fields (R10). */
function isAbsent(request: Request): boolean {
  const said = ['content-type', 'content-encoding'].flatMap((name) => valuesOf(request, name))
  return request.body === '' && said.length === 0
}

/** RFC 9112, 9.3. */
function isLast(request: Request): boolean {
  const options = valuesOf(request, 'connection').flatMap((value) => value.toLowerCase().split(/ *, */))
  const isCoded = valuesOf(request, 'transfer-encoding').length > 0
  // RFC 9112, 6.1: with HTTP/1.0 a transfer coding may have been overlooked on the way.
  if (request.version === '1.0' && (isCoded || !options.includes('keep-alive'))) return true
  return options.includes('close')
}
