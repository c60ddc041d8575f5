/** The options of a client and of a call, checked once, so that a mistake is reported where it was made. */
import { type Clock, systemClock } from './clock.ts'
import type { CallError } from './errors.ts'
import { checkedWait, Limiter, type LimiterOptions, type RateLimit } from './limiter.ts'

/** The options of a client. Those of a limiter are for its own; a client that shares one takes that one's. */
export interface PetAdoptionOptions extends LimiterOptions {
  /** The base address of the service, absolute; it ends in `/v1`. */
  readonly baseUrl: string | URL
  /** The API key. It is sent as a bearer credential and never shown. */
  readonly apiKey: string
  /** How often a request is sent at most, including the first time. Default 4; 1 means no retry. */
  readonly maxAttempts?: number | undefined
  /** How long one attempt may take until its response is complete, in milliseconds. Default 30,000. */
  readonly timeout?: number | undefined
  /** Shared by all clients that use the same key in this program. Default: one of its own. */
  readonly limiter?: Limiter | undefined
  /** Called before each wait for a retry. If it throws, or its promise is rejected, the call ends with that error. */
  readonly onRetry?: ((retry: Retry) => void) | undefined
  /** Called with all that happens to requests, for a log. What it throws is ignored. */
  readonly debug?: ((event: DebugEvent) => void) | undefined
  /** Replaces the platform's `fetch`, for example for a proxy or a private certificate. */
  readonly fetch?: typeof globalThis.fetch | undefined
}

/** Options of a single call. */
export interface CallOptions {
  /** Ends the call, also while it waits; the call then fails with the signal's reason. */
  readonly signal?: AbortSignal | undefined
  /** Instead of the client's. */
  readonly maxAttempts?: number | undefined
  /** Instead of the client's, in milliseconds. */
  readonly timeout?: number | undefined
  /** Sent besides those of the client, which they cannot replace. */
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

/** A retry that is about to be waited for. */
export interface Retry {
  /** The number of attempts that have failed so far. */
  readonly attempt: number
  /** How long the client is going to wait, in milliseconds. */
  readonly waitMs: number
  /** The error of the latest attempt. */
  readonly error: CallError
}

/** What happens to a request. It never holds the key. */
export interface DebugEvent {
  /** Whether the request was sent, its response began, or it failed without one. */
  readonly what: 'sent' | 'answered' | 'failed'
  /** The method of the request, as in `POST`. */
  readonly method: string
  /** The path of the request below the base address, as in `/pets`. */
  readonly path: string
  /** Which attempt of its call it is, from 1. */
  readonly attempt: number
  /** How long it took so far, in milliseconds. */
  readonly tookMs: number
  /** The HTTP status of the response. */
  readonly status?: number
  /** The limit as the response described it. */
  readonly rateLimit?: RateLimit | undefined
  /** Why it failed. */
  readonly error?: unknown
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
  readonly debug: (event: DebugEvent) => void
  readonly fetch: typeof globalThis.fetch
  readonly clock: Clock
  readonly random: () => number
}

/** Of one call, with the client's in place of what it does not say. */
export interface CallSettings {
  readonly signal: AbortSignal | undefined
  readonly maxAttempts: number
  readonly timeout: number
  readonly headers: Headers
}

/** Throws TypeError or RangeError with one sentence that names the option. */
export function settingsOf(options: PetAdoptionOptions): Settings {
  const { apiKey, maxAttempts = 4, timeout = 30_000, debug } = options
  // Checked here because fetch shows the key in its message when it refuses such a header.
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
    debug: (event) => void ignoringFailure(() => debug?.(event)),
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
  if (!(timeout > 0)) throw new RangeError('timeout must be a number of milliseconds, more than 0')
}

function limiterOf(options: PetAdoptionOptions): Limiter {
  const { limiter, maxInFlight, pace, onHold } = options
  if (limiter === undefined) return new Limiter(options)
  if (maxInFlight !== undefined || pace !== undefined || onHold !== undefined) {
    throw new TypeError('maxInFlight, pace and onHold are given to a limiter that is shared, not to its clients')
  }
  return limiter
}

async function ignoringFailure(task: () => unknown): Promise<void> {
  try {
    await task()
  } catch {}
}

function checkedBase(baseUrl: string | URL): string {
  let url: URL
  try {
    url = new URL(baseUrl)
  } catch {
    throw new TypeError('baseUrl must be an absolute address that ends in /v1, as in https://pets.example/v1')
  }
  const { protocol, pathname, search, hash, username, password } = url
  if (!/^https?:$/.test(protocol)) throw new TypeError('baseUrl must begin with https:// or http://')
  if (!/\/v1\/?$/.test(pathname) || search + hash !== '') {
    throw new TypeError('baseUrl must end in /v1, as in https://pets.example/v1')
  }
  if (username + password !== '')
    throw new TypeError('baseUrl must hold no user and no password; give the key as apiKey')
  return url.href.replace(/\/$/, '')
}
