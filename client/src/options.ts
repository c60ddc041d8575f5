/** The options of a client, checked once, so that a mistake is reported where it was made. */
import { type Clock, systemClock } from './clock.ts'
import type { CallError } from './errors.ts'
import type { Hold } from './turns.ts'

/** The options of a client. */
export interface PetAdoptionOptions {
  /** The base address of the service, absolute; it ends in `/v1`. */
  readonly baseUrl: string | URL
  /** The API key. It is sent as a bearer credential and never shown. */
  readonly apiKey: string
  /** How often a request is sent at most, including the first time. Default 4; 1 means no retry. */
  readonly maxAttempts?: number | undefined
  /**
   * The longest wait before a retry, in milliseconds. Default 90,000, which is longer than a window of one minute. If
   * the service asks for a longer wait, the call fails at once with the service's error.
   */
  readonly maxWait?: number | undefined
  /** How long one attempt may take until its response is complete, in milliseconds. Default 30,000. */
  readonly timeout?: number | undefined
  /** Whether to spread requests evenly over the window of the limit. Off by default. */
  readonly pace?: boolean | undefined
  /** Called before each wait for a retry. If it throws, the call ends with that error. */
  readonly onRetry?: ((retry: Retry) => void) | undefined
  /**
   * Called when calls begin to be held back, without a refusal, because the limit is used up: once per window of the
   * limit.
   */
  readonly onHold?: ((hold: Hold) => void) | undefined
  /** Replaces the platform's `fetch`, for example for a proxy, a private certificate, or a log. */
  readonly fetch?: typeof globalThis.fetch | undefined
  /** Replaces the platform's clock and timers, for example in a test. */
  readonly clock?: Clock | undefined
  /** Replaces `Math.random` in the back-off. */
  readonly random?: (() => number) | undefined
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

/** The options with all defaults filled in. */
export interface Settings {
  /** Ends in `/v1`. */
  readonly baseUrl: string
  readonly apiKey: string
  readonly maxAttempts: number
  readonly maxWait: number
  readonly timeout: number
  readonly pace: boolean
  readonly onRetry: ((retry: Retry) => void) | undefined
  readonly onHold: ((hold: Hold) => void) | undefined
  readonly fetch: typeof globalThis.fetch
  readonly clock: Clock
  readonly random: () => number
}

/** Throws TypeError or RangeError with one sentence that names the option. */
export function settingsOf(options: PetAdoptionOptions): Settings {
  const { apiKey, maxAttempts = 4, maxWait = 90_000, timeout = 30_000 } = options
  // Checked here because fetch shows the key in its message when it refuses such a header.
  if (!/^[\x21-\x7e]+$/.test(apiKey ?? '')) throw new TypeError('apiKey must be the key as issued, without blanks')
  if (!(maxAttempts >= 1)) throw new RangeError('maxAttempts must be 1 or more')
  if (!(maxWait >= 0)) throw new RangeError('maxWait must be a number of milliseconds, 0 or more')
  if (!(timeout > 0)) throw new RangeError('timeout must be a number of milliseconds, more than 0')
  return {
    baseUrl: checkedBase(options.baseUrl),
    apiKey,
    maxAttempts,
    maxWait,
    timeout,
    pace: options.pace ?? false,
    onRetry: options.onRetry,
    onHold: options.onHold,
    // Looked up for each request, so that a later replacement of the platform's fetch is used.
    fetch: options.fetch ?? ((...request) => fetch(...request)),
    clock: options.clock ?? systemClock,
    random: options.random ?? Math.random,
  }
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
