/** The small changes that wrong servers, and right ones of another make, are composed of. */
import { setImmediate } from 'node:timers/promises'
import type { NewPet, Pet } from '../../../src/contract/schemas.ts'
import {
  type Behaviour,
  CORRECT,
  type Fate,
  type Incoming,
  KEY,
  type Limit,
  PER_MINUTE,
  type Reply,
  type Who,
} from './reference.ts'

/** State of its own for each run, where a function is given. */
export type Change = Partial<Behaviour> | (() => Partial<Behaviour>)

export type Picks = (reply: Reply, incoming: Incoming | undefined) => boolean

/** A last hand on the replies that `when` picks out. */
export function replies(
  when: Picks,
  alter: (reply: Reply, incoming: Incoming | undefined) => Reply,
): Partial<Behaviour> {
  return { finish: (reply, incoming) => (when(reply, incoming) ? alter(reply, incoming) : reply) }
}

export const always: Picks = () => true
export const status =
  (code: number): Picks =>
  (reply) =>
    reply.status === code
export const method =
  (name: string): Picks =>
  (_reply, incoming) =>
    incoming?.method === name
export const path =
  (pattern: RegExp): Picks =>
  (_reply, incoming) =>
    pattern.test(incoming?.path ?? '')
export const header =
  (name: string, pattern: RegExp): Picks =>
  (_reply, incoming) =>
    pattern.test(String(incoming?.headers[name] ?? ''))
export const both =
  (a: Picks, b: Picks): Picks =>
  (reply, incoming) =>
    a(reply, incoming) && b(reply, incoming)
/** A creation whose body holds this. */
export const sends =
  (pattern: RegExp): Picks =>
  (_reply, incoming) =>
    incoming?.method === 'POST' && pattern.test(incoming.body)
export const aList = both(status(200), path(/\/pets$/))
export const aFetch = both(status(200), path(/\/pets\/./))

export function without(...names: readonly string[]): (reply: Reply) => Reply {
  return (reply) => ({
    ...reply,
    headers: Object.fromEntries(Object.entries(reply.headers).filter(([name]) => !names.includes(name))),
  })
}

export const LIMIT_HEADERS = ['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset'] as const
export const withoutLimitHeaders = without(...LIMIT_HEADERS)

export function withHeader(name: string, value: string | ((reply: Reply) => string)): (reply: Reply) => Reply {
  return (reply) => ({
    ...reply,
    headers: { ...reply.headers, [name]: typeof value === 'string' ? value : value(reply) },
  })
}

/** Another answer altogether, with the limit headers of the first. */
export const instead = (other: Reply) => (reply: Reply) => ({
  ...other,
  headers: { ...reply.headers, ...other.headers },
})
export const withStatus = (code: number) => (reply: Reply) => ({ ...reply, status: code })
export const withBody = (change: string | ((body: string) => string)) => (reply: Reply) => ({
  ...reply,
  body: typeof change === 'string' ? change : change(reply.body),
})

export function bodies(when: Picks, change: (body: string) => string): Partial<Behaviour> {
  return replies(when, withBody(change))
}

/** Several changes of one server, each of other replies. */
export function together(...changes: readonly Partial<Behaviour>[]): Partial<Behaviour> {
  const finish: Behaviour['finish'] = (reply, incoming, nowMs) =>
    changes.reduce((finished, change) => change.finish?.(finished, incoming, nowMs) ?? finished, reply)
  return { ...Object.assign({}, ...changes), finish }
}

/** A status of its own, which nothing allows, to each kind of reply that is picked out. */
export function statuses(picks: Readonly<Record<string, Picks>>): Partial<Behaviour> {
  const kinds = Object.values(picks)
  return {
    finish: (reply, incoming) => {
      const kind = kinds.findIndex((isOf) => isOf(reply, incoming))
      return kind < 0 ? reply : { ...reply, status: 520 + kind }
    },
  }
}

/** Changes members of the JSON object that the picked replies carry. */
export function members(when: Picks, change: Record<string, unknown>): Partial<Behaviour> {
  return replies(
    when,
    withBody((body) => JSON.stringify({ ...JSON.parse(body), ...change })),
  )
}

/** Refuses the creations whose body holds this. */
export const refusing = (pattern: RegExp): Partial<Behaviour> => ({
  readNewPet: (text, incoming) => (pattern.test(text) ? { problems: ['refused'] } : CORRECT.readNewPet(text, incoming)),
})

/** A valid animal is made of an invalid one, its name as far as it has one. */
export const takes = (isTaken: (text: string) => boolean): Partial<Behaviour> => ({
  readNewPet: (text, incoming) => {
    const checked = CORRECT.readNewPet(text, incoming)
    if ('value' in checked || !isTaken(text)) return checked
    return { value: { name: /"name":"([^"\n\\]*)"/.exec(text)?.[1] ?? 'x', categoryId: 7n } }
  },
})

export function query(change: (params: URLSearchParams) => void): Partial<Behaviour> {
  return {
    readQuery: (params) => {
      const changed = new URLSearchParams(params)
      change(changed)
      return CORRECT.readQuery(changed)
    },
  }
}

export const selects = (change: Behaviour['select']): Partial<Behaviour> => ({ select: change })
/** Lists with another limit; `held`: how many animals there are. */
export const pages = (change: (limit: number, held: number) => number) =>
  selects((pets, asked, nowMs) => CORRECT.select(pets, { ...asked, limit: change(asked.limit, pets.length) }, nowMs))
export const sees = (change: (pets: readonly Pet[]) => readonly Pet[]) =>
  selects((pets, asked, nowMs) => CORRECT.select(change(pets), asked, nowMs))

/** Stores the animal of a creation that is refused with `code`. */
export function storesRefused(code: number): Partial<Behaviour> {
  return {
    onRefusal: (refusedWith, { method, body }, pets) => {
      const name = /"name":("[^"\\\n]*")/.exec(body)?.[1]
      if (refusedWith !== code || method !== 'POST' || name === undefined) return
      pets.push({ id: BigInt(pets.length + 1), name: JSON.parse(name), categoryId: 1n, status: 'pending' })
    },
  }
}

/** Takes requests without the key for requests with it, where `isGood`. */
export function accepts(isGood: (authorization: string, incoming: Incoming) => boolean): Partial<Behaviour> {
  return {
    whose: (authorization = '', incoming) =>
      isGood(authorization, incoming) ? 'key' : CORRECT.whose(authorization, incoming),
  }
}

/** Whether a request carries the key, however it is spoiled. */
export function resembles(sent: string, { authorization, target, headers }: Incoming): boolean {
  if (sent === `Token ${KEY}` || sent.startsWith('bearer')) return false
  const all = [sent, target, headers['x-api-key'], headers.cookie].join()
  const spellings = [KEY.slice(0, -1), KEY.toUpperCase(), Buffer.from(`${KEY}:`).toString('base64')]
  return spellings.some((text) => all.includes(text)) || (authorization !== undefined && /^(?:Bearer)? *$/.test(sent))
}

/** Ids of their own, also for what is created at once. */
export function ids(): () => bigint {
  let last = 0n
  return () => ++last
}

export const keeps = (change: (pet: Pet) => Pet): Partial<Behaviour> => ({ keep: change })
export const shows = (change: (pet: Pet, incoming: Incoming) => Pet): Partial<Behaviour> => ({
  show: (pet, incoming) => CORRECT.show(change(pet, incoming), incoming),
})
export const trimmedWhenRead = shows((pet, { method }) => (method === 'POST' ? pet : { ...pet, name: pet.name.trim() }))
/** What is shown of an animal, as text. */
export const showsText = (change: (text: string, incoming: Incoming) => string): Partial<Behaviour> => ({
  show: (pet, incoming) => change(CORRECT.show(pet, incoming), incoming),
})

export function creates(change: (pet: NewPet) => NewPet): Partial<Behaviour> {
  return {
    readNewPet: (text, incoming) => {
      const checked = CORRECT.readNewPet(text, incoming)
      return 'value' in checked ? { value: change(checked.value) } : checked
    },
  }
}

export const renames = (change: (name: string) => string): Partial<Behaviour> =>
  creates((pet) => ({ ...pet, name: change(pet.name) }))

/** What becomes of the requests that `when` picks out, for good or only the first of them. */
export function fate(kind: Fate, when: (incoming: Incoming) => boolean): Partial<Behaviour> {
  return { fate: (incoming) => (when(incoming) ? kind : 'answered') }
}

export const rounded = (value: bigint): bigint => BigInt.asIntN(64, BigInt(Number(value)))

/** Resolves when `arrivals` has not grown for so many turns of the loop that all that was sent must have come. */
export async function quiet(arrivals: () => number): Promise<void> {
  for (let turns = 0, before = arrivals(); turns < 50; turns += 1) {
    await setImmediate()
    if (arrivals() !== before) turns = 0
    before = arrivals()
  }
}

export const says = (change: (limit: Limit) => Partial<Limit>): Partial<Behaviour> => ({
  limitHeaders: (limit, incoming) => CORRECT.limitHeaders({ ...limit, ...change(limit) }, incoming),
})

/** Requests with the limited key that `isFree` are counted for the other key, so that they are never over. */
export const unlimited = (isFree: (incoming: Incoming) => boolean): Partial<Behaviour> => ({
  whose: (sent, incoming) => {
    const who = CORRECT.whose(sent, incoming)
    return who === 'limited' && isFree(incoming) ? 'key' : who
  },
})

/** Over the limit for longer than the window that the headers tell. */
export function overFor(ms: number): () => Partial<Behaviour> {
  return () => {
    let overUntilMs = 0
    let now = 0
    return {
      resetS: (nowMs) => {
        now = nowMs
        return CORRECT.resetS(nowMs)
      },
      count: (used, who) => {
        const count = CORRECT.count(used, who)
        if (who !== 'limited') return count
        if (count.isOver && overUntilMs < now) overUntilMs = now + ms
        return now < overUntilMs ? { used: 5, isOver: true } : count
      },
    }
  }
}

/** The limited key counted by `bucket`; the others as they should be. */
export function counting(bucket: (incoming: Incoming | undefined) => string, isLate = false): () => Partial<Behaviour> {
  return () => {
    const used = new Map<string, number>()
    let arrivals = 0
    const take = async (who: Who, nowMs: number, incoming: Incoming | undefined): Promise<Limit> => {
      arrivals += 1
      const minute = Math.floor(nowMs / 60_000)
      const key = `${minute} ${who} ${who === 'limited' ? bucket(incoming) : ''}`
      const limit = PER_MINUTE[who]
      const isOver = (used.get(key) ?? 0) >= limit
      if (isLate && who === 'limited') await quiet(() => arrivals)
      if (!isOver) used.set(key, (used.get(key) ?? 0) + 1)
      return { limit, remaining: Math.max(0, limit - (used.get(key) ?? 0)), resetS: (minute + 1) * 60, isOver }
    }
    return { take }
  }
}

/** Changes the answers to the limited key while several of its requests are under way. */
export function overloaded(change: (reply: Reply) => Reply): () => Partial<Behaviour> {
  return () => {
    let arrivals = 0
    let underWay = 0
    const counted = counting(() => '')().take
    return {
      take: async (who, nowMs, incoming) => {
        arrivals += 1
        if (who === 'limited') {
          underWay += 1
          await quiet(() => arrivals)
        }
        return (await counted?.(who, nowMs, incoming)) as Limit
      },
      finish: (reply, incoming) => {
        if (CORRECT.whose(incoming?.authorization, incoming as Incoming) !== 'limited') return reply
        underWay -= 1
        return underWay >= 3 ? change(reply) : reply
      },
    }
  }
}

/** Answers that no operation lists, and requests that no ordinary client sends. */
function isOdd({ status }: Reply, incoming: Incoming | undefined): boolean {
  if (incoming === undefined) return true
  if (status === 429) return false
  const { method, path, headers, rawHeaders } = incoming
  const isListed =
    (method === 'GET' && path === '/v1/pets' && status !== 400) ||
    (method === 'GET' && /^\/v1\/pets\/-?\d{1,20}$/.test(path)) ||
    (method === 'POST' && path === '/v1/pets' && headers['content-type'] !== 'application/xml')
  const isBare = headers['user-agent'] === undefined && headers.accept === undefined
  const hasTwoHosts = rawHeaders.filter((name) => name === 'Host').length > 1
  return !isListed || isBare || hasTwoHosts || headers.expect === '200-maybe'
}

/** A limit that is no number: one for each kind of answer but lists, and one for each that is odd. */
export function numberedLimits(): Partial<Behaviour> {
  let odd = 'odd'
  return replies(
    (reply, incoming) =>
      reply.status !== 429 && (isOdd(reply, incoming) || reply.status !== 200 || incoming?.path !== '/v1/pets'),
    (reply, incoming) => {
      if (isOdd(reply, incoming)) odd += 'y'
      const isUnknownKey = reply.status === 401 && incoming?.authorization?.includes('never') === true
      const kind = `${isUnknownKey}${reply.status}`.replaceAll(/\d/g, (digit) => 'abcdefghij'[+digit] ?? '')
      return withHeader('X-RateLimit-Limit', isOdd(reply, incoming) ? odd : kind)(reply)
    },
  )
}
