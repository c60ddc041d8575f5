/**
 * Checks that a target responds correctly before it is measured: the statuses, the animals, the limit headers, and 401
 * without a valid key. A rate of creates counts only if every acknowledged animal can be read back.
 */
import { isDeepStrictEqual } from 'node:util'
import { type Animal, animal, animals } from './animals.ts'
import type { Server } from './server.ts'

export const LIST20 = '/v1/pets?limit=20&status=available'
export const NEWCOMER = '{"name":"Newcomer","categoryId":20}'
const LIMIT_HEADERS = ['x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset']

/** GETs the path, or POSTs the body. */
export async function ask(server: Server, path: string, body?: string, key = server.key) {
  const headers = { authorization: `Bearer ${key}`, ...(body && { 'content-type': 'application/json' }) }
  const sent = body === undefined ? { headers } : { method: 'POST', headers, body }
  const response = await fetch(`http://127.0.0.1:${server.port}${path}`, sent)
  return { status: response.status, headers: response.headers, text: await response.text() }
}

/** Throws an error that says which response was wrong. Of `raw`, which sends prepared bytes, only the list is compared. */
export async function verify(server: Server, stores: boolean, count: number): Promise<void> {
  const list = animals(count).filter(({ status }) => status === 'available')
  const rows: readonly [path: string, body: string | undefined, status: number, expected: unknown][] = [
    [LIST20, undefined, 200, list.slice(-20).reverse()],
    [`/v1/pets/${count - 7}`, undefined, 200, animal(count - 7)],
    ['/v1/pets', NEWCOMER, 201, { id: count + 1, ...JSON.parse(NEWCOMER) }],
  ]
  for (const [path, body, status, expected] of rows) {
    const answer = await ask(server, path, body)
    const isWhole = LIMIT_HEADERS.every((name) => /^\d+$/.test(answer.headers.get(name) ?? ''))
    const isRight = isDeepStrictEqual(JSON.parse(answer.text), expected) || (!stores && path !== LIST20)
    if (answer.status !== status || !isWhole || !isRight) {
      const seen = JSON.stringify([answer.status, Object.fromEntries(answer.headers), answer.text.slice(0, 200)])
      throw new Error(`${body ?? path} was answered wrongly: ${seen}`)
    }
  }
  if (stores && (await ask(server, LIST20, undefined, 'none')).status !== 401) {
    throw new Error('A request without a valid key was answered.')
  }
}

/** Throws if the newest id is lower than `least`, so that an acknowledged animal is not stored. */
export async function verifyNewest(server: Server, least: number): Promise<void> {
  const [newest]: Animal[] = JSON.parse((await ask(server, '/v1/pets?limit=1')).text)
  if ((newest?.id ?? 0) < least) throw new Error(`The newest animal is ${newest?.id}, and ${least} were acknowledged.`)
}
