/**
 * A small and correct implementation of the interface, in memory, on bare node:http. It is made of small functions, and
 * a wrong server is this one with a function or two replaced (defects.ts). It shares no code with the service itself
 * but the contract, so the conformance kit is tried on an implementation of another make.
 */
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Duplex } from 'node:stream'
import { errorBody } from '../../../src/contract/errors.ts'
import { parseInt64 } from '../../../src/contract/int64.ts'
import { parseJson, petJson } from '../../../src/contract/json.ts'
import type { NewPet, Pet } from '../../../src/contract/schemas.ts'
import { type Checked, checkListQuery, checkNewPet, type ListQuery } from '../../../src/contract/validate.ts'

export const KEY = 'reference-key-1'
export const LIMITED_KEY = 'reference-limited-2'

/** What a request may use up in one minute, by who sends it; `address` is for requests without a valid key. */
export const PER_MINUTE = { key: 60, limited: 5, address: 60 } as const
type Who = keyof typeof PER_MINUTE

export interface Incoming {
  readonly method: string
  readonly path: string
  readonly query: URLSearchParams
  readonly authorization: string | undefined
  readonly body: string
}

export interface Reply {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

export interface Limit {
  readonly limit: number
  readonly remaining: number
  readonly resetS: number
  readonly isOver: boolean
}

/** Everything that a defect may replace. */
export interface Behaviour {
  readonly whose: (authorization: string | undefined, incoming: Incoming) => Who
  readonly count: (used: Map<Who, number>, who: Who) => { readonly used: number; readonly isOver: boolean }
  readonly resetS: (nowMs: number) => number
  readonly limitHeaders: (limit: Limit) => Readonly<Record<string, string>>
  readonly retryAfter: (limit: Limit, nowMs: number) => string
  readonly readNewPet: (text: string) => Checked<NewPet>
  readonly readQuery: (query: URLSearchParams) => Checked<ListQuery>
  readonly newId: (pets: readonly Pet[]) => bigint
  /** What is kept of a new animal. */
  readonly keep: (pet: Pet) => Pet | undefined
  /** What is shown of an animal, as JSON text. */
  readonly show: (pet: Pet) => string
  readonly select: (pets: readonly Pet[], query: ListQuery) => readonly Pet[]
  /** What else a refusal does, which is nothing. */
  readonly onRefusal: (status: number, incoming: Incoming, pets: Pet[]) => void
  /** The last hand on a reply; `incoming` is missing where the request was not HTTP. */
  readonly finish: (reply: Reply, incoming: Incoming | undefined) => Reply
}

export const CORRECT: Behaviour = {
  whose: (authorization) =>
    authorization === `Bearer ${KEY}` ? 'key' : authorization === `Bearer ${LIMITED_KEY}` ? 'limited' : 'address',
  count: (used, who) => {
    const before = used.get(who) ?? 0
    if (before >= PER_MINUTE[who]) return { used: before, isOver: true }
    used.set(who, before + 1)
    return { used: before + 1, isOver: false }
  },
  resetS: (nowMs) => (Math.floor(nowMs / 60_000) + 1) * 60,
  limitHeaders: ({ limit, remaining, resetS }) => ({
    'X-RateLimit-Limit': String(limit),
    'X-RateLimit-Remaining': String(remaining),
    'X-RateLimit-Reset': String(resetS),
  }),
  retryAfter: ({ resetS }, nowMs) => String(Math.max(1, Math.ceil(resetS - nowMs / 1000))),
  readNewPet: (text) => {
    try {
      return checkNewPet(parseJson(text))
    } catch {
      return { problems: ['the body must be JSON'] }
    }
  },
  readQuery: checkListQuery,
  newId: (pets) => BigInt(pets.length + 1),
  keep: (pet) => pet,
  show: (pet) => petJson(pet.id, pet.name, pet.categoryId, pet.status),
  select: (pets, { limit, status }) =>
    pets
      .filter((pet) => status === undefined || pet.status === status)
      .reverse()
      .slice(0, limit),
  onRefusal: () => {},
  finish: (reply) => reply,
}

export interface RunningServer {
  readonly baseUrl: string
  readonly close: () => Promise<void>
}

/** Starts a server on a free port of 127.0.0.1. `clock` in Unix ms. */
export async function startServer(behaviour: Behaviour, clock: () => number): Promise<RunningServer> {
  const pets: Pet[] = []
  const used = new Map<Who, number>()
  let minute = 0

  function answer(incoming: Incoming): Reply {
    const who = behaviour.whose(incoming.authorization, incoming)
    const limit = take(who)
    const reply = limit.isOver ? tooMany(limit) : who === 'address' ? error(401, 'give a valid key') : operate(incoming)
    if (reply.status >= 400) behaviour.onRefusal(reply.status, incoming, pets)
    return complete(reply, limit, incoming)
  }

  function take(who: Who): Limit {
    const nowMs = clock()
    if (Math.floor(nowMs / 60_000) !== minute) used.clear()
    minute = Math.floor(nowMs / 60_000)
    const count = behaviour.count(used, who)
    return {
      limit: PER_MINUTE[who],
      remaining: PER_MINUTE[who] - count.used,
      resetS: behaviour.resetS(nowMs),
      isOver: count.isOver,
    }
  }

  function tooMany(limit: Limit): Reply {
    const reply = error(429, 'too many requests')
    return { ...reply, headers: { ...reply.headers, 'Retry-After': behaviour.retryAfter(limit, clock()) } }
  }

  function complete(reply: Reply, limit: Limit, incoming: Incoming | undefined): Reply {
    const date = new Date(clock()).toUTCString()
    const headers = { Date: date, ...behaviour.limitHeaders(limit), ...reply.headers }
    return behaviour.finish({ ...reply, headers }, incoming)
  }

  function operate({ method, path, query, body }: Incoming): Reply {
    if (path === '/v1/pets' && (method === 'GET' || method === 'HEAD')) return list(query)
    if (path === '/v1/pets' && method === 'POST') return create(body)
    const id = /^\/v1\/pets\/(.*)$/.exec(path)?.[1]
    if (id !== undefined && (method === 'GET' || method === 'HEAD')) return get(id)
    return path === '/v1/pets' ? error(405, 'use GET or POST') : error(404, 'there is nothing at this path')
  }

  function list(query: URLSearchParams): Reply {
    const checked = behaviour.readQuery(query)
    if ('problems' in checked) return error(400, checked.problems.join('; '))
    return json(200, `[${behaviour.select(pets, checked.value).map(behaviour.show).join(',')}]`)
  }

  function create(body: string): Reply {
    const checked = behaviour.readNewPet(body)
    if ('problems' in checked) return error(400, checked.problems.join('; '))
    const pet = { ...checked.value, id: behaviour.newId(pets) }
    const kept = behaviour.keep(pet)
    if (kept !== undefined) pets.push(kept)
    return json(201, behaviour.show(pet))
  }

  function get(text: string): Reply {
    const id = parseInt64(text)
    const pet = pets.find((each) => each.id === id)
    return pet === undefined ? error(404, 'there is no such animal') : json(200, behaviour.show(pet))
  }

  // Host is left unchecked and expectations are taken as they come: node would answer by itself, without the headers.
  const server = createServer({ requireHostHeader: false }, async (request, response) => {
    const incoming = await read(request).catch(() => undefined)
    // A body that breaks off is malformed HTTP, and answered as such below.
    if (incoming === undefined) return
    const reply = answer(incoming)
    response.writeHead(reply.status, reply.headers)
    response.end(reply.body)
  })
  server.on('checkExpectation', (request, response) => server.emit('request', request, response))
  server.on('clientError', (_error, socket: Duplex) => {
    // What still arrives of a request that was answered already is an error of its own.
    if (!socket.writable) return
    const reply = complete(error(400, 'this is not HTTP'), take('address'), undefined)
    const headers = { ...reply.headers, 'Content-Length': String(Buffer.byteLength(reply.body)), Connection: 'close' }
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
    socket.end(`HTTP/1.1 ${reply.status} Bad Request\r\n${lines.join('')}\r\n${reply.body}`)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    baseUrl: `http://127.0.0.1:${port}/v1`,
    close: () => {
      server.closeAllConnections()
      return new Promise((resolve) => server.close(() => resolve()))
    },
  }
}

export function json(status: number, body: string): Reply {
  return { status, headers: { 'Content-Type': 'application/json' }, body }
}

export function error(status: number, message: string): Reply {
  return json(status, JSON.stringify(errorBody(status, message)))
}

async function read(request: IncomingMessage): Promise<Incoming> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk)
  const [path = '', query = ''] = (request.url ?? '').split('?', 2)
  const { authorization } = request.headers
  const body = Buffer.concat(chunks).toString()
  return { method: request.method ?? '', path, query: new URLSearchParams(query), authorization, body }
}
