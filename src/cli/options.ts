/** Options and errors that several commands share. */
import type * as typed from '@commander-js/extra-typings'
import * as commander from 'commander'
import { DAY_MS } from '../common/clock.ts'
import { ExplainedError } from '../common/errors.ts'
import { MOST_REQUESTS } from '../rules/keys.ts'

export class CommandFailed extends ExplainedError {
  override readonly name = 'CommandFailed'
}

export class UsageError extends ExplainedError {
  override readonly name = 'UsageError'
  override readonly exitCode = 2
}

/** An option that can also be a variable (`PETS_…`) or a line of the settings file (./settings.ts). */
export class Setting extends commander.Option {
  /** The unparsed value of a variable or of the settings file. */
  text: string | undefined
}

/** Help shows the default as `usualText`. */
export function option<Usage extends string, Value = undefined, Usual = undefined>(
  flags: Usage,
  description: string,
  parse?: (text: string) => Value,
  usual?: Usual,
  usualText?: string,
): typed.Option<Usage, undefined, Usual, Value> {
  const option = new Setting(flags, description)
  if (parse !== undefined) option.argParser(parse)
  if (usual !== undefined) option.default(usual, usualText)
  return option as never
}

export function variableOf(name: string): string {
  return `PETS_${name.replaceAll('-', '_').toUpperCase()}`
}

export const { Option, Argument, InvalidArgumentError } = commander as unknown as typeof typed

const ON = ['1', 'true', 'yes', 'on']
const OFF = ['0', 'false', 'no', 'off']
export const BOOLEAN_RULE = `must be one of ${ON.join(', ')}, or one of ${OFF.join(', ')}`

export function parseBoolean(text: string): boolean | undefined {
  const word = text.toLowerCase()
  if (ON.includes(word)) return true
  return OFF.includes(word) ? false : undefined
}

/** Stands for data/pets.db in the folder of the program. */
export const DEFAULT_DATABASE = 'sqlite:data/pets.db in the folder of the program'

export function databaseOption() {
  const about = 'database address: sqlite:PATH or postgres://…'
  return option('--database <url>', about, undefined, DEFAULT_DATABASE, DEFAULT_DATABASE)
}

export function bodyLimitOption() {
  const about = 'largest request body, row of a file and animal name, in bytes'
  return option('--body-limit <bytes>', about, wholeNumber(1, 1_073_741_824), 65_536)
}

export function wholeNumber(min: number, max: number): (text: string) => number {
  return (text) => {
    const value = /^\d+$/.test(text) ? Number(text) : Number.NaN
    if (value >= min && value <= max) return value
    throw new InvalidArgumentError(`It must be a whole number from ${min} to ${max}.`)
  }
}

export const requestCount = wholeNumber(1, MOST_REQUESTS)

const UNITS = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const

/** In ms. */
export function parseDuration(text: string): number {
  const [, n, unit] = /^([1-9]\d{0,4})([smhd])$/.exec(text) ?? []
  if (n !== undefined) return Number(n) * UNITS[unit as keyof typeof UNITS]
  throw new InvalidArgumentError('It must be a number and a unit: s, m, h or d, such as 30m, 1h or 7d.')
}

/** In Unix ms. */
export function parseTime(text: string): number {
  const day = text.slice(0, 10)
  const isIso = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d))?$/.test(text)
  const ms = isIso ? Date.parse(text) : Number.NaN
  // Date.parse reads 31 February as 3 March.
  if (!Number.isNaN(ms) && new Date(day).toISOString().startsWith(day)) return ms
  const rule = 'It must be an ISO 8601 date or time with zone, such as 2027-01-31 or 2027-01-31T12:00:00Z.'
  throw new InvalidArgumentError(rule)
}

/** A date alone means the end of that day in UTC. */
export function parseExpiry(text: string): number {
  const atMs = parseTime(text)
  return text.includes('T') ? atMs : atMs + DAY_MS - 1
}

/** Without a trailing slash. */
export function publicUrl(text: string): string {
  const url = URL.parse(text)
  const isBase = url !== null && /^https?:$/.test(url.protocol) && /\/v1\/?$/.test(url.pathname)
  if (isBase && url.search === '' && url.hash === '') return url.href.replace(/\/$/, '')
  const rule = 'It must be an http or https address that ends in /v1, such as https://pets.example/v1.'
  throw new InvalidArgumentError(rule)
}

/** Without a trailing slash. Over the network it needs TLS. */
export function officeUrl(text: string): string {
  const url = URL.parse(text)
  const isPlain = url?.protocol === 'http:' && isLoopback(url.hostname)
  if (url !== null && (url.protocol === 'https:' || isPlain) && `${url.origin}/` === url.href) return url.origin
  const rule = 'It must be an https address without a path, such as https://office.example, or http on this machine.'
  throw new InvalidArgumentError(rule)
}

export function isLoopback(host: string): boolean {
  return host === 'localhost' || /^127(?:\.\d{1,3}){3}$/.test(host) || /^\[?::1\]?$/.test(host)
}
