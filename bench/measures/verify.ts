/**
 * Before a target is measured, it must do the work correctly: right statuses, the right animals, the limit headers in
 * every response, and no response without a key. And a rate of creates counts only if every acknowledged animal can be
 * read back.
 */
import { isDeepStrictEqual } from 'node:util'
import { type Animal, animal, expectedList } from '../animals.ts'
import type { Server } from '../server.ts'
import type { Target } from '../target.ts'
import { list, type Request, type Workload } from '../workloads.ts'

const SAMPLE = 24
const SHOWN_CHARACTERS = 200
const LIMIT_HEADERS = ['x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset']

export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly text: string
}

export async function ask(server: Server, request: Request, key = server.key): Promise<Answer> {
  const response = await fetch(`http://127.0.0.1:${server.port}${request.target}`, {
    method: request.method,
    headers: {
      ...(key && { authorization: `Bearer ${key}` }),
      ...(request.body && { 'content-type': 'application/json' }),
    },
    body: request.body || null,
  })
  return { status: response.status, headers: response.headers, text: await response.text() }
}

/** Whether `body` is what a target with animals 1 to `animals` must answer to this request. */
function isRight(request: Request, body: unknown, target: Target, animals: number): boolean {
  const url = new URL(request.target, 'http://localhost')
  if (url.pathname === '/v1/pets' && request.method === 'GET') {
    const status = url.searchParams.get('status') ?? undefined
    return isDeepStrictEqual(body, expectedList(animals, Number(url.searchParams.get('limit')), status))
  }
  // Prepared bytes are those of some animal: only their shape can be checked.
  const { id, ...rest } = body as Animal
  if (!target.stores) return Number.isInteger(id)
  if (request.method === 'POST') return id > animals && isDeepStrictEqual(rest, JSON.parse(request.body))
  return isDeepStrictEqual(body, animal(Number(url.pathname.split('/').at(-1))))
}

/** Throws a sentence that says what was wrong. Creates among the samples are stored. */
export async function verify(server: Server, target: Target, workload: Workload, animals: number): Promise<void> {
  const samples = workload.requests(animals).slice(0, SAMPLE)
  // Reads first: a create changes their responses.
  const reads = samples.filter(({ method }) => method === 'GET')
  const creates = samples.filter(({ method }) => method === 'POST')
  for (const request of [...reads, ...creates]) {
    const where = `${target.name} on ${request.method} ${request.target}`
    const answer = await ask(server, request)
    const expected = request.method === 'POST' ? 201 : 200
    if (answer.status !== expected) throw new Error(`${where} answered ${answer.status}: ${answer.text}`)
    const missing = LIMIT_HEADERS.find((name) => !/^\d+$/.test(answer.headers.get(name) ?? ''))
    if (missing) throw new Error(`${where} answered without a whole number in ${missing}.`)
    if (!isRight(request, JSON.parse(answer.text), target, animals)) {
      throw new Error(`${where} answered with the wrong animals: ${answer.text.slice(0, SHOWN_CHARACTERS)}`)
    }
  }
  if (target.stores && (await ask(server, list(1, undefined), '')).status !== 401) {
    throw new Error(`${target.name} answered a request without a key.`)
  }
}

/** Throws if fewer animals can be found than were acknowledged. Identifiers continue after the last of `animals`. */
export async function verifyStored(server: Server, animals: number, acknowledged: number): Promise<void> {
  const [newest]: Animal[] = JSON.parse((await ask(server, list(1, undefined))).text)
  const stored = (newest?.id ?? 0) - animals
  if (stored < acknowledged)
    throw new Error(`${acknowledged} creates were acknowledged, but only ${stored} are stored.`)
}
