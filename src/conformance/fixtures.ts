/** The animals and answers that several cases look at. Each is a function for `kit.once`, so it is made only when asked for. */
import { INT64_MAX, INT64_MIN } from '../contract/int64.ts'
import type { Pet, PetStatus } from '../contract/schemas.ts'
import { NotRun } from './case.ts'
import { expectPet, expectPets } from './expect.ts'
import type { Kit } from './kit.ts'
import { createPet, getPet, listPets } from './request.ts'
import type { Exchange } from './transport.ts'

/** A valid new animal as sent, and what came back. */
export interface Creation {
  readonly sent: { readonly name: string; readonly categoryId: bigint; readonly status?: PetStatus }
  readonly exchange: Exchange
}

type Recipe = (kit: Kit) => Promise<Creation>

function recipe(label: string, categoryId: bigint, status?: PetStatus): Recipe {
  return async (kit) => {
    const sent = { name: kit.namePrefix + label, categoryId, ...(status === undefined ? {} : { status }) }
    return { sent, exchange: await kit.send(createPet(newPetJson(sent.name, categoryId, status))) }
  }
}

/** A body for createPet. What is given as text is put in as it is, for the cases that send what is not valid. */
export function newPetJson(name: string, categoryId: bigint | string, status?: string): string {
  const tail = status === undefined ? '}' : `,"status":${JSON.stringify(status)}}`
  return `{"name":${JSON.stringify(name)},"categoryId":${categoryId}${tail}`
}

/** 2^53, the last integer up to which a double has them all. */
const DOUBLE_EXACT = 2n ** 53n

export const ANIMALS = {
  available: recipe('available', 1n, 'available'),
  pending: recipe('pending', 1n, 'pending'),
  sold: recipe('sold', 1n, 'sold'),
  withoutStatus: recipe('without a status', 1n),
  largestCategory: recipe('largest categoryId', INT64_MAX, 'available'),
  smallestCategory: recipe('smallest categoryId', INT64_MIN, 'available'),
  aboveDouble: recipe('categoryId above 2^53', DOUBLE_EXACT + 1n, 'available'),
  belowDouble: recipe('categoryId below -2^53', -DOUBLE_EXACT - 1n, 'available'),
  zeroCategory: recipe('categoryId 0', 0n, 'available'),
  unicode: recipe('Zoë 🐕\u200d🦺 ねこ قطة e\u0301', 1n, 'available'),
  escapes: recipe('"quoted" back\\slash /slash\ttab\nline', 1n, 'available'),
  spaces: recipe('  two  spaces at each place  ', 1n, 'available'),
} as const

/** The animal of a creation. Throws NotRun when it was not created, which is for the cases about creation to judge. */
export async function animal(kit: Kit, make: Recipe): Promise<Pet> {
  const { exchange } = await kit.once(make)
  if (exchange.answer.status !== 201)
    throw new NotRun(`no animal to look at: its creation was answered ${exchange.answer.status}`)
  return expectPet(exchange)
}

export async function listed(kit: Kit): Promise<Exchange> {
  return kit.send(listPets())
}

export async function fetched(kit: Kit): Promise<Exchange> {
  return kit.send(getPet((await animal(kit, ANIMALS.available)).id))
}

/** A new animal that has no field at all. */
export async function refusedCreation(kit: Kit): Promise<Exchange> {
  return kit.send(createPet('{}'))
}

/** An id that no animal has is not known for sure, but the far end of the range is where a service is least likely to have got to. */
export const UNUSED_ID = INT64_MAX

export async function missingPet(kit: Kit): Promise<Exchange> {
  return kit.send(getPet(UNUSED_ID))
}

export async function keylessList(kit: Kit): Promise<Exchange> {
  return kit.send(listPets('', {}))
}

export const UNKNOWN_KEY = { Authorization: 'Bearer pets-check-no-such-key' }

export async function unknownKeyList(kit: Kit): Promise<Exchange> {
  return kit.send(listPets('', UNKNOWN_KEY))
}

/** One more than the default page holds, so that a page can be seen to end. */
export const STOCK = 21

/**
 * Sees to it that at least STOCK animals are stored, adding what is missing. Returns the ids that are known to be
 * stored. Throws NotRun when it cannot.
 */
export async function stock(kit: Kit): Promise<ReadonlySet<bigint>> {
  const exchange = await kit.send(listPets('?limit=100'))
  const known = new Set(exchange.answer.status === 200 ? expectPets(exchange, 100).map(({ id }) => id) : [])
  const fillers = Array.from({ length: STOCK }, (_, i) => recipe(`one of many, ${i + 1}`, 1n, 'available'))
  for (const make of [...Object.values(ANIMALS), ...fillers]) {
    if (known.size >= STOCK) return known
    const { exchange } = await kit.once(make)
    if (exchange.answer.status === 201) known.add(expectPet(exchange).id)
  }
  throw new NotRun(`the store could not be brought to hold ${STOCK} animals with ids of their own`)
}

/**
 * The names that a list shows, to look for one that must not be there. Throws NotRun when the list is full and shows
 * no animal of this run: then it would not show that one either.
 */
export async function storedNames(kit: Kit, filter = ''): Promise<{ exchange: Exchange; names: readonly string[] }> {
  const exchange = await kit.send(listPets(`?limit=100${filter}`))
  const names = expectPets(exchange, 100).map(({ name }) => name)
  if (names.length < 100 || names.some((name) => name.startsWith(kit.namePrefix))) return { exchange, names }
  throw new NotRun('the list is full and shows no animal of this run')
}
