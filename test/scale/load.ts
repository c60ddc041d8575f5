/** Clients that keep asking while something happens to the servers, and what they were answered. */
import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'

export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly body: string
  readonly tookMs: number
  /** `performance.now()` when it came. */
  readonly atMs: number
}

export async function ask(url: string, key: string, init: RequestInit = {}): Promise<Answer> {
  const startedMs = performance.now()
  const headers = {
    authorization: `Bearer ${key}`,
    ...(init.body === undefined ? {} : { 'content-type': 'application/json' }),
  }
  const response = await fetch(url, { ...init, headers, signal: AbortSignal.timeout(60_000) })
  const body = await response.text()
  const atMs = performance.now()
  return { status: response.status, headers: response.headers, body, tookMs: atMs - startedMs, atMs }
}

export function listOf(baseUrl: string, key: string): () => Promise<Answer> {
  return () => ask(`${baseUrl}/pets?limit=5`, key)
}

/** R15, R6 and, on a 503, O23. */
export function assertWellFormed(answer: Answer): void {
  for (const name of ['x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset']) {
    assert.match(answer.headers.get(name) ?? '', /^\d+$/, `${answer.status} without ${name}`)
  }
  if (answer.status < 400) return
  const { code, message, status } = JSON.parse(answer.body) as Record<string, unknown>
  assert.deepEqual([typeof code, typeof message, status], ['string', 'string', answer.status])
  if (answer.status === 503) assert.match(answer.headers.get('retry-after') ?? '', /^[1-9]\d*$/)
}

/** Eight clients a question ask it again and again until `stop`, which resolves to all that they were answered. */
export function startLoad(questions: readonly (() => Promise<Answer>)[]): {
  answers: Answer[]
  stop(): Promise<Answer[]>
} {
  const answers: Answer[] = []
  let stopped = false
  const clients = questions.flatMap((question) =>
    Array.from({ length: 8 }, async () => {
      while (!stopped) {
        answers.push(await question())
        await sleep(5)
      }
    }),
  )
  return {
    answers,
    async stop() {
      stopped = true
      await Promise.all(clients)
      return answers
    },
  }
}
