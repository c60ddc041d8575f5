/**
 * The errors of a call: one class for each case that a caller would handle differently. All of them name the request,
 * and none contains the API key. An aborted call fails with its signal's reason instead.
 */

/** How many characters of an unexpected response a message quotes. */
const EXCERPT_LENGTH = 80
/** Node's error codes for a connection that was never made, so that nothing was sent. */
const UNCONNECTED = /^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN|UND_ERR_CONNECT_TIMEOUT)$/

/** The common properties of every failed call. */
export class CallError extends Error {
  override readonly name: string = 'CallError'
  /** The method of the request, as in `POST`. */
  readonly method: string
  /** The path of the request below the base address, as in `/pets`. */
  readonly path: string
  /**
   * Whether the service may have added the animal despite the error. False for a GET, for a refusal, and if the request
   * did not reach the service.
   */
  readonly mayBeDone: boolean

  constructor(message: string, method: string, path: string, mayBeDone: boolean, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause })
    this.method = method
    this.path = path
    this.mayBeDone = mayBeDone
  }
}

/** The common properties of a response. */
export interface AnswerDetails {
  /** The HTTP status. */
  readonly status: number
  /** How long the service asks to wait before the next request, in seconds; undefined if it does not ask. */
  readonly retryAfter: number | undefined
  /** The `X-Request-Id` of the response, if the service or a proxy sends one: quote it when you ask for help. */
  readonly requestId: string | undefined
}

/** A response arrived, and it was not the expected one. */
export class AnswerError extends CallError implements AnswerDetails {
  override readonly name: string = 'AnswerError'
  /** The HTTP status. */
  readonly status!: number
  /** How long the service asks to wait before the next request, in seconds; undefined if it does not ask. */
  readonly retryAfter: number | undefined
  /** The `X-Request-Id` of the response, if the service or a proxy sends one: quote it when you ask for help. */
  readonly requestId: string | undefined

  constructor(message: string, method: string, path: string, answer: AnswerDetails) {
    super(message, method, path, mayBeDone(method, answer.status))
    Object.assign(this, answer)
  }
}

/** The service answered with an Error of the interface; `message` is its text for people. */
export class PetAdoptionError extends AnswerError {
  override readonly name = 'PetAdoptionError'
  /** The code for programs, as in `rate_limited`. */
  readonly code: string

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
  constructor(
    contentType: string | null,
    problem: string,
    text: string,
    method: string,
    path: string,
    answer: AnswerDetails,
  ) {
    const { status } = answer
    const what = `the answer is not one of the pet adoption interface (status ${status}, ${contentType ?? 'no content type'})`
    const excerpt = text === '' ? '' : `; it begins ${JSON.stringify(text.slice(0, EXCERPT_LENGTH))}`
    super(`${method} ${path}: ${what}: ${problem}${excerpt}${doubt(mayBeDone(method, status))}`, method, path, answer)
  }
}

/** No response arrived, or only a part of one: the connection failed. The platform's error is the `cause`. */
export class NetworkError extends CallError {
  override readonly name = 'NetworkError'

  constructor(method: string, path: string, cause: unknown) {
    const reason = reasonOf(cause, ({ message, code }) => message || code)
    const isUnsent = reasonOf(cause, ({ code = '' }) => UNCONNECTED.exec(code)?.[0]) !== ''
    const isDoubtful = !isUnsent && mayBeDone(method)
    const outcome = isUnsent && method !== 'GET' ? '; the service did not get the request' : doubt(isDoubtful)
    const why = reason === '' ? '' : ` (${reason})`
    super(`${method} ${path}: the connection failed${why}${outcome}`, method, path, isDoubtful, cause)
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

/**
 * The response to `createPet` was lost, and looking for the animal did not tell whether it was added. The error of the
 * lost response is the `cause`.
 */
export class UnknownOutcomeError extends CallError {
  override readonly name = 'UnknownOutcomeError'

  constructor(why: string, lost: CallError) {
    super(
      `${lost.method} ${lost.path}: unknown whether the animal was added: ${why}`,
      lost.method,
      lost.path,
      true,
      lost,
    )
  }
}

interface Reason {
  readonly message?: string
  readonly code?: string
  readonly cause?: unknown
  readonly errors?: readonly unknown[]
}

/**
 * The reason given by the innermost error. Node's fetch only says that it failed: the reason is its cause, which may be
 * an AggregateError without a message that holds one error for each address tried.
 */
function reasonOf(error: unknown, say: (reason: Reason) => string | undefined, depth = 4): string {
  if (depth === 0 || typeof error !== 'object' || error === null) return ''
  const reason: Reason = error
  const inner = [reason.cause].concat(reason.errors ?? []).map((each) => reasonOf(each, say, depth - 1))
  return inner.find(Boolean) || say(reason) || ''
}

/** After a 4xx or 501 nothing was done. After any other failure of a POST it is unknown. */
function mayBeDone(method: string, status = 500): boolean {
  return method !== 'GET' && (status < 400 || (status >= 500 && status !== 501))
}

function doubt(isDoubtful: boolean): string {
  return isDoubtful ? '; the service may have carried the request out' : ''
}
