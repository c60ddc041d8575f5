/** The id by which a person can quote a request, in responses from 400 up and in the log; created only when needed. */
import type { IncomingMessage } from 'node:http'
import type { TrustProxy } from './client-address.ts'

export const REQUEST_ID_HEADER = 'X-Request-Id'

/** An id from a proxy: visible ASCII, for headers, log and messages. */
const GIVEN_ID = /^[!-~]{1,128}$/

/** The id from a trusted proxy, or a new one. */
export type IdOf = (request: IncomingMessage | undefined) => string

export function requestIds(make: () => string, trust: TrustProxy): IdOf {
  return (request) => {
    const header = request?.headers['x-request-id']
    const isGiven = typeof header === 'string' && GIVEN_ID.test(header)
    return isGiven && trust(request?.socket.remoteAddress ?? '', 0) ? header : make()
  }
}
