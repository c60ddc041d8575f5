#!/usr/bin/env node
/**
 * `node bench/simulate.ts`: by how much a limit can be exceeded, and how much is refused for nothing, when many nodes with
 * skewed clocks share counters that are slow, gone or flapping. It runs the service's own arithmetic in virtual time over
 * a seeded stream of requests of one Free key that asks far more than it may; the same seed gives the same table.
 */
import { parseArgs } from 'node:util'
import { newUsage, take, type Usage } from '../src/contract/limits.ts'
import { PLANS } from '../src/contract/plans.ts'
import { seededRandom } from './animals.ts'

const MINUTES = 30
const MINUTE_MS = 60_000
const START_MS = Date.UTC(2026, 10, 21, 12)
const REQUESTS_PER_S = 200
/** As in src/store/fallback-counters.ts. */
const PATIENCE_MS = 250
const REVIVE_EVERY_MS = 1_000
/** Only the minute is under test: the day must not end it. */
const LIMITS = { perMinute: PLANS.free.perMinute, perDay: undefined, ban: undefined }

interface Scenario {
  readonly name: string
  /** Who says what minute it is: the counter store, or each node (what this service does not do while it shares). */
  readonly clock: 'store' | 'node'
  readonly whenDown: 'local' | 'refuse'
  /** Whether the store answers at `t` ms after the start. */
  isUp(t: number): boolean
  /** Mean of the store's exponentially distributed answering time. */
  readonly meanMs: number
}

const always = () => true
const never = () => false
/** Gone for 20 s of each second minute: in its middle, or across its end. */
const withinMinutes = (t: number) => t % (2 * MINUTE_MS) < 20_000 || t % (2 * MINUTE_MS) > 40_000
const acrossMinutes = (t: number) => t % (2 * MINUTE_MS) < 50_000 || t % (2 * MINUTE_MS) > 70_000
const flapping = (t: number) => t % 5_000 < 4_000

const SCENARIOS: readonly Scenario[] = [
  { name: 'shared, quick', clock: 'store', whenDown: 'local', isUp: always, meanMs: 1 },
  { name: 'shared, but by the nodes’ clocks', clock: 'node', whenDown: 'local', isUp: always, meanMs: 1 },
  { name: 'shared, slow (mean 40 ms)', clock: 'store', whenDown: 'local', isUp: always, meanMs: 40 },
  { name: 'gone 20 s within a minute, local', clock: 'store', whenDown: 'local', isUp: withinMinutes, meanMs: 1 },
  { name: 'gone 20 s across two minutes, local', clock: 'store', whenDown: 'local', isUp: acrossMinutes, meanMs: 1 },
  { name: 'gone 20 s across two minutes, refuse', clock: 'store', whenDown: 'refuse', isUp: acrossMinutes, meanMs: 1 },
  { name: 'gone 1 s of 5, local', clock: 'store', whenDown: 'local', isUp: flapping, meanMs: 1 },
  { name: 'gone 1 s of 5, refuse', clock: 'store', whenDown: 'refuse', isUp: flapping, meanMs: 1 },
  { name: 'gone all the time, local', clock: 'store', whenDown: 'local', isUp: never, meanMs: 1 },
]

interface Node {
  readonly skewMs: number
  readonly local: Usage
  /** By the node's clock, until when the store's last answer holds that nothing is left. */
  spentUntilMs: number
  /** When a node that fell asks the store again; undefined while it shares. */
  reviveAtMs: number | undefined
}

interface Outcome {
  /** Most that were admitted in one true minute, over the limit. */
  readonly worst: number
  readonly mean: number
  /** Share of all requests that were answered 503. */
  readonly unavailable: number
}

function simulate(scenario: Scenario, nodeCount: number, skewMs: number, seed: number): Outcome {
  const random = seededRandom(seed)
  const shared = newUsage()
  const nodes = Array.from({ length: nodeCount }, (): Node => {
    return { skewMs: (2 * random() - 1) * skewMs, local: newUsage(), spentUntilMs: 0, reviveAtMs: undefined }
  })
  const admitted = new Array<number>(MINUTES).fill(0)
  let unavailable = 0
  const requests = MINUTES * 60 * REQUESTS_PER_S
  for (let n = 0; n < requests; n += 1) {
    const t = (n * 1_000) / REQUESTS_PER_S
    const node = nodes[Math.floor(random() * nodeCount)]
    if (node === undefined) continue
    const answerMs = -scenario.meanMs * Math.log(1 - random())
    const nodeNowMs = START_MS + t + node.skewMs
    if (node.reviveAtMs !== undefined && t >= node.reviveAtMs) {
      node.reviveAtMs = scenario.isUp(t) ? undefined : t + REVIVE_EVERY_MS
    }
    let isAdmitted: boolean | undefined
    if (node.reviveAtMs === undefined) {
      const isUp = scenario.isUp(t)
      // An answer that comes too late has been counted all the same.
      const verdict = isUp ? take(shared, LIMITS, scenario.clock === 'store' ? START_MS + t : nodeNowMs) : undefined
      if (verdict !== undefined && answerMs <= PATIENCE_MS) {
        isAdmitted = verdict.admitted
        if (verdict.remaining === 0) node.spentUntilMs = verdict.resetS * 1_000
      } else node.reviveAtMs = t + REVIVE_EVERY_MS
    }
    if (isAdmitted === undefined && scenario.whenDown === 'local') {
      isAdmitted = nodeNowMs >= node.spentUntilMs && take(node.local, LIMITS, nodeNowMs).admitted
    }
    if (isAdmitted === undefined) unavailable += 1
    const minute = Math.floor(t / MINUTE_MS)
    if (isAdmitted) admitted[minute] = (admitted[minute] ?? 0) + 1
  }
  const limit = LIMITS.perMinute
  return {
    worst: Math.max(...admitted) / limit,
    mean: admitted.reduce((sum, count) => sum + count, 0) / MINUTES / limit,
    unavailable: unavailable / requests,
  }
}

const { values } = parseArgs({ options: { seed: { type: 'string', default: '1' } } })
const seed = Number(values.seed)
if (!Number.isSafeInteger(seed)) {
  process.stderr.write('--seed must be a whole number.\n')
  process.exit(2)
}

console.log(
  `Admitted in one minute as a multiple of the limit (${LIMITS.perMinute}), worst of ${MINUTES} minutes and mean;`,
)
console.log(`${REQUESTS_PER_S} requests/s over all nodes, seed ${seed}.\n`)
console.log('| counters | nodes | clocks wrong by up to | worst | mean | answered 503 |')
console.log('| --- | --- | --- | --- | --- | --- |')
for (const scenario of SCENARIOS) {
  for (const nodeCount of [3, 20]) {
    for (const skewMs of [0, 2_000]) {
      const { worst, mean, unavailable } = simulate(scenario, nodeCount, skewMs, seed)
      const share = `${(100 * unavailable).toFixed(1)} %`
      console.log(
        `| ${scenario.name} | ${nodeCount} | ${skewMs / 1_000} s | ${worst.toFixed(2)} | ${mean.toFixed(2)} | ${share} |`,
      )
    }
  }
}
