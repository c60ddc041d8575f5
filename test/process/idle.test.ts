/** A service that nobody asks for anything sleeps: the processor of a small machine does, and other services run. */
import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { call } from '../support/http.ts'
import { skipUnless } from '../support/programs.ts'
import { startService } from '../support/service.ts'

const WATCHED_MS = 5_000
/** About 2 on every machine; a timer of 50 ms alone would bring 20. */
const MOST_PER_SECOND = 10
/** On a busy machine a thread also sleeps while it waits for another. What wakes by itself does so in each of these. */
const WINDOWS = 4

/** How often all threads of a process have gone to sleep. */
function sleeps(pid: number): number {
  return readdirSync(`/proc/${pid}/task`)
    .map((thread) => readFileSync(`/proc/${pid}/task/${thread}/status`, 'utf8'))
    .map((status) => Number(/^voluntary_ctxt_switches:\s+(\d+)$/m.exec(status)?.[1]))
    .reduce((sum, times) => sum + times, 0)
}

it('an idle service wakes up at most ten times a second, also with the office and after a scrape', {
  ...skipUnless(existsSync('/proc/self/task'), 'threads are counted in /proc'),
}, async () => {
  await using service = await startService({ args: ['--office'] })
  await call(service.operatorPort, { path: '/metrics' })
  const { pid } = service.process
  assert(pid !== undefined)
  // What the start and the request have begun, such as a collection of garbage, ends meanwhile.
  await sleep(WATCHED_MS)
  const perSecond: number[] = []
  while (perSecond.length < WINDOWS && (perSecond.at(-1) ?? Infinity) > MOST_PER_SECOND) {
    const before = sleeps(pid)
    await sleep(WATCHED_MS)
    perSecond.push((sleeps(pid) - before) / (WATCHED_MS / 1_000))
  }
  const last = perSecond.at(-1) ?? 0
  assert(last > 0 && last <= MOST_PER_SECOND, `${perSecond} times a second`)
})
