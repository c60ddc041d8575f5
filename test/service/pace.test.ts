/** How much of a core the work takes that is never urgent (src/service/pace.ts). */
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { Pace } from '../../src/service/pace.ts'

const DAY_MS = 86_400_000

/** The work takes so long each time; returns how long the processor was busy in all, and the longest rest. */
function work(busyMs: number, forMs: number, lookEveryMs: number) {
  let nowMs = 5_000
  const pace = new Pace(nowMs)
  let [totalMs, longestMs] = [0, 0]
  while (nowMs < forMs) {
    nowMs += busyMs
    totalMs += busyMs
    const restMs = Math.max(lookEveryMs, pace.rest(busyMs, nowMs))
    longestMs = Math.max(longestMs, restMs)
    nowMs += restMs
  }
  return { totalMs, longestMs }
}

it('work that is always wanted takes a fiftieth of a core, whatever one time of it takes', () => {
  for (const busyMs of [10, 100, 2_000]) {
    const { totalMs } = work(busyMs, DAY_MS, 400)
    assert(totalMs > 0.019 * DAY_MS && totalMs <= 0.02 * DAY_MS + 250 + busyMs, `${busyMs}: ${totalMs}`)
  }
})

it('work that takes little, or that is seldom wanted, never has to wait', () => {
  assert.equal(work(8, DAY_MS, 400).longestMs, 400)
  assert.equal(work(200, DAY_MS, 20_000).longestMs, 20_000)
})
