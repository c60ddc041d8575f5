/** Clients that keep asking while something happens to the servers, and what they were answered. */
import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { assertWhole, BODY, type Answer as HttpAnswer } from '../support/http.ts'

export interface Answer extends HttpAnswer {
  readonly tookMs: number
}

export async function ask(url: string, key: string, body?: string): Promise<Answer> {
  const startedMs = performance.now()
  const headers = { authorization: `Bearer ${key}`, ...(body !== undefined && { 'content-type': 'application/json' }) }
  const how = body === undefined ? {} : { method: 'POST', body }
  const response = await fetch(url, { ...how, headers, signal: AbortSignal.timeout(60_000) })
  const { status } = response
  const answer = { status, headers: Object.fromEntries(response.headers), body: await response.text() }
  return { ...answer, tookMs: performance.now() - startedMs }
}

export function questionsTo(nodes: readonly { readonly baseUrl: string }[], key: string): (() => Promise<Answer>)[] {
  return nodes.flatMap(({ baseUrl }) => [
    () => ask(`${baseUrl}/pets?limit=5`, key),
    () => ask(`${baseUrl}/pets`, key, BODY),
  ])
}

/** R15, R6 and, on a 503, O23. */
export function assertWellFormed(answer: Answer): void {
  assertWhole(answer, answer.status)
  if (answer.status === 503) assert.match(String(answer.headers['retry-after']), /^[1-9]\d*$/)
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
