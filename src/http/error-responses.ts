/** The error responses (R6, R16, O8, O23): an Error as the body, and the headers that HTTP requires with it. */
import { errorBody } from '../contract/errors.ts'
import type { Verdict } from '../contract/limits.ts'
import { StoreUnavailable } from '../store/store.ts'
import { type HttpResponse, jsonResponse } from './response.ts'

export function errorResponse(status: number, message: string, headers?: readonly string[]): HttpResponse {
  return jsonResponse(status, JSON.stringify(errorBody(status, message)), headers)
}

/** 429 (R16) of a key, or of the client's address (O14). */
export function rateLimited({ limit, bannedUntilMs, retryAfterS }: Verdict, hasKey: boolean): HttpResponse {
  const whose = hasKey ? 'requests' : 'requests a minute without a valid key from this address'
  const why =
    bannedUntilMs === undefined
      ? `The limit of ${limit} ${whose} is used up`
      : 'This key is temporarily banned because it kept sending requests after reaching its limit'
  return errorResponse(429, `${why}; try again in ${retryAfterS} s.`, ['Retry-After', String(retryAfterS)])
}

function unavailable(message: string, retryAfterS: number, cause?: unknown): HttpResponse {
  return { ...errorResponse(503, message, ['Retry-After', String(retryAfterS)]), cause }
}

export function malformed(why: string): HttpResponse {
  return errorResponse(400, why)
}

export const INCOMPLETE = malformed('The request ends before it is complete.')
export const TARGET_TOO_LONG = errorResponse(414, 'The address is too long.')

export const BUFFERS_FULL = unavailable(
  'Requests and responses of slow clients are using too much memory; try again.',
  1,
)
const NO_KEY = unauthorized('Bearer')
/** RFC 6750 3.1. */
const INVALID_KEY = unauthorized('Bearer error="invalid_token"')
export const NOT_FOUND = errorResponse(404, 'There is nothing at this path.')
export const BODY_TOO_LARGE = errorResponse(413, 'The body is too large.')
export const TOO_MANY_CHUNKS = errorResponse(413, 'The body arrives in too many chunks; send fewer and larger ones.')
export const EXPECTATION_FAILED = errorResponse(417, 'The only expectation supported is 100-continue.')
export const UNSUPPORTED_TRANSFER_CODING = errorResponse(501, 'The only transfer coding supported is chunked.')
export const ORDERS_NOT_IMPLEMENTED = errorResponse(501, 'Listing orders is not part of this service.')

function unauthorized(challenge: string): HttpResponse {
  const message = 'A valid API key is needed: Authorization: Bearer <API_KEY>.'
  return errorResponse(401, message, ['WWW-Authenticate', challenge])
}

export function keyMissing(authorization: string | undefined): HttpResponse {
  return /^bearer +[^ ]/i.test(authorization ?? '') ? INVALID_KEY : NO_KEY
}

/** `reason` names what was sent, as a part of a sentence; `accepts` is the header for what is accepted. */
export function unsupportedMediaType(reason: string, accepts: readonly string[]): HttpResponse {
  return errorResponse(415, `The body must be application/json without a content coding; ${reason}.`, accepts)
}

export function methodNotAllowed(allow: string): HttpResponse {
  return errorResponse(405, `This path accepts ${allow}.`, ['Allow', allow])
}

/** `id` is the request id, for the client to quote. */
export function failureResponse(cause: unknown, id: string): HttpResponse {
  if (!(cause instanceof StoreUnavailable)) {
    const message = `Something went wrong in the service, not with the request; if you report it, quote ${id}.`
    return { ...errorResponse(500, message), cause }
  }
  const message =
    cause.outcome === 'unknown'
      ? 'The service cannot tell whether this was done; check before you try again.'
      : 'The service cannot answer at the moment; try again.'
  return unavailable(message, cause.retryAfterS, cause)
}
