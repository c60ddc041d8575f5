/**
 * Runs tests with `node --test`: those for each change, those that take longer (`--all`, `--long`), or those in the named
 * files and folders. Other flags are passed to Node (`npm test -- --test-name-pattern=ban`).
 */
import { spawn } from 'node:child_process'
import { chmodSync, globSync, mkdirSync, readFileSync, statSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { memoryFolder } from '../test/support/folder.ts'

const ROOT = resolve(import.meta.dirname, '..')
/** A test that hangs fails instead of blocking the rest. */
const TIMEOUT_MS = 600_000
/** A run is then interrupted, which names the files that do not end because they have left something open. */
const RUN_MS = 3_600_000
const END_MS = 2_000
/** `npm run test:all`, which CI runs too. The longest files come first, so that none runs alone at the end. */
const ALL = [
  'test/screens/screens.test.ts',
  'test/release/',
  'test/office/browser/keys.test.ts',
  'test/office/browser/',
  'test/process/',
  'test/service/reference.test.ts',
  'test/public-page/browser.test.ts',
  'test/public-page/guide.test.ts',
  'test/public-page/serve.test.ts',
  'client/test/browser.test.ts',
  'client/test/package.test.ts',
  'test/operator/strangers.test.ts',
  'test/store/copy.test.ts',
  'test/cli/files/',
  'test/cli/postgres-address.test.ts',
  'test/cli/postgres-roles.test.ts',
  'test/deploy/',
]
/** `--long`, in `npm run test:long`. */
const LONG = [
  'test/container/',
  'test/release/packages.test.ts',
  'test/conformance/behind-nginx.test.ts',
  'test/conformance/runtimes.test.ts',
  'test/operator/signed-in.test.ts',
  'test/office/browser/firefox.test.ts',
  'test/office/browser/guide.test.ts',
  'test/office/revocation.test.ts',
  'test/office/sign-in.test.ts',
  'test/process/disk.test.ts',
  'test/process/failing-disk.test.ts',
  'test/process/full-disk.test.ts',
  'test/process/hostile-clients.test.ts',
  'test/process/idle.test.ts',
  'test/process/stop.test.ts',
  'test/process/updates.test.ts',
  'test/public-page/killed.test.ts',
  'test/cli/files/replaced-files.test.ts',
  'test/cli/sync/weekly-list.test.ts',
  'test/runner/setup.test.ts',
  'test/scale/',
  'test/store/update.test.ts',
  'client/test/resolution.test.ts',
  'client/test/runtimes.test.ts',
]
/** Suites that `npm run test:all` repeats behind a pooler, which can move each transaction to another session. */
const POOLED = [
  'test/store/store.test.ts',
  'test/store/records/',
  'test/store/categories/',
  'test/store/imports.test.ts',
  'test/store/key-pages.test.ts',
  'test/store/people.test.ts',
  'test/store/terms.test.ts',
]
/** The first of all other files, because they take the longest. */
const FIRST = [
  'test/cli/serve.test.ts',
  'client/test/service.test.ts',
  'test/cli/signals.test.ts',
  'test/store/records/records.test.ts',
  'test/cli/transcript.test.ts',
]

const args = process.argv.slice(2)
const isAll = args.includes('--all')
const list = isAll ? ALL : args.includes('--long') ? LONG : FIRST
const paths = args.filter((arg) => !arg.startsWith('-'))
const flags = args.filter((arg) => arg.startsWith('-') && arg !== '--all' && arg !== '--long')
const missing = paths.filter((path) => testsIn(path).length === 0)
if (missing.length > 0) {
  process.stderr.write(`There are no tests in ${missing.join(', ')}; name files or folders, such as test/http.\n`)
  process.exit(2)
}

// Shared compiled code halves the time of a short file.
const NODE_COMPILE_CACHE = `${ROOT}/node_modules/.cache/tests`
mkdirSync(NODE_COMPILE_CACHE, { recursive: true })

const everyFile = ['test', 'client/test'].flatMap(testsIn)
if (paths.length > 0) await run(paths.flatMap(testsIn))
else await run(everyFile.filter(isChosen).sort((a, b) => rankIn(list, a) - rankIn(list, b)))
if (isAll) await run(POOLED.flatMap(testsIn), { PETS_TEST_POOLED: '1' })

/** Resolves when all files have passed; ends this process, and all that the files have started, if not. */
async function run(files: readonly string[], more: Readonly<Record<string, string>> = {}): Promise<void> {
  // Files of one run share this folder (test/support/once-in-run.ts), which servers of other users read.
  const PETS_TEST_RUN = memoryFolder()
  chmodSync(PETS_TEST_RUN, 0o711)
  // More than there are cores, because tests wait for processes, disks and servers.
  const concurrency = `--test-concurrency=${2 * availableParallelism()}`
  const usual = ['--test', concurrency, `--test-timeout=${TIMEOUT_MS}`]
  const child = spawn(process.execPath, [...usual, ...flags, ...files], {
    cwd: ROOT,
    stdio: ['ignore', 'inherit', 'inherit'],
    // The process group is ended as a whole, so that no child process outlives the run.
    detached: true,
    env: { NODE_COMPILE_CACHE, ...process.env, ...more, PETS_TEST_RUN },
  })
  /** False if no process of the group is left. */
  const signal = (name: NodeJS.Signals | 0): boolean => {
    try {
      return process.kill(-(child.pid ?? process.pid), name)
    } catch {
      return false
    }
  }
  const interrupt = () => child.kill('SIGTERM')
  for (const name of ['SIGINT', 'SIGTERM'] as const) process.on(name, interrupt)
  setTimeout(interrupt, RUN_MS).unref()
  const code = await new Promise<number | null>((ended) => child.on('exit', ended))
  // SIGTERM first, so that PostgreSQL can free its system resources.
  signal('SIGTERM')
  for (const endMs = performance.now() + END_MS; performance.now() < endMs && signal(0); ) await sleep(20)
  signal('SIGKILL')
  if (code !== 0) process.exit(code ?? 1)
}

function isChosen(file: string): boolean {
  if (rankIn(LONG, file) < LONG.length) return list === LONG
  if (rankIn(ALL, file) < ALL.length) return isAll
  // `.ci/run` has another user run the tests of each change, where these are skipped.
  const isSkippedThere = isAll && readFileSync(`${ROOT}/${file}`, 'utf8').includes('otherUserNeeded')
  return isSkippedThere || list === FIRST
}

/** The index of the entry that a file belongs to; files without one come last. */
function rankIn(list: readonly string[], file: string): number {
  const rank = list.findIndex((path) => file.startsWith(path))
  return rank < 0 ? list.length : rank
}

function testsIn(path: string): string[] {
  const stats = statSync(`${ROOT}/${path}`, { throwIfNoEntry: false })
  if (stats?.isFile()) return [path]
  return globSync(`${path}/**/*.test.ts`, { cwd: ROOT, exclude: ['**/node_modules/**'] }).sort()
}
