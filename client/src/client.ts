/**
 * The client: the operations of the interface, pagination, and the search for an animal whose response was lost.
 * Every request goes through sender.ts.
 */
import { type BodyReader, nextQuery, readList, readOne } from './answers.ts'
import { DAY_MS } from './backoff.ts'
import { AbortedError, type CallError, TimeoutError, UnexpectedAnswerError, UnknownOutcomeError } from './errors.ts'
import { int64, toJson } from './json.ts'
import type { Limiter, RateLimit } from './limiter.ts'
import { Lookout, MAX_PAGE_SIZE } from './look.ts'
import {
  type CallOptions,
  type CreateOptions,
  callSettings,
  type PetAdoptionOptions,
  type Settings,
  settingsOf,
} from './options.ts'
import { check } from './rules.ts'
import { type Answered, isBrowser, Sender } from './sender.ts'
import { LIST_PETS_QUERY, type ListPetsQuery, NEW_PET, type NewPet, PET, type Pet } from './types.ts'

const readPet = readOne<Pet>(PET)
const readPets = readList<Pet>(PET)
const LOOP = 'its next page is one that was there before'
const HIDDEN = 'whether a next page follows is hidden: the service exposes no Link'

/** The operations, each of which also returns the status and the headers of its response. */
export interface WithResponse {
  listPets(query?: ListPetsQuery, options?: CallOptions): Promise<Answered<Pet[]>>
  createPet(pet: NewPet, options?: CreateOptions): Promise<Answered<Pet>>
  /** @deprecated The service removes this operation on 5 December 2030. Use `listPets` with a `status` instead. */
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
      listPets: async (query = {}, options) => this.#list(listPath(query), options),
      createPet: (pet, options) => this.#create(pet, options),
      getPet: async (id, options) => this.#get(`/pets/${int64(id, 'id')}`, readPet, options),
    }
  }

  /**
   * The limit as the latest response described it; undefined before the first one, or if a browser hides the headers.
   */
  get rateLimit(): RateLimit | undefined {
    return this.#settings.limiter.rateLimit
  }

  /** Keeps requests within the limit. Pass it to every other client that uses the same key. */
  get limiter(): Limiter {
    return this.#settings.limiter
  }

  /** Lists animals, all of them or those that the query asks for. */
  async listPets(query?: ListPetsQuery, options?: CallOptions): Promise<Pet[]> {
    return (await this.withResponse.listPets(query, options)).data
  }

  /**
   * Adds an animal and returns it with the `id` that the service assigned. The request is repeated after a 429, or if
   * no connection was made. After other failures the animal may have been added: see `onUnknown`.
   */
  async createPet(pet: NewPet, options?: CreateOptions): Promise<Pet> {
    return (await this.withResponse.createPet(pet, options)).data
  }

  /**
   * Fetches one animal.
   *
   * @deprecated The service removes this operation on 5 December 2030. Use `listPets` with a `status` instead.
   */
  async getPet(id: bigint | number, options?: CallOptions): Promise<Pet> {
    return (await this.withResponse.getPet(id, options)).data
  }

  /**
   * Yields animals one by one. Fetches the next page as long as the service sends `Link: …; rel="next"`; if it sends
   * none, only the first page is returned. `limit` is the page size, 100 by default. Fails with an
   * UnexpectedAnswerError if a next page repeats an earlier one, or, in a browser, after a full first page if the
   * service does not expose `Link`.
   */
  async *pages(query: ListPetsQuery = {}, options?: CallOptions): AsyncGenerator<Pet, void, undefined> {
    // The largest page needs the fewest requests.
    const { limit = MAX_PAGE_SIZE } = query
    let path = listPath({ ...query, limit })
    const seen = new Set<string>()
    for (;;) {
      seen.add(path)
      const { data, status, headers } = await this.#list(path, options)
      yield* data
      // Only the query of the link is used: the key is sent to the base address and nowhere else.
      const next = nextQuery(headers.get('Link'))
      // CORS: a service that exposes `Date` exposes `Link` too, and a `Link` seen once shows that it is exposed.
      const isHidden = isBrowser() && !headers.has('Date') && seen.size === 1 && data.length >= limit
      if (next === undefined && !isHidden) return
      if (next === undefined || seen.has(`/pets${next}`)) {
        throw new UnexpectedAnswerError(next ? LOOP : HIDDEN, '', 'GET', path, { status, headers })
      }
      path = `/pets${next}`
    }
  }

  #get<T>(path: string, read: BodyReader<T>, options?: CallOptions): Promise<Answered<T>> {
    const settings = callSettings(this.#settings, options)
    return this.#sender.send({ ...settings, method: 'GET', path, success: 200, read })
  }

  async #list(path: string, options?: CallOptions): Promise<Answered<Pet[]>> {
    const answered = await this.#get(path, readPets, options)
    this.#lookout.saw(answered.data)
    return answered
  }

  async #create(pet: NewPet, options: CreateOptions = {}): Promise<Answered<Pet>> {
    // The values are for the service to judge: it says all that is wrong at once.
    check('member', pet, NEW_PET)
    const { name, status } = pet
    const newPet = { name, categoryId: int64(pet.categoryId, 'categoryId'), status }
    const settings = callSettings(this.#settings, options, true)
    const { onUnknown, ...looking } = options
    const isLooking = onUnknown === 'look'
    if (isLooking && !this.#lookout.isReady) await this.withResponse.listPets({ limit: 1 }, looking)
    const creation = this.#lookout.begin(newPet)
    let added: Pet | undefined
    try {
      const find = isLooking ? (error: CallError) => this.#find(creation, error, looking) : undefined
      const request = { method: 'POST', path: '/pets', body: toJson(newPet), success: 201 } as const
      const answered = await this.#sender.send({ ...settings, ...request, read: readPet, find })
      added = answered.data
      return answered
    } finally {
      this.#lookout.end(creation, added)
    }
  }

  /** Looks for the animal of a lost response; undefined if it was certainly not added. */
  async #find(
    creation: ReturnType<Lookout['begin']>,
    lost: CallError,
    options: CallOptions,
  ): Promise<Answered<Pet> | undefined> {
    const path = listPath({ limit: MAX_PAGE_SIZE, status: creation.pet.status })
    // The signal of an aborted call would end this too: it has one attempt, and the time of one.
    const isAborted = lost instanceof AbortedError
    const { timeout = this.#settings.timeout } = options
    const signal = AbortSignal.timeout(Math.min(timeout, DAY_MS))
    const last = isAborted ? { ...options, signal, maxAttempts: 1 } : options
    const newest = await this.#list(path, last).catch((error: Error) => {
      throw new UnknownOutcomeError(`looking for it failed (${error.message})`, lost)
    })
    const finding = this.#lookout.find(creation, newest.data)
    if (finding === 'absent') {
      // The service may still be adding it.
      if (isAborted || lost instanceof TimeoutError)
        throw new UnknownOutcomeError('it is not there, but may still come', lost)
      return undefined
    }
    if ('why' in finding) throw new UnknownOutcomeError(finding.why, lost)
    return { ...newest, data: finding.pet }
  }
}

function listPath(query: ListPetsQuery): string {
  check('parameter', query, LIST_PETS_QUERY)
  const search = new URLSearchParams()
  for (const name of Object.keys(LIST_PETS_QUERY) as (keyof ListPetsQuery)[]) {
    if (query[name] !== undefined) search.set(name, `${query[name]}`)
  }
  return `/pets?${search}`.replace(/\?$/, '')
}
