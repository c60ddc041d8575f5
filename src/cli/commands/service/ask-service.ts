/** Asks the operator port of a service what `/readyz` says. */
import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { isIPv6 } from 'node:net'
import { text } from 'node:stream/consumers'
import type { Clock } from '../../../common/clock.ts'
import { codeOf } from '../../../common/errors.ts'
import type { Finding } from '../../../operator/findings.ts'
import { operatorPortUsesTls } from '../../serve/config.ts'
import type { ServeOptions } from '../../serve/options.ts'

/** Where `npm start` has it. */
const DEFAULT_OPERATOR_PORT = 8081
/** How long the service may take to answer. */
const TIMEOUT_MS = 5_000

export interface OperatorPort {
  readonly url: string
  /**
   * Trusted certificate authorities, PEM; undefined for those of the system. Without `isChecked` the certificate of the
   * service is not verified.
   */
  readonly ca?: Buffer | undefined
  readonly isChecked: boolean
}

/** What `/readyz` answers. */
export interface Readiness {
  /** The identity of its database. */
  readonly database: string
  readonly findings: readonly Finding[]
}

/** The operator port of the service of these settings, which may say itself where it is. */
export function localPort(settings: ServeOptions, url = localUrl(settings)): OperatorPort {
  // The loopback address for a port that listens on all addresses. The certificate is not verified: it names the public
  // host of the office, and the connection does not leave the machine.
  return { url: url.replace('//0.0.0.0:', '//127.0.0.1:').replace('//[::]:', '//[::1]:'), isChecked: false }
}

function localUrl(settings: ServeOptions): string {
  const scheme = operatorPortUsesTls(settings) ? 'https' : 'http'
  const host = isIPv6(settings.operatorHost) ? `[${settings.operatorHost}]` : settings.operatorHost
  return `${scheme}://${host}:${settings.operatorPort ?? DEFAULT_OPERATOR_PORT}`
}

/** A sentence says why nothing is known. */
export async function askService({ url, ca, isChecked }: OperatorPort, clock: Clock): Promise<Readiness | string> {
  const ended = new AbortController()
  const timer = clock.after(TIMEOUT_MS, () => ended.abort())
  try {
    const target = new URL('/readyz', url)
    const options = { signal: ended.signal, agent: false }
    const request =
      target.protocol === 'https:'
        ? process.getBuiltinModule('node:https').request(target, { ...options, ca, rejectUnauthorized: isChecked })
        : process.getBuiltinModule('node:http').request(target, options)
    request.end()
    const [response] = (await once(request, 'response')) as [IncomingMessage]
    const readiness = parse(url, await text(response))
    const what = `What answers at ${url} is not the operator port of the service (status ${response.statusCode})`
    return readiness ?? `${what}. Check --operator-port.`
  } catch (error) {
    const why = ended.signal.aborted ? `it did not answer within ${TIMEOUT_MS / 1_000} s` : reasonOf(error)
    return `The service cannot be asked at ${url}: ${why}.`
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

const OTHER_SCHEME = 'it does not speak as it should; check whether it is http or https'
const REASONS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing listens there; start the service, or name its operator port',
  ECONNRESET: OTHER_SCHEME,
  EPROTO: OTHER_SCHEME,
  HPE_INVALID_CONSTANT: OTHER_SCHEME,
  ENOTFOUND: 'there is no such host',
}

function reasonOf(error: unknown): string {
  const code = codeOf(error) ?? ''
  return REASONS[code] ?? (error instanceof Error && error.message !== '' ? error.message : code)
}
