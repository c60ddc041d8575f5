/** `pets serve`: reads and checks the configuration, starts the service, and stops it on SIGTERM or SIGINT. */
import { readFileSync } from 'node:fs'
import { isIP } from 'node:net'
import { Command, InvalidArgumentError } from 'commander'
import pino, { type Logger } from 'pino'
import { MAX_BAN_MS, MAX_BAN_WINDOW_MS } from '../contract/limits.ts'
import { type Service, type ServiceConfig, startService } from '../service.ts'
import { CommandFailed, databaseOption, option, publicUrl, wholeNumber } from './options.ts'

const port = wholeNumber(0, 65_535)
const count = wholeNumber(1, 1_000_000_000)
const seconds = { window: wholeNumber(1, MAX_BAN_WINDOW_MS / 1_000), ban: wholeNumber(1, MAX_BAN_MS / 1_000) }
/** How long a request may take to arrive: its headers, and all of it. */
const TIMEOUTS = { headersMs: 10_000, requestMs: 30_000 }

export const serve = new Command('serve')
  .description('Run the service.')
  .addOption(option('--host <address>', 'address to listen on').default('127.0.0.1'))
  .addOption(option('--port <n>', 'public port').default(8080).argParser(port))
  .addOption(databaseOption())
  .addOption(option('--counters <url>', 'redis://… or rediss://…; without it the database keeps the counters'))
  .addOption(
    option('--counters-down <how>', 'when the counter store is gone: count on this node, or answer 503')
      .choices(['local', 'refuse'])
      .default('local'),
  )
  .addOption(option('--operator-port <n>', 'port for /livez, /readyz, /metrics and the dashboard').argParser(port))
  .addOption(
    option('--anonymous-per-minute <n>', 'requests a minute for an address without a key').default(60).argParser(count),
  )
  .addOption(option('--body-limit <bytes>', 'largest body').default(1_048_576).argParser(wholeNumber(1, 1_073_741_824)))
  .addOption(
    option('--trust-proxy <list>', 'proxies whose X-Forwarded-For counts: addresses or networks').argParser(networks),
  )
  .addOption(option('--tls-cert <file>', 'certificate chain, PEM'))
  .addOption(option('--tls-key <file>', 'its private key, PEM'))
  .addOption(option('--public-url <url>', 'base address as clients see it; it ends in /v1').argParser(publicUrl))
  .addOption(option('--first-key', 'when there is no key yet, issue one on the Free plan and show it'))
  .addOption(option('--pages', 'serve the front desk, the reference page and /openapi.json'))
  .addOption(option('--page-links', 'a Link to the next page on lists'))
  .addOption(
    option('--cors-origin <origins>', 'origins whose pages may call, separated by commas; * for all').argParser(
      origins,
    ),
  )
  .addOption(option('--ban-after <n>', 'ban a key after so many 429s').argParser(count))
  .addOption(option('--ban-window <s>', '… within so many seconds').default(60).argParser(seconds.window))
  .addOption(option('--ban-for <s>', '… for so many seconds').default(600).argParser(seconds.ban))
  .addOption(
    option('--log-level <level>', 'what to log')
      .choices(['fatal', 'error', 'warn', 'info', 'debug', 'silent'])
      .default('info'),
  )
  .action(async (options: ServeOptions) => {
    const config = toConfig(options)
    const log = await openLog(options.logLevel)
    const service = await startService(config, log, Date.now).catch((error: unknown) => {
      throw explained(error, config)
    })
    const { baseUrl, operatorUrl } = service
    log.info({ baseUrl, operatorUrl, database: withoutPassword(config.database) }, `serving ${baseUrl}`)
    if (config.pages) log.info(`pages at ${new URL('/', baseUrl)}`)
    showFirstKey(service)
    stopOnSignal(service, log)
  })

interface ServeOptions {
  readonly host: string
  readonly port: number
  readonly database: string
  readonly counters?: string
  readonly countersDown: 'local' | 'refuse'
  readonly operatorPort?: number
  readonly anonymousPerMinute: number
  readonly bodyLimit: number
  readonly trustProxy?: readonly string[]
  readonly tlsCert?: string
  readonly tlsKey?: string
  readonly publicUrl?: string
  readonly firstKey?: true
  readonly pages?: true
  readonly pageLinks?: true
  readonly corsOrigin?: readonly string[]
  readonly banAfter?: number
  readonly banWindow: number
  readonly banFor: number
  readonly logLevel: string
}

function toConfig(options: ServeOptions): ServiceConfig {
  const { banAfter, banWindow, banFor } = options
  return Object.freeze({
    host: options.host,
    port: options.port,
    database: options.database,
    counters: options.counters,
    countersDown: options.countersDown,
    operatorPort: options.operatorPort,
    anonymousPerMinute: options.anonymousPerMinute,
    bodyLimit: options.bodyLimit,
    trustProxy: options.trustProxy ?? [],
    tls: readTls(options.tlsCert, options.tlsKey),
    publicUrl: options.publicUrl,
    firstKey: options.firstKey ?? false,
    pages: options.pages ?? false,
    pageLinks: options.pageLinks ?? false,
    corsOrigins: options.corsOrigin ?? [],
    ban: banAfter === undefined ? undefined : { refusals: banAfter, withinMs: banWindow * 1000, forMs: banFor * 1000 },
    timeouts: TIMEOUTS,
  })
}

function readTls(certFile: string | undefined, keyFile: string | undefined): ServiceConfig['tls'] {
  if (certFile === undefined && keyFile === undefined) return undefined
  if (certFile === undefined || keyFile === undefined) {
    throw new CommandFailed('TLS needs both --tls-cert and --tls-key.')
  }
  const read = (file: string, flag: string) => {
    try {
      return readFileSync(file)
    } catch {
      throw new CommandFailed(`The file ${file} given as ${flag} cannot be read; check its path and permissions.`)
    }
  }
  return { cert: read(certFile, '--tls-cert'), key: read(keyFile, '--tls-key') }
}

function networks(text: string): readonly string[] {
  const list = text.split(',').map((part) => part.trim())
  for (const entry of list) {
    const [address = '', prefix] = entry.split('/')
    const family = isIP(address)
    const isPrefix = prefix === undefined || (/^\d{1,3}$/.test(prefix) && Number(prefix) <= (family === 4 ? 32 : 128))
    if (family === 0 || !isPrefix) {
      throw new InvalidArgumentError(
        'It must be addresses or networks separated by commas, such as 127.0.0.1,10.0.0.0/8.',
      )
    }
  }
  return list
}

function origins(text: string): readonly string[] {
  const list = text.split(',').map((part) => part.trim())
  for (const origin of list) {
    if (origin !== '*' && URL.parse(origin)?.origin !== origin) {
      throw new InvalidArgumentError('It must be origins such as https://desk.example, separated by commas, or *.')
    }
  }
  return list
}

/**
 * Lines of JSON for machines; on a terminal, lines for people. Written to the standard stream, since merely opening pino's
 * own destination makes every request of the process dearer (docs/performance.md).
 */
async function openLog(level: string): Promise<Logger> {
  if (!process.stdout.isTTY) return pino({ level }, process.stdout)
  const { default: pretty } = await import('pino-pretty')
  return pino({ level }, pretty({ sync: true, ignore: 'pid,hostname', translateTime: 'SYS:HH:MM:ss' }))
}

function explained(error: unknown, config: ServiceConfig): unknown {
  if (!(error instanceof Error) || !('code' in error)) return error
  const port = 'port' in error ? error.port : config.port
  switch (error.code) {
    case 'EADDRINUSE': {
      const flag = port === config.operatorPort ? '--operator-port' : '--port'
      return new CommandFailed(`Port ${port} is in use by another program; stop that one, or give another ${flag}.`)
    }
    case 'EACCES':
      return new CommandFailed(`Port ${port} may not be used by this user; give a --port from 1024 up.`)
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return new CommandFailed(`The address ${config.host} is not one of this machine; give another --host.`)
    default:
      return String(error.code).startsWith('ERR_OSSL') || String(error.code).startsWith('ERR_SSL')
        ? new CommandFailed(
            'The files given as --tls-cert and --tls-key are not a PEM certificate and its private key.',
          )
        : error
  }
}

/** On stdout and not in the log: a key is shown once, and kept nowhere. */
function showFirstKey({ firstKey, baseUrl }: Service): void {
  if (firstKey === undefined) return
  process.stdout.write(`
This is the first API key (Free plan). It is shown only now; keep it safe:

    ${firstKey.secret}

Try it:

    curl -i -H 'Authorization: Bearer ${firstKey.secret}' ${baseUrl}/pets

`)
}

function stopOnSignal(service: Service, log: Logger): void {
  let stopping = false
  const stop = (signal: NodeJS.Signals) => {
    if (stopping) return
    stopping = true
    log.info({ signal }, 'stopping')
    service.stop().then(
      () => {
        log.info('stopped')
        process.exit(0)
      },
      (error: unknown) => {
        log.fatal({ err: error }, 'could not stop in order')
        process.exit(1)
      },
    )
  }
  process.on('SIGTERM', stop)
  process.on('SIGINT', stop)
}

function withoutPassword(url: string): string {
  return url.replace(/:[^:@/]*@/, ':…@')
}
