/**
 * Installs the packages of a folder of tests, which are too large for everybody or need another TypeScript, from its lock
 * file: when a test first needs them, once for all files of a run, and not again while the lock file is the same.
 */
import { execFile } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { basename } from 'node:path'
import { promisify } from 'node:util'
import { onceInRun } from './once-in-run.ts'

/** Less than the time after which a silent test file is ended (scripts/test.ts). */
const LIMIT_MS = 300_000
/** How npm says that it could not reach the registry. */
const OUT_OF_REACH =
  /^npm error (?:network|code (?:E503|ENOTFOUND|EAI_AGAIN|ECONN\w+|ETIMEDOUT|ENETUNREACH|EHOSTUNREACH))/m

/**
 * Gives why the packages are not there: the registry is out of reach, or too slow. Undefined when they are. Throws when
 * npm fails for a reason of this folder's own.
 */
export async function installPackages(folder: string): Promise<string | undefined> {
  const { said } = await onceInRun(basename(folder), () => install(folder), LIMIT_MS)
  return said === '' ? undefined : said
}

async function install(folder: string): Promise<string> {
  const lock = await readFile(`${folder}/package-lock.json`, 'utf8')
  /** A copy of the lock file that the installed packages came from. */
  const mark = `${folder}/node_modules/.installed-from.json`
  if ((await readFile(mark, 'utf8').catch(() => undefined)) === lock) return ''
  // By itself npm tries again after ten seconds and after a minute, which is long for somebody without a network.
  const retries = ['--fetch-retries=1', '--fetch-retry-mintimeout=1000']
  try {
    await promisify(execFile)('npm', ['ci', '--ignore-scripts', ...retries], { cwd: folder, timeout: LIMIT_MS })
  } catch (error) {
    const { killed = false, stderr = '' } = error as { killed?: boolean; stderr?: string }
    const reason = killed ? `too slow, over ${LIMIT_MS / 1000} s` : OUT_OF_REACH.exec(stderr) && 'out of reach'
    if (reason === null) throw error
    return `${basename(folder)} is not installed, for the registry is ${reason}`
  }
  await writeFile(mark, lock)
  return ''
}
