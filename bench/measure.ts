/**
 * Rates under full load, latencies at a fixed rate, and start-up. Every figure comes from a separate server, freshly
 * started on a fresh copy of the data, verified, then warmed up. Rounds are interleaved: each visits every workload and
 * every target once, and begins with another target than the round before, so that disturbances of the machine affect
 * all targets alike.
 */
import { fixedRate, fullLoad, type Latencies } from './load/load.ts'
import type { Pin } from './machine.ts'
import { withServer } from './server.ts'
import type { Target } from './targets.ts'
import { verify, verifyStored } from './verify.ts'
import { requestsFile, WARM_UP_SEED, type Workload } from './workloads.ts'

/** V8 keeps compiling the code of a workload for this long. A service runs for days, so this is not measured. */
const WARM_UP_SECONDS = 3
const STARTS_PER_ROUND = 2

export interface Conditions {
  readonly animals: number
  readonly rounds: number
  readonly seconds: number
  readonly pin: Pin
  readonly workFolder: string
  readonly say: (line: string) => void
}

interface Rate {
  readonly perSecond: number
  /** CPU time of the server per request, in microseconds. */
  readonly processorUs: number
}

/** One workload on one target, with one sample per round. */
interface Series<Sample> {
  readonly workload: Workload
  readonly target: Target
  readonly samples: Sample[]
}

export interface LatencySeries extends Series<Latencies> {
  readonly perSecond: number
}

export interface StartUp {
  readonly target: Target
  readonly samplesMs: readonly number[]
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = Math.floor(sorted.length / 2)
  const upper = sorted[middle] ?? Number.NaN
  return sorted.length % 2 === 1 ? upper : (upper + (sorted[middle - 1] ?? Number.NaN)) / 2
}

/** Adds one sample per round to every series. */
async function inRounds<Sample, Each extends Series<Sample>>(
  all: readonly Each[],
  { rounds, say }: Conditions,
  sample: (series: Each) => Promise<Sample>,
  tell: (sample: Sample) => string,
): Promise<readonly Each[]> {
  for (let round = 0; round < rounds; round++) {
    for (const group of Map.groupBy(all, ({ workload }) => workload).values()) {
      for (let turn = 0; turn < group.length; turn++) {
        const series = group[(turn + round) % group.length]
        if (!series) continue
        const what = `${series.workload.name}, ${series.target.name}`
        const result = await sample(series).catch((cause: unknown) => {
          throw new Error(`${what}: ${cause instanceof Error ? cause.message : cause}`, { cause })
        })
        series.samples.push(result)
        say(`round ${round + 1}/${rounds}: ${what}: ${tell(result)}`)
      }
    }
  }
  return all
}

/** Skips creates on `raw`: it sends prepared bytes and stores nothing, so there is no rate to compare with. */
export function measureRates(
  workloads: readonly Workload[],
  targets: readonly Target[],
  conditions: Conditions,
): Promise<readonly Series<Rate>[]> {
  const all = workloads.flatMap((workload) =>
    targets
      .filter(({ stores }) => stores || workload.name !== 'create')
      .map((target): Series<Rate> => ({ workload, target, samples: [] })),
  )
  const { animals, pin, seconds, workFolder } = conditions
  const sample = async ({ workload, target }: Series<Rate>): Promise<Rate> => {
    const file = await requestsFile(workload, animals, workFolder)
    const warmUpFile = await requestsFile(workload, animals, workFolder, WARM_UP_SEED)
    return withServer(target.seed, pin, async (server) => {
      await verify(server, target, workload, animals)
      const warmUp = await fullLoad(server, warmUpFile, WARM_UP_SECONDS)
      const beforeMs = server.processorMs()
      const load = await fullLoad(server, file, seconds)
      const processorUs = ((server.processorMs() - beforeMs) * 1_000) / load.requests
      if (workload.name === 'create') await verifyStored(server, animals, warmUp.requests + load.requests)
      return { perSecond: load.requests / load.seconds, processorUs }
    })
  }
  return inRounds(all, conditions, sample, ({ perSecond }) => `${Math.round(perSecond)}/s`)
}

/**
 * Checkouts of the service run at half the full-load rate of the first target. So does `raw`, whose row shows what the
 * machine and the generator add. The peers could not keep up with that rate and run at half of their own.
 */
export function measureLatencies(rates: readonly Series<Rate>[], targets: readonly Target[], conditions: Conditions) {
  const all = [...Map.groupBy(rates, ({ workload }) => workload)].flatMap(([workload, group]) =>
    targets.map((target): LatencySeries => {
      const isPeer = target.stores && !target.name.startsWith('ours')
      const peak = isPeer ? group.find((series) => series.target === target) : group[0]
      const perSecond = Math.round(median(peak?.samples.map((sample) => sample.perSecond) ?? []) / 2)
      return { workload, target, perSecond, samples: [] }
    }),
  )
  const { animals, pin, seconds, workFolder } = conditions
  const sample = async ({ workload, target, perSecond }: LatencySeries): Promise<Latencies> => {
    const file = await requestsFile(workload, animals, workFolder)
    return withServer(target.seed, pin, async (server) => {
      await verify(server, target, workload, animals)
      return fixedRate(server, file, perSecond, WARM_UP_SECONDS, seconds)
    })
  }
  return inRounds(all, conditions, sample, ({ p99Ms }) => `p99 ${p99Ms.toFixed(2)} ms`)
}

/** Measures from spawn to the first answer to a request with a key. Targets take turns. */
export async function measureStartUp(targets: readonly Target[], { rounds, pin }: Conditions): Promise<StartUp[]> {
  const results = targets.filter(({ stores }) => stores).map((target) => ({ target, samplesMs: [] as number[] }))
  // The first start is not counted: it warms the file cache and the code cache, as on an operator's second start.
  for (let start = 0; start <= rounds * STARTS_PER_ROUND; start++) {
    for (const { target, samplesMs } of results) {
      const firstAnswerMs = await withServer(target.seed, pin, async (server) => server.firstAnswerMs)
      if (start > 0) samplesMs.push(firstAnswerMs)
    }
  }
  return results
}
