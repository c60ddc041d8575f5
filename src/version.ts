/** The version of this software; package.json is the one place that states it. */
import { execFileSync } from 'node:child_process'
import manifest from '../package.json' with { type: 'json' }

export const VERSION: string = manifest.version

/** One line that says what runs: the version, the commit it was made from, and the node beneath it. */
export function about(): string {
  return `${VERSION} (commit ${commit()}, node ${process.version})`
}

/** A release has it in its package.json, a clone asks git. */
function commit(): string {
  const { gitHead } = manifest as { readonly gitHead?: string }
  if (gitHead !== undefined) return gitHead.slice(0, 12)
  const args = ['describe', '--always', '--dirty', '--abbrev=12', '--exclude=*']
  try {
    return execFileSync('git', args, { cwd: import.meta.dirname, stdio: ['ignore', 'pipe', 'ignore'] })
      .toString()
      .trim()
  } catch {
    return 'unknown'
  }
}
