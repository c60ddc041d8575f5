/**
 * The loop that every request goes through: it waits for its turn, is sent over `fetch`, its response is read, and it
 * is retried where that is safe.
 */

import { type Read, readError, readJson } from './answers.ts'
import { backoffMs, mayRetry, retryAfterMs, serviceMs } from './backoff.ts'
import { onAbort, pause } from './clock.ts'
import {
  type AnswerDetails,
  AnswerError,
  CallError,
  NetworkError,
  PetAdoptionError,
  TimeoutError,
  UnexpectedAnswerError,
} from './errors.ts'
import type { RateLimit, Turn } from './limiter.ts'
import type { CallSettings, Settings } from './options.ts'
import { VERSION } from './version.ts'

/** A response: the result of the call, with its status and headers. */
export interface Answered<T> {
  /** The result of the operation. */
  readonly data: T
  /** The HTTP status. */
  readonly status: number
  /** The headers; in a browser, those that the service exposes. */
  readonly headers: Headers
}

/** One call of an operation: the request, and how its response is read. */
interface Call<T> extends CallSettings {
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly body?: string
  readonly success: 200 | 201
  readonly read: Read<T>
  /**
   * Called if a request may have been carried out. Returns its result, or undefined if it was certainly not carried
   * out. Without this function, the call fails.
   */
  readonly find?: (error: CallError) => Promise<Answered<T> | undefined>
}

export class Sender {
  readonly #settings: Settings
  readonly #removals = new Removals()

  constructor(settings: Settings) {
    this.#settings = settings
  }

  async send<T>(call: Call<T>): Promise<Answered<T>> {
    const { limiter, maxWait, onRetry, clock } = this.#settings
    for (let attempt = 1; ; attempt++) {
      const turn = await limiter.take(call.signal)
      if ('blockedMs' in turn) throw notSent(turn.blockedMs, call)
      try {
        return await this.#exchange(call, turn)
      } catch (error) {
        if (!(error instanceof CallError)) throw error
        const { find } = error.mayBeDone ? call : {}
        const isLast = attempt >= call.maxAttempts
        if (find === undefined && (isLast || !isWorthAnother(error))) throw error
        const isRefusal = error instanceof AnswerError && error.status === 429
        // After a 429 all calls share one wait, which the limiter applies before the next turn.
        const waitMs = isRefusal ? limiter.blockedMs : this.#backoffMs(attempt, error)
        if (waitMs > maxWait) throw error
        await onRetry?.({ attempt, waitMs, error })
        if (!isRefusal) await pause(clock, waitMs, call.signal)
        const found = await find?.(error)
        if (found !== undefined) return found
        if (isLast) throw error
      }
    }
  }

  #backoffMs(attempt: number, error: CallError): number {
    const { retryAfter }: Partial<AnswerError> = error
    return backoffMs(attempt, { askedMs: retryAfter && retryAfter * 1000 }, this.#settings.random)
  }

  /** Sends the request once. Fails with a CallError, or with the signal's reason. */
  async #exchange<T>(call: Call<T>, turn: Turn): Promise<Answered<T>> {
    const { method, path, signal, timeout } = call
    const { clock } = this.#settings
    const abort = new AbortController()
    const cancel = () => abort.abort()
    const stopTimer = clock.after(timeout, cancel)
    const forget = onAbort(signal, cancel)
    if (signal?.aborted) cancel()
    try {
      const response = await this.#fetch(call, turn, abort.signal)
      return this.#read(call, response, await response.text())
    } catch (error) {
      if (error instanceof AnswerError) throw error
      signal?.throwIfAborted()
      throw abort.signal.aborted ? new TimeoutError(method, path, timeout) : new NetworkError(method, path, error)
    } finally {
      stopTimer()
      forget()
    }
  }

  /** Resolves when the headers of the response have arrived, and ends the turn. */
  async #fetch(
    { method, path, body, headers: own }: Call<unknown>,
    turn: Turn,
    signal: AbortSignal,
  ): Promise<Response> {
    const { baseUrl, apiKey, limiter, fetch, clock } = this.#settings
    const headers = new Headers(own)
    headers.set('Accept', 'application/json')
    headers.set('Authorization', `Bearer ${apiKey}`)
    if (body !== undefined) headers.set('Content-Type', 'application/json')
    if (!isBrowser()) headers.set('User-Agent', `pet-adoption-client/${VERSION}`)
    try {
      const response = await fetch(baseUrl + path, {
        method,
        headers,
        ...(body !== undefined && { body }),
        // A redirect is not part of the interface, and must not turn a POST into a GET or send the key elsewhere.
        redirect: 'manual',
        credentials: 'omit',
        signal,
      })
      const { status } = response
      const rateLimit = rateLimitOf(response.headers)
      this.#removals.see(method, path, response.headers)
      const refusal = status === 429 ? { askedMs: this.#askedMs(response.headers) } : undefined
      limiter.end(turn, { rateLimit, serviceMs: serviceMs(response.headers.get('Date'), clock.now()), refusal })
      return response
    } catch (error) {
      limiter.end(turn)
      throw error
    }
  }

  #askedMs(headers: Headers): number | undefined {
    return retryAfterMs(headers.get('Retry-After'), serviceMs(headers.get('Date'), this.#settings.clock.now()))
  }

  #read<T>({ method, path, success, read }: Call<T>, { status, headers }: Response, text: string): Answered<T> {
    // A service may repeat the key: it must not get into the caller's logs.
    const redact = (said: string) => said.replaceAll(this.#settings.apiKey, '<API_KEY>')
    const askedMs = this.#askedMs(headers)
    const answer: AnswerDetails = {
      status,
      retryAfter: askedMs === undefined ? undefined : Math.ceil(askedMs / 1000),
      requestId: headers.get('X-Request-Id') ?? undefined,
    }
    try {
      const body = readJson(text)
      if (status === success) return { data: read(body), status, headers }
      const { code, message } = readError(body, status)
      throw new PetAdoptionError(code, redact(message), method, path, answer)
    } catch (error) {
      if (!(error instanceof TypeError)) throw error
      const type = headers.get('Content-Type')
      throw new UnexpectedAnswerError(type, error.message, redact(text), method, path, answer)
    }
  }
}

/** A time-out is not retried: the caller has waited long enough. */
function isWorthAnother(error: CallError): boolean {
  return !(error instanceof TimeoutError) && mayRetry(error)
}

/** The error of a request that was not sent, because an earlier 429 blocks it for longer than `maxWait`. */
function notSent(blockedMs: number, { method, path }: Call<unknown>): PetAdoptionError {
  const retryAfter = Math.ceil(blockedMs / 1000)
  const message = `not sent: after a 429 the service wants no request for another ${retryAfter} s`
  return new PetAdoptionError('rate_limited', message, method, path, { status: 429, retryAfter, requestId: undefined })
}

/** Undefined also in a browser if a service on another origin does not expose the headers. */
function rateLimitOf(headers: Headers): RateLimit | undefined {
  const number = (name: string) => Number.parseInt(headers.get(`X-RateLimit-${name}`) ?? '', 10)
  const [limit, remaining, reset] = [number('Limit'), number('Remaining'), new Date(number('Reset') * 1000)]
  return Number.isNaN(limit + remaining + reset.getTime()) ? undefined : { limit, remaining, reset }
}

/** Browsers set User-Agent themselves; a page that set it would need permission (CORS) from another origin. */
export function isBrowser(): boolean {
  return /^Mozilla\//.test(globalThis.navigator?.userAgent ?? '')
}

/** Warns once per operation that the service marks as deprecated or due for removal (RFC 9745, RFC 8594). */
class Removals {
  readonly #told = new Set<string>()

  /** Reads the headers of any response. A browser shows only those that the service exposes. */
  see(method: string, path: string, headers: Headers): void {
    const operation = `${method} ${path.replace(/\?.*/, '').replace(/[^/]*\d$/, '{petId}')}`
    const sunset = headers.get('Sunset')
    if ((sunset === null && !headers.has('Deprecation')) || this.#told.has(operation)) return
    this.#told.add(operation)
    warn(`${operation} is deprecated${sunset ? `, and removed on ${sunset}` : ''}, says the pet adoption service`)
  }
}

/** Emits a deprecation warning, which Node, Deno and Bun can silence. A browser has only its console. */
function warn(message: string): void {
  const { process }: { process?: { emitWarning?(message: string, type: string): void } } = globalThis as object
  if (process?.emitWarning === undefined) console.warn(`DeprecationWarning: ${message}`)
  else process.emitWarning(message, 'DeprecationWarning')
}
