/** The client: the operations of the interface, and pagination. */
import { type BodyReader, nextQuery, readList, readOne } from './answers.ts'
import { CallError, UnexpectedAnswerError } from './errors.ts'
import { int64, toJson } from './json.ts'
import type { Limiter, RateLimit } from './limiter.ts'
import { type CallOptions, callSettings, type PetAdoptionOptions, type Settings, settingsOf } from './options.ts'
import { check } from './rules.ts'
import { type Answered, Sender } from './sender.ts'
import { LIST_PETS_QUERY, type ListPetsQuery, NEW_PET, type NewPet, PET, type Pet } from './types.ts'

const readPet = readOne<Pet>(PET)
const readPets = readList<Pet>(PET)
const MAX_PAGE_SIZE = 100
const LOOP = 'its next page is one that was there before'
const NO_PAGING =
  'more animals might follow: the page is full, and no response to this client has linked to a next page. The service might not offer paging, or a browser hides Link.'

/** The operations, each of which also returns the status and the headers of its response. */
export interface WithResponse {
  listPets(query?: ListPetsQuery, options?: CallOptions): Promise<Answered<Pet[]>>
  createPet(pet: NewPet, options?: CallOptions): Promise<Answered<Pet>>
  /** @deprecated The service removes this operation on 5 December 2030. Use `listPets` with a `status` instead. */
  getPet(id: bigint | number, options?: CallOptions): Promise<Answered<Pet>>
}

/** A client of one pet adoption service with one API key. */
export class PetAdoption {
  readonly #settings: Settings
  readonly #sender: Sender
  /** If any response has linked to a next page, a page without a link is the last. */
  #hasPaging = false
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

  /** The limit as the latest response described it; undefined before that, or if a browser hides the headers. */
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
   * no connection was made. After other failures `mayBeDone` of the error says whether the animal may have been added.
   * In a browser the animal is added at least once: if a connection breaks, the browser itself may repeat the request.
   */
  async createPet(pet: NewPet, options?: CallOptions): Promise<Pet> {
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
   * Yields animals one by one. Fetches the next page as long as the service sends `Link: …; rel="next"`. `limit` is the
   * page size, 100 by default. After a full page without `Link` it fails with a CallError if no response to this client
   * ever had one: a service with exactly one full page cannot be told from one that does not offer paging. Fails with
   * an UnexpectedAnswerError if a next page repeats an earlier one.
   */
  async *pages(query: ListPetsQuery = {}, options?: CallOptions): AsyncGenerator<Pet, void, undefined> {
    const { limit = MAX_PAGE_SIZE } = query
    let path = listPath({ ...query, limit })
    const seen = new Set<string>()
    for (;;) {
      seen.add(path)
      const { data, status, headers } = await this.#list(path, options)
      yield* data
      // Only the query of the link is used: the key is sent to the base address and nowhere else.
      const next = nextQuery(headers.get('Link'))
      if (next === undefined) {
        if (data.length < limit || this.#hasPaging) return
        throw new CallError(`GET ${path}: ${NO_PAGING}`, 'GET', path, false)
      }
      if (seen.has(`/pets${next}`)) throw new UnexpectedAnswerError(LOOP, '', 'GET', path, { status, headers })
      path = `/pets${next}`
    }
  }

  #get<T>(path: string, read: BodyReader<T>, options?: CallOptions): Promise<Answered<T>> {
    const settings = callSettings(this.#settings, options)
    return this.#sender.send({ ...settings, method: 'GET', path, success: 200, read })
  }

  async #list(path: string, options?: CallOptions): Promise<Answered<Pet[]>> {
    const answered = await this.#get(path, readPets, options)
    this.#hasPaging ||= nextQuery(answered.headers.get('Link')) !== undefined
    return answered
  }

  async #create(pet: NewPet, options?: CallOptions): Promise<Answered<Pet>> {
    // The service judges the values: it reports everything that is wrong together.
    check('member', pet, NEW_PET)
    const { name, status } = pet
    const body = toJson({ name, categoryId: int64(pet.categoryId, 'categoryId'), status })
    const settings = callSettings(this.#settings, options)
    return this.#sender.send({ ...settings, method: 'POST', path: '/pets', body, success: 201, read: readPet })
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
