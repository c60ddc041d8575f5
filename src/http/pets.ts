/** The operations (R7-R12): each checks its input, calls the store, and returns the response. */
import { isUtf8 } from 'node:buffer'
import { type MaybePromise, whenReady } from '../common/maybe-promise.ts'
import { parseInt64 } from '../contract/int64.ts'
import { jsonBreaksAt } from '../contract/json.ts'
import { filterKey } from '../contract/pet-filter.ts'
import { type Checked, checkListQuery, checkNewPet, parseNewPet } from '../contract/validate.ts'
import type { PetPage, PetQuery, Store } from '../store/store.ts'
import { errorResponse, ORDERS_NOT_IMPLEMENTED } from './error-responses.ts'
import { type HttpResponse, jsonResponse } from './response.ts'
import type { OperationHandlers, Route } from './route.ts'

interface PetsOptions {
  readonly store: Store
  readonly listUrl: string
  readonly hasGetPet: () => boolean
  readonly pageLinks: boolean
}

const CACHED_QUERIES = 1_000

export class PetsApi implements OperationHandlers {
  readonly #options: PetsOptions
  readonly #queries = new Map<string, Checked<PetQuery>>()
  readonly #pages = new WeakMap<PetPage, HttpResponse>()

  constructor(options: PetsOptions) {
    this.#options = options
  }

  listPets({ query }: Pick<Route, 'query'>): MaybePromise<HttpResponse> {
    const checked = this.#check(query)
    if ('problems' in checked) return invalid(checked.problems)
    return whenReady(this.#options.store.pets.list(checked.value), (page) => this.#responseOf(page, checked.value))
  }

  #responseOf(page: PetPage, query: PetQuery): HttpResponse {
    const ready = this.#pages.get(page)
    if (ready !== undefined) return ready
    const answer = jsonResponse(200, page.json, this.#options.pageLinks ? this.#nextLink(page, query) : undefined)
    this.#pages.set(page, answer)
    return answer
  }

  #check(query: string): Checked<PetQuery> {
    let checked = this.#queries.get(query)
    if (checked === undefined) {
      checked = readQuery(query, this.#options.pageLinks)
      if (this.#queries.size >= CACHED_QUERIES) this.#queries.clear()
      this.#queries.set(query, checked)
    }
    return checked
  }

  #nextLink({ nextBefore }: PetPage, petQuery: PetQuery): readonly string[] {
    if (nextBefore === undefined) return []
    const query = `limit=${petQuery.limit}&${filterKey(petQuery)}cursor=${toCursor(nextBefore)}`
    return ['Link', `<${this.#options.listUrl}?${query}>; rel="next"`]
  }

  /** `keyId` is the key of the request, for the animal's origin. */
  createPet(_route: unknown, body: Buffer, keyId: string | undefined): MaybePromise<HttpResponse> {
    const checked = readNewPet(body)
    if ('problems' in checked) return invalid(checked.problems)
    const { store, hasGetPet, listUrl } = this.#options
    return whenReady(store.pets.create(checked.value, keyId), ({ id, json: body }) =>
      jsonResponse(201, body, hasGetPet() ? ['Location', `${listUrl}/${id}`] : undefined),
    )
  }

  getPet({ petId }: Pick<Route, 'petId'>): MaybePromise<HttpResponse> {
    const id = parseInt64(petId)
    if (id === undefined) return NO_SUCH_PET
    return whenReady(this.#options.store.pets.get(id), (pet) =>
      pet === undefined ? NO_SUCH_PET : jsonResponse(200, pet),
    )
  }

  listOrders(): HttpResponse {
    return ORDERS_NOT_IMPLEMENTED
  }
}

const NO_SUCH_PET = errorResponse(404, 'There is no animal with this id.')

function readNewPet(body: Buffer) {
  if (!isUtf8(body)) return { problems: ['the body must be JSON in UTF-8'] }
  const text = body.toString()
  if (text.startsWith('\uFEFF')) return { problems: ['the body must be JSON, which has no byte order mark'] }
  let value: unknown
  try {
    value = parseNewPet(text)
  } catch (cause) {
    return { problems: [cause instanceof RangeError ? 'the body is nested too deep to be read' : notJson(text)] }
  }
  return checkNewPet(value)
}

function notJson(text: string): string {
  if (text.trim() === '') return 'the body must be JSON, and is empty'
  const at = jsonBreaksAt(text)
  return `the body must be JSON, and ${at < text.length ? `is not from character ${at + 1} on` : 'ends before it is whole'}`
}

function invalid(problems: readonly string[]): HttpResponse {
  return errorResponse(400, `${problems.join('; ')}.`)
}

function readQuery(query: string, isPaged: boolean): Checked<PetQuery> {
  const checked = checkListQuery(new URLSearchParams(query), isPaged)
  if ('problems' in checked) return checked
  const { cursor, ...petQuery } = checked.value
  const before = cursor === undefined ? undefined : fromCursor(cursor)
  if (cursor !== undefined && before === undefined) return { problems: ['cursor: is not a cursor of this service'] }
  return { value: { ...petQuery, before } }
}

/** The cursor of page links (O6): where the previous page ended, encoded so that clients do not compute it. */
export function toCursor(lastId: string): string {
  return Buffer.from(lastId).toString('base64url')
}

export function fromCursor(cursor: string): bigint | undefined {
  const id = parseInt64(Buffer.from(cursor, 'base64url').toString())
  return id !== undefined && toCursor(id.toString()) === cursor ? id : undefined
}
