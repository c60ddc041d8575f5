#!/usr/bin/env node
/**
 * `npm run bench`: this service compared with bare node, with a well-written peer, and with other checkouts of itself,
 * all in one run. Prints a table as markdown to stdout and progress to stderr. It sets no thresholds: only a wrong
 * response from a target, or an error under load, ends it with a sentence and exit code 1.
 */
import { mkdirSync, rmSync } from 'node:fs'
import { cpus } from 'node:os'
import { join } from 'node:path'
import { InvalidArgumentError, Option, program } from 'commander'
import { openServers, openSqlite } from './engines.ts'
import { CONNECTIONS } from './load.ts'
import { measureRates } from './measure.ts'
import { tableOf } from './report.ts'
import { OTHER_NAMES, openTargets, PROJECT } from './targets.ts'

const ANIMALS = 100_000
const TARGETS = ['ours', ...OTHER_NAMES]
const WORKLOADS = ['list20', 'get', 'create', 'mix']

interface Options {
  readonly ours: string[]
  readonly engine: string
  readonly targets: string[]
  readonly only: string[]
  readonly rounds: number
  readonly seconds: number
}

function positiveInteger(text: string): number {
  if (!/^[1-9]\d*$/.test(text)) throw new InvalidArgumentError('It must be a whole number from 1.')
  return Number(text)
}

const { ours, engine, targets, only, rounds, seconds } = program
  .name('npm run bench --')
  .description('Compare this service with bare node (raw) and with Fastify (peer).')
  .option(
    '--ours <dir>',
    'a checkout of this service with its node_modules, this one by default; the first of several is compared with the others',
    (dir: string, before: string[]) => [...before, dir],
    [],
  )
  .addOption(new Option('--engine <name>', 'database').choices(['sqlite', 'postgres']).default('sqlite'))
  .addOption(new Option('--targets <name...>', 'what takes part').choices(TARGETS).default(TARGETS))
  .addOption(new Option('--only <workload...>', 'workloads').choices(WORKLOADS).default(WORKLOADS))
  .option('--rounds <n>', 'number of rounds, of which the median is taken', positiveInteger, 3)
  .option('--seconds <n>', 'length of a measurement', positiveInteger, 3)
  .parse()
  .opts<Options>()

async function run(workFolder: string): Promise<string> {
  await using opened = engine === 'sqlite' ? openSqlite(workFolder) : await openServers()
  const all = await openTargets(ours.length > 0 ? ours : [PROJECT], targets, ANIMALS, opened, workFolder)
  const measured = await measureRates(only, all, { count: ANIMALS, rounds, seconds })
  return `- ${cpus()[0]?.model.trim()}, Node ${process.version}; server and load on a core each, ${CONNECTIONS} connections
- ${rounds} rounds of ${seconds} s on ${engine}, interleaved, ${ANIMALS} animals, a fresh server and database for each

${tableOf(measured)}
`
}

const workFolder = join(PROJECT, `.artifacts/bench-${process.pid}`)
mkdirSync(workFolder, { recursive: true })
process.once('exit', () => rmSync(workFolder, { recursive: true, force: true }))
process.once('SIGINT', () => process.exit(130))
process.once('SIGTERM', () => process.exit(143))
try {
  console.log(await run(workFolder))
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : error}\n`)
  process.exitCode = 1
}
