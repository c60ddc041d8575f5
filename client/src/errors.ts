/**
 * What a call can fail with. One class for each thing that a caller would handle differently, all of them naming the
 * request and none of them holding the API key. An aborted call is none of these: it fails with its signal's reason.
 */

/** What every failed call tells. */
export abstract class CallError extends Error {
  /** The method of the request, as in `POST`. */
  readonly method: string
  /** The path of the request below the base address, as in `/pets`. */
  readonly path: string

  constructor(message: string, method: string, path: string, options?: ErrorOptions) {
    super(message, options)
    this.name = new.target.name
    this.method = method
    this.path = path
  }
}

/** What an answer tells besides its body. */
export interface AnswerDetails {
  /** The HTTP status. */
  readonly status: number
  /** Seconds that the service asks to wait before the next request, where it says so. */
  readonly retryAfter: number | undefined
  /** The answer's `X-Request-Id`, where the service or a proxy sends one: what to quote when asking for help. */
  readonly requestId: string | undefined
}

/** The service answered with an error of the interface. */
export class PetAdoptionError extends CallError implements AnswerDetails {
  override readonly name = 'PetAdoptionError'
}
