/** `pets health`: whether the service is ready, for probes and for people. */
import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { isIPv6 } from 'node:net'
import { text } from 'node:stream/consumers'
import { type Command, InvalidArgumentError } from 'commander'
import type { Clock } from '../../../common/clock.ts'
import type { Cli } from '../../cli.ts'
import { command } from '../../command.ts'
import { CommandFailed, option } from '../../options.ts'
import { operatorPortUsesTls } from '../../serve/config.ts'
import type { ServeOptions } from '../../serve/options.ts'
import { serviceSettings } from '../../settings.ts'

// An import statement would also load what node:http loads lazily, such as the WebSocket client (contract/errors.ts).
const { request: requestHttp } = process.getBuiltinModule('node:http')
const { request: requestHttps } = process.getBuiltinModule('node:https')

/** Where `npm start` has it. */
const DEFAULT_OPERATOR_PORT = 8081
/** How long the service may take to answer. */
const TIMEOUT_MS = 5_000

type Options = Readonly<Partial<Record<'url' | 'ca' | 'config', string>>>

export function health(cli: Cli): Command {
  return command(
    'health',
    'Ask the operator port whether the service is ready: exits 0 when it is, and 1 with the reason.',
    ['pets health', 'pets health --url https://pets.example:8081 --ca ca.pem'],
  )
    .option('--url <url>', 'the operator port (default: that of the settings, on this machine)', address)
    .option('--ca <file>', 'with --url https://…: the certificates that may have signed its own, PEM')
    .addOption(option('--config <file>', 'the settings of the service'))
    .action(async (options: Options) => {
      const { isReady, sentence } = await checkReadiness(operatorPort(cli, options), cli.clock)
      if (!isReady) throw new CommandFailed(sentence)
      await cli.print(`${sentence}\n`)
    })
}

function operatorPort(cli: Cli, { url, ca, config }: Options): OperatorPort {
  if (url === undefined) return localOperatorPort(serviceSettings(cli, config))
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

/**
 * The operator port of the service with these settings, on this machine. Its certificate is not verified: it names the
 * public host of the office, and the connection does not leave the machine.
 */
export function localOperatorPort(settings: ServeOptions): OperatorPort {
  const scheme = operatorPortUsesTls(settings) ? 'https' : 'http'
  return {
    url: `${scheme}://${connectableHost(settings.operatorHost)}:${settings.operatorPort ?? DEFAULT_OPERATOR_PORT}`,
    isChecked: false,
  }
}

/** An address to connect to: the loopback address for a port that listens on all addresses. */
function connectableHost(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1'
  if (host === '::') return '[::1]'
  return isIPv6(host) ? `[${host}]` : host
}

/** Asks /readyz. The sentence is for people; probes act on `isReady`. */
export async function checkReadiness({ url, ca, isChecked }: OperatorPort, clock: Clock) {
  const ended = new AbortController()
  const timer = clock.after(TIMEOUT_MS, () => ended.abort())
  try {
    const target = new URL('/readyz', url)
    const options = { signal: ended.signal, agent: false }
    const request =
      target.protocol === 'https:'
        ? requestHttps(target, { ...options, ca, rejectUnauthorized: isChecked })
        : requestHttp(target, options)
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

function readinessOf(url: string, status: number, body: string) {
  const said = parseStatus(body)
  if (said === undefined) {
    const what = 'is not the operator port of the service'
    return { isReady: false, sentence: `What answers at ${url} ${what} (status ${status}); see --operator-port.` }
  }
  const isReady = status === 200
  const trouble = (said.trouble ?? (isReady ? '' : said.status)).replace(/\.$/, '')
  const why = trouble === '' ? '' : `: ${trouble.slice(0, 1).toLowerCase()}${trouble.slice(1)}`
  return { isReady, sentence: `The service at ${url} is ${isReady ? 'ready' : 'not ready'}${why}.` }
}

function parseStatus(body: string): { readonly status: string; readonly trouble?: string | undefined } | undefined {
  try {
    const said: unknown = JSON.parse(body)
    if (typeof said !== 'object' || said === null || !('status' in said) || typeof said.status !== 'string') return
    return { status: said.status, trouble: 'trouble' in said ? String(said.trouble) : undefined }
  } catch {
    return undefined
  }
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const code = 'code' in error ? String(error.code) : ''
  switch (code) {
    case 'ECONNREFUSED':
      return 'nothing listens there; start the service, or name its operator port'
    case 'ECONNRESET':
    case 'EPROTO':
    case 'HPE_INVALID_CONSTANT':
      return 'it does not speak as it should; see whether it is http or https'
    case 'ENOTFOUND':
      return 'there is no such host'
    default:
      return error.message === '' ? code : error.message
  }
}
