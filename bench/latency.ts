/**
 * Latency at half the peak rate: each target at half of what it reached itself under full load. `raw` is asked at the
 * rate of the first target instead: its row shows what the machine and the generator add to every figure.
 */
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { CONNECTIONS } from './load/load.ts'
import { withServer } from './server.ts'
import type { Target } from './target.ts'
import { type Conditions, median, medianRate, requestsFile, type Series, warmupSeconds } from './throughput.ts'
import { verify } from './verify.ts'
import type { Workload } from './workloads.ts'

export const LATENCY_WORKLOADS = ['list20', 'get', 'create', 'mix']
const GENERATOR = `${import.meta.dirname}/load/open-loop.ts`
const execute = promisify(execFile)

interface LatencySample {
  readonly perSecond: number
  readonly unanswered: number
  readonly badStatus: number
  readonly socketErrors: number
  readonly p50Ms: number
  readonly p99Ms: number
  readonly p999Ms: number
}

export interface Latency {
  readonly workload: Workload
  readonly target: Target
  readonly askedPerSecond: number
  readonly answeredPerSecond: number
  readonly p50Ms: number
  readonly p99Ms: number
  readonly p999Ms: number
}

interface Plan {
  readonly workload: Workload
  readonly target: Target
  readonly animals: number
  readonly rate: number
}

async function sample({ workload, target, animals, rate }: Plan, conditions: Conditions): Promise<LatencySample> {
  const file = await requestsFile(workload, animals, conditions.workFolder)
  return withServer(await target.seed(animals), conditions.cores.server, async (server) => {
    await verify(server, target, workload, animals)
    const numbers = [rate, warmupSeconds(conditions), conditions.seconds, CONNECTIONS].map(String)
    const argv = [GENERATOR, String(server.port), server.key, file, ...numbers]
    const result: LatencySample = JSON.parse((await execute(process.execPath, argv)).stdout)
    const { unanswered, badStatus, socketErrors } = result
    if (unanswered > 0 || badStatus > 0 || socketErrors > 0) {
      throw new Error(
        `This latency is void: of ${target.name}'s answers ${unanswered} never came, ${badStatus} were errors, and ` +
          `${socketErrors} connections failed.`,
      )
    }
    return result
  })
}

/** What to ask of whom, from the rates under full load. */
function plan(rates: readonly Series[], targets: readonly Target[]): Plan[] {
  return [...Map.groupBy(rates, ({ workload }) => workload)].flatMap(([workload, group]) => {
    const [first] = group
    if (!first) return []
    return targets.map((target): Plan => {
      const peak = group.find((series) => series.target === target && target.stores) ?? first
      return { workload, target, animals: first.animals, rate: Math.round(medianRate(peak) / 2) }
    })
  })
}

export async function measureLatency(
  rates: readonly Series[],
  targets: readonly Target[],
  conditions: Conditions,
): Promise<Latency[]> {
  const results: Latency[] = []
  for (const planned of plan(rates, targets)) {
    const samples: LatencySample[] = []
    for (let run = 0; run < conditions.runs; run++) samples.push(await sample(planned, conditions))
    const middle = (figure: (sample: LatencySample) => number) => median(samples.map(figure))
    const { workload, target, rate } = planned
    const p50Ms = middle((taken) => taken.p50Ms)
    const p99Ms = middle((taken) => taken.p99Ms)
    const p999Ms = middle((taken) => taken.p999Ms)
    const answeredPerSecond = middle((taken) => taken.perSecond)
    results.push({ workload, target, askedPerSecond: rate, answeredPerSecond, p50Ms, p99Ms, p999Ms })
    conditions.say(`latency: ${workload.name}, ${target.name} at ${rate}/s: p99 ${p99Ms.toFixed(2)} ms`)
  }
  return results
}
