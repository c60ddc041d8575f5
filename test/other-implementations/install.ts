/**
 * Installs the packages of this folder from its lock file, unless those of this very lock file are there. They are large,
 * so they are installed by the tests that need them. Takes up to a minute; needs the registry.
 */
import { execFile } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { promisify } from 'node:util'

export const FOLDER = import.meta.dirname
const LOCK = `${FOLDER}/package-lock.json`
/** A copy of the lock file that the installed packages came from. */
const INSTALLED = `${FOLDER}/node_modules/.installed-from.json`

export async function installOthers(): Promise<void> {
  const lock = await readFile(LOCK, 'utf8')
  const installed = await readFile(INSTALLED, 'utf8').catch(() => undefined)
  if (installed === lock) return
  await promisify(execFile)('npm', ['ci', '--ignore-scripts'], { cwd: FOLDER })
  await writeFile(INSTALLED, lock)
}
