/**
 * Runs the tests with node's own runner (run-files.ts): those that each change needs, those that take longer
 * (`--browsers`, `--long`, `--heavy`), those of the stores behind a pooler (`--pooled`), or all in the named files and
 * folders (`npm test -- test/http`). Other arguments that begin with `--` are flags of node for each file (`npm test
 * -- --test-name-pattern=ban`).
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
/** A file that blocks its own thread ignores that timeout: then the run ends here, and says which file was running. */
const RUN_MS = 2_400_000
const END_MS = 2_000
/**
 * What takes long, and is not needed to check each change, is for `npm run test:all`, which runs it in this order: the
 * longest first, so that none is left alone at the end. In browsers (`--browsers`):
 */
const BROWSERS = [
  'test/screens/screens.test.ts',
  'test/office/browser/keys.test.ts',
  'test/office/browser/firefox.test.ts',
  'test/office/browser/',
  'test/pages/reference.test.ts',
  'test/public-page/browser.test.ts',
  'client/test/browser.test.ts',
]
/**
 * And (`--long`) the process under attack, disks, nodes, the release, the conformance kit against the service.
 */
const LONG = [
  'test/conformance/service.test.ts',
  'test/conformance/wrong.test.ts',
  'test/release/',
  'test/scale/',
  'test/process/',
  'test/public-page/guide.test.ts',
  'test/public-page/serve.test.ts',
  'test/store/copy.test.ts',
  'test/cli/files/',
  'test/cli/sync/weekly-list.test.ts',
  'test/cli/postgres-roles.test.ts',
  'test/contract/openapi.test.ts',
  'test/deploy/',
  'test/office/revocation.test.ts',
  'test/office/sign-in.test.ts',
  'test/operator/signed-in.test.ts',
  'test/operator/strangers.test.ts',
  'client/test/package.test.ts',
  'client/test/resolution.test.ts',
]
/**
 * What no run of CI has time for (`--heavy`, `npm run test:long`): images, every file of a release, updates, other
 * implementations, power failures, what waits for minutes.
 */
const HEAVY = [
  'test/container/',
  'test/release/release.test.ts',
  'test/conformance/behind-nginx.test.ts',
  'test/conformance/others.test.ts',
  'test/conformance/right.test.ts',
  'test/process/updates.test.ts',
  'test/process/stop.test.ts',
  'test/process/killed-syncs.test.ts',
  'test/public-page/killed.test.ts',
  'test/scale/nodes.test.ts',
  'test/scale/strain.test.ts',
  'test/store/postgres/strain.test.ts',
  'test/power/power.test.ts',
  'test/store/update.test.ts',
]
/** Of the others these begin first, because they wait more than they compute. */
const WAITING = ['test/cli/serve.test.ts', 'client/test/service.test.ts', 'test/cli/signals.test.ts']
/**
 * In the titles of the suites on PostgreSQL behind PgBouncer. The same code runs on PostgreSQL itself, and a change is
 * checked there; that a pooler moves each transaction to another session is for `npm run test:all`.
 */
const POOLED = 'PgBouncer'

const args = process.argv.slice(2)
const OWN = ['--browsers', '--long', '--heavy', '--pooled']
/** The list that was asked for; without one, what each change needs. */
const asked = [BROWSERS, LONG, HEAVY].find((_, n) => args.includes(OWN[n] ?? ''))
const isPooled = args.includes('--pooled')
const named = args.filter((arg) => !arg.startsWith('-'))
const usual = () =>
  ['test', 'client/test']
    .flatMap(testsIn)
    .filter(isWanted)
    .sort((a, b) => rankIn(asked ?? [], a) - rankIn(asked ?? [], b) || Number(isWaiting(b)) - Number(isWaiting(a)))
const files = named.length > 0 ? named.flatMap(testsIn) : isPooled ? pooled() : usual()
const flags = args.filter((arg) => arg.startsWith('-') && !OWN.includes(arg))
if (isPooled) flags.push(`--test-name-pattern=${POOLED}`)
else if (named.length === 0) flags.push(`--test-skip-pattern=${POOLED}`)
if (files.length === 0) {
  process.stderr.write(`There are no tests in ${named.join(', ')}; name files or folders, such as test/http.\n`)
  process.exit(2)
}

// What is compiled once serves every file and every command that a test starts: half of the time of a short file.
const NODE_COMPILE_CACHE = `${ROOT}/node_modules/.cache/tests`
mkdirSync(NODE_COMPILE_CACHE, { recursive: true })

/**
 * More than there are cores, because tests wait for processes, disks and servers. Those that take long start processes
 * of their own, and run beside others (test-all.ts).
 */
const processes = availableParallelism() * (asked === undefined ? 2 : 1)
// What the files share lives here (test/support/servers/shared-postgres.ts); servers without rights look inside.
const PETS_TEST_RUN = memoryFolder()
chmodSync(PETS_TEST_RUN, 0o711)
const flagsOfEach = [
  // Without it some file never ends, once in many thousands (nodejs/node#54918).
  '--no-concurrent-sparkplug',
  `--test-timeout=${TIMEOUT_MS}`,
  ...flags,
]
const run = spawn(
  process.execPath,
  [`${ROOT}/scripts/run-files.ts`, String(processes), String(TIMEOUT_MS), JSON.stringify(flagsOfEach), ...files],
  // In a process group of its own, so that nothing that a file has started outlives the run, however the file ends.
  {
    cwd: ROOT,
    stdio: ['ignore', 'inherit', 'inherit'],
    detached: true,
    env: { NODE_COMPILE_CACHE, ...process.env, PETS_TEST_RUN },
  },
)
/** Whether there was anybody left to get it. */
const signal = (name: NodeJS.Signals | 0): boolean => {
  try {
    return process.kill(-(run.pid ?? process.pid), name)
  } catch {
    return false
  }
}
for (const name of ['SIGINT', 'SIGTERM'] as const) process.on(name, () => signal('SIGTERM'))
setTimeout(() => signal('SIGTERM'), RUN_MS)
run.on('exit', async (code) => {
  // What is left can end by itself for a moment, as PostgreSQL does, which takes back what it has of the system.
  signal('SIGTERM')
  for (const endMs = performance.now() + END_MS; performance.now() < endMs && signal(0); ) await sleep(20)
  signal('SIGKILL')
  process.exit(code ?? 1)
})

/** The suites that run on every engine of a store. */
function pooled(): string[] {
  return testsIn('test/store').filter((file) => readFileSync(`${ROOT}/${file}`, 'utf8').includes('storeEngines'))
}

function isWanted(file: string): boolean {
  const list = [HEAVY, BROWSERS, LONG].find((each) => rankIn(each, file) >= 0)
  return list === asked
}

function isWaiting(file: string): boolean {
  return WAITING.some((path) => file.startsWith(path))
}

/** The place of a file in a list; -1 if it is none of them. */
function rankIn(list: readonly string[], file: string): number {
  return list.findIndex((path) => file.startsWith(path))
}

function testsIn(path: string): string[] {
  const found = statSync(`${ROOT}/${path}`, { throwIfNoEntry: false })
  if (found?.isFile()) return [path]
  return globSync(`${path}/**/*.test.ts`, { cwd: ROOT, exclude: ['**/node_modules/**'] }).sort()
}
