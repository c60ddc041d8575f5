/**
 * What the other rates do not show: the same service on a slow disk, on all cores, and while a million animals are
 * imported into its database. Ratios are to the same workload in the same run without that.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { diskNeeded, startFaultyDisk } from '../../test/support/disk/disk.ts'
import { writeCsv } from '../animals.ts'
import { type Surroundings, withServer } from '../server.ts'
import type { Target } from '../target.ts'
import { LIST20, WORKLOADS, type Workload } from '../workloads.ts'
import { sampleLatency } from './latency.ts'
import { type Conditions, measure, median, medianRate, requestsFile, type Series } from './throughput.ts'
import { verify } from './verify.ts'

export interface SlowDisk {
  readonly delayMs: number
  /** mix on ours, and create on every target that stores, as it is and slowed. */
  readonly quiet: readonly Series[]
  readonly slowed: readonly Series[]
  /** The 99th percentile of list20: alone, and within the mix at half its peak on the slowed disk. */
  readonly aloneP99Ms: number
  readonly withinMixP99Ms: number
}

const IMPORTED = 1_000_000
const CLI = join(import.meta.dirname, '../../src/cli/pets.ts')

function workload(name: string): Workload {
  const found = WORKLOADS.find((each) => each.name === name)
  if (found === undefined) throw new Error(`There is no workload "${name}".`)
  return found
}

function seriesOf(name: string, targets: readonly Target[], animals: number, surroundings?: Surroundings): Series[] {
  return targets.map((target) => ({
    workload: workload(name),
    target,
    animals,
    ...(surroundings !== undefined && { surroundings }),
    samples: [],
  }))
}

/** A sentence instead of figures if the disk cannot be slowed here. */
export async function measureSlowDisk(
  targets: readonly Target[],
  animals: number,
  delayMs: number,
  conditions: Conditions,
): Promise<SlowDisk | string> {
  if (diskNeeded.skip !== false) return `The disk was not slowed: ${diskNeeded.skip}.`
  const storing = targets.filter(({ stores }) => stores)
  const ours = storing.filter(({ name }) => name === 'ours')
  const [service] = ours
  if (service === undefined) return 'The disk was not slowed: ours took no part.'
  using disk = startFaultyDisk({ delayMs })
  const slow = { pins: conditions.cores.servers, env: disk.env }
  const quiet = [...seriesOf('mix', ours, animals), ...seriesOf('create', storing, animals)]
  const slowed = [...seriesOf('mix', ours, animals, slow), ...seriesOf('create', storing, animals, slow)]
  await measure([...quiet, ...slowed], conditions)
  const rate = Math.round(medianRate(slowed[0] ?? quiet[0] ?? raise()) / 2)
  const alone: number[] = []
  const within: number[] = []
  for (let round = 0; round < conditions.runs; round += 1) {
    const plan = { target: service, animals, rate }
    alone.push((await sampleLatency({ ...plan, workload: workload('list20') }, conditions, disk.env)).p99Ms)
    within.push(
      (await sampleLatency({ ...plan, workload: workload('mix') }, conditions, disk.env, LIST20.target)).p99Ms,
    )
    conditions.say(
      `list20 at ${rate}/s, disk +${delayMs} ms: p99 ${alone.at(-1)} ms alone, ${within.at(-1)} ms in the mix`,
    )
  }
  return { delayMs, quiet, slowed, aloneP99Ms: median(alone), withinMixP99Ms: median(within) }
}

function raise(): never {
  throw new Error('nothing was measured')
}

/** mix on ours and raw, on whatever cores the system assigns. */
export async function measureUnpinned(
  targets: readonly Target[],
  animals: number,
  conditions: Conditions,
): Promise<Series[]> {
  const taking = targets.filter(({ name }) => name === 'ours' || name === 'raw')
  const series = seriesOf('mix', taking, animals, { pins: [conditions.cores.all], env: {} })
  await measure(series, conditions)
  return series
}

export interface ImportBeside {
  readonly rows: number
  readonly seconds: number
  /** Responses per second to the mix before and during the import. */
  readonly before: number
  readonly during: number
}

/** Throws if any response was an error: no request is refused while animals are imported. */
export async function measureImportBeside(
  ours: Target,
  animals: number,
  conditions: Conditions,
): Promise<ImportBeside> {
  const { load, cores, seconds, workFolder } = conditions
  const mix = workload('mix')
  const file = await requestsFile(mix, animals, workFolder)
  const csv = join(workFolder, 'beside.csv')
  await writeCsv(csv, IMPORTED)
  try {
    return await withServer(await ours.seed(animals), { pins: cores.servers, env: {} }, async (server) => {
      await verify(server, ours, mix, animals)
      await load.run(server.ports, server.key, file, 1)
      const before = await load.run(server.ports, server.key, file, seconds)
      const [command, ...argv] = cores.all([
        process.execPath,
        CLI,
        'import',
        csv,
        '--allow-duplicates',
        '--database',
        server.database ?? '',
      ])
      const startMs = performance.now()
      const child = spawn(command, argv, { stdio: ['ignore', 'ignore', 'inherit'] })
      let running = true
      const ended = once(child, 'exit').then(([code]) => {
        running = false
        if (code !== 0) throw new Error(`The import of ${csv} failed with exit code ${code}.`)
        return (performance.now() - startMs) / 1000
      })
      ended.catch(() => {}) // it is awaited below, after the load
      let [requests, during] = [0, 0]
      while (running) {
        const part = await load.run(server.ports, server.key, file, 1)
        if (!running && requests > 0) break // part of this second was after the import
        requests += part.requests
        during += part.seconds
      }
      const perSecond = { before: before.requests / before.seconds, during: requests / during }
      return { rows: IMPORTED, seconds: await ended, ...perSecond }
    })
  } finally {
    await rm(csv)
  }
}
