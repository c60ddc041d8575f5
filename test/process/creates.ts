/** Clients that create animals one after the other, and fetch each at once: what was acknowledged is there afterwards. */
import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { commandsOn } from '../support/commands/commands.ts'
import { type Answer, assertWhole, type Call, call } from '../support/http.ts'

const CLIENTS = 8

interface Creates {
  readonly statuses: ReadonlySet<number>
  readonly ended: Promise<unknown>
  stop(): Promise<unknown>
}

/** Every answer is whole, and 201, 200 or 503. The names of the acknowledged are noted by their ids, each once. */
export function startCreates(port: number, key: string, title: string, acknowledged: Map<number, string>): Creates {
  const statuses = new Set<number>()
  let isStopping = false
  /** Undefined without an answer: the service is gone. */
  const ask = async (request: Call, status: number): Promise<Answer | undefined> => {
    const answer = await call(port, { key, ...request }).catch(() => undefined)
    if (answer === undefined) return undefined
    statuses.add(answer.status)
    assertWhole(answer, answer.status === 503 ? 503 : status)
    return answer
  }
  const client = async (_none: unknown, index: number) => {
    for (let n = 0; !isStopping; n += 1) {
      const name = `${title}.${index}.${n}`
      const made = await ask({ method: 'POST', body: JSON.stringify({ name, categoryId: 1 }) }, 201)
      if (made === undefined) return
      if (made.status === 503) {
        await sleep(2)
        continue
      }
      const { id } = JSON.parse(made.body) as { readonly id: number }
      assert(!acknowledged.has(id), `the id ${id} is given once`)
      acknowledged.set(id, name)
      const fetched = await ask({ path: `/v1/pets/${id}` }, 200)
      if (fetched?.status === 200) assert.equal(JSON.parse(fetched.body).name, name)
    }
  }
  const ended = Promise.all(Array.from({ length: CLIENTS }, client))
  return {
    statuses,
    ended,
    stop() {
      isStopping = true
      return ended
    },
  }
}

export async function assertStored(database: string, acknowledged: ReadonlyMap<number, string>): Promise<void> {
  const animals = await commandsOn(database).names()
  for (const [id, name] of acknowledged) assert.equal(animals.get(id), name, `the acknowledged animal ${id}`)
}
