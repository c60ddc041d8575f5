/**
 * Runs the tests with Node's test runner (run-files.ts): those for each change, those that take longer (`--browsers`,
 * `--long`, `--heavy`), those of the stores behind a pooler (`--pooled`), or all in the named files and folders
 * (`npm test -- test/http`). Other arguments that begin with `--` are passed to Node for each file
 * (`npm test -- --test-name-pattern=ban`).
 */
import { spawn } from 'node:child_process'
import { chmodSync, globSync, mkdirSync, readFileSync, statSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { memoryFolder } from '../test/support/folder.ts'

const ROOT = resolve(import.meta.dirname, '..')
/** A test that hangs fails instead of blocking the rest. The longest take a minute, and many on a busy machine. */
const TIMEOUT_MS = 600_000
const END_MS = 2_000
/**
 * Tests in browsers (`--browsers`), of the office's sessions, and of what other tools make of the document and of the
 * client. `npm run test:all` runs them because they take too long for each change. In all lists the longest come first,
 * so that none runs alone at the end.
 */
const BROWSERS = [
  'test/screens/screens.test.ts',
  'test/office/browser/keys.test.ts',
  'test/office/browser/firefox.test.ts',
  'test/office/browser/',
  'test/pages/reference.test.ts',
  'test/public-page/browser.test.ts',
  'client/test/browser.test.ts',
  'test/contract/generated-clients.test.ts',
  'test/office/revocation.test.ts',
  'test/operator/strangers.test.ts',
  'test/office/sign-in.test.ts',
  'test/operator/signed-in.test.ts',
  'client/test/package.test.ts',
  'client/test/resolution.test.ts',
]
/** `--long`: the process under attack, disks, nodes, the release. */
const LONG = [
  'test/release/',
  'test/growth/files.test.ts',
  'test/runner/setup.test.ts',
  'test/scale/',
  'test/process/',
  'test/public-page/guide.test.ts',
  'test/public-page/serve.test.ts',
  'test/store/copy.test.ts',
  'test/cli/files/',
  'test/cli/sync/weekly-list.test.ts',
  'test/cli/postgres-address.test.ts',
  'test/cli/postgres-roles.test.ts',
  'test/deploy/',
]
/**
 * `--heavy`, in `npm run test:long`: tests that take too long for CI, such as images, every file of a release, updates,
 * other implementations, power failures, and waits of minutes.
 */
const HEAVY = [
  'test/container/',
  'test/release/release.test.ts',
  'test/conformance/behind-nginx.test.ts',
  'test/conformance/others.test.ts',
  'test/process/updates.test.ts',
  'test/process/stop.test.ts',
  'test/public-page/killed.test.ts',
  'test/scale/nodes.test.ts',
  'test/scale/strain.test.ts',
  'test/power/power.test.ts',
  'test/store/update.test.ts',
  'client/test/runtimes.test.ts',
]
/** The first of all other files, because they wait more than they compute, or take the longest. */
const FIRST = [
  'test/cli/serve.test.ts',
  'client/test/service.test.ts',
  'test/cli/signals.test.ts',
  'test/growth/',
  'test/store/records/records.test.ts',
  'test/cli/transcript.test.ts',
]
/**
 * Part of the titles of the suites on PostgreSQL behind PgBouncer. For each change the same code is tested on
 * PostgreSQL itself; that a pooler may move each transaction to another session is tested by `npm run test:all`.
 */
const POOLED = 'PgBouncer'

const args = process.argv.slice(2)
const OWN = ['--browsers', '--long', '--heavy', '--pooled']
/** The list that an argument names; undefined for the tests of each change. */
const selected = [BROWSERS, LONG, HEAVY].find((_, n) => args.includes(OWN[n] ?? ''))
const isPooled = args.includes('--pooled')
const paths = args.filter((arg) => !arg.startsWith('-'))
const usual = () =>
  ['test', 'client/test']
    .flatMap(testsIn)
    .filter(isWanted)
    .sort((a, b) => placeOf(a) - placeOf(b))
const files = paths.length > 0 ? paths.flatMap(testsIn) : isPooled ? pooled() : usual()
const flags = args.filter((arg) => arg.startsWith('-') && !OWN.includes(arg))
if (isPooled) flags.push(`--test-name-pattern=${POOLED}`)
else if (paths.length === 0) flags.push(`--test-skip-pattern=${POOLED}`)
const missing = paths.filter((path) => testsIn(path).length === 0)
if (missing.length > 0) {
  process.stderr.write(`There are no tests in ${missing.join(', ')}; name files or folders, such as test/http.\n`)
  process.exit(2)
}

// Every file and every command that a test starts share compiled code, which halves the time of a short file.
const NODE_COMPILE_CACHE = `${ROOT}/node_modules/.cache/tests`
mkdirSync(NODE_COMPILE_CACHE, { recursive: true })

/**
 * More than there are cores, because tests wait for processes, disks and servers. Long tests start processes of their
 * own, and two parts run at a time (test-all.ts), so they get one for each core.
 */
const processes = availableParallelism() * (selected === undefined ? 2 : 1)
// The folder of what files share (test/support/servers/postgres.ts); servers of other users read it.
const PETS_TEST_RUN = memoryFolder()
chmodSync(PETS_TEST_RUN, 0o711)
const flagsOfEach = [
  // Without this flag, one file in many thousands never ends (nodejs/node#54918).
  '--no-concurrent-sparkplug',
  // Tests make much that is soon gone: collecting it less often takes a tenth less of the processor.
  '--max-semi-space-size=64',
  `--test-timeout=${TIMEOUT_MS}`,
  ...flags,
]
const run = spawn(
  process.execPath,
  [`${ROOT}/scripts/run-files.ts`, String(processes), JSON.stringify(flagsOfEach), ...files],
  // A process group of its own can be killed as a whole, so that no child process of a file outlives the run.
  {
    cwd: ROOT,
    stdio: ['ignore', 'inherit', 'inherit'],
    detached: true,
    env: { NODE_COMPILE_CACHE, ...process.env, PETS_TEST_RUN },
  },
)
/** Signals the process group; false if no process of it is left. */
const signal = (name: NodeJS.Signals | 0): boolean => {
  try {
    return process.kill(-(run.pid ?? process.pid), name)
  } catch {
    return false
  }
}
// It says where it was and ends; what it has started, which would end as if it had failed, is ended after it.
const interrupt = () => run.kill('SIGTERM')
for (const name of ['SIGINT', 'SIGTERM'] as const) process.on(name, interrupt)
run.on('exit', async (code) => {
  // SIGTERM first, so that PostgreSQL can free its system resources before it ends.
  signal('SIGTERM')
  for (const endMs = performance.now() + END_MS; performance.now() < endMs && signal(0); ) await sleep(20)
  signal('SIGKILL')
  process.exit(code ?? 1)
})

/** The files with suites that run on every engine of a store. */
function pooled(): string[] {
  return testsIn('test/store').filter((file) => readFileSync(`${ROOT}/${file}`, 'utf8').includes('storeEngines'))
}

function isWanted(file: string): boolean {
  const list = [HEAVY, BROWSERS, LONG].find((each) => rankIn(each, file) >= 0)
  return list === selected
}

/** Files that no list ranks come last, as they are. */
function placeOf(file: string): number {
  const list = selected ?? FIRST
  const rank = rankIn(list, file)
  return rank < 0 ? list.length : rank
}

/** The index of the list's entry that a file belongs to; -1 if there is none. */
function rankIn(list: readonly string[], file: string): number {
  return list.findIndex((path) => file.startsWith(path))
}

function testsIn(path: string): string[] {
  const stats = statSync(`${ROOT}/${path}`, { throwIfNoEntry: false })
  if (stats?.isFile()) return [path]
  return globSync(`${path}/**/*.test.ts`, { cwd: ROOT, exclude: ['**/node_modules/**'] }).sort()
}
