/**
 * The interface, as far as the kit checks it. The kit has its own copy on purpose: if it read the contract of the
 * service, it would share the mistakes of the service.
 */

/** R18 */
export const INTERFACE_VERSION = '1.0.0'

/** R2, in the order of the interface. */
export const PET_STATUSES = ['available', 'pending', 'sold'] as const
export type PetStatus = (typeof PET_STATUSES)[number]

export function isPetStatus(value: unknown): value is PetStatus {
  return PET_STATUSES.some((status) => status === value)
}

/** R3, R4; an int64 is a bigint. */
export interface Pet {
  readonly id: bigint
  readonly name: string
  readonly categoryId: bigint
  readonly status?: PetStatus
}

/**
 * R7, R8, R9, R11: paths relative to the base address, the parameters of the query, and the answers that the interface
 * lists, but for 429, whose body is open (O9), and 400 to a query (O16). The requests of all of them are judged.
 */
export const OPERATIONS = {
  listPets: { method: 'GET', path: '/pets', query: ['limit', 'status'], statuses: [200, 401] },
  createPet: { method: 'POST', path: '/pets', query: [], statuses: [201, 400, 401] },
  getPet: { method: 'GET', path: '/pets/{petId}', query: [], statuses: [200, 401, 404] },
} as const

/** R8 */
export const FILTERS = OPERATIONS.listPets.query.filter((name) => name !== 'limit')

/** From this instant on getPet may be gone (R12, O21). Unix ms. */
export const GET_PET_REMOVAL_MS = Date.parse('2030-12-05T00:00:00Z')

/** R14, requests a minute and a day; Enterprise has no figures. */
export const PLANS = {
  Free: { perMinute: 60, perDay: 1_000 },
  Pro: { perMinute: 300, perDay: 10_000 },
  Business: { perMinute: 1_000, perDay: 100_000 },
} as const

/** R5 */
export const INT64_MIN = -9_223_372_036_854_775_808n
export const INT64_MAX = 9_223_372_036_854_775_807n
