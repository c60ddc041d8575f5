/** The animals and answers that several cases share. Each is a function for `kit.once`, so it is made on first use. */

import { expectPet, expectPets } from './expect.ts'
import { header } from './http/answer.ts'
import {
  createPet,
  getPet,
  type Headers,
  type HttpRequest,
  listPets,
  WITH_KEY,
  WITH_LIMITED_KEY,
} from './http/request.ts'
import type { Exchange } from './http/transport.ts'
import {
  EACH_OPERATION,
  INT64_MAX,
  INT64_MIN,
  OPERATIONS,
  type Operation,
  PET_STATUSES,
  type Pet,
  type PetStatus,
} from './interface.ts'
import { jsonText, membersOf, tryJson } from './json-body.ts'
import type { Kit } from './kit.ts'
import { NotRun, NotVisibleYet, RestsOn, Unasked, Violation } from './verdicts.ts'

/** A valid new animal as sent, and the exchange that created it. */
interface Creation {
  readonly newPet: { readonly name: string; readonly categoryId: bigint; readonly status?: PetStatus }
  readonly exchange: Exchange
}

export interface Recipe {
  (kit: Kit): Promise<Creation>
  /** The case that judges this very creation. */
  readonly judgedBy: string
}

interface Ingredients {
  /** The name after the run's prefix. `bareName` is a name without the prefix. */
  readonly label?: string
  readonly bareName?: string
  /** The kit's own category unless given. */
  readonly categoryId?: bigint
  readonly status?: PetStatus
}

function recipe(judgedBy: string, { label = '', bareName, categoryId, status }: Ingredients): Recipe {
  const make = async (kit: Kit): Promise<Creation> => {
    const newPet = {
      name: bareName ?? kit.namePrefix + label,
      categoryId: categoryId ?? kit.category,
      ...(status === undefined ? {} : { status }),
    }
    return { newPet, exchange: await kit.send(createPet(newPetJson(newPet.name, newPet.categoryId, status))) }
  }
  return Object.assign(make, { judgedBy })
}

/** A body for createPet. A `categoryId` that is text is inserted as it is, for cases that send invalid values. */
export function newPetJson(name: string, categoryId: bigint | string, status?: string): string {
  const tail = status === undefined ? '}' : `,"status":${JSON.stringify(status)}}`
  return `{"name":${JSON.stringify(name)},"categoryId":${categoryId}${tail}`
}

/** 2^53: a double holds every integer up to this one. */
const DOUBLE_EXACT = 2n ** 53n
const available = 'available'

/** What many cases of a short run share: a categoryId that no double holds, and a name that is easily changed. */
const SHARED = recipe('int64-above-double', {
  label: 'Zoë🐕\u200d🦺ねこقe\u0301  two ',
  categoryId: DOUBLE_EXACT + 1n,
})
/** In its place where such a name is refused, which is open (O19). */
const PLAIN = recipe('int64-above-double', { label: 'few', categoryId: DOUBLE_EXACT + 1n })

/** In a run that is not thorough, the first of `shared` that is taken, in place of `own`. */
function sharing(own: Recipe, shared: readonly Recipe[] = [SHARED, PLAIN]): Recipe {
  const make = async (kit: Kit): Promise<Creation> => {
    for (const each of kit.isThorough ? [] : shared) {
      const creation = await kit.once(each)
      if (creation.exchange.answer.status === 201 || shared.length === 1) return creation
    }
    return kit.once(own)
  }
  return Object.assign(make, { judgedBy: own.judgedBy })
}

export const ANIMALS = {
  available: recipe('create-available', { label: 'available', status: available }),
  pending: recipe('create-pending', { label: 'pending', status: 'pending' }),
  sold: recipe('create-sold', { label: 'sold', status: 'sold' }),
  soldToo: recipe('create-sold', { label: 'sold too', status: 'sold' }),
  soldAlso: recipe('create-sold', { label: 'sold also', status: 'sold' }),
  pendingLate: recipe('create-pending', { label: 'pending late', status: 'pending' }),
  soldLate: recipe('create-sold', { label: 'sold late', status: 'sold' }),
  withoutStatus: sharing(recipe('create-without-status', { label: 'no status' })),
  twin: recipe('create-equal', { label: 'twin', status: available }),
  twinOfIt: recipe('create-equal', { label: 'twin', status: available }),
  largestCategory: recipe('int64-largest', { label: 'largest', categoryId: INT64_MAX, status: available }),
  smallestCategory: recipe('int64-smallest', { label: 'smallest', categoryId: INT64_MIN, status: available }),
  aboveDouble: sharing(
    recipe('int64-above-double', { label: 'above', categoryId: DOUBLE_EXACT + 1n, status: available }),
  ),
  belowDouble: recipe('int64-below-double', { label: 'below', categoryId: -DOUBLE_EXACT - 1n, status: available }),
  zeroCategory: recipe('int64-zero', { label: 'zero', categoryId: 0n, status: available }),
  unicode: sharing(recipe('create-name-unicode', { label: 'Zoë🐕\u200d🦺ねこقe\u0301', status: available }), [SHARED]),
  letters: recipe('create-name-letters', { label: 'Žö Ольга 猫', status: available }),
  percent: recipe('create-name-percent', { label: '100%25 %41%zz', status: available }),
  quotes: recipe('create-name-quotes', { label: '"a" \\b /c', status: available }),
  markup: recipe('create-name-markup', { label: "<&>'%+&lt;", status: available }),
  spaces: sharing(recipe('create-name-spaces', { bareName: '  two  spaces ', status: available }), [SHARED]),
  digits: recipe('create-name-digits', { bareName: '4711', status: available }),
  null: recipe('create-name-null', { bareName: 'null', status: available }),
  controls: recipe('create-name-controls', { label: 'tab\tline\n', status: available }),
  long: recipe('create-name-long', { label: 'a'.repeat(10_000), status: available }),
} as const

/** Animals that only a thorough run makes. */
export function inFull(kit: Kit, ...makes: readonly Recipe[]): readonly Recipe[] {
  return kit.isThorough ? makes : []
}

/** A wrong 200 still carries the animal, so that other cases can go on; a 204 carries none. */
const BRINGS_THE_ANIMAL: readonly number[] = [200, 201]

/** Throws RestsOn or NotRun if the animal was not created: the case about that creation judges why. */
export async function animal(kit: Kit, make: Recipe): Promise<Pet> {
  const { exchange } = await kit.once(make)
  const { status } = exchange.answer
  if (BRINGS_THE_ANIMAL.includes(status)) return expectPet(exchange)
  if (status === 400 && make === ANIMALS.available)
    throw new NotRun(`there is no animal to look at: ${unknownCategory(kit)}`)
  throw new RestsOn(make.judgedBy)
}

/** Why a creation that is otherwise valid may be refused: which categories exist is open (O1). */
export function unknownCategory(kit: Kit): string {
  return `categoryId ${kit.category} is refused with 400; name a category that exists with --category`
}

/** As `animal`, but without those that the service refused, which an open point allows. */
export async function animalsTaken(kit: Kit, makes: readonly Recipe[]): Promise<readonly Pet[]> {
  const creations = await Promise.all(makes.map((make) => kit.once(make)))
  return creations
    .filter(({ exchange }) => BRINGS_THE_ANIMAL.includes(exchange.answer.status))
    .map(({ exchange }) => expectPet(exchange))
}

/** The id that a service is least likely to have assigned. */
export const UNUSED_ID = INT64_MAX

/** The requests that need more than a path; `label` is that of an animal that must not be stored. */
const REQUESTS: Partial<
  Record<Operation, (kit: Kit, credentials: Headers, label: string) => HttpRequest | Promise<HttpRequest>>
> = {
  createPet: (kit, credentials, label) =>
    createPet(newPetJson(kit.namePrefix + label, kit.category, 'pending'), credentials),
  // Over the limit the animal need not be there.
  getPet: async (kit, credentials) =>
    getPet(credentials === WITH_LIMITED_KEY ? UNUSED_ID : (await animal(kit, ANIMALS.available)).id, credentials),
}

export async function requestOf(kit: Kit, name: Operation, credentials: Headers, label = ''): Promise<HttpRequest> {
  const { method, path } = OPERATIONS[name]
  return REQUESTS[name]?.(kit, credentials, label) ?? { method, path, headers: credentials }
}

/** The answer to each operation. */
type Answers = Readonly<Record<Operation, (kit: Kit) => Promise<Exchange>>>

function answersWith(credentials: Headers, label?: string): Answers {
  const makes = EACH_OPERATION.map(({ name }) => {
    const make = async (kit: Kit) => kit.send(await requestOf(kit, name, credentials, label))
    return [name, make] as const
  })
  // `fromEntries` loses the type of the keys, but every operation has an entry.
  return Object.fromEntries(makes) as Answers
}

export const SERVED: Answers = {
  ...answersWith(WITH_KEY),
  createPet: async (kit) => (await kit.once(ANIMALS.available)).exchange,
}
export const { listPets: listed, getPet: fetched } = SERVED

/** The label of an animal that is sent without a valid key. */
export const UNAUTHORISED = 'no key'
export const WITHOUT_KEY = answersWith({}, UNAUTHORISED)
export const WITH_UNKNOWN_KEY = answersWith({ Authorization: 'Bearer a-key-that-was-never-issued' }, UNAUTHORISED)

/** The answer to a creation without any field. */
export async function refusedCreation(kit: Kit): Promise<Exchange> {
  return kit.send(createPet('{}'))
}

export async function missingPet(kit: Kit): Promise<Exchange> {
  return kit.send(getPet(UNUSED_ID))
}

/** The interface's largest page. A list that is not full shows every animal there is. */
export const FULL = 100
/** Over one and a half times the largest page: some limits show only in a large store. */
const STOCK = 152
const AT_ONCE = 8

/** AT_ONCE animals created in one go. */
export function createdAtOnce(kit: Kit, from = 0): Promise<readonly Exchange[]> {
  const names = Array.from({ length: AT_ONCE }, (_, i) => fillerName(kit, from + i))
  return Promise.all(names.map((name) => kit.send(createPet(newPetJson(name, kit.category, available)))))
}

/** The name of filler animal `number`. */
export function fillerName(kit: Kit, number: number): string {
  return `${kit.namePrefix}n${number}`
}

/** Fills the store to STOCK. The first and the last animals are not `available`, for any list order. Throws NotRun. */
export async function stock(kit: Kit): Promise<void> {
  for (const make of [ANIMALS.pending, ANIMALS.sold, ANIMALS.soldToo, ANIMALS.soldAlso]) await animal(kit, make)
  const ids = new Set(await knownIds(kit))
  for (let from = AT_ONCE; ids.size < STOCK && from < STOCK + AT_ONCE; from += AT_ONCE) {
    for (const { answer } of await createdAtOnce(kit, from)) if (answer.status >= 300) throw unstocked()
    for (const { id } of kit.created) ids.add(id)
  }
  if (ids.size < STOCK) throw unstocked()
  for (const make of [ANIMALS.pendingLate, ANIMALS.soldLate]) await animal(kit, make)
}

/**
 * Expects as many animals as `limit` allows. Throws Unasked where no more are known to be stored than came: then the
 * answer shows nothing of the limit. Lists of each status, what was created, and a link to a next page tell of more.
 */
export async function expectFull(kit: Kit, exchange: Exchange, came: number, limit: number): Promise<void> {
  const hasNext = /rel="?next\b/i.test(header(exchange.answer, 'Link') ?? '')
  const animals = kit.isThorough ? STOCK : (await kit.once(knownIds)).size
  if (came === limit && (hasNext || animals > limit || limit === FULL)) return
  if (came === limit || (!hasNext && animals <= came)) {
    throw new Unasked(`of ${animals} animals that are known to be stored, limit=${limit} leaves none out`)
  }
  const summary = `${came} animals${hasNext ? ', and a link to a next page' : ''}`
  throw new Violation('R7', exchange, `${limit} animals, for more are stored`, summary, 'too few animals')
}

/** The ids of the animals that full pages show, of each status and of all, and of those that were created. */
async function knownIds(kit: Kit): Promise<ReadonlySet<string>> {
  const ids = new Set(kit.created.map(({ id }) => id))
  for (const status of ['', ...PET_STATUSES.map((each) => `&status=${each}`)]) {
    const { answer } = await kit.send(listPets(`?limit=${FULL}${status}`))
    // Other cases judge what is wrong with the list.
    const pets = tryJson(answer)?.value
    for (const pet of Array.isArray(pets) ? pets : []) ids.add(jsonText(membersOf(pet)?.get('id') ?? ''))
  }
  return ids
}

function unstocked(): NotRun {
  return new NotRun(`the store could not be brought to hold ${STOCK} animals with ids of their own`)
}

/** The longest list, of one status or of all animals. Throws RestsOn if it is not answered with 200. */
export async function longList(kit: Kit, status?: PetStatus): Promise<{ exchange: Exchange; pets: readonly Pet[] }> {
  const exchange = await kit.send(listPets(`?limit=${FULL}${status === undefined ? '' : `&status=${status}`}`))
  if (exchange.answer.status !== 200) throw new RestsOn(status === undefined ? 'limit-100' : `filter-${status}`)
  return { exchange, pets: expectPets(exchange, FULL) }
}

/** Why animals that were created need not be in a list. */
export const FULL_OF_OTHERS = `more than ${FULL} animals are stored, and the order of the list is open (O5)`

/**
 * The animals as listed, each beside itself as created. Throws NotVisibleYet if a list that is not full misses one of
 * them, and NotRun if a full one shows none.
 */
export async function shownAnimals(kit: Kit, created: readonly Pet[]) {
  const { exchange, pets } = await longList(kit)
  const pairs: (readonly [pet: Pet, created: Pet])[] = []
  for (const one of created) {
    const listed = pets.filter(({ id }) => id === one.id)
    if (listed.length === 0 && pets.length < FULL) throw new NotVisibleYet(`a list does not show the animal ${one.id}`)
    pairs.push(...listed.map((pet) => [pet, one] as const))
  }
  if (pairs.length === 0) throw new NotRun(FULL_OF_OTHERS)
  return { exchange, shown: pairs }
}

/** Throws NotRun if the list is full without an animal of this run: it could also hide the one looked for. */
export async function storedNames(
  kit: Kit,
  status?: PetStatus,
): Promise<{ exchange: Exchange; names: readonly string[] }> {
  const { exchange, pets } = await longList(kit, status)
  const names = pets.map(({ name }) => name)
  if (names.length < FULL || names.some((name) => name.startsWith(kit.namePrefix))) return { exchange, names }
  throw new NotRun('the list is full and shows no animal of this run')
}
