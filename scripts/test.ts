/**
 * Runs the tests with node's own runner: every *.test.ts of the project, or those in the files and folders that are
 * named (`npm test -- test/http`). What else begins with `--` goes on to the runner (`npm test -- --test-name-pattern=ban`).
 */
import { spawnSync } from 'node:child_process'
import { globSync, statSync } from 'node:fs'

const ROOT = `${import.meta.dirname}/..`
/** Files that run at a time. Several start services of their own, so more would only make them wait for one another. */
const CONCURRENCY = 2
/** A test that hangs fails, rather than holding up the rest. */
const TIMEOUT_MS = 120_000

const args = process.argv.slice(2)
const flags = args.filter((arg) => arg.startsWith('-'))
const named = args.filter((arg) => !arg.startsWith('-'))
const files = (named.length > 0 ? named : ['test', 'client/test']).flatMap(testsIn)
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
    '--test-reporter=spec',
    ...flags,
    ...files,
  ],
  { cwd: ROOT, stdio: 'inherit' },
)
process.exit(status ?? 1)

function testsIn(path: string): string[] {
  const found = statSync(`${ROOT}/${path}`, { throwIfNoEntry: false })
  if (found?.isFile()) return [path]
  return globSync(`${path}/**/*.test.ts`, { cwd: ROOT, exclude: ['**/node_modules/**'] }).sort()
}
