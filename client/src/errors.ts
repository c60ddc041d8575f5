/**
 * What a call can fail with: one class for each thing that a caller would handle differently, all of them naming the
 * request and none of them holding the API key. An aborted call is none of these: it fails with its signal's reason.
 */

/** How many characters of an answer that is not understood are shown. */
const EXCERPT_LENGTH = 80

/** What every failed call tells. */
export class CallError extends Error {
  override readonly name: string = 'CallError'
  /** The method of the request, as in `POST`. */
  readonly method: string
  /** The path of the request below the base address, as in `/pets`. */
  readonly path: string

  constructor(message: string, method: string, path: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause })
    this.method = method
    this.path = path
  }
}

/** What an answer tells besides its body. */
export interface AnswerDetails {
  /** The HTTP status. */
  readonly status: number
  /** Seconds that the service asks to wait before the next request, where it asks. */
  readonly retryAfter: number | undefined
  /** The answer's `X-Request-Id`, where the service or a proxy sends one: quote it when you ask for help. */
  readonly requestId: string | undefined
}

/** An answer came, and it was not what the call was for. */
export class AnswerError extends CallError implements AnswerDetails {
  override readonly name: string = 'AnswerError'
  /** The HTTP status. */
  readonly status: number
  /** Seconds that the service asks to wait before the next request, where it asks. */
  readonly retryAfter: number | undefined
  /** The answer's `X-Request-Id`, where the service or a proxy sends one: quote it when you ask for help. */
  readonly requestId: string | undefined

  constructor(message: string, method: string, path: string, answer: AnswerDetails) {
    super(message, method, path)
    this.status = answer.status
    this.retryAfter = answer.retryAfter
    this.requestId = answer.requestId
  }
}

/** The service answered with an Error of the interface; `message` is what it says to people. */
export class PetAdoptionError extends AnswerError {
  override readonly name = 'PetAdoptionError'
  /** What it says to programs, as in `rate_limited`. */
  readonly code: string

  constructor(code: string, message: string, method: string, path: string, answer: AnswerDetails) {
    super(message, method, path, answer)
    this.code = code
  }

  /**
   * Whether this is such an error. Unlike `instanceof` it also knows the errors of another copy of this package, as when
   * two dependencies each bring their own.
   */
  static is(error: unknown): error is PetAdoptionError {
    return (error as Partial<Error> | null | undefined)?.name === 'PetAdoptionError'
  }
}

/** The answer is not one of the interface, as when a proxy answers with a page of its own. */
export class UnexpectedAnswerError extends AnswerError {
  override readonly name = 'UnexpectedAnswerError'

  // `problem` says what is wrong with the answer, `text` is its body; neither may hold the API key.
  constructor(
    contentType: string | null,
    problem: string,
    text: string,
    method: string,
    path: string,
    answer: AnswerDetails,
  ) {
    const what = `the answer is not one of the pet adoption interface (status ${answer.status}, ${contentType ?? 'no content type'})`
    const excerpt = text === '' ? '' : `; it begins ${JSON.stringify(text.slice(0, EXCERPT_LENGTH))}`
    const isRefused = answer.status === 429
    super(`${method} ${path}: ${what}: ${problem}${excerpt}${isRefused ? '' : doubt(method)}`, method, path, answer)
  }
}

/** No answer came, or only a part of one: the connection failed. What the platform said of it is the `cause`. */
export class NetworkError extends CallError {
  override readonly name = 'NetworkError'

  constructor(method: string, path: string, cause: unknown) {
    const reason = reasonOf(cause)
    const why = reason === '' ? '' : ` (${reason})`
    super(`${method} ${path}: the connection failed${why}${doubt(method)}`, method, path, cause)
  }
}

/** The answer did not come, or not to its end, within the client's `timeout`. */
export class TimeoutError extends CallError {
  override readonly name = 'TimeoutError'

  constructor(method: string, path: string, timeoutMs: number) {
    super(`${method} ${path}: no answer within ${timeoutMs} ms${doubt(method)}`, method, path)
  }
}

/**
 * What failed, said by the innermost error that says anything. Node's fetch says only that it failed, with the reason as
 * its cause, and that may be an AggregateError without a message around one error for each address that was tried.
 */
function reasonOf(error: unknown, depth = 4): string {
  if (depth === 0 || typeof error !== 'object' || error === null) return ''
  const { cause, errors, message, code } = error as Partial<AggregateError & { cause: unknown; code: string }>
  const inner = [cause].concat(errors ?? []).map((each) => reasonOf(each, depth - 1))
  return inner.find(Boolean) || message || code || ''
}

function doubt(method: string): string {
  return method === 'GET' ? '' : '; the service may have carried the request out all the same'
}
