/**
 * The animals of the benchmark. Each one is a pure function of its number, so that every target has the same animals,
 * and the expected responses can be computed here without asking a target.
 */
export interface NewAnimal {
  readonly name: string
  readonly categoryId: number
  readonly status?: 'available' | 'pending' | 'sold'
}

export interface Animal extends NewAnimal {
  readonly id: number
}

/** Plain ASCII, which every part of every target handles on its fastest path. */
const NAMES = 'Rex Luna Biscuit Bella Max Nala Oreo Mochi Rosie Bruno Ginger Captain Pip'.split(' ')

/** 60% are available, 15% pending, 20% sold, and 5% have no status. */
function statusOf(share: number): Animal['status'] {
  if (share < 60) return 'available'
  if (share < 75) return 'pending'
  return share < 95 ? 'sold' : undefined
}

/** The animal that a new database gives the id `id` (1, 2, …) when the animals are added in order. */
export function animal(id: number): Animal {
  const hash = Math.imul(id, 0x9e3779b1) >>> 4
  const status = statusOf(hash % 100)
  const name = `${NAMES[hash % NAMES.length]} ${id % 1000}`
  return { id, name, categoryId: 1 + (hash % 40), ...(status !== undefined && { status }) }
}

/** Animals 1 to `count`. */
export function animals(count: number): Animal[] {
  return Array.from({ length: count }, (_, index) => animal(index + 1))
}
