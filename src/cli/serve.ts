/** `pets serve`: reads and checks the configuration, starts the service and prints where it serves. */
import { readFileSync } from 'node:fs'
import { isIP } from 'node:net'
import { Command, InvalidArgumentError, Option } from 'commander'
import type { Logger } from 'pino'
import { MAX_BAN_MS, MAX_BAN_WINDOW_MS } from '../contract/limits.ts'
import { personName } from '../domain/people.ts'
import { type OfficeConfig, type Service, type ServiceConfig, startService } from '../service.ts'
import { describeUrl } from '../store/url.ts'
import { VERSION } from '../version.ts'
import { showFirstInvitation, showFirstKey } from './first-key.ts'
import { openLog } from './log.ts'
import {
  bodyLimitOption,
  CommandFailed,
  databaseOption,
  duration,
  isLoopback,
  officeUrl,
  option,
  publicUrl,
  UsageMistake,
  wholeNumber,
} from './options.ts'
import { applySettings, unknownVariables } from './settings.ts'
import { endOnFault, reloadOnSignal, stopOnSignal } from './signals.ts'
import { userName } from './store.ts'

const port = wholeNumber(0, 65_535)
const count = wholeNumber(1, 1_000_000_000)
const seconds = { window: wholeNumber(1, MAX_BAN_WINDOW_MS / 1_000), ban: wholeNumber(1, MAX_BAN_MS / 1_000) }
/** How long a request may take to arrive (its headers, and all of it), and how long its response may stay unread. */
const TIMEOUTS = { headersMs: 10_000, requestMs: 30_000, unreadMs: 30_000 }

/**
 * The memory that slow clients may use. Together with the memory of the work itself the process stays below 512 MiB.
 */
const HELD_BYTES = 67_108_864

export const serve = new Command('serve')
  .description('Run the service.')
  .addOption(option('--host <address>', 'address to listen on').default('127.0.0.1'))
  .addOption(option('--port <n>', 'public port').default(8080).argParser(port))
  .addOption(databaseOption())
  .addOption(option('--counters <url>', 'redis://… or rediss://…; without it the database keeps the counters'))
  .addOption(
    option('--counters-down <how>', 'while the counter store is down: count on this node, or answer 503')
      .choices(['local', 'refuse'])
      .default('local'),
  )
  .addOption(option('--operator-port <n>', 'port for /livez, /readyz, /metrics and the office').argParser(port))
  .addOption(option('--operator-host <address>', 'address that the operator port listens on').default('127.0.0.1'))
  .addOption(option('--office', 'on the operator port, the daily work in a browser'))
  .addOption(option('--office-url <url>', 'base address of the office as people see it').argParser(officeUrl))
  .addOption(
    option('--anonymous-per-minute <n>', 'requests a minute for an address without a key').default(60).argParser(count),
  )
  .addOption(bodyLimitOption())
  .addOption(option('--trust-proxy <list>', 'proxies whose X-Forwarded-For and X-Request-Id count').argParser(networks))
  .addOption(option('--tls-cert <file>', 'certificate chain, PEM'))
  .addOption(option('--tls-key <file>', 'its private key, PEM'))
  .addOption(option('--public-url <url>', 'base address as clients see it; it ends in /v1').argParser(publicUrl))
  .addOption(
    option(
      '--first-key',
      'when there is no key yet, issue one on the Free plan and show it; with --office, invite a first operator',
    ),
  )
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
  .addOption(option('--backup-dir <folder>', 'make backups of a SQLite file in this folder'))
  .addOption(option('--backup-every <time>', 'how often').default(3_600_000, '1h').argParser(duration))
  .addOption(option('--backup-keep <n>', 'how many of them to keep').default(24).argParser(wholeNumber(1, 100_000)))
  .addOption(
    option('--log-level <level>', 'what to log')
      .choices(['fatal', 'error', 'warn', 'info', 'debug', 'silent'])
      .default('info'),
  )
  .addOption(option('--log-numbers', 'levels and times in the log as numbers, as pino writes them'))
  .addOption(
    option('--config <file>', 'a file of settings, one name = value per line; variables and flags take precedence'),
  )
  .addOption(new Option('--no-first-key').hideHelp())
  .addOption(new Option('--no-pages').hideHelp())
  .addOption(new Option('--no-office').hideHelp())
  .addOption(new Option('--no-page-links').hideHelp())
  .addOption(new Option('--no-log-numbers').hideHelp())
  .hook('preAction', (command) => applySettings(command))
  .action(async (options: ServeOptions, command: Command) => {
    const log = await openLog(options.logLevel, options.logNumbers ?? false)
    const config = toConfig(options, log)
    const unknown = unknownVariables(command)
    if (unknown.length > 0) log.warn({ variables: unknown }, 'these variables are not settings of pets serve')
    const running: { service?: Service } = {}
    endOnFault(running, log)
    stopOnSignal(running, log)
    const reloadIfAsked = reloadOnSignal(running, () => readTls(options.tlsCert, options.tlsKey), log)
    const service = await startService(config, log, Date.now).catch((error: unknown) => {
      throw explained(error, config)
    })
    running.service = service
    reloadIfAsked()
    const { baseUrl, operatorUrl, officeUrl } = service
    log.info(
      { baseUrl, operatorUrl, version: VERSION, node: process.version, database: describeUrl(config.database) },
      `serving ${baseUrl}`,
    )
    if (config.pages) log.info(`pages at ${new URL('/', baseUrl)}`)
    if (officeUrl !== undefined) log.info(`office at ${officeUrl}/`)
    await service.count().then(
      (found) => log.info(found, 'found in the database'),
      (error: Error) => log.warn(`what the database holds cannot be counted: ${error.message}`),
    )
  })

interface ServeOptions {
  readonly host: string
  readonly port: number
  readonly database: string
  readonly counters?: string
  readonly countersDown: 'local' | 'refuse'
  readonly operatorPort?: number
  readonly operatorHost: string
  readonly office?: boolean
  readonly officeUrl?: string
  readonly anonymousPerMinute: number
  readonly bodyLimit: number
  readonly trustProxy?: readonly string[]
  readonly tlsCert?: string
  readonly tlsKey?: string
  readonly publicUrl?: string
  readonly firstKey?: boolean
  readonly pages?: boolean
  readonly pageLinks?: boolean
  readonly corsOrigin?: readonly string[]
  readonly banAfter?: number
  readonly banWindow: number
  readonly banFor: number
  readonly backupDir?: string
  readonly backupEvery: number
  readonly backupKeep: number
  readonly logLevel: string
  readonly logNumbers?: boolean
}

function toConfig(options: ServeOptions, log: Logger): ServiceConfig {
  const { banAfter, banWindow, banFor, database } = options
  return Object.freeze({
    host: options.host,
    port: options.port,
    database,
    counters: options.counters,
    countersDown: options.countersDown,
    operatorPort: options.operatorPort,
    operatorHost: options.operatorHost,
    office: toOffice(options, log),
    anonymousPerMinute: options.anonymousPerMinute,
    bodyLimit: options.bodyLimit,
    heldBytes: HELD_BYTES,
    trustProxy: options.trustProxy ?? [],
    tls: readTls(options.tlsCert, options.tlsKey),
    publicUrl: options.publicUrl,
    showFirstKey: options.firstKey ? (secret, baseUrl) => showFirstKey(secret, { baseUrl, database, log }) : undefined,
    pages: options.pages ?? false,
    pageLinks: options.pageLinks ?? false,
    corsOrigins: options.corsOrigin ?? [],
    ban: banAfter === undefined ? undefined : { refusals: banAfter, withinMs: banWindow * 1000, forMs: banFor * 1000 },
    backups:
      options.backupDir === undefined
        ? undefined
        : { folder: options.backupDir, everyMs: options.backupEvery, keep: options.backupKeep },
    timeouts: TIMEOUTS,
  })
}

/** Throws UsageMistake where passphrases would cross the network in the clear. */
function toOffice(options: ServeOptions, log: Logger): OfficeConfig | undefined {
  const { officeUrl: url, operatorPort, operatorHost, database } = options
  if (!options.office) return undefined
  if (operatorPort === undefined) throw new UsageMistake('--office is on the operator port; add --operator-port.')
  const isTls = !isLoopback(operatorHost) && options.tlsCert !== undefined
  const isSafe = isLoopback(operatorHost) || url?.startsWith('https:') || (isTls && url === undefined)
  if (!isSafe) {
    throw new UsageMistake(
      `With --operator-host ${operatorHost} the office needs TLS: give --tls-cert and --tls-key, or --office-url https://… if a proxy speaks TLS, or turn it off with --no-office.`,
    )
  }
  const name = personName(userName()) ?? 'operator'
  const show = (link: string) => showFirstInvitation(link, { name, database, log })
  return { url, isTls, first: options.firstKey ? { name, show } : undefined }
}

function readTls(certFile: string | undefined, keyFile: string | undefined): ServiceConfig['tls'] {
  if (certFile === undefined && keyFile === undefined) return undefined
  if (certFile === undefined || keyFile === undefined) {
    throw new UsageMistake('TLS needs both --tls-cert and --tls-key.')
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

function explained(error: unknown, config: ServiceConfig): unknown {
  if (!(error instanceof Error) || !('code' in error)) return error
  const port = 'port' in error ? error.port : config.port
  const name = 'hostname' in error ? error.hostname : undefined
  const isOperators = name === undefined ? port === config.operatorPort : name !== config.host
  const setting = isOperators
    ? 'operator port with --operator-port or PETS_OPERATOR_PORT'
    : 'public port with --port or PETS_PORT'
  switch (error.code) {
    case 'EADDRINUSE':
      return new CommandFailed(
        `Port ${port} is in use by another program; stop that one, or choose another ${setting}.`,
      )
    case 'EACCES':
      return new CommandFailed(`Port ${port} may not be used by this user; choose another ${setting}, from 1024 up.`)
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
    case 'EAI_AGAIN': {
      const host = isOperators ? config.operatorHost : config.host
      return new CommandFailed(
        `The address ${host} is not one of this machine; give another ${isOperators ? '--operator-host' : '--host'}.`,
      )
    }
    default:
      return String(error.code).startsWith('ERR_OSSL') || String(error.code).startsWith('ERR_SSL')
        ? new CommandFailed(
            'The files given as --tls-cert and --tls-key are not a PEM certificate and its private key.',
          )
        : error
  }
}
