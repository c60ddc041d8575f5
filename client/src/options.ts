/** How a client is set up, checked once, so that a mistake is named where it was made. */
import { type Clock, systemClock } from './clock.ts'
import type { CallError } from './errors.ts'
import type { Hold } from './turns.ts'

/** How a client is set up. */
export interface PetAdoptionOptions {
  /** The base address of the service, absolute; it ends in `/v1`. */
  readonly baseUrl: string | URL
  /** The API key. It is sent as a bearer credential and shown nowhere. */
  readonly apiKey: string
  /** How often a request is sent at most, the first time included. 4 when not given; 1 means never again. */
  readonly maxAttempts?: number | undefined
  /**
   * The longest wait before a further attempt, in milliseconds; 90,000 when not given, which outlasts a window of one
   * minute. Where the service asks for more, the call fails at once with what the service said.
   */
  readonly maxWait?: number | undefined
  /** How long one attempt may take, in milliseconds, until its answer is there whole. 30,000 when not given. */
  readonly timeout?: number | undefined
  /** Whether to spread requests evenly over the window of the limit. Off when not given. */
  readonly pace?: boolean | undefined
  /** Called before each wait for a further attempt. What it throws ends the call. */
  readonly onRetry?: ((retry: Retry) => void) | undefined
  /**
   * Called when calls begin to be held back, without any refusal, because the limit is used up: once for a window of the
   * limit.
   */
  readonly onHold?: ((hold: Hold) => void) | undefined
  /** Sends the requests in place of the platform's `fetch`, as for a proxy, a certificate of one's own, or a log. */
  readonly fetch?: typeof globalThis.fetch | undefined
  /** Takes the place of the platform's clock and timers, as in a test. */
  readonly clock?: Clock | undefined
  /** Takes the place of `Math.random` in the back-off. */
  readonly random?: (() => number) | undefined
}

/** A further attempt that is about to be waited for. */
export interface Retry {
  /** How many attempts have failed so far. */
  readonly attempt: number
  /** How long the client is going to wait, in milliseconds. */
  readonly waitMs: number
  /** How the latest attempt failed. */
  readonly error: CallError
}

/** The options with nothing left open. */
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
  // Said here because fetch, where it refuses such a header, shows the key in its message.
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
    // Looked up for each request, so that what replaces the platform's fetch later on is used.
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
