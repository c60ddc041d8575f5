/** The version, from package.json only. It ends in `-dev` while CHANGELOG.md has unreleased changes. */
import { execFileSync } from 'node:child_process'
import manifest from '../../package.json' with { type: 'json' }

export const VERSION: string = manifest.version.endsWith('-dev') ? `${manifest.version}+${commit()}` : manifest.version

export function about(): string {
  return `${VERSION} (commit ${commit()}, node ${process.version})`
}

/** A release has the commit in its package.json; in a clone git is asked. */
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
