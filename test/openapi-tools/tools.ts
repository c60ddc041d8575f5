/**
 * Runs the programs of this folder. Linters and generators of OpenAPI still need TypeScript 5, and the project has 7,
 * so they are in a separate package, installed from its lock file when a test first needs them.
 */
import { execFile } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import { onceInRun } from '../support/once-in-run.ts'

const run = promisify(execFile)

export const TOOLS = import.meta.dirname
const LOCK = `${TOOLS}/package-lock.json`
/** A copy of the lock file that the installed packages came from. */
const INSTALLED = `${TOOLS}/node_modules/.installed-from.json`
const INSTALL_MS = 300_000

/** No usage reports and no update checks: a test makes no outside connections. */
const QUIET = { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' }

/**
 * Installs the packages unless those of this very lock file are there, for all files of a run at once. Takes seconds;
 * needs the registry.
 */
export async function installTools(): Promise<void> {
  await onceInRun('openapi-tools', install, INSTALL_MS)
}

async function install(): Promise<string> {
  const lock = await readFile(LOCK, 'utf8')
  const installed = await readFile(INSTALLED, 'utf8').catch(() => undefined)
  if (installed === lock) return ''
  await run('npm', ['ci', '--ignore-scripts'], { cwd: TOOLS })
  await writeFile(INSTALLED, lock)
  return ''
}

/**
 * Runs one of the programs and gives its standard output. One that fails throws, with all that it printed in the
 * message.
 */
export async function tool(name: string, ...args: string[]): Promise<string> {
  try {
    return (await run(`${TOOLS}/node_modules/.bin/${name}`, args, { cwd: TOOLS, env: QUIET })).stdout
  } catch (error) {
    const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string }
    throw new Error(`${name} failed:\n${stdout}${stderr}`, { cause: error })
  }
}
