/**
 * The client: the three operations of the interface over `fetch`, and the one loop through which every request goes. A
 * request first waits for its turn, then is sent, and is retried where that can do no harm.
 */
import { nextQuery, type Read, readError, readJson, readPet, readPets } from './answers.ts'
import { aheadMs, backoffMs, mayRetry, retryAfterMs } from './backoff.ts'
import { pause } from './clock.ts'
import {
  type AnswerDetails,
  AnswerError,
  NetworkError,
  PetAdoptionError,
  TimeoutError,
  UnexpectedAnswerError,
} from './errors.ts'
import { int64, toJson } from './json.ts'
import { type PetAdoptionOptions, type Settings, settingsOf } from './options.ts'
import { type RateLimit, type Turn, Turns } from './turns.ts'
import type { ListPetsQuery, NewPet, Pet } from './types.ts'
import { VERSION } from './version.ts'

/** The page size if the caller gives none: the maximum, for the fewest requests. */
const PAGE_SIZE = 100

/** Options of a single call. */
export interface CallOptions {
  /** Ends the call, also while it waits; the call then fails with the signal's reason. */
  readonly signal?: AbortSignal | undefined
}

/** A response: the result of the call, with its status and headers. */
export interface Answered<T> {
  /** The result of the operation. */
  readonly data: T
  /** The HTTP status. */
  readonly status: number
  /** The headers; in a browser, those that the service exposes. */
  readonly headers: Headers
}

/** The operations, each of which also returns the status and the headers of its response. */
export interface WithResponse {
  /** Like `listPets` of the client. */
  listPets(query?: ListPetsQuery, options?: CallOptions): Promise<Answered<Pet[]>>
  /** Like `createPet` of the client. */
  createPet(pet: NewPet, options?: CallOptions): Promise<Answered<Pet>>
  /**
   * Like `getPet` of the client.
   *
   * @deprecated The service removes this operation on 5 December 2030. Use `listPets` with a `status` instead.
   */
  getPet(id: bigint | number, options?: CallOptions): Promise<Answered<Pet>>
}

/** One call of an operation: the request, and how its response is read. */
interface Call<T> {
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly body?: string
  readonly success: 200 | 201
  readonly read: Read<T>
  readonly signal: AbortSignal | undefined
}

/** A client of one pet adoption service with one API key. */
export class PetAdoption {
  readonly #settings: Settings
  readonly #turns: Turns
  /** The same operations, each of which also returns the status and the headers of its response. */
  readonly withResponse: WithResponse

  /** Throws TypeError or RangeError if an option is invalid. */
  constructor(options: PetAdoptionOptions) {
    this.#settings = settingsOf(options)
    this.#turns = new Turns(this.#settings)
    this.withResponse = {
      listPets: (query, options) => this.#list(query, options),
      createPet: (pet, options) => this.#create(pet, options),
      getPet: (id, options) => this.#get(id, options),
    }
  }

  /**
   * The limit as the latest response described it; undefined before the first one, or if a browser hides the headers.
   */
  get rateLimit(): RateLimit | undefined {
    return this.#turns.rateLimit
  }

  /** Lists animals, all of them or those of one status. */
  async listPets(query: ListPetsQuery = {}, options: CallOptions = {}): Promise<Pet[]> {
    return (await this.#list(query, options)).data
  }

  /**
   * Adds an animal and returns it with the `id` that the service has assigned. Only an attempt that got a 429 is
   * repeated: after any other failure the animal may have been added.
   */
  async createPet(pet: NewPet, options: CallOptions = {}): Promise<Pet> {
    return (await this.#create(pet, options)).data
  }

  /**
   * Fetches one animal.
   *
   * @deprecated The service removes this operation on 5 December 2030. Use `listPets` with a `status` instead.
   */
  async getPet(id: bigint | number, options: CallOptions = {}): Promise<Pet> {
    return (await this.#get(id, options)).data
  }

  /**
   * Yields animals one by one, page after page, as long as the service names a next page by `Link: …; rel="next"`. If
   * it names none, only the first page is returned. Without a `limit` a page holds a hundred.
   */
  async *pages(query: ListPetsQuery = {}, options: CallOptions = {}): AsyncGenerator<Pet, void, undefined> {
    let answer = await this.#list({ ...query, limit: query.limit ?? PAGE_SIZE }, options)
    for (;;) {
      yield* answer.data
      // Only the query of the link is used: the key is sent to the base address and nowhere else.
      const next = nextQuery(answer.headers.get('Link'))
      if (next === undefined) return
      answer = await this.#listAt(`/pets${next}`, options)
    }
  }

  async #list(query: ListPetsQuery = {}, options?: CallOptions): Promise<Answered<Pet[]>> {
    const search = new URLSearchParams()
    if (query.limit !== undefined) search.set('limit', `${query.limit}`)
    if (query.status !== undefined) search.set('status', query.status)
    return this.#listAt(`/pets?${search}`.replace(/\?$/, ''), options)
  }

  #listAt(path: string, options?: CallOptions): Promise<Answered<Pet[]>> {
    return this.#send({ method: 'GET', path, success: 200, read: readPets, signal: options?.signal })
  }

  async #create(pet: NewPet, options?: CallOptions): Promise<Answered<Pet>> {
    const body = toJson({ name: pet.name, categoryId: int64(pet.categoryId, 'categoryId'), status: pet.status })
    return this.#send({ method: 'POST', path: '/pets', body, success: 201, read: readPet, signal: options?.signal })
  }

  async #get(id: bigint | number, options?: CallOptions): Promise<Answered<Pet>> {
    const path = `/pets/${int64(id, 'id')}`
    return this.#send({ method: 'GET', path, success: 200, read: readPet, signal: options?.signal })
  }

  async #send<T>(call: Call<T>): Promise<Answered<T>> {
    const { maxAttempts, maxWait, onRetry, clock, random } = this.#settings
    for (let attempt = 1; ; attempt++) {
      const turn = await this.#turns.take(call.signal)
      if ('blockedMs' in turn) throw notSent(turn.blockedMs, call)
      try {
        return await this.#exchange(call, attempt, turn)
      } catch (error) {
        if (!(error instanceof NetworkError || error instanceof AnswerError)) throw error
        const { status, retryAfter }: Partial<AnswerError> = error instanceof AnswerError ? error : {}
        if (attempt >= maxAttempts || !mayRetry(call.method, status)) throw error
        const askedMs = retryAfter === undefined ? undefined : retryAfter * 1000
        // After a 429 all calls share one wait, which is part of the next turn.
        const waitMs = status === 429 ? this.#turns.blockedMs : backoffMs(attempt, askedMs, random)
        if (waitMs > maxWait) throw error
        onRetry?.({ attempt, waitMs, error })
        if (status !== 429) await pause(clock, waitMs, call.signal)
      }
    }
  }

  /** Sends the request once. Fails with a CallError, or with the signal's reason. */
  async #exchange<T>(call: Call<T>, attempt: number, turn: Turn): Promise<Answered<T>> {
    const { method, path, signal } = call
    const { timeout, clock } = this.#settings
    const abort = new AbortController()
    const cancel = () => abort.abort()
    const stopTimer = clock.after(timeout, cancel)
    signal?.addEventListener('abort', cancel)
    if (signal?.aborted) cancel()
    try {
      const response = await this.#fetch(call, attempt, turn, abort.signal)
      return this.#read(call, response, await response.text())
    } catch (error) {
      if (error instanceof AnswerError) throw error
      signal?.throwIfAborted()
      throw abort.signal.aborted ? new TimeoutError(method, path, timeout) : new NetworkError(method, path, error)
    } finally {
      stopTimer()
      signal?.removeEventListener('abort', cancel)
    }
  }

  /** Resolves when the headers of the response have arrived, and ends the turn. */
  async #fetch({ method, path, body }: Call<unknown>, attempt: number, turn: Turn, signal: AbortSignal) {
    const { baseUrl, apiKey, fetch, clock } = this.#settings
    try {
      const response = await fetch(baseUrl + path, {
        method,
        headers: {
          Accept: 'application/json',
          Authorization: `Bearer ${apiKey}`,
          ...(body !== undefined && { 'Content-Type': 'application/json' }),
          ...(!isBrowser() && { 'User-Agent': `pet-adoption-client/${VERSION}` }),
        },
        ...(body !== undefined && { body }),
        // A redirect is not part of the interface, and must not turn a POST into a GET or send the key elsewhere.
        redirect: 'manual',
        credentials: 'omit',
        signal,
      })
      const { status, headers } = response
      const ahead = aheadMs(headers.get('Date'), clock.now())
      const refusal = status === 429 ? { attempt, askedMs: this.#askedMs(headers) } : undefined
      this.#turns.end(turn, { rateLimit: rateLimitOf(headers), aheadMs: ahead, refusal })
      return response
    } catch (error) {
      this.#turns.end(turn)
      throw error
    }
  }

  #askedMs(headers: Headers): number | undefined {
    const nowMs = this.#settings.clock.now()
    return retryAfterMs(headers.get('Retry-After'), nowMs - aheadMs(headers.get('Date'), nowMs))
  }

  #read<T>({ method, path, success, read }: Call<T>, { status, headers }: Response, text: string): Answered<T> {
    // A service that repeats the key must not put it into the caller's logs.
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

/** A request that was not sent because an earlier refusal is in force for longer than it may wait. */
function notSent(blockedMs: number, { method, path }: Call<unknown>): PetAdoptionError {
  const retryAfter = Math.ceil(blockedMs / 1000)
  const message = `not sent: after an earlier 429 the service wants no request for another ${retryAfter} s`
  return new PetAdoptionError('rate_limited', message, method, path, { status: 429, retryAfter, requestId: undefined })
}

/** Browsers hide the headers that a service on another origin does not expose. */
function rateLimitOf(headers: Headers): RateLimit | undefined {
  const number = (name: string) => Number.parseInt(headers.get(`X-RateLimit-${name}`) ?? '', 10)
  const [limit, remaining, reset] = [number('Limit'), number('Remaining'), new Date(number('Reset') * 1000)]
  return Number.isNaN(limit + remaining + reset.getTime()) ? undefined : { limit, remaining, reset }
}

/** A browser names itself; a page that set the header would need permission from a service of another origin. */
function isBrowser(): boolean {
  return /^Mozilla\//.test(globalThis.navigator?.userAgent ?? '')
}
