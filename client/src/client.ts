/**
 * The client: the three operations of the interface over `fetch`, and the one loop through which every request goes.
 * A request first takes its turn (no request leaves before a wait that the service asked for is over), then is sent,
 * and is sent again where that can do no harm.
 */
import { backoffMs, mayRetry, paceMs, retryAfterMs } from './backoff.ts'
import {
  type AnswerDetails,
  AnswerError,
  type CallError,
  NetworkError,
  PetAdoptionError,
  TimeoutError,
  UnexpectedAnswerError,
} from './errors.ts'
import { int64, isInt64, parseJson, recordJson } from './json.ts'
import {
  type ErrorBody,
  type ListPetsQuery,
  type NewPet,
  PET_STATUS_VALUES,
  type Pet,
  type PetStatus,
} from './types.ts'

/** The longest that a timer of the platform can run, in milliseconds. */
const LONGEST_TIMER_MS = 2 ** 31 - 1

/** How a client is set up. */
export interface PetAdoptionOptions {
  /** The base address of the service; it ends in `/v1`. */
  readonly baseUrl: string
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
  /**
   * Whether to spread requests evenly over the window of the limit, so that no 429 comes. Off when not given. It knows
   * of the limit what the latest answer said; a wait longer than `maxWait` is not made.
   */
  readonly pace?: boolean | undefined
  /** Called before each wait for a further attempt. What it throws ends the call. */
  readonly onRetry?: ((retry: Retry) => void) | undefined
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

/** What a single call may be given besides its data. */
export interface CallOptions {
  /** Ends the call, also while it waits; the call then fails with the signal's reason. */
  readonly signal?: AbortSignal | undefined
}

/** The limit on the key's requests, as an answer described it. */
export interface RateLimit {
  /** How many requests the window allows. */
  readonly limit: number
  /** How many of them are left. */
  readonly remaining: number
  /** When the window ends, by the clock of the service. */
  readonly reset: Date
}

/** One call of an operation: what is sent, and how its answer is known. */
interface Call<T> {
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly body?: string
  readonly success: 200 | 201
  readonly isResult: (body: unknown) => body is T
  readonly signal: AbortSignal | undefined
}

/** A client of one pet adoption service with one API key. */
export class PetAdoption {
  readonly #baseUrl: string
  readonly #apiKey: string
  readonly #options: {
    readonly maxAttempts: number
    readonly maxWait: number
    readonly timeout: number
    readonly pace: boolean
    readonly onRetry: ((retry: Retry) => void) | undefined
  }

  #rateLimit: RateLimit | undefined
  /** The end of the window by this machine's clock, in Unix milliseconds. */
  #resetMs = 0
  /** The service wants no request before this instant. Unix milliseconds. */
  #blockedUntilMs = 0
  /** From a 429 until an answer shows that the limit has been lifted. */
  #isLimited = false
  #unanswered = 0
  #lastSentMs = 0
  /** Each ends the wait of one request, which then looks again whether its turn has come. */
  readonly #wakers = new Set<() => void>()

  /** Throws TypeError when the address or the key cannot be right. */
  constructor(options: PetAdoptionOptions) {
    const { baseUrl, apiKey, maxAttempts = 4, maxWait = 90_000, timeout = 30_000, pace = false, onRetry } = options
    if (!/\/v1\/?$/.test(baseUrl)) throw new TypeError('baseUrl must end in /v1, as in https://pets.example/v1')
    // Said here because fetch, where it refuses such a header, shows the key in its message.
    if (!/^[\x21-\x7e]+$/.test(apiKey ?? '')) throw new TypeError('apiKey must be the key as issued, without blanks')
    this.#baseUrl = baseUrl.replace(/\/$/, '')
    this.#apiKey = apiKey
    this.#options = { maxAttempts, maxWait, timeout, pace, onRetry }
  }

  /** The limit as the latest answer described it; undefined before the first, or where a browser hides the headers. */
  get rateLimit(): RateLimit | undefined {
    return this.#rateLimit
  }

  /** Lists animals, all of them or those of one status. */
  async listPets(query: ListPetsQuery = {}, options: CallOptions = {}): Promise<Pet[]> {
    const search = new URLSearchParams()
    if (query.limit !== undefined) search.set('limit', `${query.limit}`)
    if (query.status !== undefined) search.set('status', query.status)
    const path = `/pets?${search}`.replace(/\?$/, '')
    return this.#send({ method: 'GET', path, success: 200, isResult: isPets, signal: options.signal })
  }

  /**
   * Adds an animal and returns it with the `id` that the service has assigned. Of failed attempts only one that got a
   * 429 is repeated: after any other the animal may have been added all the same.
   */
  async createPet(pet: NewPet, options: CallOptions = {}): Promise<Pet> {
    const categoryId = int64(pet.categoryId, 'categoryId')
    const body = recordJson({ name: pet.name, categoryId, status: pet.status })
    return this.#send({ method: 'POST', path: '/pets', body, success: 201, isResult: isPet, signal: options.signal })
  }

  /**
   * Fetches one animal.
   *
   * @deprecated The service removes this operation on 5 December 2030. Use `listPets` with a `status` instead.
   */
  async getPet(id: bigint | number, options: CallOptions = {}): Promise<Pet> {
    const path = `/pets/${int64(id, 'id')}`
    return this.#send({ method: 'GET', path, success: 200, isResult: isPet, signal: options.signal })
  }

  async #send<T>(call: Call<T>): Promise<T> {
    const { maxAttempts, maxWait, onRetry } = this.#options
    let notBeforeMs = 0
    for (let attempt = 1; ; attempt++) {
      await this.#takeTurn(call, notBeforeMs)
      try {
        return await this.#exchange(call, attempt)
      } catch (error) {
        if (!(error instanceof NetworkError || error instanceof AnswerError)) throw error
        const { status, retryAfter }: Partial<AnswerError> = error instanceof AnswerError ? error : {}
        if (attempt >= maxAttempts || !mayRetry(call.method, status)) throw error
        const nowMs = Date.now()
        const askedMs = retryAfter === undefined ? undefined : retryAfter * 1000
        // After a 429 all calls share one wait, which #noteLimit has set.
        const waitMs = status === 429 ? this.#blockedUntilMs - nowMs : backoffMs(attempt, askedMs, Math.random)
        if (waitMs > maxWait) throw error
        onRetry?.({ attempt, waitMs, error })
        notBeforeMs = nowMs + waitMs
      }
    }
  }

  /** Waits until the request may go, and counts it as sent in that same instant, so that no other takes its place. */
  async #takeTurn({ method, path, signal }: Call<unknown>, notBeforeMs: number): Promise<void> {
    for (;;) {
      signal?.throwIfAborted()
      const nowMs = Date.now()
      const blockedMs = this.#blockedUntilMs - nowMs
      if (blockedMs > this.#options.maxWait) throw notSent(blockedMs, method, path)
      const holdMs = Math.max(notBeforeMs - nowMs, blockedMs, this.#holdMs(nowMs))
      if (holdMs <= 0) {
        this.#unanswered += 1
        this.#lastSentMs = nowMs
        return
      }
      await this.#pause(holdMs, signal)
    }
  }

  /** How long the requests under way and the pace hold back a further one, in milliseconds. */
  #holdMs(nowMs: number): number {
    // Once a limit has been hit, one request finds out whether it is lifted before all others follow.
    if (this.#isLimited && this.#unanswered > 0) return Infinity
    if (!this.#options.pace) return 0
    const window = this.#rateLimit && { remaining: this.#rateLimit.remaining, resetMs: this.#resetMs }
    const holdMs = paceMs(window, this.#unanswered, this.#lastSentMs, nowMs)
    return holdMs > this.#options.maxWait && holdMs < Infinity ? 0 : holdMs
  }

  /** Ends after `ms`, or sooner, when an answer has come to some request. Rejects when `signal` is aborted. */
  #pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      const end = () => {
        clearTimeout(timer)
        signal?.removeEventListener('abort', abort)
        this.#wakers.delete(end)
        resolve()
      }
      const abort = () => {
        reject(signal?.reason)
        end()
      }
      const timer = setTimeout(end, Math.min(ms, LONGEST_TIMER_MS))
      signal?.addEventListener('abort', abort)
      this.#wakers.add(end)
    })
  }

  /** Sends the request once. Fails with a CallError, or with the signal's reason. */
  async #exchange<T>({ method, path, body, success, isResult, signal }: Call<T>, attempt: number): Promise<T> {
    const { timeout } = this.#options
    const abort = new AbortController()
    const cancel = () => abort.abort()
    const timer = setTimeout(cancel, Math.min(timeout, LONGEST_TIMER_MS))
    signal?.addEventListener('abort', cancel)
    if (signal?.aborted) cancel()
    let response: Response
    let text: string
    try {
      response = await fetch(this.#baseUrl + path, {
        method,
        headers: {
          Accept: 'application/json',
          Authorization: `Bearer ${this.#apiKey}`,
          ...(body !== undefined && { 'Content-Type': 'application/json' }),
        },
        ...(body !== undefined && { body }),
        // A redirect is not of the interface, and must not turn a POST into a GET or carry the key elsewhere.
        redirect: 'manual',
        credentials: 'omit',
        signal: abort.signal,
      })
      this.#noteLimit(response, attempt)
      text = await response.text()
    } catch (error) {
      signal?.throwIfAborted()
      throw abort.signal.aborted ? new TimeoutError(method, path, timeout) : new NetworkError(method, path, error)
    } finally {
      clearTimeout(timer)
      signal?.removeEventListener('abort', cancel)
      this.#unanswered -= 1
      for (const wake of this.#wakers) wake()
    }
    const { status, headers } = response
    const result = readBody(text)
    if (status === success && isResult(result)) return result
    const askedMs = retryAfterMs(headers.get('Retry-After'), Date.now())
    const answer: AnswerDetails = {
      status,
      retryAfter: askedMs === undefined ? undefined : Math.ceil(askedMs / 1000),
      requestId: headers.get('X-Request-Id') ?? undefined,
    }
    if (!isErrorOf(status, result)) throw new UnexpectedAnswerError(headers.get('Content-Type'), method, path, answer)
    // A service that repeats the key in its message must not bring it into the caller's logs.
    const message = result.message.replaceAll(this.#apiKey, '<API_KEY>')
    throw new PetAdoptionError(result.code, message, method, path, answer)
  }

  /** Learns from the headers of an answer. Browsers hide those that a service on another origin does not expose. */
  #noteLimit({ status, headers }: Response, attempt: number): void {
    const nowMs = Date.now()
    if (status === 429) {
      const waitMs = backoffMs(attempt, retryAfterMs(headers.get('Retry-After'), nowMs), Math.random)
      this.#blockedUntilMs = Math.max(this.#blockedUntilMs, nowMs + waitMs)
      this.#isLimited = true
    } else if (nowMs >= this.#blockedUntilMs) {
      this.#isLimited = false
    }
    const number = (name: string) => Number.parseInt(headers.get(`X-RateLimit-${name}`) ?? '', 10)
    const [limit, remaining, resetS] = [number('Limit'), number('Remaining'), number('Reset')]
    if (Number.isNaN(limit + remaining + resetS)) return
    const reset = new Date(resetS * 1000)
    const known = this.#rateLimit
    const isSameWindow = known?.limit === limit && known.reset.getTime() === reset.getTime()
    // Of two answers about one window, the one with less remaining is the later, whichever came in first.
    this.#rateLimit = { limit, remaining: isSameWindow ? Math.min(remaining, known.remaining) : remaining, reset }
    // The service's clock may differ from this machine's; where an answer is dated, the difference is known.
    this.#resetMs = reset.getTime() + nowMs - (Date.parse(headers.get('Date') ?? '') || nowMs)
  }
}

/** A request that was held back because a refusal of an earlier one is still in force for longer than it may wait. */
function notSent(blockedMs: number, method: string, path: string): PetAdoptionError {
  const retryAfter = Math.ceil(blockedMs / 1000)
  const message = `not sent: after an earlier 429 the service wants no request for another ${retryAfter} s`
  return new PetAdoptionError('rate_limited', message, method, path, { status: 429, retryAfter, requestId: undefined })
}

function readBody(text: string): unknown {
  try {
    return parseJson(text)
  } catch {
    return undefined
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}

function isPet(value: unknown): value is Pet {
  return (
    isRecord(value) &&
    isInt64(value.id) &&
    typeof value.name === 'string' &&
    isInt64(value.categoryId) &&
    (value.status === undefined || PET_STATUS_VALUES.includes(value.status as PetStatus))
  )
}

function isPets(value: unknown): value is Pet[] {
  return Array.isArray(value) && value.every(isPet)
}

function isErrorOf(status: number, value: unknown): value is ErrorBody {
  return (
    status >= 400 &&
    isRecord(value) &&
    typeof value.code === 'string' &&
    typeof value.message === 'string' &&
    value.status === BigInt(status)
  )
}
