/**
 * The client: the three operations of the interface, the pages of a list, and what becomes of an animal whose response
 * was lost. Every request goes through the sender.
 */
import { nextQuery, readPet, readPets } from './answers.ts'
import { type CallError, TimeoutError, UnexpectedAnswerError, UnknownOutcomeError } from './errors.ts'
import { int64, toJson } from './json.ts'
import type { Limiter, RateLimit } from './limiter.ts'
import { LOOKED_AT, Lookout } from './look.ts'
import { Mirror, type MirrorEvent, type MirrorOptions } from './mirror.ts'
import {
  type CallOptions,
  type CreateOptions,
  callSettings,
  type PetAdoptionOptions,
  type Settings,
  settingsOf,
} from './options.ts'
import { type Answered, Sender } from './sender.ts'
import type { ListPetsQuery, NewPet, Pet, PetStatus } from './types.ts'

/** The page size if the caller gives none: the maximum, for the fewest requests. */
const PAGE_SIZE = 100
const LOOP = 'its next page is one that was there before'

/** The operations, each of which also returns the status and the headers of its response. */
export interface WithResponse {
  /** Like `listPets` of the client. */
  listPets(query?: ListPetsQuery, options?: CallOptions): Promise<Answered<Pet[]>>
  /** Like `createPet` of the client. */
  createPet(pet: NewPet, options?: CreateOptions): Promise<Answered<Pet>>
  /**
   * Like `getPet` of the client.
   *
   * @deprecated The service removes this operation on 5 December 2030. Use `listPets` with a `status` instead.
   */
  getPet(id: bigint | number, options?: CallOptions): Promise<Answered<Pet>>
}

/** A client of one pet adoption service with one API key. */
export class PetAdoption {
  readonly #settings: Settings
  readonly #sender: Sender
  readonly #lookout = new Lookout()
  /** The same operations, each of which also returns the status and the headers of its response. */
  readonly withResponse: WithResponse

  /** Throws TypeError or RangeError if an option is invalid. */
  constructor(options: PetAdoptionOptions) {
    this.#settings = settingsOf(options)
    this.#sender = new Sender(this.#settings)
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
    return this.#settings.limiter.rateLimit
  }

  /** What keeps its requests within the limit; give it to the other clients that use the same key. */
  get limiter(): Limiter {
    return this.#settings.limiter
  }

  /** Lists animals, all of them or those of one status. */
  async listPets(query: ListPetsQuery = {}, options: CallOptions = {}): Promise<Pet[]> {
    return (await this.#list(query, options)).data
  }

  /**
   * Adds an animal and returns it with the `id` that the service has assigned. An attempt is repeated if it got a 429
   * or no connection came about. After any other failure the animal may have been added: `onUnknown` says what then.
   */
  async createPet(pet: NewPet, options: CreateOptions = {}): Promise<Pet> {
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
   * it names none, only the first page is returned. Without a `limit` a page holds a hundred. Fails with an
   * UnexpectedAnswerError if a next page is one that was there before.
   */
  async *pages(query: ListPetsQuery = {}, options: CallOptions = {}): AsyncGenerator<Pet, void, undefined> {
    let path = listPath({ ...query, limit: query.limit ?? PAGE_SIZE })
    const seen = new Set<string>()
    for (;;) {
      seen.add(path)
      const { data, status, headers } = await this.#listAt(path, options)
      yield* data
      // Only the query of the link is used: the key is sent to the base address and nowhere else.
      const next = nextQuery(headers.get('Link'))
      if (next === undefined) return
      if (seen.has(`/pets${next}`)) {
        const details = { status, retryAfter: undefined, requestId: headers.get('X-Request-Id') ?? undefined }
        throw new UnexpectedAnswerError(headers.get('Content-Type'), LOOP, '', 'GET', path, details)
      }
      path = `/pets${next}`
    }
  }

  /**
   * Yields the animals of the service as they are added, changed and gone, by asking again and again, without end. The
   * first `covered` says that all have come that can be seen, and each further one how much of the service's animals
   * the mirror holds. Failures that may pass are waited out, however long they last; before each wait `onRetry` is
   * called. Throws RangeError if an option is invalid.
   */
  mirror(options: MirrorOptions = {}): AsyncGenerator<MirrorEvent, never, undefined> {
    const one = { signal: options.signal, maxAttempts: 1 }
    const operations = {
      list: (status?: PetStatus) => this.#list({ limit: LOOKED_AT, status }, one),
      get: (id: bigint) => this.#get(id, one, true),
    }
    return new Mirror(this.#settings, options, operations).events()
  }

  async #list(query: ListPetsQuery = {}, options?: CallOptions): Promise<Answered<Pet[]>> {
    return this.#listAt(listPath(query), options)
  }

  async #listAt(path: string, options?: CallOptions): Promise<Answered<Pet[]>> {
    const settings = callSettings(this.#settings, options)
    const answered = await this.#sender.send({ ...settings, method: 'GET', path, success: 200, read: readPets })
    this.#lookout.saw(answered.data)
    return answered
  }

  async #create(pet: NewPet, options: CreateOptions = {}): Promise<Answered<Pet>> {
    const { name, status } = pet
    const wanted = { name, categoryId: int64(pet.categoryId, 'categoryId'), status }
    const call = {
      ...callSettings(this.#settings, options),
      method: 'POST' as const,
      path: '/pets',
      body: toJson(wanted),
      success: 201 as const,
      read: readPet,
    }
    const isLooking = options.onUnknown === 'look'
    if (isLooking && !this.#lookout.isReady) await this.#list({ limit: 1 }, options)
    const sent = this.#lookout.begin(wanted)
    let added: Pet | undefined
    try {
      const find = (error: CallError) => this.#find(sent, error, options)
      const answered = await this.#sender.send(isLooking ? { ...call, find } : call)
      added = answered.data
      return answered
    } finally {
      this.#lookout.end(sent, added)
    }
  }

  /** Looks for the animal of a lost response; undefined if it was certainly not added. */
  async #find(
    sent: ReturnType<Lookout['begin']>,
    lost: CallError,
    options: CallOptions,
  ): Promise<Answered<Pet> | undefined> {
    const path = listPath({ limit: LOOKED_AT, status: sent.pet.status })
    const looked = await this.#listAt(path, options).catch((error: unknown) => {
      options.signal?.throwIfAborted()
      throw new UnknownOutcomeError(`looking for it failed (${error instanceof Error ? error.message : error})`, lost)
    })
    const finding = this.#lookout.find(sent, looked.data)
    if (finding === 'absent') {
      // Whoever has not answered in time may still be at it.
      if (lost instanceof TimeoutError) throw new UnknownOutcomeError('it is not there, but may still come', lost)
      return undefined
    }
    if ('why' in finding) throw new UnknownOutcomeError(finding.why, lost)
    return { ...looked, data: finding.pet }
  }

  async #get(id: bigint | number, options?: CallOptions, isRemovalKnown = false): Promise<Answered<Pet>> {
    const path = `/pets/${int64(id, 'id')}`
    const settings = callSettings(this.#settings, options)
    return this.#sender.send({ ...settings, method: 'GET', path, success: 200, read: readPet, isRemovalKnown })
  }
}

function listPath({ limit, status }: ListPetsQuery): string {
  const search = new URLSearchParams()
  if (limit !== undefined) search.set('limit', `${limit}`)
  if (status !== undefined) search.set('status', status)
  return `/pets?${search}`.replace(/\?$/, '')
}
