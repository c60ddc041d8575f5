/**
 * What a call can fail with: one class for each thing that a caller would handle differently, all of them naming the
 * request and none of them holding the API key. An aborted call is none of these: it fails with its signal's reason.
 */

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
}

/** The answer is not one of the interface, as when a proxy answers with a page of its own. */
export class UnexpectedAnswerError extends AnswerError {
  override readonly name = 'UnexpectedAnswerError'

  constructor(contentType: string | null, method: string, path: string, answer: AnswerDetails) {
    const what = `status ${answer.status}, ${contentType ?? 'no content type'}`
    super(`${method} ${path}: the answer is not one of the pet adoption interface (${what})`, method, path, answer)
  }
}

/** No answer came, or only a part of one: the connection failed. What the platform said of it is the `cause`. */
export class NetworkError extends CallError {
  override readonly name = 'NetworkError'

  constructor(method: string, path: string, cause: unknown) {
    super(`${method} ${path}: the connection failed${reasonOf(cause)}${doubt(method)}`, method, path, cause)
  }
}

/** The answer did not come, or not to its end, within the client's `timeout`. */
export class TimeoutError extends CallError {
  override readonly name = 'TimeoutError'

  constructor(method: string, path: string, timeoutMs: number) {
    super(`${method} ${path}: no answer within ${timeoutMs} ms${doubt(method)}`, method, path)
  }
}

/** Node's fetch says only that it failed, and why in the cause of its error. */
function reasonOf(cause: unknown): string {
  const inner = cause instanceof Error && cause.cause instanceof Error ? cause.cause : cause
  return inner instanceof Error && inner.message !== '' ? ` (${inner.message})` : ''
}

function doubt(method: string): string {
  return method === 'GET' ? '' : '; the service may have carried the request out all the same'
}
