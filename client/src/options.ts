/** The options of a client and of a call, checked once, so that a mistake is reported where it was made. */
import { systemClock } from './clock.ts'
import type { CallError } from './errors.ts'
import { LIMITER_RULES, Limiter, type LimiterOptions, MAX_WAIT_MS } from './limiter.ts'
import type { PlatformFetch, PlatformHeaders, PlatformSignal, PlatformUrl } from './platform.ts'
import { check, type Rules } from './rules.ts'

/** The options of a client. Limiter options apply to its own limiter; a shared `limiter` has options of its own. */
export interface PetAdoptionOptions extends LimiterOptions {
  /** The base address of the service, absolute; it ends in `/v1`. */
  readonly baseUrl: string | PlatformUrl
  /** The API key. It is sent as a bearer credential and never shown. */
  readonly apiKey: string
  /** The maximum number of attempts per request, including the first. Default 4; 1 means no retry. */
  readonly maxAttempts?: number | undefined
  /** The time-out of one attempt, until its response is complete, in milliseconds. Default 30,000. */
  readonly timeout?: number | undefined
  /** The limiter to share with other clients of this program that use the same key. Default: a new one. */
  readonly limiter?: Limiter | undefined
  /** Additional headers of every request. They cannot replace those of the client. */
  readonly headers?: PlatformHeaders | Readonly<Record<string, string>> | undefined
  /**
   * Called before each request is sent. Headers that it sets are sent. If a hook throws, or its promise is rejected, the
   * call ends with an AbortedError.
   */
  readonly onRequest?: ((request: SentRequest) => void) | undefined
  /** Called after each request that was sent, with its response or its error. */
  readonly onResponse?: ((response: ReceivedResponse) => void) | undefined
  /** Called before each wait for a retry. */
  readonly onRetry?: ((retry: Retry) => void) | undefined
  /** Replaces the platform's `fetch`, for example for a proxy or a private certificate. */
  readonly fetch?: PlatformFetch | undefined
}

/** Options of a single call. */
export interface CallOptions {
  /** Aborts the call, even while it waits; the call then fails with an AbortedError. */
  readonly signal?: PlatformSignal | undefined
  /** Overrides `maxAttempts` of the client. */
  readonly maxAttempts?: number | undefined
  /** Overrides `timeout` of the client, in milliseconds. */
  readonly timeout?: number | undefined
  /** Additional request headers. They cannot replace those of the client. */
  readonly headers?: PlatformHeaders | Readonly<Record<string, string>> | undefined
}

/** A request, before it is sent. It carries no key yet. */
export interface SentRequest {
  readonly method: string
  /** Below the base address, with the query, as in `/pets?limit=5`. */
  readonly path: string
  /** The number of this attempt, from 1 on. */
  readonly attempt: number
  readonly headers: PlatformHeaders
}

/** What became of a request: a response, an error, or both. */
export interface ReceivedResponse {
  /** The very object that `onRequest` was given. */
  readonly request: SentRequest
  /** Until the end of the response, in milliseconds. */
  readonly elapsedMs: number
  readonly status: number | undefined
  readonly headers: PlatformHeaders | undefined
  readonly error: CallError | undefined
}

/** A retry, before the wait for it begins. */
export interface Retry {
  /** The number of attempts that have failed so far. */
  readonly attempt: number
  /** How long the client is going to wait, in milliseconds. */
  readonly waitMs: number
  /** The error of the latest attempt. */
  readonly error: CallError
}

type Defaulted = 'maxAttempts' | 'maxWait' | 'timeout' | 'limiter' | 'clock' | 'random'
type AsGiven = 'apiKey' | 'fetch' | 'onRequest' | 'onResponse' | 'onRetry'

/** With all defaults. */
export interface Settings
  extends Readonly<{ [Name in Defaulted]: NonNullable<PetAdoptionOptions[Name]> }>,
    Pick<PetAdoptionOptions, AsGiven> {
  /** Ends in `/v1`. */
  readonly baseUrl: string
  readonly headers: PlatformHeaders
}

export interface CallSettings extends Pick<Settings, 'maxAttempts' | 'timeout' | 'headers'> {
  readonly signal: PlatformSignal | undefined
}

const OF_BOTH = { maxAttempts: 1, timeout: 1, headers: 'object' } as const
const OF_CLIENT: Rules<keyof PetAdoptionOptions> = {
  ...OF_BOTH,
  ...LIMITER_RULES,
  baseUrl: '',
  apiKey: '',
  limiter: 'object',
  onRequest: 'function',
  onResponse: 'function',
  onRetry: 'function',
  fetch: 'function',
}
const OF_CALL: Rules<keyof CallOptions> = { ...OF_BOTH, signal: 'object' }

/** Throws TypeError or RangeError. */
export function settingsOf(options: PetAdoptionOptions): Settings {
  check('option', options ?? {}, OF_CLIENT)
  const { baseUrl, apiKey, maxAttempts = 4, timeout = 30_000, maxWait = MAX_WAIT_MS, headers } = options ?? {}
  if (!apiKey) throw new TypeError('apiKey is missing; is its variable set?')
  // Checked here because fetch would quote an invalid key in its error message.
  if (!/^[\x21-\x7e]+$/.test(apiKey)) throw new TypeError('apiKey must be the key as issued, without blanks')
  return {
    ...options,
    maxAttempts,
    maxWait,
    timeout,
    baseUrl: checkedBase(baseUrl),
    limiter: limiterOf(options),
    headers: new Headers(headers),
    clock: options.clock ?? systemClock,
    random: options.random ?? Math.random,
  }
}

export function callSettings(settings: Settings, options: CallOptions = {}): CallSettings {
  check('option', options, OF_CALL)
  const { signal, maxAttempts = settings.maxAttempts, timeout = settings.timeout } = options
  const headers = new Headers(settings.headers)
  new Headers(options.headers).forEach((value, name) => void headers.set(name, value))
  return { signal, maxAttempts, timeout, headers }
}

function limiterOf({ limiter, maxInFlight, maxWait, onHold, clock, random }: PetAdoptionOptions): Limiter {
  if (!limiter) return new Limiter({ maxInFlight, maxWait, onHold, clock, random })
  if ((maxInFlight ?? onHold) === undefined) return limiter
  throw new TypeError('maxInFlight and onHold are given to the shared limiter')
}

function checkedBase(baseUrl: string | PlatformUrl): string {
  const url = URL.canParse(baseUrl) ? new URL(baseUrl) : undefined
  // This comparison refuses a user name, a password, a query and a fragment.
  if (!url || !/^https?:.*\/v1\/?$/.test(url.href) || url.href !== url.origin + url.pathname) {
    throw new TypeError('baseUrl must be an absolute http or https address that ends in /v1, without a password')
  }
  return url.href.replace(/\/$/, '')
}
