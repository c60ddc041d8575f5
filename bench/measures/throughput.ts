/**
 * Rates under full load. Every figure comes from a separate server, freshly started on a fresh copy of the data,
 * verified, then warmed up. Runs are interleaved: each round visits every workload and every target once, and begins
 * with another target than the round before, so that disturbances of the machine affect all targets alike.
 */
import { join } from 'node:path'
import type { Load } from '../load/load.ts'
import type { Cores } from '../machine.ts'
import { type Surroundings, withServer } from '../server.ts'
import type { Seed, Target } from '../target.ts'
import { SEED, WARM_UP_SEED, type Workload, writeRequests } from '../workloads.ts'
import { verify, verifyStored } from './verify.ts'

/** For so long V8 goes on compiling what the mix runs; a service runs for days. */
export const WARMUP_SECONDS = 3

export interface Conditions {
  readonly runs: number
  readonly seconds: number
  readonly load: Load
  readonly cores: Cores
  readonly workFolder: string
  readonly say: (line: string) => void
}

interface Sample {
  readonly perSecond: number
  /**
   * Processor time of the server, in cores. Well below its number of cores if it waited for the disk, or for the load.
   */
  readonly coresUsed: number | undefined
  readonly residentMiB: number | undefined
}

/** One workload on one target over one number of animals: a sample a round. */
export interface Series {
  readonly workload: Workload
  readonly target: Target
  readonly animals: number
  /** Where the server runs, if not on its own core and with the disk as it is. */
  readonly surroundings?: Surroundings
  readonly samples: Sample[]
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = Math.floor(sorted.length / 2)
  const upper = sorted[middle] ?? Number.NaN
  return sorted.length % 2 === 1 ? upper : (upper + (sorted[middle - 1] ?? Number.NaN)) / 2
}

export function medianRate(series: Series): number {
  return median(series.samples.map(({ perSecond }) => perSecond))
}

export async function requestsFile(workload: Workload, animals: number, folder: string, seed = SEED): Promise<string> {
  const path = join(folder, `${workload.name}-${animals}-${seed}.requests`)
  await writeRequests(path, workload.requests(animals, seed))
  return path
}

async function sample(series: Series, seed: Seed, conditions: Conditions): Promise<Sample> {
  const { workload, target, animals } = series
  const { load, cores, seconds, workFolder } = conditions
  const file = await requestsFile(workload, animals, workFolder)
  const warmupFile = await requestsFile(workload, animals, workFolder, WARM_UP_SEED)
  const surroundings = series.surroundings ?? { pins: cores.servers, env: {} }
  return withServer(seed, surroundings, async (server) => {
    await verify(server, target, workload, animals)
    const warmup = await load.run(server.ports, server.key, warmupFile, WARMUP_SECONDS)
    const processorBeforeMs = server.processorMs()
    const result = await load.run(server.ports, server.key, file, seconds)
    const processorAfterMs = server.processorMs()
    const residentMiB = server.residentMiB()
    if (target.stores && workload.creates === 'all') {
      await verifyStored(server, animals, warmup.requests + result.requests)
    }
    return {
      perSecond: result.requests / result.seconds,
      coresUsed:
        processorBeforeMs === undefined || processorAfterMs === undefined
          ? undefined
          : (processorAfterMs - processorBeforeMs) / 1000 / result.seconds,
      residentMiB,
    }
  })
}

/** Adds one sample per round to every series. */
export async function measure(all: readonly Series[], conditions: Conditions): Promise<void> {
  for (let round = 0; round < conditions.runs; round++) {
    const byWorkload = Map.groupBy(all, ({ workload }) => workload)
    for (const group of byWorkload.values()) {
      for (let turn = 0; turn < group.length; turn++) {
        const series = group[(turn + round) % group.length]
        if (!series) continue
        const { workload, target, animals } = series
        const what = `${workload.name}, ${target.name}, ${animals.toLocaleString('en')} animals`
        const taken = await sample(series, await target.seed(animals), conditions).catch((cause: unknown) => {
          throw new Error(`${what}: ${cause instanceof Error ? cause.message : cause}`, { cause })
        })
        series.samples.push(taken)
        conditions.say(`run ${round + 1}/${conditions.runs}: ${what}: ${Math.round(taken.perSecond)}/s`)
      }
    }
  }
}
