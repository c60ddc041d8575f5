/**
 * Runs the programs of this folder. Linters and generators of OpenAPI still need TypeScript 5, and the project has 7,
 * so they are in a separate package, installed from its lock file when a test first needs them.
 */
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { installPackages } from '../support/install-packages.ts'

const run = promisify(execFile)

export const TOOLS = import.meta.dirname

/** No usage reports and no update checks: a test makes no outside connections. */
const QUIET = { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' }

/** Needs the registry, unless the packages are there. */
export async function installTools(): Promise<void> {
  const missing = await installPackages(TOOLS)
  if (missing !== undefined) throw new Error(missing)
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
