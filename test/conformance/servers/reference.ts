/**
 * A small and correct implementation of the interface, in memory, on bare node:http. A wrong server is this one with a
 * part or two replaced (wrong.ts), and so is a right one of another make (right.ts). It shares no code with the service
 * itself but the contract, so the conformance kit is tried on an implementation of another make.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Duplex } from 'node:stream'
import { setImmediate } from 'node:timers/promises'
import { errorBody } from '../../../src/contract/errors.ts'
import { parseInt64 } from '../../../src/contract/int64.ts'
import { parseJson, petJson } from '../../../src/contract/json.ts'
import { BASE_PATH, OPERATIONS, type Operation } from '../../../src/contract/operations.ts'
import { matches } from '../../../src/contract/pet-filter.ts'
import type { NewPet, Pet } from '../../../src/contract/schemas.ts'
import { type Checked, checkListQuery, checkNewPet, type ListQuery } from '../../../src/contract/validate.ts'

export const KEY = 'reference-key-1'
export const LIMITED_KEY = 'reference-limited-2'

/** What a request may use up in one minute, by who sends it; `address` is for requests without a valid key. */
export const PER_MINUTE = { key: 60, limited: 5, address: 60 } as const
export type Who = keyof typeof PER_MINUTE

/** A request. One that is not HTTP has no method and no path. */
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
  /** The client's port, which no other open connection has. */
  readonly port: number
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

/** All that a change may replace, which is the server's own: a change is given what was there before it. */
export interface Behaviour {
  readonly pets: Pet[]
  /** What becomes of a request. */
  readonly fate: (incoming: Incoming) => 'answered' | 'reset' | 'hung' | 'deadly'
  /** A request as it is taken to be. */
  readonly understand: (incoming: Incoming) => Incoming
  /** Counts a request. */
  readonly take: (who: Who, nowMs: number, incoming: Incoming) => Limit | Promise<Limit>
  readonly newId: () => bigint
  /** Waits between the choice of an id and the storing. */
  readonly commit: () => Promise<void>
  /** What is kept of a new animal. */
  readonly keep: (pet: Pet) => Pet | undefined
  /** What is shown of an animal, as JSON text. */
  readonly show: (pet: Pet, incoming: Incoming) => string
  readonly select: (pets: readonly Pet[], query: ListQuery, nowMs: number) => readonly Pet[]
  readonly find: (pets: readonly Pet[], id: string) => Pet | undefined
  /** The last hand on a reply. */
  readonly finish: (reply: Reply, incoming: Incoming, nowMs: number) => Reply
  /** How a reply leaves. */
  readonly deliver: (response: ServerResponse, reply: Reply) => void
}

export type Change = (before: Behaviour) => Partial<Behaviour>

/** Several changes of one server. */
export const together =
  (...changes: readonly Change[]): Change =>
  (before) => {
    let all = before
    for (const change of changes) all = { ...all, ...change(all) }
    return all
  }

function right(): Behaviour {
  const pets: Pet[] = []
  return {
    pets,
    fate: () => 'answered',
    understand: (incoming) => incoming,
    take: byTheMinute(),
    newId: () => BigInt(pets.length + 1),
    commit: async () => {},
    keep: (pet) => pet,
    show: (pet) => petJson(pet.id, pet.name, pet.categoryId, pet.status),
    select: (stored, { limit, ...filter }) =>
      stored
        .filter((pet) => matches(filter, pet))
        .slice(-limit)
        .reverse(),
    find: (stored, text) => stored.find(({ id }) => id === parseInt64(text)),
    finish: (reply) => reply,
    deliver: (response, { status, headers, body }) => void response.writeHead(status, headers).end(body),
  }
}

/**
 * Counts by the minutes of the clock; those of the limited key for each `bucket`, and after a wait between the look and
 * the counting.
 */
export function byTheMinute(
  bucket: (incoming: Incoming) => unknown = () => '',
  wait = async () => {},
): Behaviour['take'] {
  const used = new Map<string, number>()
  return async (who, nowMs, incoming) => {
    const minute = Math.floor(nowMs / 60_000)
    const key = `${minute} ${who} ${who === 'limited' ? bucket(incoming) : ''}`
    const limit = PER_MINUTE[who]
    const isOver = (used.get(key) ?? 0) >= limit
    if (who === 'limited') await wait()
    if (!isOver) used.set(key, (used.get(key) ?? 0) + 1)
    return { limit, remaining: Math.max(0, limit - (used.get(key) ?? 0)), resetS: (minute + 1) * 60, isOver }
  }
}

export function whose({ authorization }: Incoming): Who {
  return authorization === `Bearer ${KEY}` ? 'key' : authorization === `Bearer ${LIMITED_KEY}` ? 'limited' : 'address'
}

export function readNewPet(text: string): Checked<NewPet> {
  try {
    return checkNewPet(parseJson(text))
  } catch {
    return { problems: ['the body must be JSON'] }
  }
}

export interface RunningServer {
  readonly baseUrl: string
  readonly close: () => Promise<void>
}

const ROUTES = (Object.keys(OPERATIONS) as Operation[]).map((name) => {
  const { method, path } = OPERATIONS[name]
  return { name, method, path: new RegExp(`^${BASE_PATH}${path.replace(/\{\w+\}/, '.*')}$`) }
})

interface Service extends Behaviour {
  readonly answer: (received: Incoming) => Promise<Reply>
  /** `refusal` as the answer to what is not HTTP, counted for the address. */
  readonly refuse: (refusal: Reply) => Promise<Reply>
}

/** What the server answers, without its sockets. */
function makeService(change: Change, clock: () => number): Service {
  const first = right()
  const behaviour = { ...first, ...change(first) }
  const { pets, understand, take, newId, commit, keep, show, select, find, finish } = behaviour

  async function answer(received: Incoming): Promise<Reply> {
    const incoming = understand(received)
    const who = whose(incoming)
    const limit = await take(who, clock(), incoming)
    if (!limit.isOver)
      return complete(who === 'address' ? error(401, 'give a valid key') : await operate(incoming), limit, incoming)
    const { headers, ...reply } = error(429, 'too many requests')
    const wait = String(Math.max(1, Math.ceil(limit.resetS - clock() / 1000)))
    return complete({ ...reply, headers: { ...headers, 'Retry-After': wait } }, limit, incoming)
  }

  function complete({ headers, ...reply }: Reply, { limit, remaining, resetS }: Limit, incoming: Incoming): Reply {
    const all = {
      Date: new Date(clock()).toUTCString(),
      'X-RateLimit-Limit': String(limit),
      'X-RateLimit-Remaining': String(remaining),
      'X-RateLimit-Reset': String(resetS),
      ...headers,
    }
    return finish({ ...reply, headers: all }, incoming, clock())
  }

  /** What answers each operation; one without it is a type error. */
  const handlers: Readonly<Record<Operation, (incoming: Incoming) => Reply | Promise<Reply>>> = {
    listPets(incoming) {
      const checked = checkListQuery(incoming.query)
      if ('problems' in checked) return error(400, checked.problems.join('; '))
      const selected = select(pets, checked.value, clock())
      return json(200, `[${selected.map((pet) => show(pet, incoming)).join(',')}]`)
    },
    createPet: create,
    getPet(incoming) {
      const pet = find(pets, incoming.path.slice('/v1/pets/'.length))
      return pet === undefined ? error(404, 'there is no such animal') : json(200, show(pet, incoming))
    },
  }

  function operate(incoming: Incoming): Reply | Promise<Reply> {
    const ofPath = ROUTES.filter(({ path }) => path.test(incoming.path))
    const method = incoming.method === 'HEAD' ? 'GET' : incoming.method
    const route = ofPath.find((each) => each.method === method)
    if (route !== undefined) return handlers[route.name](incoming)
    return ofPath.length > 0 ? error(405, 'use another method') : error(404, 'there is nothing at this path')
  }

  async function create(incoming: Incoming): Promise<Reply> {
    const checked = readNewPet(incoming.body)
    if ('problems' in checked) return error(400, checked.problems.join('; '))
    const pet = { ...checked.value, id: newId() }
    await commit()
    const kept = keep(pet)
    if (kept !== undefined) pets.push(kept)
    return json(201, show(pet, incoming))
  }

  const refuse = async (refusal: Reply) => complete(refusal, await take('address', clock(), NOT_HTTP), NOT_HTTP)
  return { ...behaviour, answer, refuse }
}

/** Starts a server on a free port of 127.0.0.1. `clock` in Unix ms. */
export async function startServer(clock: () => number, ...changes: readonly Change[]): Promise<RunningServer> {
  const service = makeService(together(...changes), clock)

  // Host is left unchecked and expectations are taken as they come: node would answer by itself, without the headers.
  const server = createServer({ requireHostHeader: false }, async (request, response) => {
    const incoming = await read(request).catch(() => undefined)
    // A body that breaks off is malformed HTTP, and answered as such below.
    if (incoming === undefined) return
    const fate = service.fate(incoming)
    if (fate === 'reset') request.socket.destroy()
    else if (fate === 'deadly') {
      server.close()
      server.closeAllConnections()
    } else if (fate === 'answered') {
      const reply = await service.answer(incoming)
      // A server that was made to leave Date out would otherwise be given one by node.
      if (reply.headers.Date === undefined) response.sendDate = false
      service.deliver(response, reply)
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

const NOT_HTTP: Incoming = {
  method: '',
  path: '',
  query: new URLSearchParams(),
  target: '',
  authorization: undefined,
  headers: {},
  body: '',
  rawHeaders: [],
  port: 0,
  isBodyApart: false,
}

async function read(request: IncomingMessage): Promise<Incoming> {
  // By now the parser has seen all of the packet that ended the head.
  await setImmediate()
  const isBodyApart = !request.complete
  const body = Buffer.concat(await request.toArray()).toString()
  const { headers, rawHeaders, method = '', url: target = '', socket } = request
  const [path = '', query = ''] = target.split('?', 2)
  const { authorization } = headers
  const parts = { headers, rawHeaders, port: socket.remotePort ?? 0, isBodyApart }
  return { method, path, query: new URLSearchParams(query), target, authorization, body, ...parts }
}
