/**
 * The id by which a person can quote one request: in every response from 400 up and in the log. It is this software's
 * own, not the interface's. Generated only when needed, so that other responses do not pay for it.
 */
import type { IncomingMessage } from 'node:http'
import type { TrustProxy } from './client-address.ts'

export const REQUEST_ID_HEADER = 'X-Request-Id'

/** What a proxy may give as an id: visible ASCII, so that it can stand in a header, in a log and in a message. */
const GIVEN_ID = /^[!-~]{1,128}$/

/** The id that a trusted proxy has given to the request, or else a new one; also for what never became a request. */
export type IdOf = (request: IncomingMessage | undefined) => string

/** `make` gives a new id each time. */
export function requestIds(make: () => string, trust: TrustProxy): IdOf {
  return (request) => {
    const header = request?.headers['x-request-id']
    const isGiven = typeof header === 'string' && GIVEN_ID.test(header)
    return isGiven && trust(request?.socket.remoteAddress ?? '', 0) ? header : make()
  }
}
