#!/usr/bin/env node
/**
 * `npm run bench`: this service compared with bare node, with well-written peers, and with other checkouts of itself,
 * all in one run. Prints tables as markdown to stdout and progress to stderr. It sets no thresholds: only a wrong
 * answer from a target, or an error under load, ends it with a sentence and exit code 1.
 */
import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { InvalidArgumentError, Option, program } from 'commander'
import { ENGINES, type EngineName, openEngine } from './engines.ts'
import { describeMachine, divideCores } from './machine.ts'
import { type Conditions, measureLatencies, measureRates, measureStartUp } from './measure.ts'
import { type Results, toMarkdown } from './report.ts'
import { OTHER_NAMES, openTargets, PROJECT } from './targets.ts'
import { WORKLOADS } from './workloads.ts'

const ANIMALS = 100_000
const PARTS = [...WORKLOADS.map(({ name }) => name), 'latency', 'startup']

interface Options {
  readonly ours: string[]
  readonly engine: EngineName
  readonly targets: string[]
  readonly only: string[]
  readonly rounds: number
  readonly seconds: number
}

function positiveInteger(text: string): number {
  if (!/^[1-9]\d*$/.test(text)) throw new InvalidArgumentError('Give a whole number of at least 1.')
  return Number(text)
}

const TARGETS = ['ours', ...OTHER_NAMES]
const options = program
  .name('npm run bench --')
  .description('Compares this service with bare node (raw) and with a peer on Fastify.')
  .option(
    '--ours <dir>',
    'a checkout of this service with its node_modules; give it more than once to compare them, the first with the others (default: this one)',
    (dir: string, before: string[]) => [...before, dir],
    [],
  )
  .addOption(
    new Option('--engine <name>', 'what keeps the animals; postgres counts in Redis')
      .choices(ENGINES)
      .default('sqlite'),
  )
  .addOption(new Option('--targets <name...>', 'what takes part').choices(TARGETS).default(TARGETS))
  .addOption(new Option('--only <part...>', 'latency is that of the workloads named').choices(PARTS).default(PARTS))
  .option('--rounds <n>', 'rounds of which the median is taken', positiveInteger, 3)
  .option('--seconds <n>', 'length of a measurement', positiveInteger, 3)
  .parse()
  .opts<Options>()

async function run(workFolder: string): Promise<Results> {
  const { rounds, seconds, only } = options
  const say = (line: string) => process.stderr.write(`${line}\n`)
  const cores = divideCores()
  const machine = `${describeMachine()}; ${cores.description}`
  const conditions: Conditions = { animals: ANIMALS, rounds, seconds, pin: cores.server, workFolder, say }
  const checkouts = options.ours.length > 0 ? options.ours : [PROJECT]
  await using engine = await openEngine(options.engine, workFolder)
  const targets = await openTargets(checkouts, options.targets, ANIMALS, engine, workFolder)

  const selection = WORKLOADS.filter(({ name }) => only.includes(name))
  const workloads = selection.length === 0 && only.includes('latency') ? WORKLOADS : selection
  const rates = await measureRates(workloads, targets, conditions)
  const latencies = only.includes('latency') ? await measureLatencies(rates, targets, conditions) : []
  const startUp = only.includes('startup') ? await measureStartUp(targets, conditions) : []
  return { machine, rounds, secondsPerRound: seconds, animals: ANIMALS, targets, rates, latencies, startUp }
}

const workFolder = join(PROJECT, `.artifacts/bench-${process.pid}`)
mkdirSync(workFolder, { recursive: true })
process.once('exit', () => rmSync(workFolder, { recursive: true, force: true }))
process.once('SIGINT', () => process.exit(130))
process.once('SIGTERM', () => process.exit(143))
try {
  console.log(toMarkdown(await run(workFolder)))
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : error}\n`)
  process.exitCode = 1
}
