/**
 * The responses to a request that is not fulfilled, each stated once (R6, R16, O8, O23): an Error as the body, and the
 * headers that HTTP requires with it.
 */
import { errorBody } from '../contract/errors.ts'
import type { Verdict } from '../contract/limits.ts'
import { StoreUnavailable } from '../store/store.ts'
import { type Answer, json } from './answer.ts'

const HELD_RETRY_AFTER_S = 1

export function error(status: number, message: string, headers?: readonly string[]): Answer {
  return json(status, JSON.stringify(errorBody(status, message)), headers)
}

/** 429 with the time to wait (R16). */
export function rateLimited(verdict: Verdict): Answer {
  const wait = verdict.retryAfterS
  const why =
    verdict.bannedUntilMs === undefined
      ? `The limit of ${verdict.limit} requests is used up`
      : 'This key is banned for a time, because it went on asking after its limit was used up'
  return error(429, `${why}; try again in ${wait} s.`, ['Retry-After', String(wait)])
}

function unavailable(message: string, retryAfterS: number, cause?: unknown): Answer {
  return { ...error(503, message, ['Retry-After', String(retryAfterS)]), cause }
}

export const MALFORMED = error(400, 'This is not a valid HTTP request.')
export const TARGET_TOO_LONG = error(414, 'The address is too long.')

export const TOO_MUCH_HELD = unavailable(
  'Too much that clients have not sent or read to its end is waiting here; try again.',
  HELD_RETRY_AFTER_S,
)
export const UNAUTHORIZED = error(401, 'A valid API key is needed: Authorization: Bearer <API_KEY>.', [
  'WWW-Authenticate',
  'Bearer',
])
export const NOT_FOUND = error(404, 'There is nothing at this path.')
export const BODY_TOO_LARGE = error(413, 'The body is too large.')
export const UNEXPECTED = error(417, 'The only expectation met here is 100-continue.')
export const UNKNOWN_CODING = error(501, 'The only transfer coding read here is chunked.')
export const NO_ORDERS = error(501, 'Listing orders is not part of this service.')

/** `sent` is what came instead, as a part of a sentence. */
export function unsupportedMediaType(sent: string): Answer {
  return error(415, `The body must be application/json without a content coding; ${sent}.`)
}

export function methodNotAllowed(allow: string): Answer {
  return error(405, `This path answers ${allow}.`, ['Allow', allow])
}

/** What a client may know of a failure. `id` is the id of the request, to be quoted. */
export function failed(cause: unknown, id: string): Answer {
  if (!(cause instanceof StoreUnavailable)) {
    return { ...error(500, `Something went wrong here, not with the request; when you report it, quote ${id}.`), cause }
  }
  const message =
    cause.outcome === 'unknown'
      ? 'The service cannot say whether this was done; look before you try again.'
      : 'The service cannot answer at the moment; try again.'
  return unavailable(message, cause.retryAfterS, cause)
}
