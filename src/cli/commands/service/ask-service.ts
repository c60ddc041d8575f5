/** Asks the operator port of a service for `/readyz`. */
import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { isIPv6 } from 'node:net'
import { text } from 'node:stream/consumers'
import type { Clock } from '../../../common/clock.ts'
import { codeOf } from '../../../common/errors.ts'
import type { Finding } from '../../../operator/findings.ts'
import { operatorPortUsesTls } from '../../serve/config.ts'
import type { ServeOptions } from '../../serve/options.ts'

/** The port of `npm start`. */
const DEFAULT_OPERATOR_PORT = 8081
const TIMEOUT_MS = 5_000

export interface Readiness {
  /** The identity of its database. */
  readonly database: string
  readonly findings: readonly Finding[]
}

export function operatorUrlOf(settings: ServeOptions, url = localUrl(settings)): string {
  // A port that listens on all addresses is reached on loopback.
  return url.replace('//0.0.0.0:', '//127.0.0.1:').replace('//[::]:', '//[::1]:')
}

function localUrl(settings: ServeOptions): string {
  const scheme = operatorPortUsesTls(settings) ? 'https' : 'http'
  const host = isIPv6(settings.operatorHost) ? `[${settings.operatorHost}]` : settings.operatorHost
  return `${scheme}://${host}:${settings.operatorPort ?? DEFAULT_OPERATOR_PORT}`
}

/** Returns a sentence if the service does not respond. */
export async function askService(url: string, clock: Clock): Promise<Readiness | string> {
  const ended = new AbortController()
  const timer = clock.after(TIMEOUT_MS, () => ended.abort())
  try {
    const target = new URL('/readyz', url)
    const options = { signal: ended.signal, agent: false }
    // The certificate names the public host, and the connection stays on this machine.
    const request =
      target.protocol === 'https:'
        ? process.getBuiltinModule('node:https').request(target, { ...options, rejectUnauthorized: false })
        : process.getBuiltinModule('node:http').request(target, options)
    request.end()
    const [response] = (await once(request, 'response')) as [IncomingMessage]
    const readiness = parse(url, await text(response))
    const what = `The server at ${url} is not the operator port of the service (status ${response.statusCode})`
    return readiness ?? `${what}. Check --operator-port.`
  } catch (error) {
    const why = ended.signal.aborted
      ? `it did not respond within ${TIMEOUT_MS / 1_000} s`
      : String(codeOf(error) ?? error)
    return `The service at ${url} is not responding: ${why}.`
  } finally {
    clock.cancel(timer)
  }
}

function parse(url: string, body: string): Readiness | undefined {
  try {
    const { status, database, findings = [] }: Partial<Readiness> & { readonly status?: string } = JSON.parse(body)
    if (typeof status !== 'string' || typeof database !== 'string') return undefined
    const isExplained = status === 'ready' || findings.some(({ kind }) => kind === 'cannot serve')
    const down = { kind: 'cannot serve', sentence: `The service at ${url} is ${status}.` } as const
    return { database, findings: isExplained ? findings : [down, ...findings] }
  } catch {
    return undefined
  }
}
