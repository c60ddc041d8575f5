/**
 * Latency at half the peak rate: each target at half of its own rate under full load. `raw` gets the rate of the first
 * target instead: its row shows what the machine and the generator add to every figure.
 */
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { CONNECTIONS } from '../load/load.ts'
import { withServer } from '../server.ts'
import type { Target } from '../target.ts'
import type { Workload } from '../workloads.ts'
import { type Conditions, median, medianRate, requestsFile, type Series, WARMUP_SECONDS } from './throughput.ts'
import { verify } from './verify.ts'

export const LATENCY_WORKLOADS = ['list20', 'get', 'create', 'mix']
const GENERATOR = `${import.meta.dirname}/../load/open-loop.ts`
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

/** `env` is the server's; `only` names the one target whose requests are reported, if not all are. */
export async function sampleLatency(
  { workload, target, animals, rate }: Plan,
  conditions: Conditions,
  env: Readonly<Record<string, string>> = {},
  only = '',
): Promise<LatencySample> {
  const file = await requestsFile(workload, animals, conditions.workFolder)
  const surroundings = { pins: conditions.cores.servers, env }
  return withServer(await target.seed(animals), surroundings, async (server) => {
    await verify(server, target, workload, animals)
    const numbers = [rate, WARMUP_SECONDS, conditions.seconds, CONNECTIONS].map(String)
    const argv = [GENERATOR, String(server.port), server.key, file, ...numbers, only]
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

/** Which target gets which requests, from the rates under full load. */
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
  const taken = plan(rates, targets).map((planned) => ({ planned, samples: [] as LatencySample[] }))
  for (let round = 0; round < conditions.runs; round++) {
    for (const { planned, samples } of taken) {
      const each = await sampleLatency(planned, conditions)
      samples.push(each)
      const what = `${planned.workload.name}, ${planned.target.name} at ${planned.rate}/s`
      conditions.say(`latency ${round + 1}/${conditions.runs}: ${what}: p99 ${each.p99Ms.toFixed(2)} ms`)
    }
  }
  return taken.map(({ planned: { workload, target, rate }, samples }) => {
    const middle = (figure: (sample: LatencySample) => number) => median(samples.map(figure))
    return {
      workload,
      target,
      askedPerSecond: rate,
      answeredPerSecond: middle(({ perSecond }) => perSecond),
      p50Ms: middle(({ p50Ms }) => p50Ms),
      p99Ms: middle(({ p99Ms }) => p99Ms),
      p999Ms: middle(({ p999Ms }) => p999Ms),
    }
  })
}
