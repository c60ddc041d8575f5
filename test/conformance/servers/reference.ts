/**
 * A small and correct implementation of the interface, in memory, on bare node:http. It is made of small functions, and
 * a wrong server is this one with a function or two replaced (wrong.ts). It shares no code with the service itself
 * but the contract, so the conformance kit is tried on an implementation of another make.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Duplex } from 'node:stream'
import { setImmediate } from 'node:timers/promises'
import { errorBody } from '../../../src/contract/errors.ts'
import { parseInt64 } from '../../../src/contract/int64.ts'
import { parseJson, petJson } from '../../../src/contract/json.ts'
import { matches } from '../../../src/contract/pet-filter.ts'
import type { NewPet, Pet } from '../../../src/contract/schemas.ts'
import { type Checked, checkListQuery, checkNewPet, type ListQuery } from '../../../src/contract/validate.ts'

export const KEY = 'reference-key-1'
export const LIMITED_KEY = 'reference-limited-2'

/** What a request may use up in one minute, by who sends it; `address` is for requests without a valid key. */
export const PER_MINUTE = { key: 60, limited: 5, address: 60 } as const
export type Who = keyof typeof PER_MINUTE

export interface Incoming {
  readonly method: string
  readonly path: string
  readonly query: URLSearchParams
  /** Path and query as they were sent. */
  readonly target: string
  readonly authorization: string | undefined
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly body: string
  /** As they were sent, name and value in turn. */
  readonly rawHeaders: readonly string[]
  /** Which connection of the server it came on. */
  readonly connection: number
  /** The body was not there yet when the head was read. */
  readonly isBodyApart: boolean
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

/** What a server may do to a request instead of answering it. */
export type Fate = 'answered' | 'reset' | 'hung' | 'deadly'

/** Everything that a defect may replace. */
export interface Behaviour {
  readonly fate: (incoming: Incoming, pets: readonly Pet[]) => Fate
  /** Before anything else: the request as it is taken to be. */
  readonly understand: (incoming: Incoming) => Incoming
  readonly whose: (authorization: string | undefined, incoming: Incoming) => Who
  readonly count: (used: Map<Who, number>, who: Who) => { readonly used: number; readonly isOver: boolean }
  readonly resetS: (nowMs: number) => number
  /** Counts a request; the default is a fixed window by `count` and `resetS`. */
  readonly take: ((who: Who, nowMs: number, incoming: Incoming | undefined) => Limit | Promise<Limit>) | undefined
  readonly limitHeaders: (limit: Limit, incoming: Incoming | undefined) => Readonly<Record<string, string>>
  readonly retryAfter: (limit: Limit, nowMs: number) => string
  readonly readNewPet: (text: string, incoming: Incoming) => Checked<NewPet>
  readonly readQuery: (query: URLSearchParams) => Checked<ListQuery>
  readonly newId: (pets: readonly Pet[], incoming: Incoming) => bigint
  /** Waits between the choice of an id and the storing. */
  readonly commit: () => Promise<void>
  /** What is kept of a new animal. */
  readonly keep: (pet: Pet, pets: readonly Pet[]) => Pet | undefined
  /** What is shown of an animal, as JSON text. */
  readonly show: (pet: Pet, incoming: Incoming) => string
  readonly select: (pets: readonly Pet[], query: ListQuery, nowMs: number) => readonly Pet[]
  readonly find: (pets: readonly Pet[], id: string) => Pet | undefined
  /** What else a refusal does, which is nothing. */
  readonly onRefusal: (status: number, incoming: Incoming, pets: Pet[]) => void
  /** The last hand on a reply; `incoming` is missing where the request was not HTTP. */
  readonly finish: (reply: Reply, incoming: Incoming | undefined, nowMs: number) => Reply
  /** How a reply leaves. */
  readonly deliver: (response: ServerResponse, reply: Reply) => void
}

export const CORRECT: Behaviour = {
  fate: () => 'answered',
  understand: (incoming) => incoming,
  whose: (authorization) =>
    authorization === `Bearer ${KEY}` ? 'key' : authorization === `Bearer ${LIMITED_KEY}` ? 'limited' : 'address',
  count: (used, who) => {
    const before = used.get(who) ?? 0
    if (before >= PER_MINUTE[who]) return { used: before, isOver: true }
    used.set(who, before + 1)
    return { used: before + 1, isOver: false }
  },
  resetS: (nowMs) => (Math.floor(nowMs / 60_000) + 1) * 60,
  take: undefined,
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
  commit: async () => {},
  keep: (pet) => pet,
  show: (pet) => petJson(pet.id, pet.name, pet.categoryId, pet.status),
  select: (pets, { limit, ...filter }) =>
    pets
      .filter((pet) => matches(filter, pet))
      .reverse()
      .slice(0, limit),
  find: (pets, text) => {
    const id = parseInt64(text)
    return pets.find((each) => each.id === id)
  },
  onRefusal: () => {},
  finish: (reply) => reply,
  deliver: (response, reply) => {
    response.writeHead(reply.status, reply.headers)
    response.end(reply.body)
  },
}

export interface RunningServer {
  readonly baseUrl: string
  readonly close: () => Promise<void>
}

interface Service {
  readonly pets: readonly Pet[]
  answer(received: Incoming): Promise<Reply>
  /** `refusal` as the answer to what is not HTTP, counted for the address. */
  refuse(refusal: Reply): Promise<Reply>
}

/** What the server answers, without its sockets. */
function makeService(behaviour: Behaviour, clock: () => number): Service {
  const pets: Pet[] = []
  const used = new Map<Who, number>()
  let minute = 0

  async function answer(received: Incoming): Promise<Reply> {
    const incoming = behaviour.understand(received)
    const who = behaviour.whose(incoming.authorization, incoming)
    const limit = await take(who, incoming)
    const reply = limit.isOver
      ? tooMany(limit)
      : who === 'address'
        ? error(401, 'give a valid key')
        : await operate(incoming)
    if (reply.status >= 400) behaviour.onRefusal(reply.status, incoming, pets)
    return complete(reply, limit, incoming)
  }

  async function take(who: Who, incoming?: Incoming): Promise<Limit> {
    const nowMs = clock()
    if (behaviour.take !== undefined) return behaviour.take(who, nowMs, incoming)
    if (Math.floor(nowMs / 60_000) !== minute) used.clear()
    minute = Math.floor(nowMs / 60_000)
    const count = behaviour.count(used, who)
    return {
      limit: PER_MINUTE[who],
      remaining: Math.max(0, PER_MINUTE[who] - count.used),
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
    const headers = { Date: date, ...behaviour.limitHeaders(limit, incoming), ...reply.headers }
    return behaviour.finish({ ...reply, headers }, incoming, clock())
  }

  async function operate(incoming: Incoming): Promise<Reply> {
    const { method, path, query } = incoming
    const isReading = method === 'GET' || method === 'HEAD'
    const id = /^\/v1\/pets\/(.*)$/.exec(path)?.[1]
    if (path === '/v1/pets' && isReading) {
      const checked = behaviour.readQuery(query)
      if ('problems' in checked) return error(400, checked.problems.join('; '))
      const selected = behaviour.select(pets, checked.value, clock())
      return json(200, `[${selected.map((pet) => behaviour.show(pet, incoming)).join(',')}]`)
    }
    if (path === '/v1/pets' && method === 'POST') return create(incoming)
    if (id !== undefined && isReading) {
      const pet = behaviour.find(pets, id)
      return pet === undefined ? error(404, 'there is no such animal') : json(200, behaviour.show(pet, incoming))
    }
    return path === '/v1/pets' ? error(405, 'use GET or POST') : error(404, 'there is nothing at this path')
  }

  async function create(incoming: Incoming): Promise<Reply> {
    const checked = behaviour.readNewPet(incoming.body, incoming)
    if ('problems' in checked) return error(400, checked.problems.join('; '))
    const pet = { ...checked.value, id: behaviour.newId(pets, incoming) }
    await behaviour.commit()
    const kept = behaviour.keep(pet, pets)
    if (kept !== undefined) pets.push(kept)
    return json(201, behaviour.show(pet, incoming))
  }

  return { pets, answer, refuse: async (refusal) => complete(refusal, await take('address'), undefined) }
}

/** Starts a server on a free port of 127.0.0.1. `clock` in Unix ms. */
export async function startServer(behaviour: Behaviour, clock: () => number): Promise<RunningServer> {
  const service = makeService(behaviour, clock)

  const connections = new WeakMap<object, number>()
  let connectionCount = 0
  function connectionOf({ socket }: IncomingMessage): number {
    const known = connections.get(socket) ?? connectionCount++
    connections.set(socket, known)
    return known
  }

  function die(): void {
    server.close()
    server.closeAllConnections()
  }

  // Host is left unchecked and expectations are taken as they come: node would answer by itself, without the headers.
  const server = createServer({ requireHostHeader: false }, async (request, response) => {
    const incoming = await read(request, connectionOf(request)).catch(() => undefined)
    // A body that breaks off is malformed HTTP, and answered as such below.
    if (incoming === undefined) return
    const fate = behaviour.fate(incoming, service.pets)
    if (fate === 'reset') request.socket.destroy()
    else if (fate === 'deadly') die()
    else if (fate === 'answered') {
      const reply = await service.answer(incoming)
      // A server that was made to leave Date out would otherwise be given one by node.
      if (reply.headers.Date === undefined) response.sendDate = false
      behaviour.deliver(response, reply)
    }
  })
  server.on('checkExpectation', (request, response) => server.emit('request', request, response))
  server.on('connect', (_request, socket: Duplex) =>
    sendBare(
      socket.on('error', () => {}),
      error(405, 'there is no tunnel'),
    ),
  )
  server.on('clientError', (_error, socket: Duplex) => {
    // What still arrives of a request that was answered already is an error of its own.
    if (socket.writable) sendBare(socket, error(400, 'this is not HTTP'))
  })

  async function sendBare(socket: Duplex, refusal: Reply): Promise<void> {
    const reply = await service.refuse(refusal)
    if (reply.status === 0) return void socket.destroy()
    const headers = { ...reply.headers, 'Content-Length': String(Buffer.byteLength(reply.body)), Connection: 'close' }
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
    socket.end(`HTTP/1.1 ${reply.status} Refused\r\n${lines.join('')}\r\n${reply.body}`)
  }

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

async function read(request: IncomingMessage, connection: number): Promise<Incoming> {
  // By now the parser has seen all of the packet that ended the head.
  await setImmediate()
  const isBodyApart = !request.complete
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk)
  const [path = '', query = ''] = (request.url ?? '').split('?', 2)
  const { headers, rawHeaders, method = '' } = request
  const { authorization } = headers
  return {
    method,
    path,
    query: new URLSearchParams(query),
    target: request.url ?? '',
    authorization,
    headers,
    body: Buffer.concat(chunks).toString(),
    rawHeaders,
    connection,
    isBodyApart,
  }
}
