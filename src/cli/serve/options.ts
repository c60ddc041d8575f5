/**
 * The options of `pets serve`, each with the rule for its value. What several of them mean together is in ./config.ts.
 */
import { isIP } from 'node:net'
import { type Command, InvalidArgumentError, Option } from 'commander'
import { groupNumber } from '../../common/private-files.ts'
import { MAX_BAN_MS, MAX_BAN_WINDOW_MS } from '../../contract/limits.ts'
import type { PetStatus } from '../../contract/schemas.ts'
import {
  bodyLimitOption,
  databaseOption,
  duration,
  officeUrl,
  option,
  PAGE,
  publicUrl,
  statuses,
  title,
  wholeNumber,
} from '../options.ts'

const port = wholeNumber(0, 65_535)
const count = wholeNumber(1, 1_000_000_000)
const seconds = { window: wholeNumber(1, MAX_BAN_WINDOW_MS / 1_000), ban: wholeNumber(1, MAX_BAN_MS / 1_000) }

export interface ServeOptions {
  readonly host: string
  readonly port: number
  readonly database: string
  readonly mustExist?: boolean
  readonly fileGroup?: number
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
  readonly warnAt?: readonly number[]
  readonly backupDir?: string
  readonly backupEvery: number
  readonly backupKeep: number
  readonly publish?: string
  readonly publishStatus: readonly PetStatus[]
  readonly publishTitle: string
  readonly logLevel: string
}

export function withServeOptions(command: Command): Command {
  return withPage(withOthers(command))
}

function withPage(command: Command): Command {
  return command
    .addOption(option('--publish <folder>', "keep the animals there as a page for the shelter's own website"))
    .addOption(
      option('--publish-status <list>', '… those with one of these')
        .argParser(statuses)
        .default(PAGE.statuses, PAGE.statuses.join()),
    )
    .addOption(option('--publish-title <text>', '… with this heading').argParser(title).default(PAGE.title))
}

function withOthers(command: Command): Command {
  return command
    .addOption(option('--host <address>', 'address to listen on').default('127.0.0.1'))
    .addOption(option('--port <n>', 'public port').default(8080).argParser(port))
    .addOption(databaseOption())
    .addOption(option('--must-exist', 'refuse to start where there is no SQLite database, instead of making one'))
    .addOption(option('--file-group <group>', 'a group that may read new files of a SQLite database').argParser(group))
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
      option('--anonymous-per-minute <n>', 'requests a minute for an address without a key')
        .default(60)
        .argParser(count),
    )
    .addOption(bodyLimitOption())
    .addOption(
      option('--trust-proxy <list>', 'proxies whose X-Forwarded-For and X-Request-Id count').argParser(networks),
    )
    .addOption(option('--tls-cert <file>', 'certificate chain, PEM'))
    .addOption(option('--tls-key <file>', 'its private key, PEM'))
    .addOption(option('--public-url <url>', 'base address as clients see it; it ends in /v1').argParser(publicUrl))
    .addOption(
      option(
        '--first-key',
        'when there is no key yet, issue one on the Free plan and show it; with --office, invite a first operator',
      ),
    )
    .addOption(option('--pages', 'serve the reference page /docs, to which / leads, and /openapi.json'))
    .addOption(option('--page-links', 'a Link to the next page on lists'))
    .addOption(
      option('--cors-origin <origins>', 'origins whose pages may call, separated by commas; * for all').argParser(
        origins,
      ),
    )
    .addOption(option('--ban-after <n>', 'ban a key after so many 429s').argParser(count))
    .addOption(option('--ban-window <s>', '… within so many seconds').default(60).argParser(seconds.window))
    .addOption(option('--ban-for <s>', '… for so many seconds').default(600).argParser(seconds.ban))
    .addOption(option('--warn-at <shares>', 'warn when a key has used so many percent of a limit').argParser(shares))
    .addOption(option('--backup-dir <folder>', 'make backups of a SQLite file in this folder'))
    .addOption(option('--backup-every <time>', 'how often').default(3_600_000, '1h').argParser(duration))
    .addOption(option('--backup-keep <n>', 'how many of them to keep').default(24).argParser(wholeNumber(1, 100_000)))
    .addOption(
      option('--log-level <level>', 'what to log')
        .choices(['fatal', 'error', 'warn', 'info', 'debug', 'silent'])
        .default('info'),
    )
    .addOption(
      option('--config <file>', 'a file of settings, one name = value per line; variables and flags take precedence'),
    )
    .addOption(new Option('--no-must-exist').hideHelp())
    .addOption(new Option('--no-first-key').hideHelp())
    .addOption(new Option('--no-pages').hideHelp())
    .addOption(new Option('--no-office').hideHelp())
    .addOption(new Option('--no-page-links').hideHelp())
}

/** The number of a group. */
function group(name: string): number {
  const number = groupNumber(name)
  if (number !== undefined) return number
  throw new InvalidArgumentError('It must be a group of this machine, by name or number.')
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

function shares(text: string): readonly number[] {
  const list = text.split(',').map((part) => (/^ *\d{1,3} *$/.test(part) ? Number(part) : 0))
  if (list.length <= 10 && list.every((share) => share >= 1 && share <= 100)) return [...new Set(list)]
  throw new InvalidArgumentError(
    'It must be up to ten whole numbers from 1 to 100 separated by commas, such as 80,100.',
  )
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
