/**
 * A correct implementation of the API in memory, from which the right and the wrong servers are made by changes. It
 * shares only the contract with the service.
 */
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Duplex } from 'node:stream'
import { errorBody } from '../../../src/contract/errors.ts'
import { parseInt64 } from '../../../src/contract/int64.ts'
import { parseJson, petJson } from '../../../src/contract/json.ts'
import { BASE_PATH, OPERATIONS, type Operation } from '../../../src/contract/operations.ts'
import { matches } from '../../../src/contract/pet-filter.ts'
import type { NewPet, Pet } from '../../../src/contract/schemas.ts'
import { type Checked, checkListQuery, checkNewPet, type ListQuery } from '../../../src/contract/validate.ts'

export const KEY = 'reference-key-1'
export const LIMITED_KEY = 'reference-limited-2'

/** Requests in one minute. `address` is for requests without a valid key. */
export const PER_MINUTE = { key: 60, limited: 5, address: 60 } as const
export type Who = keyof typeof PER_MINUTE

/** A request that is not HTTP has no method and no path. */
export interface Incoming {
  readonly method: string
  readonly path: string
  readonly query: URLSearchParams
  readonly authorization: string | undefined
  readonly body: string
}

export interface Reply {
  readonly status: number
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly body: string
}

export interface Limit {
  readonly limit: number
  readonly remaining: number
  readonly resetS: number
  readonly isOver: boolean
}

/** Everything that a change can replace. */
export interface Behaviour {
  readonly pets: Pet[]
  readonly newId: () => bigint
  readonly read: (incoming: Incoming) => Incoming
  readonly take: (who: Who, nowMs: number, incoming: Incoming) => Limit | Promise<Limit>
  /** What is stored of a new animal. */
  readonly keep: (pet: Pet) => Pet | undefined
  readonly show: (pet: Pet, incoming: Incoming) => string
  readonly select: (pets: readonly Pet[], query: ListQuery) => readonly Pet[]
  /** With status 0 the connection is closed. */
  readonly finish: (reply: Reply, incoming: Incoming, nowMs: number) => Reply
}
export type Change = (before: Behaviour) => Partial<Behaviour>

export const together =
  (...changes: readonly Change[]): Change =>
  (before) => {
    let all = before
    for (const change of changes) all = { ...all, ...change(all) }
    return all
  }

function right(): Behaviour {
  const pets: Pet[] = []
  const used = new Map<string, number>()
  return {
    pets,
    newId: () => BigInt(pets.length + 1),
    read: (incoming) => incoming,
    take(who, nowMs) {
      const minute = Math.floor(nowMs / 60_000)
      const key = `${minute} ${who}`
      const limit = PER_MINUTE[who]
      const isOver = (used.get(key) ?? 0) >= limit
      if (!isOver) used.set(key, (used.get(key) ?? 0) + 1)
      return { limit, remaining: limit - (used.get(key) ?? 0), resetS: (minute + 1) * 60, isOver }
    },
    keep: (pet) => pet,
    show: (pet) => petJson(pet.id, pet.name, pet.categoryId, pet.status),
    select: (stored, { limit, ...filter }) =>
      stored
        .filter((pet) => matches(filter, pet))
        .slice(-limit)
        .reverse(),
    finish: (reply) => reply,
  }
}

function whose({ authorization }: Incoming): Who {
  return authorization === `Bearer ${KEY}` ? 'key' : authorization === `Bearer ${LIMITED_KEY}` ? 'limited' : 'address'
}

export function readNewPet(text: string): Checked<NewPet> {
  try {
    return checkNewPet(parseJson(text))
  } catch {
    return { problems: ['the body must be JSON'] }
  }
}

const ROUTES = (Object.keys(OPERATIONS) as Operation[]).map((name) => {
  const { method, path } = OPERATIONS[name]
  return { name, method, path: new RegExp(`^${BASE_PATH}${path.replace(/\{\w+\}/, '[^/]*')}$`) }
})

function makeService(change: Change, clock: () => number) {
  const first = right()
  const { pets, newId, read, take, keep, show, select, finish } = { ...first, ...change(first) }

  const handlers: Readonly<Record<Operation, (incoming: Incoming) => Reply>> = {
    listPets(incoming) {
      const checked = checkListQuery(incoming.query)
      if ('problems' in checked) return error(400, checked.problems.join('; '))
      return json(200, `[${select(pets, checked.value).map((pet) => show(pet, incoming))}]`)
    },
    createPet(incoming) {
      const checked = readNewPet(incoming.body)
      if ('problems' in checked) return error(400, checked.problems.join('; '))
      const pet = { ...checked.value, id: newId() }
      const stored = keep(pet)
      if (stored !== undefined) pets.push(stored)
      return json(201, show(pet, incoming))
    },
    getPet(incoming) {
      const pet = pets.find(({ id }) => id === parseInt64(incoming.path.replace(/.*\//, '')))
      return pet === undefined ? error(404, 'there is no such animal') : json(200, show(pet, incoming))
    },
  }

  function operate(incoming: Incoming): Reply {
    const ofPath = ROUTES.filter(({ path }) => path.test(incoming.path))
    const route = ofPath.find(({ method }) => method === incoming.method.replace('HEAD', 'GET'))
    if (route !== undefined) return handlers[route.name](incoming)
    return ofPath.length > 0 ? error(405, 'use another method') : error(404, 'there is nothing at this path')
  }

  return async (received: Incoming): Promise<Reply> => {
    const incoming = read(received)
    const who = whose(incoming)
    const { limit, remaining, resetS, isOver } = await take(who, clock(), incoming)
    const isHttp = incoming.method !== ''
    const answer = () => (who === 'address' ? error(isHttp ? 401 : 400, 'give a valid key') : operate(incoming))
    const { headers, ...reply } = isOver ? error(429, 'too many requests') : answer()
    const wait = String(Math.max(1, Math.ceil(resetS - clock() / 1000)))
    const limits = { 'X-RateLimit-Limit': limit, 'X-RateLimit-Remaining': remaining, 'X-RateLimit-Reset': resetS }
    const all = {
      Date: new Date(clock()).toUTCString(),
      ...Object.fromEntries(Object.entries(limits).map(([name, value]) => [name, String(value)])),
      ...(isOver && { 'Retry-After': wait }),
      ...headers,
    }
    return finish({ ...reply, headers: all }, incoming, clock())
  }
}

export interface RunningServer extends AsyncDisposable {
  readonly baseUrl: string
}

/** `clock` in Unix ms. */
export async function startServer(clock: () => number, change: Change = () => ({})): Promise<RunningServer> {
  const answer = makeService(change, clock)
  const server = createServer({ requireHostHeader: false }, async (request, response) => {
    const { status, headers, body } = await answer(await incomingOf(request))
    if (status === 0) return void request.socket.destroy()
    // Otherwise node would add a Date.
    response.sendDate = headers.Date !== undefined
    for (const [name, value] of Object.entries(headers)) if (value !== undefined) response.setHeader(name, value)
    response.writeHead(status).end(body)
  })
  server.on('checkExpectation', (request, response) => server.emit('request', request, response))
  server.on('clientError', async (_error, socket: Duplex) => {
    const none = { method: '', path: '', query: new URLSearchParams(), authorization: undefined, body: '' }
    const { headers, body } = await answer(none)
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
    if (socket.writable) socket.end(`HTTP/1.1 400 Bad Request\r\n${lines.join('')}Connection: close\r\n\r\n${body}`)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    [Symbol.asyncDispose]: () => {
      server.closeAllConnections()
      return new Promise((resolve) => server.close(() => resolve()))
    },
  }
}

async function incomingOf(request: IncomingMessage): Promise<Incoming> {
  const body = Buffer.concat(await request.toArray()).toString()
  const [path = '', query = ''] = (request.url ?? '').split('?', 2)
  const { authorization } = request.headers
  return { method: request.method ?? '', path, query: new URLSearchParams(query), authorization, body }
}

export function json(status: number, body: string): Reply {
  return { status, headers: { 'Content-Type': 'application/json' }, body }
}

export function error(status: number, message: string): Reply {
  return json(status, JSON.stringify(errorBody(status, message)))
}
