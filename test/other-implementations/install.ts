/**
 * Installs the packages of this folder from its lock file, unless those of this very lock file are there. They are half
 * a gigabyte, so they are installed by the one test file that needs them, and by the bench. Takes a minute or two;
 * needs the registry.
 */
import { execFile } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { promisify } from 'node:util'

export const FOLDER = import.meta.dirname
export const BUN = `${FOLDER}/node_modules/@oven/bun-linux-x64/bin/bun`
const LOCK = `${FOLDER}/package-lock.json`
/** A copy of the lock file that the installed packages came from. */
const INSTALLED = `${FOLDER}/node_modules/.installed-from.json`
/** Less than the time after which a silent test file is ended (scripts/test.ts). */
const LIMIT_MS = 160_000
/** How npm says that it could not reach the registry. */
const OUT_OF_REACH =
  /^npm error (?:network|code (?:E503|ENOTFOUND|EAI_AGAIN|ECONN\w+|ETIMEDOUT|ENETUNREACH|EHOSTUNREACH))/m

/**
 * Gives why the packages are not there: the registry is out of reach, or too slow. Undefined when they are. Throws when
 * npm fails for a reason of this folder's own. Not for two processes at a time.
 */
export async function installOthers(): Promise<string | undefined> {
  const lock = await readFile(LOCK, 'utf8')
  const installed = await readFile(INSTALLED, 'utf8').catch(() => undefined)
  if (installed === lock) return undefined
  // By itself npm tries again after ten seconds and after a minute, which is long for somebody without a network.
  const retries = ['--fetch-retries=1', '--fetch-retry-mintimeout=1000']
  try {
    await promisify(execFile)('npm', ['ci', '--ignore-scripts', ...retries], { cwd: FOLDER, timeout: LIMIT_MS })
  } catch (error) {
    const { killed = false, stderr = '' } = error as { killed?: boolean; stderr?: string }
    const reason = killed ? `too slow, over ${LIMIT_MS / 1000} s` : OUT_OF_REACH.exec(stderr) && 'out of reach'
    if (reason === null) throw error
    return `test/other-implementations is not installed, for the registry is ${reason}`
  }
  await writeFile(INSTALLED, lock)
  return undefined
}
