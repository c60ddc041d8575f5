/** Requests by their lines, for what no HTTP client sends. */

import { USER_AGENT } from '../suite.ts'
import { ACCEPT, KEY } from './request.ts'

export const BEARER = `Authorization: Bearer ${KEY}`
/** What every well-behaved client says, and that the answer is the last on its connection. */
const COMMON = [`User-Agent: ${USER_AGENT}`, `Accept: ${ACCEPT}`, 'Connection: close']

export function requestLines(
  base: URL,
  method: string,
  path: string,
  ...headers: readonly string[]
): readonly string[] {
  return [`${method} ${base.pathname}${path} HTTP/1.1`, `Host: ${base.host}`, BEARER, ...COMMON, ...headers]
}

/** A creation, whose body is to follow. */
export function jsonRequestLines(base: URL, ...headers: readonly string[]): readonly string[] {
  return requestLines(base, 'POST', '/pets', 'Content-Type: application/json', ...headers)
}
