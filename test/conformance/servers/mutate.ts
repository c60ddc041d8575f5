/** The small changes that wrong servers, and right ones of another make, are composed of. */
import { setImmediate } from 'node:timers/promises'
import type { NewPet, Pet } from '../../../src/contract/schemas.ts'
import { type Behaviour, CORRECT, type Fate, type Incoming, type Reply } from './reference.ts'

/** State of its own for each run, where a function is given. */
export type Change = Partial<Behaviour> | (() => Partial<Behaviour>)

/** A server that is wrong in one way: with the cases that find it, no more and no fewer. */
export interface Wrong {
  readonly what: string
  readonly change: Change
  /** The ids of the cases that fail. */
  readonly foundBy: readonly string[]
}

/** What it is, the change, and the ids of the cases that fail. */
type Row = readonly [what: string, change: Change, ...foundBy: readonly string[]]

export function wrong(rows: readonly Row[]): readonly Wrong[] {
  return rows.map(([what, change, ...foundBy]) => ({ what, change, foundBy }))
}

type Picks = (reply: Reply, incoming: Incoming | undefined) => boolean

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

export function query(change: (params: URLSearchParams) => void): Partial<Behaviour> {
  return {
    readQuery: (params) => {
      const changed = new URLSearchParams(params)
      change(changed)
      return CORRECT.readQuery(changed)
    },
  }
}

export function selects(change: Behaviour['select']): Partial<Behaviour> {
  return { select: change }
}

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

export const keeps = (change: (pet: Pet) => Pet): Partial<Behaviour> => ({ keep: change })
export const shows = (change: (pet: Pet, incoming: Incoming) => Pet): Partial<Behaviour> => ({
  show: (pet, incoming) => CORRECT.show(change(pet, incoming), incoming),
})
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
