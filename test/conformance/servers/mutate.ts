/** The small changes that wrong servers, and right ones of another make, are composed of. */
import { setImmediate } from 'node:timers/promises'
import { petJson } from '../../../src/contract/json.ts'
import { type NewPet, type Pet, PetStatus } from '../../../src/contract/schemas.ts'
import type { ListQuery } from '../../../src/contract/validate.ts'
import {
  type Behaviour,
  type Change,
  type Incoming,
  KEY,
  type Limit,
  type Reply,
  readNewPet,
  together,
  whose,
} from './reference.ts'

/** Traits of a reply and of its request, all of which it must have. */
interface Traits {
  readonly status?: number
  readonly method?: string
  readonly path?: RegExp
  readonly target?: RegExp
  readonly body?: RegExp
  readonly headers?: Readonly<Record<string, RegExp>>
}
export type When = Traits | ((incoming: Incoming, reply: Reply) => boolean)

function isPicked(when: When, incoming: Incoming, reply: Reply): boolean {
  if (typeof when === 'function') return when(incoming, reply)
  const { status = reply.status, method = incoming.method, path = /^/, target = /^/, body = /^/, headers = {} } = when
  return (
    status === reply.status &&
    method === incoming.method &&
    path.test(incoming.path) &&
    target.test(incoming.target) &&
    body.test(incoming.body) &&
    Object.entries(headers).every(([name, pattern]) => pattern.test(String(incoming.headers[name] ?? '')))
  )
}

export const A_LIST: When = { status: 200, path: /\/pets$/ }
export const A_FETCH: When = { status: 200, path: /\/pets\/./ }

/** Parts of a reply instead of its own; a header that is undefined is left out. */
interface Parts {
  readonly status?: number
  readonly headers?: Readonly<Record<string, string | undefined>>
  readonly body?: string
}
type Alter = Parts | ((reply: Reply, nowMs: number, incoming: Incoming) => Parts)

function altered(reply: Reply, parts: Parts): Reply {
  const headers = Object.entries({ ...reply.headers, ...parts.headers })
  const present = headers.flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const]))
  return { ...reply, ...parts, headers: Object.fromEntries(present) }
}

/** Alters the replies that `when` picks out. */
export function replies(when: When, alter: Alter): Change {
  return ({ finish }) => ({
    finish(first, incoming, nowMs) {
      const reply = finish(first, incoming, nowMs)
      if (!isPicked(when, incoming, reply)) return reply
      return altered(reply, typeof alter === 'function' ? alter(reply, nowMs, incoming) : alter)
    },
  })
}

export const bodies = (when: When, change: (body: string) => string): Change =>
  replies(when, ({ body }) => ({ body: change(body) }))

/** Another member of each Error, or none where it is undefined. */
export const members = (when: When, change: (error: Reply) => Record<string, unknown>): Change =>
  replies(when, (reply) => ({ body: JSON.stringify({ ...JSON.parse(reply.body), ...change(reply) }) }))

export const NO_LIMIT_HEADERS = {
  headers: { 'X-RateLimit-Limit': undefined, 'X-RateLimit-Remaining': undefined, 'X-RateLimit-Reset': undefined },
}

/** Refusals over the limit that ask for another wait. */
export const retryAfter = (wait: (resetS: number, nowMs: number) => string | number): Change =>
  replies({ status: 429 }, ({ headers }, nowMs) => ({
    headers: { 'Retry-After': String(wait(Number(headers['X-RateLimit-Reset']), nowMs)) },
  }))

/** A status of its own, which nothing allows, to each kind of reply that is picked out. */
export const statuses = (kinds: readonly When[]): Change =>
  together(
    ...kinds.map((when, n) => replies((...it) => it[1].status < 520 && isPicked(when, ...it), { status: 520 + n })),
  )

/** Requests that are taken for others. */
export const reads =
  (change: (incoming: Incoming) => Partial<Incoming>): Change =>
  ({ understand }) => ({
    understand: (first) => {
      const incoming = understand(first)
      return { ...incoming, ...change(incoming) }
    },
  })
export const readsBody = (change: (body: string) => string): Change => reads(({ body }) => ({ body: change(body) }))

/** Refuses the creations whose body holds this. */
export const refusing = (pattern: RegExp): Change => readsBody((body) => (pattern.test(body) ? '' : body))

/** A valid animal is made of an invalid one, its name as far as it has one. */
export const takes = (isTaken: (body: string) => boolean): Change =>
  reads(({ body, method }) => {
    if (method !== 'POST' || !isTaken(body) || 'value' in readNewPet(body)) return {}
    return { body: `{"name":"${/"name":"([^"\n\\]*)"/.exec(body)?.[1] ?? 'x'}","categoryId":7}` }
  })

export const creates = (change: (pet: NewPet) => NewPet): Change =>
  readsBody((body) => {
    const checked = readNewPet(body)
    if ('problems' in checked) return body
    const { name, categoryId, status } = change(checked.value)
    return petJson(0n, name, categoryId, status).replace('"id":0,', '')
  })
export const renames = (change: (name: string) => string): Change =>
  creates((pet) => ({ ...pet, name: change(pet.name) }))

export const query = (change: (params: URLSearchParams) => void): Change =>
  reads((incoming) => {
    const changed = new URLSearchParams(incoming.query)
    change(changed)
    return { query: changed }
  })

type Lists = (pets: readonly Pet[], query: ListQuery) => readonly Pet[]
export const selects =
  (change: (select: Lists, ...asked: Parameters<Lists>) => readonly Pet[]): Change =>
  ({ select }) => ({ select: (pets, asked, nowMs) => change((of, by) => select(of, by, nowMs), pets, asked) })
/** Lists with another limit; `held`: how many animals there are. */
export const pages = (change: (limit: number, held: number) => number): Change =>
  selects((select, pets, asked) => select(pets, { ...asked, limit: change(asked.limit, pets.length) }))
export const sees = (change: (pets: readonly Pet[]) => readonly Pet[]): Change =>
  selects((select, pets, asked) => select(change(pets), asked))

/** So many animals of somebody else, of each status in turn. */
export const others = (count: number): readonly Pet[] =>
  Array.from({ length: count }, (_, i) => {
    return { id: BigInt(-i - 1), name: `other ${i}`, categoryId: 1n, status: PetStatus.enum[i % 3] ?? 'sold' }
  })

/** Takes requests for those with the key, where `isGood`; others that have it as they are. */
export const accepts = (isGood: (authorization: string, incoming: Incoming) => boolean): Change =>
  reads((incoming) => (isGood(incoming.authorization ?? '', incoming) ? { authorization: `Bearer ${KEY}` } : {}))
/** Requests with the limited key that `isFree` are counted for the other key, so that they are never over. */
export const unlimited = (isFree: (incoming: Incoming) => boolean): Change =>
  accepts((_, incoming) => whose(incoming) === 'limited' && isFree(incoming))

/** Whether a request carries the key, however it is spoiled. */
export function resembles(sent: string, { authorization, target, headers }: Incoming): boolean {
  if (sent === `Token ${KEY}` || sent.startsWith('bearer')) return false
  const all = [sent, target, headers['x-api-key'], headers.cookie].join()
  const spellings = [KEY.slice(0, -1), KEY.toUpperCase(), Buffer.from(`${KEY}:`).toString('base64')]
  return spellings.some((text) => all.includes(text)) || (authorization !== undefined && /^(?:Bearer)? *$/.test(sent))
}

/** Stores the animal of a creation that is refused with `code`. */
export const storesRefused =
  (code: number): Change =>
  (before) =>
    replies({ status: code, method: 'POST' }, (_reply, _nowMs, { body }) => {
      const name = /"name":("[^"\\\n]*")/.exec(body)?.[1]
      const id = BigInt(before.pets.length + 1)
      if (name !== undefined) before.pets.push({ id, name: JSON.parse(name), categoryId: 1n, status: 'pending' })
      return {}
    })(before)

/** Ids of their own, also for what is created at once. */
export const ownIds: Change = () => {
  let last = 0n
  return { newId: () => ++last }
}
export const keeps = (change: (pet: Pet, pets: readonly Pet[]) => Pet | undefined): Change => {
  return ({ pets }) => ({ keep: (pet) => change(pet, pets) })
}
/** What is shown of an animal, as text. */
export const showsText =
  (change: (text: string, incoming: Incoming) => string): Change =>
  ({ show }) => ({ show: (pet, incoming) => change(show(pet, incoming), incoming) })
export const shows =
  (change: (pet: Pet, incoming: Incoming) => Pet): Change =>
  ({ show }) => ({ show: (pet, incoming) => show(change(pet, incoming), incoming) })
export const TRIMMED = shows((pet, { method }) => (method === 'POST' ? pet : { ...pet, name: pet.name.trim() }))

/** What becomes of the requests that `when` picks out. */
export const fate = (kind: ReturnType<Behaviour['fate']>, when: (incoming: Incoming) => boolean): Change => {
  return () => ({ fate: (incoming) => (when(incoming) ? kind : 'answered') })
}

export const rounded = (value: bigint): bigint => BigInt.asIntN(64, BigInt(Number(value)))

/** Resolves when `arrivals` has not grown for so many turns of the loop that all that was sent must have come. */
export async function quiet(arrivals: () => number = () => 0): Promise<void> {
  for (let turns = 0, before = arrivals(); turns < 50; turns += 1) {
    await setImmediate()
    if (arrivals() !== before) turns = 0
    before = arrivals()
  }
}

/** Says, and does, something else than what is counted. */
export const counts = (change: (limit: Limit, nowMs: number) => Partial<Limit>): Change => {
  return ({ take }) => ({
    take: async (who, nowMs, incoming) => {
      const limit = await take(who, nowMs, incoming)
      return { ...limit, ...change(limit, nowMs) }
    },
  })
}
/** Room for everything: nothing is over the limit, and Remaining never falls. */
export const ROOMY = counts(() => ({ remaining: 59, isOver: false }))

/** A key that is refused so often is refused for so long, which the headers tell or do not (R17). */
export const banning =
  (refusals: number, ms: number, isTold: boolean): Change =>
  ({ take }) => {
    let [count, untilMs] = [0, 0]
    return {
      take: async (who, nowMs, incoming) => {
        const limit = await take(who, nowMs, incoming)
        if (who !== 'limited') return limit
        if (limit.isOver && untilMs < nowMs && ++count % refusals === 0) untilMs = nowMs + ms
        if (nowMs >= untilMs) return limit
        return { ...limit, remaining: 0, isOver: true, resetS: isTold ? Math.ceil(untilMs / 1000) : limit.resetS }
      },
    }
  }

/** Changes the answers to the limited key while several of its requests are under way. */
export const overloaded =
  (parts: Parts): Change =>
  ({ take }) => {
    let arrivals = 0
    let underWay = 0
    return {
      take: async (who, nowMs, incoming) => {
        arrivals += 1
        if (who === 'limited') {
          underWay += 1
          await quiet(() => arrivals)
        }
        return take(who, nowMs, incoming)
      },
      finish: (reply, incoming) => {
        if (whose(incoming) !== 'limited') return reply
        underWay -= 1
        return underWay >= 3 ? altered(reply, parts) : reply
      },
    }
  }
