/**
 * Checks that a target answers correctly before it is measured: the statuses, the animals, the limit headers, and 401
 * without a valid key. A rate of creates counts only if every acknowledged animal can be read back.
 */
import { isDeepStrictEqual } from 'node:util'
import { type Animal, animal, expectedList } from './animals.ts'
import type { Server } from './server.ts'
import type { Target } from './targets.ts'
import { LIST20, type Request, requestsOf, type Workload } from './workloads.ts'

const SAMPLE = 24
const NEWEST: Request = { method: 'GET', target: '/v1/pets?limit=1', body: '' }
const LIMIT_HEADERS = ['x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset']

export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly text: string
}

export async function ask(server: Server, { method, target, body }: Request, key = server.key): Promise<Answer> {
  const headers = { authorization: `Bearer ${key}`, ...(body && { 'content-type': 'application/json' }) }
  const response = await fetch(`http://127.0.0.1:${server.port}${target}`, { method, headers, body: body || null })
  return { status: response.status, headers: response.headers, text: await response.text() }
}

/** Whether `body` is what a target with animals 1 to `animals` must answer to this request. */
function isRight({ method, target: path, body: requestBody }: Request, body: unknown, target: Target, animals: number) {
  if (path === LIST20.target) return isDeepStrictEqual(body, expectedList(animals, 20, 'available'))
  // `raw` answers with one prepared animal, so only its shape can be checked.
  const { id, ...rest } = body as Animal
  if (!target.stores) return Number.isInteger(id)
  if (method === 'POST') return id > animals && isDeepStrictEqual(rest, JSON.parse(requestBody))
  return isDeepStrictEqual(body, animal(Number(path.split('/').at(-1))))
}

/** Sends sample requests. Throws an error that says which answer was wrong. Creates among them are stored. */
export async function verify(server: Server, target: Target, workload: Workload, animals: number): Promise<void> {
  // Reads first: a create changes their responses.
  const samples = requestsOf(workload, animals).slice(0, SAMPLE)
  for (const request of samples.toSorted((a, b) => a.method.localeCompare(b.method))) {
    const { status, headers, text } = await ask(server, request)
    const isWhole = LIMIT_HEADERS.every((name) => /^\d+$/.test(headers.get(name) ?? ''))
    const isExpected = status === (request.method === 'POST' ? 201 : 200)
    if (!isExpected || !isWhole || !isRight(request, JSON.parse(text), target, animals)) {
      const answer = JSON.stringify([status, Object.fromEntries(headers), text.slice(0, 200)])
      throw new Error(`${target.name} answered ${request.method} ${request.target} wrongly: ${answer}`)
    }
  }
  if (target.stores && (await ask(server, NEWEST, 'none')).status !== 401) {
    throw new Error(`${target.name} answered a request without a valid key.`)
  }
}

/** Throws if fewer animals can be found than were acknowledged. Identifiers continue after the last of `animals`. */
export async function verifyStored(server: Server, animals: number, acknowledged: number): Promise<void> {
  const [newest]: Animal[] = JSON.parse((await ask(server, NEWEST)).text)
  const stored = (newest?.id ?? 0) - animals
  if (stored < acknowledged)
    throw new Error(`${acknowledged} creates were acknowledged, but only ${stored} are stored.`)
}
