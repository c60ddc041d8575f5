/**
 * Runtimes other than this Node, for Linux on x64, which are too large for everybody. Each is a package that contains its
 * program and needs no script to install it: when a test first needs them, once for all files of a run, and not again
 * while the lock file is the same.
 */
import { execFile } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import { onceInRun } from '../support/once-in-run.ts'
import { skipUnless } from '../support/programs.ts'

/** Less than the time after which a silent test file is ended (scripts/test.ts). */
const LIMIT_MS = 300_000
/** How npm says that it could not reach the registry. */
const OUT_OF_REACH =
  /^npm error (?:network|code (?:E503|ENOTFOUND|EAI_AGAIN|ECONN\w+|ETIMEDOUT|ENETUNREACH|EHOSTUNREACH))/m
const FOLDER = import.meta.dirname
const MODULES = `${FOLDER}/node_modules`
/** The runtime of workers, which serves a configuration (`serve FILE`). */
export const WORKERD = `${MODULES}/@cloudflare/workerd-linux-64/bin/workerd`
/** The runtimes that run a file, with the arguments before it. */
export const RUNTIMES: readonly (readonly [name: string, program: string, ...args: string[]])[] = [
  ['Node 20', `${MODULES}/node20/bin/node`],
  ['Bun', `${MODULES}/@oven/bun-linux-x64/bin/bun`],
  ['Deno', `${MODULES}/@deno/linux-x64-glibc/deno`, 'run', '--allow-all', '--quiet'],
]

/** For `describe(…, await runtimesNeeded())`. */
export async function runtimesNeeded(): Promise<{ skip: string | false }> {
  const isHere = process.platform === 'linux' && process.arch === 'x64'
  const missing = isHere
    ? (await onceInRun('runtimes', install, LIMIT_MS)).said
    : 'the other runtimes are only for Linux on x64'
  return skipUnless(missing === '', missing)
}

/** Resolves to why the packages are missing, which is the registry; rejects if npm fails for any other reason. */
async function install(): Promise<string> {
  const lock = await readFile(`${FOLDER}/package-lock.json`, 'utf8')
  /** A copy of the lock file that the installed packages came from. */
  const mark = `${MODULES}/.installed-from.json`
  if ((await readFile(mark, 'utf8').catch(() => undefined)) === lock) return ''
  // By itself npm tries again after ten seconds and after a minute, which is long for somebody without a network.
  const retries = ['--fetch-retries=1', '--fetch-retry-mintimeout=1000']
  try {
    await promisify(execFile)('npm', ['ci', '--ignore-scripts', ...retries], { cwd: FOLDER, timeout: LIMIT_MS })
  } catch (error) {
    const { killed = false, stderr = '' } = error as { killed?: boolean; stderr?: string }
    const reason = killed ? `too slow, over ${LIMIT_MS / 1000} s` : OUT_OF_REACH.exec(stderr) && 'out of reach'
    if (reason === null) throw error
    return `the other runtimes are not installed, for the registry is ${reason}`
  }
  await writeFile(mark, lock)
  return ''
}
