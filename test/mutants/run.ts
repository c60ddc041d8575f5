#!/usr/bin/env node
/**
 * `npm run mutants`: plants one defect after the other in the sources (StrykerJS) and runs the tests that guarantee
 * that room, to see whether they notice. `-- --only contract` takes one room, `-- --mutate src/contract/json.ts` (or
 * `FILE:12-20`, lines) a part of it, `-- --sample 1/16 --seed 7` some that the seed draws. Fails when a whole room has
 * a lower score than it is held to. Takes an hour or more.
 */
import { spawnSync } from 'node:child_process'
import { copyFileSync, existsSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { memoryFolder } from '../support/folder.ts'
import { interval, isDrawn, sampleOf } from './sample.ts'

interface Room {
  readonly mutate: readonly string[]
  /** The files that judge; a defect is shown to those that reach it. */
  readonly tests: readonly string[]
  /** Tests in those files that take long and judge something else. */
  readonly skip?: string
  /**
   * Whether one process loads the files once and shows them all defects (resident.ts). Otherwise each file is a
   * process: where a file changes something for its whole process, as a stand-in for a function of node does.
   */
  readonly isResident: boolean
  /** The percentage of the defects that have to be noticed. */
  readonly score: number
}

const ROOMS: Readonly<Record<string, Room>> = {
  contract: {
    mutate: ['src/contract/*.ts'],
    tests: ['catalogue', 'int64', 'limits', 'openapi', 'validate'].map((name) => `test/contract/${name}.test.ts`),
    skip: 'third-party tools',
    isResident: false,
    score: 95,
  },
  domain: { mutate: ['src/domain/*.ts'], tests: ['test/domain/*.test.ts'], isResident: false, score: 95 },
  http: {
    mutate: ['src/http/*.ts'],
    tests: ['test/forms/*.test.ts', 'test/http/**/*.test.ts'],
    skip: 'lists of animals with very long names',
    isResident: true,
    score: 88,
  },
  store: {
    mutate: ['src/store/sqlite/{reading,writing}/*.ts'],
    tests: [
      'test/ledger/{purging,store,usage}.test.ts',
      'test/report/{command,month}.test.ts',
      'test/public-page/store.test.ts',
      'test/store/{animal-pages,door,imports,key-pages,origins,people,rotations,sqlite-search-index,store,terms}.test.ts',
      'test/store/{categories,records,sqlite}/*.test.ts',
      'test/store/sync/sync.test.ts',
    ],
    // Other engines and versions, and what looks at the tree, which is another where the mutants are.
    skip: 'PostgreSQL|PgBouncer|Redis|Valkey|by open.ts alone|a file of version',
    isResident: true,
    score: 88,
  },
}

/** Of StrykerJS's report. */
interface Report {
  readonly files: Readonly<Record<string, { readonly mutants: readonly { id: string; status: string }[] }>>
}

const HERE = import.meta.dirname
const ROOT = resolve(HERE, '../..')
const WORK = `${ROOT}/.artifacts/mutants`
/** A copy of the lock file that the installed packages came from. */
const INSTALLED = `${HERE}/node_modules/.installed-from.json`
/** As in scripts/test.ts: without it, a file never ends now and then, which would count as noticed. */
const NO_SPARKPLUG = '--no-concurrent-sparkplug'
/** As there: without the last, some of its results are lost. */
const FLAGS = [NO_SPARKPLUG, '--test-force-exit', '--test-reporter=tap', `--import=${ROOT}/scripts/whole-output.ts`]
const LOCK = `${HERE}/package-lock.json`

const { values } = parseArgs({
  options: {
    only: { type: 'string' },
    mutate: { type: 'string' },
    sample: { type: 'string', default: '1/1' },
    seed: { type: 'string', default: '1' },
  },
})
const sample = sampleOf(values.sample, values.seed)
const rooms = Object.entries(ROOMS).filter(([name]) => values.only === undefined || values.only === name)
if (rooms.length === 0 || (values.mutate !== undefined && rooms.length > 1)) {
  process.stderr.write(`Choose a room with --only: ${Object.keys(ROOMS).join(', ')}.\n`)
  process.exit(2)
}
if (sample === undefined || (sample.share < 1 && rooms.some(([, { isResident }]) => !isResident))) {
  process.stderr.write('--sample is a part such as 1/16, of the rooms http and store; --seed is a number.\n')
  process.exit(2)
}
const isWhole = values.mutate === undefined && sample.share === 1
if (!existsSync(INSTALLED) || readFileSync(INSTALLED, 'utf8') !== readFileSync(LOCK, 'utf8')) {
  if (run('npm', ['ci', '--ignore-scripts'], HERE) !== 0) process.exit(1)
  copyFileSync(LOCK, INSTALLED)
}
for (const [name, room] of rooms) {
  mkdirSync(WORK, { recursive: true })
  const settings = `${WORK}/${name}.json`
  writeFileSync(settings, JSON.stringify(settingsOf(name, room)))
  const stryker = `${HERE}/node_modules/@stryker-mutator/core/bin/stryker.js`
  if (run(process.execPath, [stryker, 'run', settings], ROOT) !== 0) process.exitCode = 1
  tell(name)
}

function settingsOf(name: string, { mutate, tests, skip, isResident, score }: Room): object {
  const files = tests.flatMap((pattern) => globSync(pattern, { cwd: ROOT }))
  const skipped = skip === undefined ? [] : [`--test-skip-pattern=${skip}`]
  const processes = {
    plugins: [`${HERE}/node_modules/@stryker-mutator/tap-runner/dist/src/index.js`],
    testRunner: 'tap',
    tap: { testFiles: files, nodeArgs: [...FLAGS, ...skipped, '-r', '{{hookFile}}', '{{testFile}}'] },
  }
  const resident = {
    plugins: [`${HERE}/resident.ts`],
    testRunner: 'resident',
    testRunnerNodeArgs: [NO_SPARKPLUG],
    resident: { files, skip, sample },
  }
  return {
    mutate: values.mutate?.split(',') ?? mutate,
    ...(isResident ? resident : processes),
    coverageAnalysis: 'perTest',
    // A test that another on the machine holds up is not one that hangs; resident.ts tells by what is computed.
    timeoutMS: isResident ? 600_000 : 10_000,
    concurrency: 1,
    // Stryker rewrites these for compilers, and cannot with this version of TypeScript; nothing is compiled here.
    tsconfigFile: 'none',
    ignorePatterns: ['.artifacts'],
    tempDirName: `.artifacts/mutants/${name}`,
    reporters: ['progress-append-only', 'clear-text', 'html', 'json'],
    htmlReporter: { fileName: `${WORK}/${name}.html` },
    jsonReporter: { fileName: `${WORK}/${name}.report.json` },
    clearTextReporter: { allowColor: false, reportTests: false, reportScoreTable: isWhole },
    thresholds: { high: score, low: score, break: isWhole ? score : null },
    warnings: { unknownOptions: false },
  }
}

/** Says what was judged and noticed. Of what no test reaches StrykerJS reports also what was not drawn. */
function tell(name: string): void {
  if (sample === undefined || !existsSync(`${WORK}/${name}.report.json`)) return
  const { files } = JSON.parse(readFileSync(`${WORK}/${name}.report.json`, 'utf8')) as Report
  const all = Object.values(files).flatMap(({ mutants }) => mutants)
  const judged = all.filter(({ id, status }) => isDrawn(id, sample) && status !== 'RuntimeError')
  const noticed = judged.filter(({ status }) => status === 'Killed' || status === 'Timeout').length
  const percent = (share: number) => `${(100 * share).toFixed(1)} %`
  const [from, to] = interval(noticed, judged.length).map(percent)
  const ofAll = judged.length < all.length ? `; of all ${all.length}, ${from} to ${to} (95 %)` : ''
  const share = percent(noticed / judged.length)
  process.stdout.write(`${name}: ${judged.length} mutants judged, ${noticed} noticed, ${share}${ofAll}.\n`)
}

function run(command: string, args: readonly string[], cwd: string): number | null {
  const env = { ...process.env, TMPDIR: memoryFolder(), NODE_COMPILE_CACHE: `${WORK}/cache` }
  return spawnSync(command, args, { cwd, stdio: 'inherit', env }).status
}
