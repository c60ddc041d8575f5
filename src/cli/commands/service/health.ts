/** `pets health`: whether the service is ready, for probes and for people. */
import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { isIPv6 } from 'node:net'
import { text } from 'node:stream/consumers'
import { InvalidArgumentError } from 'commander'
import type { Clock } from '../../../common/clock.ts'
import { codeOf } from '../../../common/errors.ts'
import { databaseFile, runningService, serverIdentity } from '../../../store/open.ts'
import type { Cli } from '../../cli.ts'
import { command } from '../../command.ts'
import { CommandFailed, option } from '../../options.ts'
import { operatorPortUsesTls } from '../../serve/config.ts'
import type { ServeOptions } from '../../serve/options.ts'
import { serviceSettings } from '../../settings.ts'

/** Where `npm start` has it. */
const DEFAULT_OPERATOR_PORT = 8081
/** How long the service may take to answer. */
const TIMEOUT_MS = 5_000

export const health = command({
  about: 'Ask the operator port whether the service is ready: exits 0 when it is, and 1 with the reason.',
  examples: ['pets health', 'pets health --url https://pets.example:8081 --ca ca.pem'],
  takes: (command) =>
    command
      .addOption(urlOption())
      .addOption(caOption())
      .addOption(option('--config <file>', 'the settings of the service')),
  database: false,
  async action({ cli }, options) {
    const port = portOf(cli, options)
    const { isReady, sentence } =
      port === undefined
        ? await checkService(cli, serviceSettings(cli, options.config))
        : await checkReadiness(port, cli.clock)
    if (!isReady) throw new CommandFailed(sentence)
    return `${sentence}\n`
  },
})

export function urlOption() {
  return option('--url <url>', 'the operator port (default: that of the settings, on this machine)', address)
}

export function caOption() {
  return option('--ca <file>', 'with --url https://…: the certificates that may have signed its own, PEM')
}

/** That of `--url`; undefined without it. */
export function portOf(
  cli: Cli,
  { url, ca }: { readonly url?: string | undefined; readonly ca?: string | undefined },
): OperatorPort | undefined {
  if (url === undefined) return undefined
  return { url, ca: ca === undefined ? undefined : cli.read(ca, '--ca'), isChecked: true }
}

function address(text: string): string {
  const url = URL.parse(text)
  if (url !== null && /^https?:$/.test(url.protocol) && url.pathname === '/') return url.origin
  throw new InvalidArgumentError('It must be an address without a path, such as http://127.0.0.1:8081.')
}

interface OperatorPort {
  readonly url: string
  /**
   * Trusted certificate authorities, PEM; undefined for those of the system. Without `isChecked` the certificate of the
   * service is not verified.
   */
  readonly ca?: Buffer | undefined
  readonly isChecked: boolean
}

/** The address of the operator port with these settings, on this machine. */
function localUrl(settings: ServeOptions): string {
  const scheme = operatorPortUsesTls(settings) ? 'https' : 'http'
  const host = isIPv6(settings.operatorHost) ? `[${settings.operatorHost}]` : settings.operatorHost
  return `${scheme}://${host}:${settings.operatorPort ?? DEFAULT_OPERATOR_PORT}`
}

/**
 * Whether the service of these settings is ready, and what it says of itself: the one that serves their database, not
 * another that happens to have the port.
 */
export async function checkService(cli: Cli, settings: ServeOptions, override?: OperatorPort) {
  const url = cli.databaseUrl(settings.database)
  const file = databaseFile(url)
  const service = await runningService(url)
  // Not verified: its certificate names the public host of the office, and the connection does not leave the machine.
  const own = { url: service?.operatorUrl ?? localUrl(settings), isChecked: false }
  // The loopback address for a port that listens on all addresses.
  const loopback = own.url.replace('//0.0.0.0:', '//127.0.0.1:').replace('//[::]:', '//[::1]:')
  const port = override ?? { ...own, url: loopback }
  const { status, ...readiness } = await checkReadiness(port, cli.clock)
  const isNot = (sentence: string) => ({ service, isReady: false, sentence })
  if (file !== undefined && service === undefined) {
    const other = status === undefined ? '' : `; what answers at ${port.url} is another service`
    return isNot(`No service runs on ${file}${other}. Start it, or name its settings with --config.`)
  }
  const identity = service?.database ?? (await serverIdentity(url))
  if (identity !== undefined && status?.database !== undefined && status.database !== identity) {
    return isNot(`What answers at ${port.url} is the service of another database; see --operator-port.`)
  }
  return { service, ...readiness }
}

/** Asks /readyz. The sentence is for people; probes act on `isReady`. */
async function checkReadiness({ url, ca, isChecked }: OperatorPort, clock: Clock): Promise<Readiness> {
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
    return readinessOf(url, response.statusCode ?? 0, await text(response))
  } catch (error) {
    const why = ended.signal.aborted ? `it did not answer within ${TIMEOUT_MS / 1_000} s` : reasonOf(error)
    return { isReady: false, sentence: `The service cannot be asked at ${url}: ${why}.` }
  } finally {
    clock.cancel(timer)
  }
}

interface Readiness {
  readonly isReady: boolean
  readonly sentence: string
  /** Undefined where no service answers. */
  readonly status?: ServiceStatus
}

interface ServiceStatus {
  readonly status: string
  readonly trouble?: string | undefined
  /** The identity of its database; undefined before 2.1.0. */
  readonly database?: string | undefined
}

function readinessOf(url: string, status: number, body: string): Readiness {
  const parsed = parseStatus(body)
  if (parsed === undefined) {
    const what = 'is not the operator port of the service'
    return { isReady: false, sentence: `What answers at ${url} ${what} (status ${status}); see --operator-port.` }
  }
  const isReady = status === 200
  const is = isReady ? parsed.status : 'not ready'
  const trouble = (parsed.trouble ?? (isReady ? '' : parsed.status)).replace(/\.$/, '')
  const why = trouble === '' ? '' : `: ${trouble.slice(0, 1).toLowerCase()}${trouble.slice(1)}`
  return { isReady, sentence: `The service at ${url} is ${is}${why}.`, status: parsed }
}

function parseStatus(body: string): ServiceStatus | undefined {
  try {
    const parsed: unknown = JSON.parse(body)
    if (typeof parsed !== 'object' || parsed === null || !('status' in parsed) || typeof parsed.status !== 'string')
      return
    const textOf = (name: 'trouble' | 'database') =>
      name in parsed ? String(parsed[name as keyof typeof parsed]) : undefined
    return { status: parsed.status, trouble: textOf('trouble'), database: textOf('database') }
  } catch {
    return undefined
  }
}

const OTHER_SCHEME = 'it does not speak as it should; see whether it is http or https'
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
