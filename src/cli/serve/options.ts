/** The options of `pets serve` and the parsers of their values. Rules across options are in ./config.ts. */
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
/** Each member is there; one that may be absent is undefined instead. */
type Whole<T> = { readonly [K in keyof T]-?: Exclude<T[K], undefined> | (undefined extends T[K] ? undefined : never) }

export type ServeOptions = ReturnType<typeof resolveOptions>

export function addServeOptions<C extends Command | typed.Command>(command: C): C {
  withOptions(command as typed.Command)
  for (const name of ['create', 'first-key', 'pages', 'office', 'page-links']) {
    ;(command as Command).addOption(new Option(`--no-${name}`).hideHelp())
  }
  return command
}

const OPERATOR_PORT = 'port for /livez, /readyz, /metrics and the office; HOST:PORT for another address'
const FIRST_KEY =
  'when there is no key yet, issue one on the Free plan and show it; with --office, invite a first operator'

function withOptions(command: typed.Command) {
  const levels = ['fatal', 'error', 'warn', 'info', 'debug', 'silent'] as const
  return (
    command
      .addOption(option('--host <address>', 'address to listen on', undefined, '127.0.0.1'))
      .addOption(option('--port <n>', 'public port', port, 8080))
      .addOption(databaseOption())
      .addOption(option('--create', 'create the SQLite database that --database names if it does not exist'))
      .addOption(option('--counters <url>', 'redis://… or rediss://…; without it the database keeps the counters'))
      .addOption(option('--operator-port <n>', OPERATOR_PORT, hostAndPort))
      .addOption(
        option(
          '--office [url]',
          'on the operator port, the daily work in a browser; its address as people see it',
          officeAddress,
        ),
      )
      .addOption(option('--anonymous-per-minute <n>', 'requests a minute for an address without a key', count, 60))
      .addOption(bodyLimitOption())
      .addOption(option('--trust-proxy <list>', 'proxies whose X-Forwarded-For and X-Request-Id count', networks))
      .addOption(option('--tls-cert <file>', 'certificate chain, PEM'))
      .addOption(option('--tls-key <file>', 'its private key, PEM'))
      .addOption(option('--public-url <url>', 'base address as clients see it; it ends in /v1', publicUrl))
      .addOption(option('--first-key', FIRST_KEY))
      .addOption(option('--pages', 'serve the reference page and /openapi.json'))
      .addOption(
        option('--cors-origin <origins>', 'origins whose pages may call, separated by commas; * for all', origins),
      )
      // What the service does beside its requests.
      .addOption(
        option('--ban <rule>', 'ban a key after so many 429s within a time, and for how long: 20/60s/10m', banRule),
      )
      .addOption(option('--backup-dir <folder>', 'make backups of a SQLite file in this folder'))
      .addOption(
        option('--backup-every <time>', 'how often, and how many to keep: 1h/24', backupRule, DEFAULT_BACKUPS, '1h/24'),
      )
      .addOption(option('--publish <folder>', "keep the animals there as a page for the shelter's own website"))
      .addOption(option('--log-level <level>', 'what to log').choices(levels).default('info'))
      // Off unless set: the interface has no paging (O6).
      .addOption(option('--page-links', 'link to the next page on lists'))
  )
}

/** Throws UsageError for a setting that does nothing without another one. */
export function resolveOptions(typed: object) {
  const { operatorPort, office, backupEvery, ...rest } = typed as ParsedOptions
  if (rest.backupDir === undefined && backupEvery !== DEFAULT_BACKUPS) {
    throw new UsageError('--backup-every does nothing alone; add --backup-dir.')
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

/** A switch, or the address of the office. */
function officeAddress(text: string): boolean | string {
  return parseBoolean(text) ?? officeUrl(text)
}

function banRule(text: string): BanPolicy {
  const rule =
    'It must be a number of refusals, the time within which they come (24h at most) and how long the ban lasts (365d at most), such as 20/60s/10m.'
  return parts(text, rule, ([refusals = '', within = '', time = '', ...more]) => {
    const ban = { refusals: count(refusals), withinMs: parseDuration(within), forMs: parseDuration(time) }
    return more.length === 0 && ban.withinMs <= MAX_BAN_WINDOW_MS && ban.forMs <= MAX_BAN_MS ? ban : undefined
  })
}

function backupRule(text: string): typeof DEFAULT_BACKUPS {
  const rule = 'It must be how often, and perhaps how many are kept, such as 1h or 30m/48 (units are s, m, h and d).'
  return parts(text, rule, ([every = '', keepText, ...more]) => {
    const plan = { everyMs: parseDuration(every), keep: keepText === undefined ? DEFAULT_BACKUPS.keep : keep(keepText) }
    return more.length === 0 ? plan : undefined
  })
}

/** Reads what is parted by slashes; undefined and a part that is refused break the rule. */
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
  const pattern = wrong?.includes('*') ? ' A * within an origin would match nothing: name each one.' : ''
  return list(text, `It must be origins such as https://desk.example, separated by commas, or *.${pattern}`, isOrigin)
}

/** A list whose entries are separated by commas. */
function list(text: string, rule: string, isEntry: (entry: string) => boolean): readonly string[] {
  const entries = text.split(',').map((entry) => entry.trim())
  if (entries.every(isEntry)) return entries
  throw new InvalidArgumentError(rule)
}
