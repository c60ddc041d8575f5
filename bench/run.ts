#!/usr/bin/env node
/**
 * `npm run bench`: this service compared with bare runtimes and with well-written peers, all in one run. Prints
 * tables as markdown to stdout and progress to stderr. It only judges its own validity: a wrong response from a target,
 * or an error under load, ends it with a sentence and exit code 1.
 */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { InvalidArgumentError, Option, program } from 'commander'
import { ENGINES } from './engines.ts'
import { chooseLoad } from './load/load.ts'
import { describeMachine, divideCores } from './machine.ts'
import { measureFar } from './measures/far.ts'
import { measureImportBeside, measureSlowDisk, measureUnpinned } from './measures/harder.ts'
import { IMPORT_ROWS, measureImport } from './measures/import-rate.ts'
import { LATENCY_WORKLOADS, measureLatency } from './measures/latency.ts'
import { measureRecords } from './measures/records.ts'
import { measureScale, SCALE_SIZES, SCALE_WORKLOADS } from './measures/scale.ts'
import { measureStartUp } from './measures/startup.ts'
import { type Conditions, measure, type Series } from './measures/throughput.ts'
import { measurePages } from './pages.ts'
import { type Results, toJson, toMarkdown } from './report.ts'
import { WORKLOADS } from './workloads.ts'

const ANIMALS = 100_000
const STARTS_PER_RUN = 2
const TARGETS = ['ours', 'ours-two-nodes', 'ours-three-nodes', 'ours-without-redis', 'raw', 'raw-bun', 'peer', 'elysia']
const PARTS = [
  ...WORKLOADS.map(({ name }) => name),
  'startup',
  'import',
  'latency',
  'disk',
  'unpinned',
  'import-beside',
  'records',
  'far',
  'pages',
]
const ARTIFACTS = join(import.meta.dirname, '../.artifacts/bench')

interface Options {
  readonly engine: string
  readonly targets: string[]
  readonly only: string[]
  readonly runs: number
  readonly seconds: number
  readonly scale: boolean
  readonly diskDelay: number
  readonly json?: string
}

function positiveInteger(text: string): number {
  if (!/^[1-9]\d*$/.test(text)) throw new InvalidArgumentError('Give a whole number of at least 1.')
  return Number(text)
}

function listOf(allowed: readonly string[]): (text: string) => string[] {
  return (text) => {
    const names = text.split(',').map((name) => name.trim())
    const unknown = names.find((name) => !allowed.includes(name))
    if (unknown !== undefined) {
      throw new InvalidArgumentError(`There is no "${unknown}"; choose from ${allowed.join(', ')}.`)
    }
    return names
  }
}

const options = program
  .name('npm run bench --')
  .description('Compares this service with bare runtimes (raw, raw-bun) and with peers (Fastify; Elysia on Bun).')
  .addOption(new Option('--engine <name>', 'kind of database').choices(Object.keys(ENGINES)).default('sqlite'))
  .option('--targets <list>', `some of ${TARGETS.join(',')}`, listOf(TARGETS), TARGETS)
  .option('--only <list>', `some of ${[...PARTS, 'scale'].join(',')}`, listOf([...PARTS, 'scale']), PARTS)
  .option('--runs <n>', 'runs of which the median is taken', positiveInteger, 3)
  .option('--seconds <n>', 'length of a run', positiveInteger, 3)
  .option('--scale', `also ${SCALE_WORKLOADS.join(', ')} over ${SCALE_SIZES.join(', ')} animals`, false)
  .option('--disk-delay <ms>', 'how much slower each sync is in the part "disk"', positiveInteger, 10)
  .option('--json <file>', 'write everything measured to this file')
  .parse()
  .opts<Options>()

async function run(workFolder: string): Promise<Results> {
  const { runs, seconds } = options
  const wants = (part: string) => options.only.includes(part)
  const say = (line: string) => process.stderr.write(`${line}\n`)
  const cores = divideCores()
  const load = chooseLoad()
  const machine = describeMachine(workFolder, cores, load.name)
  const openEngine = ENGINES[options.engine]
  if (!openEngine) throw new Error(`There is no engine "${options.engine}".`)
  const engine = await openEngine(
    { names: options.targets, cacheFolder: join(ARTIFACTS, 'cache'), workFolder },
    cores.all,
  )
  try {
    const targets = TARGETS.flatMap((name) => engine.targets.filter((target) => target.name === name))
    const ours = targets.find(({ name }) => name === 'ours')
    const conditions: Conditions = { runs, seconds, load, cores, workFolder, say }

    /** `raw` sends prepared bytes and stores nothing, so there is no rate of creates to compare with. */
    const seriesFor = (names: readonly string[]) =>
      WORKLOADS.filter(({ name }) => names.includes(name)).flatMap((workload) =>
        targets
          .filter(({ stores }) => stores || workload.creates !== 'all')
          .map((target): Series => ({ workload, target, animals: ANIMALS, samples: [] })),
      )
    // Half of the peak is only known after the peak.
    const peaksMissing = wants('latency') && !LATENCY_WORKLOADS.some(wants)
    const rates = seriesFor(peaksMissing ? [...options.only, ...LATENCY_WORKLOADS] : options.only)
    await measure(rates, conditions)

    const single = targets.filter(({ nodes }) => nodes === 1)
    const storing = single.filter(({ stores }) => stores)
    const startable = engine.executable === undefined ? storing : [...storing, engine.executable]
    if (wants('startup')) say('start-up …')
    const startUp = wants('startup') ? await measureStartUp(startable, ANIMALS, runs * STARTS_PER_RUN, cores) : []
    if (wants('import')) say(`import of ${IMPORT_ROWS.join(' and ')} rows …`)
    const imports = wants('import') && ours ? await measureImport(engine, runs, workFolder) : []
    const scale = (wants('scale') || options.scale) && ours ? await measureScale(ours, WORKLOADS, conditions) : []

    const peaks = rates.filter(({ workload }) => LATENCY_WORKLOADS.includes(workload.name))
    const latency = wants('latency') ? await measureLatency(peaks, single, conditions) : []

    const embedded = options.engine === 'sqlite'
    const slowDisk =
      wants('disk') && embedded ? await measureSlowDisk(single, ANIMALS, options.diskDelay, conditions) : undefined
    const unpinned = wants('unpinned') ? await measureUnpinned(single, ANIMALS, conditions) : []
    if (wants('import-beside')) say('import beside the mix …')
    const importBeside =
      wants('import-beside') && embedded && ours ? await measureImportBeside(ours, ANIMALS, conditions) : undefined
    if (wants('records')) say('finding and correcting …')
    const records = wants('records') && embedded && ours ? await measureRecords(workFolder) : undefined
    const pages = wants('pages') ? await measurePages(conditions) : []
    const far = wants('far') ? await measureFar(engine, ANIMALS, conditions) : undefined
    return {
      machine,
      engine: options.engine,
      runs,
      secondsPerRun: seconds,
      animals: ANIMALS,
      targets,
      rates,
      startUp,
      imports,
      scale,
      latency,
      slowDisk,
      unpinned,
      importBeside,
      records,
      far,
      pages,
    }
  } finally {
    await engine.close()
  }
}

const workFolder = join(ARTIFACTS, `work-${process.pid}`)
mkdirSync(workFolder, { recursive: true })
process.once('exit', () => rmSync(workFolder, { recursive: true, force: true }))
process.once('SIGINT', () => process.exit(130))
process.once('SIGTERM', () => process.exit(143))
try {
  const results = await run(workFolder)
  console.log(toMarkdown(results))
  if (options.json) writeFileSync(options.json, `${toJson(results)}\n`)
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : error}\n`)
  process.exitCode = 1
}
