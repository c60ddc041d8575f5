/** The animals and responses that several cases share, as functions for `kit.once`, which makes each on first use. */
import { expectPet, expectPets } from './expect.ts'
import { createPet, type Headers, listPets, type Request, WITH_KEY } from './http/request.ts'
import type { Exchange } from './http/transport.ts'
import {
  EACH_OPERATION,
  INT64_MAX,
  INT64_MIN,
  OPERATIONS,
  type Operation,
  PET_STATUSES,
  type Pet,
} from './interface.ts'
import { jsonText, membersOf, tryJson } from './json-body.ts'
import type { Kit } from './kit.ts'
import { NotRun, RestsOn, Violation } from './verdicts.ts'

type NewPet = Omit<Pet, 'id'>
interface Creation {
  readonly newPet: NewPet
  readonly exchange: Exchange
}
export type Recipe = (kit: Kit) => Promise<Creation>

const recipe =
  (label: string, parts: Partial<NewPet> = {}): Recipe =>
  async (kit) => {
    const newPet = { name: kit.namePrefix + label, categoryId: kit.category, ...parts }
    return { newPet, exchange: await kit.send(createPet(newPetJson(newPet))) }
  }

function newPetJson({ name, categoryId, status }: NewPet) {
  const tail = status === undefined ? '' : `,"status":${JSON.stringify(status)}`
  return `{"name":${JSON.stringify(name)},"categoryId":${categoryId}${tail}}`
}

export const ANIMALS = {
  available: recipe('available', { status: 'available' }),
  pending: recipe('pending', { status: 'pending' }),
  sold: recipe('sold', { status: 'sold' }),
  withoutStatus: recipe('no status'),
  odd: recipe('', { name: '  Zoë 🐕\u200d🦺 "ねこ" \\ <b>&amp;%41 e\u0301 ', status: 'available' }),
  aboveDouble: recipe('above', { categoryId: 2n ** 53n + 1n }),
  largest: recipe('largest', { categoryId: INT64_MAX }),
  smallest: recipe('smallest', { categoryId: INT64_MIN }),
} as const

/** Throws RestsOn or NotRun if the animal was not created, which another case judges. */
export async function animal(kit: Kit, make: Recipe): Promise<Pet> {
  const { exchange } = await kit.once(make)
  if (exchange.answer.status < 300) return expectPet(exchange)
  assertCategory(kit, exchange)
  throw new RestsOn('create')
}

/** Throws NotRun if a valid creation was refused with 400: which categories exist is open (O1). */
export function assertCategory(kit: Kit, { answer }: Exchange): void {
  if (answer.status === 400)
    throw new NotRun(`categoryId ${kit.category} is refused; name a category that exists with --category`)
}

/** The animals that were accepted. A service can refuse others at an open point (O1, O19). */
export async function acceptedAnimals(kit: Kit): Promise<readonly Pet[]> {
  const accepted: Pet[] = []
  for (const make of Object.values(ANIMALS)) {
    const { exchange } = await kit.once(make)
    if (exchange.answer.status < 300) accepted.push(expectPet(exchange))
  }
  return accepted
}

/** The id that a service is least likely to have assigned. */
export const UNUSED_ID = 2n ** 62n + 1n

/** A valid request for an operation. `label` marks an animal that must not be stored. */
export async function requestOf(kit: Kit, name: Operation, credentials: Headers, label = ''): Promise<Request> {
  const { method, path } = OPERATIONS[name]
  if (method === 'POST') {
    const newPet = { name: kit.namePrefix + label, categoryId: kit.category, status: 'pending' } as const
    return createPet(newPetJson(newPet), credentials)
  }
  const id = path.includes('{petId}') ? (await animal(kit, ANIMALS.available)).id : UNUSED_ID
  return { method, path: path.replace('{petId}', String(id)), headers: credentials }
}

export const SERVED = Object.fromEntries(
  EACH_OPERATION.map(({ name }) => [
    name,
    name === 'createPet'
      ? async (kit: Kit) => (await kit.once(ANIMALS.available)).exchange
      : async (kit: Kit) => kit.send(await requestOf(kit, name, WITH_KEY)),
  ]),
) as Readonly<Record<Operation, (kit: Kit) => Promise<Exchange>>>

/** The interface's largest page. A list that is not full shows every animal there is. */
export const FULL = 100

/** The longest list, of one status or of all animals. */
export async function longList(kit: Kit, filter = ''): Promise<{ exchange: Exchange; pets: readonly Pet[] }> {
  const exchange = await kit.send(listPets(`?limit=${FULL}${filter}`))
  return { exchange, pets: expectPets(exchange, FULL) }
}

/** The animals known to be stored: those created, and those in full lists of each status. */
export async function knownAnimals(kit: Kit): Promise<number> {
  const ids = new Set(kit.created.map(({ id }) => id))
  for (const filter of ['', ...PET_STATUSES.map((status) => `&status=${status}`)]) {
    const pets = tryJson((await kit.send(listPets(`?limit=${FULL}${filter}`))).answer)?.value
    for (const pet of Array.isArray(pets) ? pets : []) ids.add(jsonText(membersOf(pet)?.get('id') ?? ''))
  }
  return ids.size
}

/** Fails if an animal is stored whose refused name has this label. */
export async function expectNotStored(kit: Kit, label: string, statement: 'R10' | 'R13' | 'R16'): Promise<void> {
  for (const filter of ['', '&status=pending']) {
    const { exchange, pets } = await longList(kit, filter)
    const stored = pets.find(({ name }) => name.startsWith(kit.namePrefix + label))
    if (stored !== undefined) throw new Violation(statement, exchange, 'no animal that was refused', `"${stored.name}"`)
    const isVisible = pets.length < FULL || pets.some(({ name }) => name.startsWith(kit.namePrefix))
    if (!isVisible) throw new NotRun('the list is full and shows no animal of this run')
  }
}
