/**
 * The animals of the benchmark. Each one is a pure function of its number, so that every target holds the same animals,
 * and the expected answers can be computed here without asking a target.
 */
export const STATUSES = ['available', 'pending', 'sold'] as const

export interface Animal {
  readonly id: number
  readonly name: string
  readonly categoryId: number
  readonly status?: (typeof STATUSES)[number]
}

/** Plain ASCII, which every part of every target handles on its fastest path. */
const NAMES = 'Rex Luna Biscuit Bella Max Nala Oreo Mochi Rosie Bruno Ginger Captain Pip'.split(' ')

/** A 32-bit hash: it spreads the statuses and names evenly, and is the same on every platform. */
function mix(index: number): number {
  let hash = Math.imul(index ^ 0x9e3779b9, 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return (hash ^ (hash >>> 16)) >>> 0
}

/** 60% are available, 15% pending, 20% sold, and 5% have no status. */
function statusOf(hash: number): Animal['status'] {
  const share = hash % 100
  if (share < 60) return 'available'
  if (share < 75) return 'pending'
  return share < 95 ? 'sold' : undefined
}

/** The animal that a new database gives the identifier `id` (1, 2, …) when the animals are added in order. */
export function animal(id: number): Animal {
  const hash = mix(id)
  const status = statusOf(hash)
  const name = `${NAMES[(hash >>> 8) % NAMES.length]} ${id % 1000}`
  return { id, name, categoryId: 1 + ((hash >>> 16) % 40), ...(status !== undefined && { status }) }
}

/** The list that a database of `count` animals must return, newest first. */
export function expectedList(count: number, limit: number, status: string | undefined): Animal[] {
  const list: Animal[] = []
  for (let id = count; id > 0 && list.length < limit; id--) {
    const candidate = animal(id)
    if (status === undefined || candidate.status === status) list.push(candidate)
  }
  return list
}

/** The file that `pets import` reads. */
export function csvOf(count: number): string {
  const lines = Array.from({ length: count }, (_, index) => {
    const { name, categoryId, status = '' } = animal(index + 1)
    return `${name},${categoryId},${status}\n`
  })
  return `name,categoryId,status\n${lines.join('')}`
}
