/**
 * Runs the tests with node's own runner: every *.test.ts of the project, or those in the named files and folders (`npm
 * test -- test/http`). Other arguments that begin with `--` are passed to the runner (`npm test --
 * --test-name-pattern=ban`).
 */
import { spawnSync } from 'node:child_process'
import { globSync, statSync } from 'node:fs'

const ROOT = `${import.meta.dirname}/..`
/** The number of files that run at a time. On two cores it is one more: tests wait for browsers and clocks half of their time. */
const CONCURRENCY = 3
/** A test that hangs fails instead of blocking the rest. */
const TIMEOUT_MS = 120_000
/** A file that is silent for this long ignores the timeout, and is killed (stuck-files.ts). */
const STUCK_MS = 180_000

const args = process.argv.slice(2)
const flags = args.filter((arg) => arg.startsWith('-'))
const named = args.filter((arg) => !arg.startsWith('-'))
const files = named.length > 0 ? named.flatMap(testsIn) : ['test', 'client/test'].flatMap(testsIn).filter(isUsual)
if (files.length === 0) {
  process.stderr.write(`There are no tests in ${named.join(', ')}; name files or folders, such as test/http.\n`)
  process.exit(2)
}

const { status } = spawnSync(
  process.execPath,
  [
    '--test',
    `--test-concurrency=${CONCURRENCY}`,
    `--test-timeout=${TIMEOUT_MS}`,
    // A file ends with its tests, whatever they leave open; what they have started ends with the file.
    '--test-force-exit',
    '--test-reporter=spec',
    '--test-reporter-destination=stdout',
    `--test-reporter=${import.meta.dirname}/stuck-files.ts`,
    '--test-reporter-destination=stderr',
    ...flags,
    ...files,
  ],
  { cwd: ROOT, stdio: 'inherit', env: { PETS_TEST_STUCK_MS: String(STUCK_MS), ...process.env } },
)
process.exit(status ?? 1)

/** Making a release or an image takes minutes, so their tests have separate commands: `npm run test:release`, `test:container`. */
function isUsual(file: string): boolean {
  return !file.startsWith('test/release/') && !file.startsWith('test/container/')
}

function testsIn(path: string): string[] {
  const found = statSync(`${ROOT}/${path}`, { throwIfNoEntry: false })
  if (found?.isFile()) return [path]
  return globSync(`${path}/**/*.test.ts`, { cwd: ROOT, exclude: ['**/node_modules/**'] }).sort()
}
