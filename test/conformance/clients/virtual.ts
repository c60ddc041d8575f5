/** The judge of clients without sockets and without waiting: a clock that jumps, and stages that are called. */

import type { JudgeClock, Reply } from '../../../conformance/src/clients/case.ts'
import type { Hosted } from '../../../conformance/src/clients/judge.ts'
import type { Stage } from '../../../conformance/src/clients/stage.ts'

export interface VirtualClock extends JudgeClock {
  wait(ms: number): Promise<void>
  /** Goes on until `done` settles: to the next timer whenever nothing else is left to do. */
  run<T>(done: Promise<T>): Promise<T>
}

export function virtualClock(): VirtualClock {
  let nowMs = Date.UTC(2026, 10, 23)
  const timers = new Set<{ readonly atMs: number; readonly task: () => void }>()
  const after = (ms: number, task: () => void) => {
    const timer = { atMs: nowMs + Math.max(0, ms), task }
    timers.add(timer)
    return () => void timers.delete(timer)
  }
  return {
    now: () => nowMs,
    after,
    wait: (ms) => new Promise((resolve) => void after(ms, resolve)),
    async run(done) {
      let isDone = false
      const end = () => {
        isDone = true
      }
      done.then(end, end)
      while (!isDone) {
        await new Promise((resolve) => setImmediate(resolve))
        const [first] = [...timers].sort((a, b) => a.atMs - b.atMs)
        if (isDone || first === undefined) continue
        timers.delete(first)
        nowMs = Math.max(nowMs, first.atMs)
        first.task()
      }
      return done
    },
  }
}

const stages = new Map<string, readonly [stage: Stage, isElsewhere: boolean]>()

/** A stage at two addresses of its own, until it is closed. */
export async function hostInMemory(stage: Stage): Promise<Hosted> {
  const host = `stage-${stages.size}.invalid`
  stages.set(host, [stage, false])
  stages.set(`other-${host}`, [stage, true])
  return {
    baseUrl: `http://${host}/v1`,
    elsewhere: `http://other-${host}/v1`,
    close() {},
  }
}

export interface Sent {
  readonly method: string
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
}

/** Throws how the connection ended, where it did before the whole answer: `cut` or `truncated`. */
export function send({ method, url, headers, body = '' }: Sent): Promise<Reply & { readonly body: string }> {
  const { host, pathname, search } = new URL(url)
  const [stage, isElsewhere] = stages.get(host) ?? []
  if (stage === undefined || isElsewhere === undefined) throw new Error(`there is nothing at ${host}`)
  const path = `${pathname.replace(/^\/v1/, '')}${search}`
  return new Promise((resolve, reject) => {
    stage.receive({ method, path, headers, body }, isElsewhere, (reply) => {
      if (reply.broken === undefined) resolve({ ...reply, body: reply.body ?? '' })
      else reject(new Error(reply.broken))
    })
  })
}
