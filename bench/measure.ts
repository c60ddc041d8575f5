/**
 * Rates under full load. Every figure comes from a separate server, freshly started on a fresh copy of the data,
 * verified, then warmed up. Rounds are interleaved: each visits every workload and every target once, and begins with
 * another target than the round before, so that disturbances of the machine affect all targets alike.
 */
import { fullLoad } from './load.ts'
import { withServer } from './server.ts'
import type { Target } from './targets.ts'
import { verify, verifyNewest } from './verify.ts'

/** V8 keeps compiling the code of a workload for this long. A service runs for days, so this is not measured. */
const WARM_UP_SECONDS = 3

interface Conditions {
  readonly count: number
  readonly rounds: number
  readonly seconds: number
}

interface Sample {
  readonly perSecond: number
  /** CPU time of the server per request, in microseconds. */
  readonly processorUs: number
  readonly p50Ms: number
  readonly p99Ms: number
}

/** One workload on one target, with one sample per round. */
export interface Series {
  readonly workload: string
  readonly target: Target
  readonly samples: Sample[]
}

/** Skips creates on `raw`: it sends prepared bytes and stores nothing, so there is no rate to compare with. */
export async function measureRates(
  workloads: readonly string[],
  targets: readonly Target[],
  conditions: Conditions,
): Promise<readonly Series[]> {
  const groups = workloads.map((workload) =>
    targets
      .filter(({ stores }) => stores || workload !== 'create')
      .map((target): Series => ({ workload, target, samples: [] })),
  )
  for (let round = 0; round < conditions.rounds; round++) {
    for (const group of groups) {
      for (const series of [...group.slice(round % group.length), ...group.slice(0, round % group.length)]) {
        const what = `round ${round + 1}: ${series.workload}, ${series.target.name}`
        const sample = await sampleOf(series, conditions).catch((cause: Error) => {
          throw new Error(`${what}: ${cause.message}`, { cause })
        })
        series.samples.push(sample)
        process.stderr.write(`${what}: ${Math.round(sample.perSecond)}/s\n`)
      }
    }
  }
  return groups.flat()
}

async function sampleOf({ workload, target }: Series, { count, seconds }: Conditions): Promise<Sample> {
  return withServer(target.seed, async (server) => {
    await verify(server, target.stores, count)
    // The warm-up asks for other animals than the run.
    const warmUp = await fullLoad(server, [workload, '1', `${count}`], WARM_UP_SECONDS)
    const beforeMs = server.processorMs()
    const { requests, seconds: took, ...latency } = await fullLoad(server, [workload, '2', `${count}`], seconds)
    const processorUs = ((server.processorMs() - beforeMs) * 1_000) / requests
    if (workload === 'create') await verifyNewest(server, count + warmUp.requests + requests)
    return { perSecond: requests / took, processorUs, ...latency }
  })
}
