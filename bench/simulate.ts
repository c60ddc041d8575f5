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
  readonly nodes: number
  /** The maximum error of the nodes' clocks. */
  readonly skewMs: number
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

const USUAL = { nodes: 20, skewMs: 2_000, whenDown: 'local', meanMs: 1 } as const
/** Those that decide something. */
const SCENARIOS: readonly Scenario[] = [
  { ...USUAL, name: 'shared', isUp: always },
  { ...USUAL, name: 'shared, slow (mean 40 ms)', nodes: 3, isUp: always, meanMs: 40 },
  { ...USUAL, name: 'gone 20 s within a minute, local', isUp: withinMinutes },
  { ...USUAL, name: 'gone 20 s across two minutes, local', isUp: acrossMinutes },
  { ...USUAL, name: 'gone 20 s across two minutes, refuse', isUp: acrossMinutes, whenDown: 'refuse' },
  { ...USUAL, name: 'never there, local', isUp: never },
]

interface Node {
  readonly skewMs: number
  readonly local: Usage
  /** Until when the store's last answer, that nothing is left, holds. */
  spentUntilMs: number
  /** Whether the store has ever answered, so that the node goes on by its clock. */
  knowsClock: boolean
  /** When a node that counts by itself asks the store again; undefined while it shares. */
  reviveAtMs: number | undefined
}

interface Outcome {
  /** The most admitted in one true minute, relative to the limit. */
  readonly worst: number
  readonly mean: number
  /** The share of all requests that were answered 503. */
  readonly unavailable: number
}

function simulate(scenario: Scenario, seed: number): Outcome {
  const { nodes: nodeCount, skewMs } = scenario
  const random = seededRandom(seed)
  const shared = newUsage()
  const nodes = Array.from({ length: nodeCount }, (): Node => {
    const skew = (2 * random() - 1) * skewMs
    return { skewMs: skew, local: newUsage(), spentUntilMs: 0, knowsClock: false, reviveAtMs: undefined }
  })
  const admitted = new Array<number>(MINUTES).fill(0)
  let unavailable = 0
  const requests = MINUTES * 60 * REQUESTS_PER_S
  for (let n = 0; n < requests; n += 1) {
    const t = (n * 1_000) / REQUESTS_PER_S
    const node = nodes[Math.floor(random() * nodeCount)]
    if (node === undefined) continue
    const answerMs = -scenario.meanMs * Math.log(1 - random())
    if (node.reviveAtMs !== undefined && t >= node.reviveAtMs) {
      node.reviveAtMs = scenario.isUp(t) ? undefined : t + REVIVE_EVERY_MS
    }
    let isAdmitted: boolean | undefined
    if (node.reviveAtMs === undefined) {
      const isUp = scenario.isUp(t)
      // A late answer has been counted all the same.
      const verdict = isUp ? take(shared, LIMITS, START_MS + t) : undefined
      if (verdict !== undefined && answerMs <= PATIENCE_MS) {
        node.knowsClock = true
        isAdmitted = verdict.admitted
        if (verdict.remaining === 0) node.spentUntilMs = verdict.resetS * 1_000
      } else node.reviveAtMs = t + REVIVE_EVERY_MS
    }
    if (isAdmitted === undefined && scenario.whenDown === 'local') {
      const nodeNowMs = START_MS + t + (node.knowsClock ? 0 : node.skewMs)
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
console.log(`${REQUESTS_PER_S} requests/s over all nodes, whose clocks are wrong by up to 2 s, seed ${seed}.\n`)
console.log('| counters | nodes | worst | mean | answered 503 |')
console.log('| --- | --- | --- | --- | --- |')
for (const scenario of SCENARIOS) {
  const { worst, mean, unavailable } = simulate(scenario, seed)
  const share = `${(100 * unavailable).toFixed(1)} %`
  console.log(`| ${scenario.name} | ${scenario.nodes} | ${worst.toFixed(2)} | ${mean.toFixed(2)} | ${share} |`)
}
