/** The options of `pets serve` and their parsers. Rules across options are in ./config.ts. */
import { isIP } from 'node:net'
import type * as typed from '@commander-js/extra-typings'
import { type Command, InvalidArgumentError, Option } from 'commander'
import { type BanPolicy, MAX_BAN_MS, MAX_BAN_WINDOW_MS } from '../../contract/limits.ts'
import {
  bodyLimitOption,
  databaseOption,
  officeUrl,
  option,
  parseBoolean,
  parseDuration,
  publicUrl,
  UsageError,
  wholeNumber,
} from '../options.ts'

const port = wholeNumber(0, 65_535)
const count = wholeNumber(1, 1_000_000_000)
const keep = wholeNumber(1, 100_000)
const DEFAULT_BACKUPS = { everyMs: 3_600_000, keep: 24 }

type ParsedOptions = Whole<ReturnType<ReturnType<typeof withOptions>['opts']>>
/** Each member is present; an absent option is undefined. */
type Whole<T> = { readonly [K in keyof T]-?: Exclude<T[K], undefined> | (undefined extends T[K] ? undefined : never) }

export type ServeOptions = ReturnType<typeof resolveOptions>

export function addServeOptions<C extends Command | typed.Command>(command: C): C {
  withOptions(command as typed.Command)
  for (const name of ['create', 'first-key', 'pages', 'office', 'page-links']) {
    ;(command as Command).addOption(new Option(`--no-${name}`).hideHelp())
  }
  return command
}

const OPERATOR_PORT = 'port for /livez, /readyz, /metrics and the office; HOST:PORT to listen on another address'
const FIRST_KEY =
  'if no key exists, create one on the Free plan and show it; with --office, also invite a first operator'

const COUNTERS = 'shared counters: redis://… or rediss://…; without it, counters are in the database'
const OFFICE = 'serve the office, the web app for staff, on the operator port; URL is its address as people see it'
const ANONYMOUS = 'requests a minute that an address can send without a key'
const TRUST_PROXY = 'proxies whose X-Forwarded-For and X-Request-Id headers are trusted'
const CORS_ORIGIN = 'web origins whose pages can call the API, separated by commas; * for all'
const BAN = 'when to ban a key, and for how long: 20/60s/10m means after 20 429s in 60 s, for 10 minutes'
const BACKUP_EVERY = 'time between backups, and how many to keep: 1h/24'
const LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'silent'] as const

function withOptions(command: typed.Command) {
  return command
    .addOption(option('--host <address>', 'address to listen on', undefined, '127.0.0.1'))
    .addOption(option('--port <n>', 'public port', port, 8080))
    .addOption(databaseOption())
    .addOption(option('--create', 'create the SQLite database given with --database if it does not exist'))
    .addOption(option('--counters <url>', COUNTERS))
    .addOption(option('--operator-port <n>', OPERATOR_PORT, hostAndPort))
    .addOption(option('--office [url]', OFFICE, officeAddress))
    .addOption(option('--anonymous-per-minute <n>', ANONYMOUS, count, 60))
    .addOption(bodyLimitOption())
    .addOption(option('--trust-proxy <list>', TRUST_PROXY, networks))
    .addOption(option('--tls-cert <file>', 'certificate chain file, PEM'))
    .addOption(option('--tls-key <file>', 'private key file of the certificate, PEM'))
    .addOption(option('--public-url <url>', 'base address of the API as clients see it, ending in /v1', publicUrl))
    .addOption(option('--first-key', FIRST_KEY))
    .addOption(option('--pages', 'serve the API reference and /openapi.json'))
    .addOption(option('--cors-origin <origins>', CORS_ORIGIN, origins))
    .addOption(option('--ban <rule>', BAN, banRule))
    .addOption(option('--backup-dir <folder>', 'folder for backups of the SQLite database'))
    .addOption(option('--backup-every <time>', BACKUP_EVERY, backupRule, DEFAULT_BACKUPS, '1h/24'))
    .addOption(option('--publish <folder>', "folder for the public page, for the shelter's own website"))
    .addOption(option('--log-level <level>', 'lowest level to log').choices(LEVELS).default('info'))
    .addOption(option('--page-links', 'link to the next page of a list'))
}

/** Throws UsageError for a setting that needs another one. */
export function resolveOptions(typed: object) {
  const { operatorPort, office, backupEvery, ...rest } = typed as ParsedOptions
  if (rest.backupDir === undefined && backupEvery !== DEFAULT_BACKUPS) {
    throw new UsageError('--backup-every needs --backup-dir.')
  }
  return {
    ...rest,
    operatorPort: operatorPort?.port,
    operatorHost: operatorPort?.host ?? '127.0.0.1',
    office: office !== undefined && office !== false,
    officeUrl: typeof office === 'string' ? office : undefined,
    backups: backupEvery,
  }
}

function hostAndPort(text: string) {
  const [, host, number = text] = /^(?:(.*):)?([^:]*)$/.exec(text) ?? []
  return { host: host?.replace(/^\[(.*)\]$/, '$1'), port: port(number) }
}

function officeAddress(text: string): boolean | string {
  return parseBoolean(text) ?? officeUrl(text)
}

function banRule(text: string): BanPolicy {
  const rule = 'It must be REFUSALS/WITHIN/FOR, such as 20/60s/10m. WITHIN is at most 24h, FOR at most 365d.'
  return parts(text, rule, ([refusals = '', within = '', time = '', ...more]) => {
    const ban = { refusals: count(refusals), withinMs: parseDuration(within), forMs: parseDuration(time) }
    return more.length === 0 && ban.withinMs <= MAX_BAN_WINDOW_MS && ban.forMs <= MAX_BAN_MS ? ban : undefined
  })
}

function backupRule(text: string): typeof DEFAULT_BACKUPS {
  const rule = 'It must be a time, or a time and a number to keep, such as 1h or 30m/48. Units are s, m, h and d.'
  return parts(text, rule, ([every = '', keepText, ...more]) => {
    const plan = { everyMs: parseDuration(every), keep: keepText === undefined ? DEFAULT_BACKUPS.keep : keep(keepText) }
    return more.length === 0 ? plan : undefined
  })
}

/** Reads parts separated by slashes. An undefined result or a refused part breaks the rule. */
function parts<T>(text: string, rule: string, read: (parts: readonly string[]) => T | undefined): T {
  try {
    const value = read(text.split('/'))
    if (value !== undefined) return value
  } catch {}
  throw new InvalidArgumentError(rule)
}

function networks(text: string): readonly string[] {
  return list(text, 'It must be addresses or networks separated by commas, such as 127.0.0.1,10.0.0.0/8.', (entry) => {
    const [address = '', prefix] = entry.split('/')
    const family = isIP(address)
    const bits = prefix === undefined ? 0 : /^\d{1,3}$/.test(prefix) ? Number(prefix) : Infinity
    return family !== 0 && bits <= (family === 4 ? 32 : 128)
  })
}

function origins(text: string): readonly string[] {
  const isOrigin = (one: string) => one === '*' || (URL.parse(one)?.origin === one && !one.includes('*'))
  const wrong = text.split(',').find((one) => !isOrigin(one.trim()))
  const pattern = wrong?.includes('*') ? ' A * within an origin matches nothing: list each origin.' : ''
  return list(text, `It must be origins such as https://desk.example, separated by commas, or *.${pattern}`, isOrigin)
}

function list(text: string, rule: string, isEntry: (entry: string) => boolean): readonly string[] {
  const entries = text.split(',').map((entry) => entry.trim())
  if (entries.every(isEntry)) return entries
  throw new InvalidArgumentError(rule)
}
