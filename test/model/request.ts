/** Reads HTTP/1.x (RFC 9112), one character a byte. What it cannot read, the parser refuses (O14, O23). */

export interface Request {
  readonly method: string
  readonly target: string
  /** `other`: the parser also knows 0.9, 2.0 and a line without one. */
  readonly version: '1.0' | '1.1' | 'other'
  readonly headers: readonly (readonly [name: string, value: string])[]
  readonly body: string
  /** Its body has a transfer coding other than `chunked` alone, so that nobody knows where it ends (O23). */
  readonly isCoded: boolean
  /** Its body is malformed, or ends before it is complete. */
  readonly isBroken: boolean
}

type Head = Omit<Request, 'body' | 'isCoded' | 'isBroken'>

/** What stands at the head of the bytes. `end` is where the next request begins; nothing follows what is refused. */
export type Reading =
  | { readonly kind: 'request'; readonly request: Request; readonly end: number }
  /** `or`: where two things are wrong, either may be told. */
  | { readonly kind: 'refused'; readonly status: number; readonly or?: number }
  /** `request`: what it is if no more comes, once its headers are there. */
  | { readonly kind: 'incomplete'; readonly request?: Request }

const TOKEN = "[!#$%&'*+.^_`|~0-9A-Za-z-]+"
const REQUEST_LINE = new RegExp(`^(${TOKEN}) ([!-~]+)(?: ([A-Z]+)/(\\d)\\.(\\d))?$`)
const FIELD = new RegExp(`^(${TOKEN}):[ \\t]*((?:[!-~\\x80-\\xff](?:[ \\t!-~\\x80-\\xff]*[!-~\\x80-\\xff])?)?)[ \\t]*$`)
/** RFC 9112, 3.2: in origin, absolute or asterisk form. */
const TARGET = /^(?:\*$|\/|[a-z][a-z0-9+.-]*:\/\/)/i
const CHUNK_SIZE = new RegExp(`^([0-9A-Fa-f]{1,8})(?:;${TOKEN}(?:=${TOKEN})?)*$`)

/** RFC 9110, section 9, and RFC 5789. CONNECT asks for a tunnel, which this server does not know (O23). */
const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'OPTIONS', 'TRACE', 'PATCH']

/** More than any client of this interface needs; RFC 9110, 5.4 leaves the number to the server. */
const LONGEST_HEAD = 32_768
/** RFC 9112, section 3 asks for 8,000 at least. */
export const LONGEST_TARGET = 8_192

const refused = (status: number): Reading => ({ kind: 'refused', status })
const INCOMPLETE = { kind: 'incomplete' } as const

export function readRequest(bytes: string): Reading {
  const begin = bytes.startsWith('\r\n') ? 2 : 0 // RFC 9112, 2.2: an empty line before the request line is ignored
  const headEnd = bytes.indexOf('\r\n\r\n', begin)
  if (headEnd === -1) return INCOMPLETE
  const [first = '', ...lines] = bytes.slice(begin, headEnd).split('\r\n')
  const line = REQUEST_LINE.exec(first)
  // Without a version headers may follow all the same, and be found too large before the line is judged.
  if (line === null) return { kind: 'refused', status: 400, or: headEnd - begin > LONGEST_HEAD ? 431 : 400 }
  const [, method = '', target = '', protocol, major, minor] = line
  const isHttp = protocol === 'HTTP' && major === '1' && (minor === '0' || minor === '1')
  // O23; where the line does not arrive in one piece, nobody sees that it is one.
  if (!METHODS.includes(method)) return isHttp ? { kind: 'refused', status: 501, or: 400 } : refused(400)
  if (!TARGET.test(target)) return refused(400)
  const headers: (readonly [string, string])[] = []
  let size = first.length
  for (const each of lines) {
    size += each.length
    const long = target.length > LONGEST_TARGET ? 414 : 431 // O8
    if (size > LONGEST_HEAD) return { kind: 'refused', status: long, or: isHttp ? 431 : 400 }
    const field = FIELD.exec(each)
    if (field === null) return refused(400)
    headers.push([(field[1] ?? '').toLowerCase(), field[2] ?? ''])
  }
  const isKnown = protocol === undefined || ['HTTP 0.9', 'HTTP 2.0'].includes(`${protocol} ${major}.${minor}`)
  if (!isHttp && !isKnown) return refused(400) // O23
  const version = isKnown ? 'other' : minor === '0' ? '1.0' : '1.1'
  return readBody({ method, target, version, headers }, bytes, headEnd + 4)
}

export function valuesOf({ headers }: Pick<Request, 'headers'>, name: string): readonly string[] {
  return headers.filter(([each]) => each === name).map(([, value]) => value)
}

/** RFC 9112, 6.3: without a framing field there is no body, whatever the method (O23). */
function readBody(head: Head, bytes: string, from: number): Reading {
  const broken = { ...head, body: '', isCoded: false, isBroken: true }
  const codings = valuesOf(head, 'transfer-encoding')
  const lengths = valuesOf(head, 'content-length')
  if (codings.length > 0) {
    if (lengths.length > 0) return refused(400)
    if (codings.join(',').toLowerCase() !== 'chunked') {
      return { kind: 'request', request: { ...broken, isCoded: true }, end: bytes.length }
    }
    const reading = readChunks(head, bytes, from)
    if (reading.kind === 'incomplete') return { ...reading, request: broken }
    // O14: its headers are delivered.
    return reading.kind === 'refused' ? { kind: 'request', request: broken, end: bytes.length } : reading
  }
  const [length = '0'] = lengths
  if (!/^\d+$/.test(length) || BigInt(length) >= 2n ** 64n || lengths.length > 1) return refused(400)
  const end = from + Number(length)
  if (bytes.length < end) return { ...INCOMPLETE, request: broken }
  return { kind: 'request', request: { ...broken, body: bytes.slice(from, end), isBroken: false }, end }
}

/** Extensions and trailers carry nothing for this interface. */
function readChunks(head: Head, bytes: string, from: number): Reading {
  let [body, at] = ['', from]
  for (;;) {
    const lineEnd = bytes.indexOf('\r\n', at)
    if (lineEnd === -1) return INCOMPLETE
    const size = CHUNK_SIZE.exec(bytes.slice(at, lineEnd))
    if (size === null) return refused(400)
    const length = Number.parseInt(size[1] ?? '', 16)
    at = lineEnd + 2
    if (length === 0) break
    if (bytes.length < at + length + 2) return INCOMPLETE
    if (bytes.slice(at + length, at + length + 2) !== '\r\n') return refused(400)
    body += bytes.slice(at, at + length)
    at += length + 2
  }
  for (;;) {
    const lineEnd = bytes.indexOf('\r\n', at)
    if (lineEnd === -1) return INCOMPLETE
    const trailer = bytes.slice(at, lineEnd)
    at = lineEnd + 2
    if (trailer === '') return { kind: 'request', request: { ...head, body, isCoded: false, isBroken: false }, end: at }
    if (!FIELD.test(trailer)) return refused(400)
  }
}
