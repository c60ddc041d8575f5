/** One request with its response, and what has been found out about it on the way to the answer. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import proxyAddress from '@fastify/proxy-addr'
import type { Operation } from '../contract/operations.ts'
import type { Admission } from '../domain/access.ts'
import { hasBrokenEscape, pathOf, petIdOf, queryOf } from './target.ts'

/** What a request counts as in the metrics: an operation, a page, or anything else. */
export type Counted = Operation | 'page' | 'other'

/** Whether an address, and how many hops away, is a proxy whose forwarding headers are believed. */
export type TrustProxy = (address: string, hop: number) => boolean

export function trustProxies(addresses: readonly string[]): TrustProxy {
  return proxyAddress.compile([...addresses])
}

export class Exchange {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly method: string
  /** Percent-decoded. */
  readonly path: string
  /** The last segment of getPet's path; undefined at any other path. */
  readonly petId: string | undefined
  /** What the parser lets through and HTTP does not: broken escapes in the target (O18); in HTTP/1.1, no Host or several. */
  readonly isMalformed: boolean
  /** On `performance.now()`'s clock. */
  readonly arrivedAtMs = performance.now()
  readonly #trust: TrustProxy
  operation: Counted = 'other'
  /** Who is asking and what is left to them, once that is known. */
  admission: Admission | undefined

  constructor(request: IncomingMessage, response: ServerResponse, trust: TrustProxy) {
    this.request = request
    this.response = response
    this.method = request.method ?? ''
    this.path = pathOf(this.target)
    this.petId = petIdOf(this.path)
    this.isMalformed = isMalformed(request)
    this.#trust = trust
  }

  get target(): string {
    return this.request.url ?? ''
  }

  get query(): string {
    return queryOf(this.target)
  }

  get headers() {
    return this.request.headers
  }

  /** The client's address: the connection's, or what trusted proxies say (O14). */
  get ip(): string {
    return proxyAddress(this.request, this.#trust) ?? ''
  }

  /** Whether a body follows the headers. */
  get hasBody(): boolean {
    return this.headers['content-length'] !== undefined || this.headers['transfer-encoding'] !== undefined
  }

  /** GET, or HEAD, which is answered like it (O23). */
  get isRead(): boolean {
    return this.method === 'GET' || this.method === 'HEAD'
  }
}

function isMalformed({ url = '', rawHeaders, httpVersion }: IncomingMessage): boolean {
  const hosts = countHosts(rawHeaders)
  return hosts > 1 || (hosts === 0 && httpVersion === '1.1') || hasBrokenEscape(url)
}

function countHosts(rawHeaders: readonly string[]): number {
  let hosts = 0
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i]
    if (name?.length === 4 && name.toLowerCase() === 'host') hosts += 1
  }
  return hosts
}
