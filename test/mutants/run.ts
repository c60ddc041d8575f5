#!/usr/bin/env node
/**
 * `npm run mutants`: plants one defect after the other in the sources (StrykerJS) and runs the tests that guarantee
 * that room, to see whether they notice. `-- --only contract` takes one room, `-- --mutate src/contract/json.ts` (or
 * `FILE:12-20`, lines) a part of it. Fails when a room has a lower score than it is held to. Takes an hour or more.
 */
import { spawnSync } from 'node:child_process'
import { copyFileSync, existsSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'

interface Room {
  readonly mutate: readonly string[]
  /** The files that judge; a defect is shown to those that reach it, in this order. */
  readonly tests: readonly string[]
  /** Tests in those files that take long and judge something else. */
  readonly skip?: string
  /** The percentage of the defects that have to be noticed. */
  readonly score: number
}

const ROOMS: Readonly<Record<string, Room>> = {
  contract: {
    mutate: ['src/contract/*.ts'],
    tests: ['catalogue', 'int64', 'limits', 'openapi', 'validate'].map((name) => `test/contract/${name}.test.ts`),
    skip: 'third-party tools',
    score: 95,
  },
  domain: { mutate: ['src/domain/*.ts'], tests: ['test/domain/*.test.ts'], score: 95 },
  http: { mutate: ['src/http/*.ts'], tests: ['test/forms/*.test.ts', 'test/http/*.test.ts'], score: 88 },
  store: {
    mutate: ['src/store/sqlite/{reading,writing}/*.ts'],
    tests: ['test/store/!(update).test.ts', 'test/store/sqlite/*.test.ts'],
    // Other engines and versions, and what looks at the tree, which is another where the mutants are.
    skip: 'PostgreSQL|PgBouncer|Redis|Valkey|by open.ts alone',
    score: 88,
  },
}

const HERE = import.meta.dirname
const ROOT = resolve(HERE, '../..')
/** A copy of the lock file that the installed packages came from. */
const INSTALLED = `${HERE}/node_modules/.installed-from.json`
/**
 * As in scripts/test.ts: without the first, a file never ends now and then, which would count as noticed; without the
 * last, some of its results are lost.
 */
const FLAGS = [
  '--no-concurrent-sparkplug',
  '--test-force-exit',
  '--test-reporter=tap',
  `--import=${ROOT}/scripts/whole-output.ts`,
]
const LOCK = `${HERE}/package-lock.json`

const { values } = parseArgs({ options: { only: { type: 'string' }, mutate: { type: 'string' } } })
const rooms = Object.entries(ROOMS).filter(([name]) => values.only === undefined || values.only === name)
if (rooms.length === 0 || (values.mutate !== undefined && rooms.length > 1)) {
  process.stderr.write(`Choose a room with --only: ${Object.keys(ROOMS).join(', ')}.\n`)
  process.exit(2)
}
if (!existsSync(INSTALLED) || readFileSync(INSTALLED, 'utf8') !== readFileSync(LOCK, 'utf8')) {
  if (run('npm', ['ci', '--ignore-scripts'], HERE) !== 0) process.exit(1)
  copyFileSync(LOCK, INSTALLED)
}
for (const [name, room] of rooms) {
  mkdirSync(`${ROOT}/.artifacts/mutants`, { recursive: true })
  const settings = `${ROOT}/.artifacts/mutants/${name}.json`
  writeFileSync(settings, JSON.stringify(settingsOf(name, room)))
  const stryker = `${HERE}/node_modules/@stryker-mutator/core/bin/stryker.js`
  if (run(process.execPath, [stryker, 'run', settings], ROOT) !== 0) process.exitCode = 1
}

function settingsOf(name: string, { mutate, tests, skip, score }: Room): object {
  const skipped = skip === undefined ? [] : [`--test-skip-pattern=${skip}`]
  return {
    mutate: values.mutate?.split(',') ?? mutate,
    plugins: [`${HERE}/node_modules/@stryker-mutator/tap-runner/dist/src/index.js`],
    testRunner: 'tap',
    tap: {
      testFiles: globSync(tests, { cwd: ROOT }),
      nodeArgs: [...FLAGS, ...skipped, '-r', '{{hookFile}}', '{{testFile}}'],
    },
    coverageAnalysis: 'perTest',
    // A test that another on the machine holds up is not one that hangs.
    timeoutMS: 10_000,
    concurrency: 1,
    // Stryker rewrites these for compilers, and cannot with this version of TypeScript; nothing is compiled here.
    tsconfigFile: 'none',
    ignorePatterns: ['.artifacts'],
    tempDirName: `.artifacts/mutants/${name}`,
    reporters: ['progress-append-only', 'clear-text', 'html'],
    htmlReporter: { fileName: `.artifacts/mutants/${name}.html` },
    clearTextReporter: { allowColor: false, reportTests: false, reportScoreTable: true },
    thresholds: { high: score, low: score, break: values.mutate === undefined ? score : null },
  }
}

function run(command: string, args: readonly string[], cwd: string): number | null {
  return spawnSync(command, args, { cwd, stdio: 'inherit' }).status
}
