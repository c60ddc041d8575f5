/** The errors of a call, a class for each case that a caller would handle differently. None contains the API key. */
import type { PlatformHeaders } from './platform.ts'

/** In characters. */
const EXCERPT_LENGTH = 80
/** How Node, Bun and Deno report that no connection was made: nothing was sent. */
const UNCONNECTED =
  /ECONNREFUSED|ENOTFOUND|EAI_AGAIN|CONNECT_TIMEOUT|^\S* (?:connect|getaddrinfo) |client error \(Connect\)/
/** How they report that no attempt can succeed, because of TLS or a port that fetch refuses. Nothing was sent. */
const UNUSABLE =
  /^(?:CERT_|UNABLE_TO_|SELF_SIGNED|DEPTH_ZERO|ERR_TLS_CERT|ERR_SSL_WRONG)|peer certificate|corrupt message|handshake failed| bad port$/
/** What platforms without codes report. */
const OF_A_NETWORK = /network|fetch|load failed|connect|socket|terminated/i

/** The common properties of every failed call. */
export class CallError extends Error {
  override readonly name: string = 'CallError'
  /** The method of the request, as in `POST`. */
  declare readonly method: string
  /** The path of the request below the base address, as in `/pets`. */
  declare readonly path: string
  /**
   * Whether the service may have added the animal despite the error. False for a GET, for a refusal, and if the request
   * did not reach the service.
   */
  declare readonly mayBeDone: boolean

  constructor(message: string, method: string, path: string, mayBeDone: boolean, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause })
    this.method = method
    this.path = path
    this.mayBeDone = mayBeDone
  }
}

export type AnswerDetails = Pick<AnswerError, 'status'> &
  Partial<Pick<AnswerError, 'retryAfter' | 'requestId' | 'location' | 'headers'>>

/** A response arrived, and it was not the expected one. */
export class AnswerError extends CallError {
  override readonly name: string = 'AnswerError'
  /** The HTTP status. */
  declare readonly status: number
  /** How long the service asks to wait before the next request, in seconds; undefined if it does not ask. */
  declare readonly retryAfter: number | undefined
  /** The `X-Request-Id` of the response, if the service or a proxy sends one: quote it when you ask for help. */
  declare readonly requestId: string | undefined
  /** Where a redirect points, which the client does not follow. */
  declare readonly location: string | undefined
  /** The headers of the response; undefined if nothing was sent, because an earlier 429 still holds. */
  declare readonly headers: PlatformHeaders | undefined

  constructor(message: string, method: string, path: string, answer: AnswerDetails) {
    super(message, method, path, mayBeDone(method, answer.status))
    Object.assign(this, answer)
  }
}

/** The service answered with an Error of the interface; `message` is its text for people. */
export class PetAdoptionError extends AnswerError {
  override readonly name = 'PetAdoptionError'
  /** The code for programs, as in `rate_limited`. */
  declare readonly code: string

  constructor(code: string, message: string, method: string, path: string, answer: AnswerDetails) {
    super(message, method, path, answer)
    this.code = code
  }

  /**
   * Whether this is such an error. Unlike `instanceof` it also recognises the errors of another copy of this package,
   * as when two dependencies each bring one.
   */
  static is(error: unknown): error is PetAdoptionError {
    return (error as Partial<Error> | null | undefined)?.name === 'PetAdoptionError'
  }
}

/** The response is not part of the interface, as when a proxy answers with its own page. */
export class UnexpectedAnswerError extends AnswerError {
  override readonly name = 'UnexpectedAnswerError'

  // `problem` says what is wrong with the response, `text` is its body; neither may contain the API key.
  constructor(problem: string, text: string, method: string, path: string, answer: AnswerDetails) {
    const { status, headers } = answer
    const type = headers?.get('Content-Type') ?? 'no content type'
    const what = `the answer is not one of the pet adoption interface (status ${status}, ${type})`
    const excerpt = text === '' ? '' : `; it begins ${JSON.stringify(text.slice(0, EXCERPT_LENGTH))}`
    super(`${method} ${path}: ${what}: ${problem}${excerpt}${doubt(mayBeDone(method, status))}`, method, path, answer)
  }
}

/** No response arrived, or only a part of one: the connection failed. The platform's error is the `cause`. */
export class NetworkError extends CallError {
  override readonly name = 'NetworkError'
  /** Whether another attempt would fail in the same way, as with a certificate that is not valid. */
  declare readonly isPermanent: boolean

  constructor(method: string, path: string, cause: unknown, isOwnFetch = false) {
    const reasons = reasonsOf(cause)
    const is = (pattern: RegExp) =>
      reasons.some(({ code, syscall, message }) => pattern.test(`${code} ${syscall} ${message}`))
    const isUnusable = is(UNUSABLE)
    const isFault = isOwnFetch && reasons.length < 2 && !reasons[0]?.code && !is(OF_A_NETWORK)
    const isUnsent = isUnusable || is(UNCONNECTED)
    const isDoubtful = !isUnsent && mayBeDone(method)
    const why = messageOf(reasons, cause)
    const what = isFault ? 'given fetch' : 'connection'
    const outcome = isUnsent && method !== 'GET' ? '; the service did not get the request' : doubt(isDoubtful)
    super(`${method} ${path}: the ${what} failed${why}${outcome}`, method, path, isDoubtful, cause)
    this.isPermanent = isUnusable || isFault
  }
}

/**
 * The call was ended by its `signal`, or by what a hook such as `onRetry` threw: that is the `cause`. `mayBeDone` says
 * whether a request was under way.
 */
export class AbortedError extends CallError {
  override readonly name = 'AbortedError'

  constructor(method: string, path: string, reason: unknown, isDoubtful: boolean) {
    const why = messageOf(reasonsOf(reason), reason)
    super(`${method} ${path}: aborted${why}${doubt(isDoubtful)}`, method, path, isDoubtful, reason)
  }
}

/** The response did not arrive completely within the client's `timeout`. */
export class TimeoutError extends CallError {
  override readonly name = 'TimeoutError'

  constructor(method: string, path: string, timeoutMs: number) {
    const isDoubtful = mayBeDone(method)
    super(`${method} ${path}: no answer within ${timeoutMs} ms${doubt(isDoubtful)}`, method, path, isDoubtful)
  }
}

interface Reason {
  readonly message?: string
  readonly code?: string
  readonly syscall?: string
  readonly cause?: unknown
  readonly errors?: readonly unknown[]
}

/** Innermost first. The cause of an error of Node's fetch can be an AggregateError, with an error for each address. */
function reasonsOf(error: unknown, depth = 4): Reason[] {
  if (depth === 0 || typeof error !== 'object' || error === null) return []
  const { cause, errors = [] }: Reason = error
  return [...[cause].concat(errors).flatMap((inner) => reasonsOf(inner, depth - 1)), error]
}

function messageOf(reasons: readonly Reason[], thrown: unknown): string {
  const text = reasons.map(({ message, code }) => message || code).find(Boolean) ?? (reasons[0] ? undefined : thrown)
  return text ? ` (${`${text}`.replace(/\s+/g, ' ').trim()})` : ''
}

/** After a 4xx or 501 nothing was done. */
export function mayBeDone(method: string, status = 500): boolean {
  return method !== 'GET' && (status < 400 || (status >= 500 && status !== 501))
}

function doubt(isDoubtful: boolean): string {
  return isDoubtful ? '; the service may have carried the request out' : ''
}
