/** The options of a client and of a call, checked once, so that a mistake is reported where it was made. */
import { type Clock, systemClock } from './clock.ts'
import type { CallError } from './errors.ts'
import { checkedWait, Limiter, type LimiterOptions } from './limiter.ts'

/** The options of a client. Limiter options apply to its own limiter; a shared `limiter` has options of its own. */
export interface PetAdoptionOptions extends LimiterOptions {
  /** The base address of the service, absolute; it ends in `/v1`. */
  readonly baseUrl: string | URL
  /** The API key. It is sent as a bearer credential and never shown. */
  readonly apiKey: string
  /** The maximum number of attempts per request, including the first. Default 4; 1 means no retry. */
  readonly maxAttempts?: number | undefined
  /** The time-out of one attempt, until its response is complete, in milliseconds. Default 30,000. */
  readonly timeout?: number | undefined
  /** The limiter to share with other clients of this program that use the same key. Default: a new one. */
  readonly limiter?: Limiter | undefined
  /** Called before each wait for a retry. If it throws, or its promise is rejected, the call ends with that error. */
  readonly onRetry?: ((retry: Retry) => void) | undefined
  /** Replaces the platform's `fetch`, for example for a proxy or a private certificate. */
  readonly fetch?: typeof globalThis.fetch | undefined
}

/** Options of a single call. */
export interface CallOptions {
  /** Aborts the call, even while it waits; the call then fails with the signal's reason. */
  readonly signal?: AbortSignal | undefined
  /** Overrides `maxAttempts` of the client. */
  readonly maxAttempts?: number | undefined
  /** Overrides `timeout` of the client, in milliseconds. */
  readonly timeout?: number | undefined
  /** Additional request headers. They cannot replace those of the client. */
  readonly headers?: Headers | Readonly<Record<string, string>> | undefined
}

/** Options of a single `createPet`. */
export interface CreateOptions extends CallOptions {
  /**
   * What to do when the response was lost and the animal may have been added. `fail`, the default, ends the call.
   * `look` looks for it among the newest animals, and adds it again only if it is not there.
   */
  readonly onUnknown?: 'fail' | 'look' | undefined
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

/** The options with all defaults filled in. */
export interface Settings {
  /** Ends in `/v1`. */
  readonly baseUrl: string
  readonly apiKey: string
  readonly maxAttempts: number
  readonly maxWait: number
  readonly timeout: number
  readonly limiter: Limiter
  readonly onRetry: ((retry: Retry) => void) | undefined
  readonly fetch: typeof globalThis.fetch
  readonly clock: Clock
  readonly random: () => number
}

/** The options of one call, with the client's options as defaults. */
export interface CallSettings {
  readonly signal: AbortSignal | undefined
  readonly maxAttempts: number
  readonly timeout: number
  readonly headers: Headers
}

/** Throws TypeError or RangeError with one sentence that names the option. */
export function settingsOf(options: PetAdoptionOptions): Settings {
  const { apiKey, maxAttempts = 4, timeout = 30_000 } = options
  // Checked here because fetch would quote an invalid key in its error message.
  if (!/^[\x21-\x7e]+$/.test(apiKey ?? '')) throw new TypeError('apiKey must be the key as issued, without blanks')
  checkAttempts(maxAttempts, timeout)
  return {
    baseUrl: checkedBase(options.baseUrl),
    apiKey,
    maxAttempts,
    maxWait: checkedWait(options.maxWait),
    timeout,
    limiter: limiterOf(options),
    onRetry: options.onRetry,
    // Looked up for each request, so that a later replacement of the platform's fetch is used.
    fetch: options.fetch ?? ((...request) => fetch(...request)),
    clock: options.clock ?? systemClock,
    random: options.random ?? Math.random,
  }
}

/** Throws TypeError or RangeError with one sentence that names the option. */
export function callSettings(settings: Settings, options: CallOptions = {}): CallSettings {
  const { signal, maxAttempts = settings.maxAttempts, timeout = settings.timeout, headers } = options
  checkAttempts(maxAttempts, timeout)
  return { signal, maxAttempts, timeout, headers: new Headers(headers) }
}

function checkAttempts(maxAttempts: number, timeout: number): void {
  if (!(maxAttempts >= 1)) throw new RangeError('maxAttempts must be 1 or more')
  if (!(timeout > 0)) throw new RangeError('timeout must be more than 0 ms')
}

function limiterOf(options: PetAdoptionOptions): Limiter {
  const { limiter, maxInFlight, pace, onHold } = options
  if (limiter && (maxInFlight ?? pace ?? onHold) !== undefined) {
    throw new TypeError('maxInFlight, pace and onHold are given to the shared limiter')
  }
  return limiter ?? new Limiter(options)
}

function checkedBase(baseUrl: string | URL): string {
  const url = URL.canParse(baseUrl) ? new URL(baseUrl) : undefined
  // This comparison refuses a user name, a password, a query and a fragment.
  if (url === undefined || !/^https?:.*\/v1\/?$/.test(url.href) || url.href !== url.origin + url.pathname) {
    throw new TypeError('baseUrl must be an absolute http or https address that ends in /v1, without a password')
  }
  return url.href.replace(/\/$/, '')
}
