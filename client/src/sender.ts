/** The path of every request: it waits for its turn, is sent, its response is read, and it is retried if that is safe. */
import { type BodyReader, readError, readJson } from './answers.ts'
import { backoffMs, mayRetry, retryAfterMs, serviceMs } from './backoff.ts'
import { elapsedMs, onAbort, unlessAborted } from './clock.ts'
import {
  AbortedError,
  type AnswerDetails,
  AnswerError,
  CallError,
  mayBeDone,
  NetworkError,
  PetAdoptionError,
  TimeoutError,
  UnexpectedAnswerError,
} from './errors.ts'
import type { RateLimit, ResponseLimits, Turn } from './limiter.ts'
import type { CallSettings, SentRequest, Settings } from './options.ts'
import type { PlatformHeaders, PlatformSignal } from './platform.ts'
import { VERSION } from './version.ts'

/** A response: the result of the call, with its status and headers. */
export interface Answered<T> {
  /** The result of the operation. */
  readonly data: T
  /** The HTTP status. */
  readonly status: number
  /** The headers; in a browser, those that the service exposes. */
  readonly headers: PlatformHeaders
}

interface Call<T> extends CallSettings {
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly body?: string
  readonly success: 200 | 201
  readonly read: BodyReader<T>
}

export class Sender {
  readonly #settings: Settings
  /** The operations whose deprecation was reported. */
  readonly #warned = new Set<string>()

  constructor(settings: Settings) {
    this.#settings = settings
  }

  async send<T>(call: Call<T>): Promise<Answered<T>> {
    const { method, path, signal, maxAttempts } = call
    for (let attempt = 1; ; attempt++) {
      const turn = await this.#settings.limiter.take(signal).catch((reason: unknown) => {
        throw new AbortedError(method, path, reason, false)
      })
      if ('blockedMs' in turn) throw notSent(turn.blockedMs, call)
      try {
        return await this.#exchange(call, turn, attempt)
      } catch (thrown) {
        if (!(thrown instanceof CallError)) throw thrown
        if (attempt >= maxAttempts || !isWorthAnother(thrown)) throw thrown
        await this.#rest(call, attempt, thrown)
      }
    }
  }

  /** Waits for the next attempt. Fails with an AbortedError if the hook throws or the wait is aborted. */
  async #rest({ method, path, signal }: Call<unknown>, attempt: number, error: CallError): Promise<void> {
    const { limiter, maxWait, onRetry, clock, random } = this.#settings
    const { status, retryAfter }: Partial<AnswerError> = error
    const isRefusal = status === 429
    // After a 429 all calls share one wait, which the limiter applies before the next turn.
    const askedMs = retryAfter && retryAfter * 1000
    const waitMs = isRefusal ? limiter.blockedMs : backoffMs(attempt, { askedMs }, random)
    if (waitMs > maxWait) throw error
    try {
      await onRetry?.({ attempt, waitMs, error })
      if (!isRefusal) await unlessAborted<void>(signal, (resolve) => clock.after(waitMs, resolve))
    } catch (reason) {
      throw new AbortedError(method, path, reason, error.mayBeDone)
    }
  }

  /** Between the hooks. Fails with a CallError. */
  async #exchange<T>(call: Call<T>, turn: Turn, attempt: number): Promise<Answered<T>> {
    const { method, path, signal } = call
    const { limiter, clock, onRequest, onResponse } = this.#settings
    const request: SentRequest = { method, path, attempt, headers: new Headers(call.headers) }
    try {
      await onRequest?.(request)
      signal?.throwIfAborted()
    } catch (reason) {
      limiter.end(turn)
      throw new AbortedError(method, path, reason, false)
    }
    const startMs = elapsedMs(clock)
    const result = await this.#send(call, request, turn).catch((error: CallError) => error)
    const error = result instanceof CallError ? result : undefined
    const { status, headers } = result as Partial<AnswerDetails>
    try {
      await onResponse?.({ request, elapsedMs: elapsedMs(clock) - startMs, status, headers, error })
    } catch (reason) {
      throw new AbortedError(method, path, reason, error?.mayBeDone ?? mayBeDone(method))
    }
    if (result instanceof CallError) throw result
    return result
  }

  /** Fails with a CallError. */
  async #send<T>(call: Call<T>, { headers }: SentRequest, turn: Turn): Promise<Answered<T>> {
    const { method, path, signal, timeout } = call
    const { clock, fetch } = this.#settings
    const abort = new AbortController()
    const cancel = () => abort.abort()
    const stopTimer = clock.after(timeout, cancel)
    const forget = onAbort(signal, cancel)
    try {
      const response = await this.#fetch(call, headers, turn, abort.signal)
      return this.#read(call, response, await response.text())
    } catch (error) {
      if (error instanceof AnswerError) throw error
      if (signal?.aborted) throw new AbortedError(method, path, signal.reason, mayBeDone(method))
      if (abort.signal.aborted) throw new TimeoutError(method, path, timeout)
      throw new NetworkError(method, path, error, fetch !== undefined)
    } finally {
      stopTimer()
      forget()
    }
  }

  /** Resolves when the headers of the response have arrived, and ends the turn. */
  async #fetch(
    { method, path, body }: Call<unknown>,
    requestHeaders: PlatformHeaders,
    turn: Turn,
    signal: PlatformSignal,
  ) {
    const { baseUrl, apiKey, limiter, fetch: own, clock } = this.#settings
    // A copy, so that no hook sees the key.
    const headers = new Headers(requestHeaders)
    headers.set('Accept', 'application/json')
    headers.set('Authorization', `Bearer ${apiKey}`)
    if (body !== undefined) headers.set('Content-Type', 'application/json')
    if (!isBrowser()) headers.set('User-Agent', `pet-adoption-client/${VERSION}`)
    let limits: ResponseLimits | undefined
    try {
      // A later replacement of the platform's fetch is used.
      const response = await (own ?? fetch)(baseUrl + path, {
        method,
        headers,
        ...(body !== undefined && sentOnce(body)),
        // A redirect is not part of the interface, and must not turn a POST into a GET or send the key elsewhere.
        redirect: 'manual',
        credentials: 'omit',
        signal,
      })
      const rateLimit = rateLimitOf(response.headers)
      warnOnce(this.#warned, method, path, response.headers)
      const refusal = response.status === 429 ? { askedMs: this.#askedMs(response.headers) } : undefined
      limits = { rateLimit, serviceMs: serviceMs(response.headers.get('Date'), clock.now()), refusal }
      return response
    } finally {
      limiter.end(turn, limits)
    }
  }

  #askedMs(headers: PlatformHeaders): number | undefined {
    return retryAfterMs(headers.get('Retry-After'), serviceMs(headers.get('Date'), this.#settings.clock.now()))
  }

  #read<T>({ method, path, success, read }: Call<T>, { status, headers }: Response, text: string): Answered<T> {
    // A service might repeat the key, which must not get into the caller's logs.
    const redact = (text: string) => text.replaceAll(this.#settings.apiKey, '<API_KEY>')
    const details = (): AnswerDetails => {
      const safe = new Headers()
      headers.forEach((value, name) => void safe.append(name, redact(value)))
      const askedMs = this.#askedMs(headers)
      const retryAfter = askedMs && Math.ceil(askedMs / 1000)
      const value = (name: string) => safe.get(name) ?? undefined
      return { status, retryAfter, requestId: value('X-Request-Id'), location: value('Location'), headers: safe }
    }
    const location = /^3/.test(`${status}`) && headers.get('Location')
    try {
      if (location) throw new TypeError(`it redirects to ${redact(location)}`)
      const body = readJson(text)
      if (status === success) return { data: read(body), status, headers }
      const { code, message } = readError(body, status)
      throw new PetAdoptionError(code, redact(message), method, path, details())
    } catch (error) {
      if (!(error instanceof TypeError)) throw error
      throw new UnexpectedAnswerError(error.message, location ? '' : redact(text), method, path, details())
    }
  }
}

function isWorthAnother(error: CallError): boolean {
  const isFinal = error instanceof NetworkError && error.isPermanent
  return !(isFinal || error instanceof AbortedError) && mayRetry(error)
}

/** Deno repeats a request whose connection breaks, but cannot repeat a stream. Nothing prevents it in a browser. */
function sentOnce(body: string) {
  return 'Deno' in globalThis ? { body: new Blob([body]).stream(), duplex: 'half' as const } : { body }
}

/** An earlier 429 blocks the request for longer than `maxWait`. */
function notSent(blockedMs: number, { method, path }: Call<unknown>): PetAdoptionError {
  const retryAfter = Math.ceil(blockedMs / 1000)
  const message = `not sent: after a 429 the service wants no request for another ${retryAfter} s`
  return new PetAdoptionError('rate_limited', message, method, path, { status: 429, retryAfter })
}

/** Undefined also in a browser if a service on another origin does not expose the headers. */
function rateLimitOf(headers: PlatformHeaders): RateLimit | undefined {
  const number = (name: string) => Number.parseInt(headers.get(`X-RateLimit-${name}`) ?? '', 10)
  const [limit, remaining, reset] = [number('Limit'), number('Remaining'), new Date(number('Reset') * 1000)]
  return Number.isNaN(limit + remaining + reset.getTime()) ? undefined : { limit, remaining, reset }
}

/** Browsers set User-Agent themselves, and a page that sets it needs permission (CORS). */
function isBrowser(): boolean {
  return /^Mozilla\//.test(globalThis.navigator?.userAgent ?? '')
}

/** Warns once per operation that the service marks as deprecated or due for removal (RFC 9745, RFC 8594). */
function warnOnce(warned: Set<string>, method: string, path: string, headers: PlatformHeaders): void {
  const operation = `${method} ${path.replace(/\?.*/, '').replace(/\/-?\d+$/, '/{petId}')}`
  const sunset = headers.get('Sunset')
  if ((sunset === null && !headers.has('Deprecation')) || warned.has(operation)) return
  warned.add(operation)
  const message = `${operation} is deprecated${sunset ? `, and removed on ${sunset}` : ''}, says the pet adoption service`
  // Node, Deno and Bun can silence a warning. A browser has only its console.
  const { process }: { process?: { emitWarning?(message: string, type: string): void } } = globalThis as object
  if (process?.emitWarning) process.emitWarning(message, 'DeprecationWarning')
  else console.warn(`DeprecationWarning: ${message}`)
}
