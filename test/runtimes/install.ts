/**
 * Runtimes other than this Node, for Linux on x64. Each is a package that contains its program and needs no script to
 * install it.
 */
import { installPackages } from '../support/install-packages.ts'
import { skipUnless } from '../support/programs.ts'

const MODULES = `${import.meta.dirname}/node_modules`
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
  const missing = isHere ? await installPackages(import.meta.dirname) : 'the other runtimes are only for Linux on x64'
  return skipUnless(missing === undefined, missing ?? '')
}
