/** The small changes of which the right and the wrong servers are composed. */
import { petJson } from '../../../src/contract/json.ts'
import type { NewPet, Pet } from '../../../src/contract/schemas.ts'
import type { ListQuery } from '../../../src/contract/validate.ts'
import { type Change, type Incoming, KEY, type Limit, type Reply, readNewPet, type Who } from './reference.ts'

export type When = (incoming: Incoming, reply: Reply) => boolean
export const withStatus =
  (...statuses: readonly number[]): When =>
  (_, { status }) =>
    statuses.includes(status)
export const isList: When = ({ path }, { status }) => status === 200 && path === '/v1/pets'
export const isFetch: When = ({ path }, { status }) => status === 200 && path.startsWith('/v1/pets/')

/** A header that is undefined is omitted. */
type Parts = Partial<Reply>

export const replies =
  (when: When, alter: Parts | ((reply: Reply, nowMs: number, incoming: Incoming) => Parts)): Change =>
  ({ finish }) => ({
    finish(first, incoming, nowMs) {
      const reply = finish(first, incoming, nowMs)
      if (!when(incoming, reply)) return reply
      const parts = typeof alter === 'function' ? alter(reply, nowMs, incoming) : alter
      return { ...reply, ...parts, headers: { ...reply.headers, ...parts.headers } }
    },
  })
export const withHeaders = (when: When, headers: Reply['headers']) => replies(when, { headers })

export const retryAfter = (value: (resetS: number, nowMs: number) => unknown) =>
  replies(withStatus(429), ({ headers }, nowMs) => ({
    headers: { 'Retry-After': String(value(Number(headers['X-RateLimit-Reset']), nowMs)) },
  }))

export const NO_LIMITS = {
  'X-RateLimit-Limit': undefined,
  'X-RateLimit-Remaining': undefined,
  'X-RateLimit-Reset': undefined,
} as const

export const reads =
  (change: (incoming: Incoming) => Partial<Incoming>): Change =>
  ({ read }) => ({
    read: (first) => {
      const incoming = read(first)
      return { ...incoming, ...change(incoming) }
    },
  })

/** Treats requests as if they had the key. */
export const accepts = (isGood: (incoming: Incoming) => boolean): Change =>
  reads((incoming) => (isGood(incoming) ? { authorization: `Bearer ${KEY}` } : {}))

/** Changes new animals before they are checked; undefined refuses one. */
export const creates = (change: (pet: NewPet) => NewPet | undefined): Change =>
  reads(({ body }) => {
    const checked = readNewPet(body)
    if ('problems' in checked) return {}
    const pet = change(checked.value)
    return { body: pet ? petJson(0n, pet.name, pet.categoryId, pet.status).replace('"id":0,', '') : '{}' }
  })

/** Accepts creations whose body matches. */
export const takes = (pattern: RegExp): Change =>
  reads(({ body }) => {
    const name = /"name":"([^"]*)"/.exec(body)?.[1] ?? 'x'
    return pattern.test(body) ? { body: `{"name":"${name}","categoryId":7}` } : {}
  })

export const showsText =
  (change: (text: string, incoming: Incoming) => string): Change =>
  ({ show }) => ({ show: (pet, incoming) => change(show(pet, incoming), incoming) })

type Lists = (pets: readonly Pet[], query: ListQuery) => readonly Pet[]
export const selects =
  (change: (select: Lists, pets: readonly Pet[], query: ListQuery) => readonly Pet[]): Change =>
  ({ select }) => ({ select: (pets, query) => change(select, pets, query) })

export const counts =
  (change: (limit: Limit, who: Who, nowMs: number) => Partial<Limit>): Change =>
  ({ take }) => ({
    take: async (who, nowMs, incoming) => {
      const limit = await take(who, nowMs, incoming)
      return { ...limit, ...change(limit, who, nowMs) }
    },
  })

/** Bans the limited key, or all keys, after so many refusals for so long. */
export const bans =
  (refusals: number, seconds: number, all = false): Change =>
  ({ take }) => {
    let [count, untilMs] = [0, 0]
    return {
      take: async (who, nowMs, incoming) => {
        const limit = await take(who, nowMs, incoming)
        if (who === 'limited' && limit.isOver && ++count >= refusals && untilMs === 0) untilMs = nowMs + seconds * 1000
        if (nowMs >= untilMs || !(who === 'limited' || (all && who === 'key'))) return limit
        return { ...limit, remaining: 0, isOver: true, resetS: Math.max(limit.resetS, Math.ceil(untilMs / 1000)) }
      },
    }
  }

export const rounded = (digits: string): string => String(BigInt.asIntN(64, BigInt(Number(digits))))
const others = (count: number): readonly Pet[] =>
  Array.from({ length: count }, (_, i) => {
    const status = (['available', 'pending', 'sold'] as const)[i % 3] ?? 'sold'
    return { id: BigInt(-i - 1), name: `other ${i}`, categoryId: 1n, status }
  })
export const filled: Change = ({ pets }) => {
  pets.push(...others(150))
  return { newId: () => BigInt(pets.length + 1) }
}
