/**
 * The packages of this folder, half a gigabyte: implementations by others, and runtimes beside this Node, which are
 * those of Linux on x64. Each runtime is a package that holds its program and needs no script to install it.
 */
import { installPackages } from '../support/install-packages.ts'
import { skipUnless } from '../support/programs.ts'

export const FOLDER = import.meta.dirname
export const BUN = `${FOLDER}/node_modules/@oven/bun-linux-x64/bin/bun`
/** The runtimes that run a file, with the arguments before it. */
export const RUNTIMES: readonly (readonly [name: string, program: string, ...args: string[]])[] = [
  ['Node 20', `${FOLDER}/node_modules/node20/bin/node`],
  ['Bun', BUN],
  ['Deno', `${FOLDER}/node_modules/@deno/linux-x64-glibc/deno`, 'run', '--allow-all', '--quiet'],
]

/** As `installPackages`. */
export const installOthers = () => installPackages(FOLDER)

/** For `describe(…, { ...(await runtimesNeeded()) })`. */
export async function runtimesNeeded(): Promise<{ skip: string | false }> {
  const isHere = process.platform === 'linux' && process.arch === 'x64'
  const missing = isHere ? await installOthers() : 'the other runtimes are installed on Linux with x64 alone'
  return skipUnless(missing === undefined, missing ?? '')
}
