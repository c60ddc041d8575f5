/** Earlier versions of this software as they were, out of the repository's history, to be run beside today's. */
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, symlinkSync } from 'node:fs'
import { resolve } from 'node:path'
import { temporaryFolder } from './folder.ts'
import { skipUnless } from './programs.ts'

const ROOT = resolve(import.meta.dirname, '../..')

/** For `describe(…, historyNeeded(…), …)`: a shallow clone, or a tree without git, does not have the commits. */
export function historyNeeded(...commits: readonly string[]) {
  return skipUnless(commits.every(isThere), 'the history is not all there; git fetch --unshallow')
}

function isThere(commit: string): boolean {
  try {
    execFileSync('git', ['cat-file', '-e', `${commit}^{commit}`], { cwd: ROOT, stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

/**
 * A folder with the tree of a commit. It has the packages of this installation, which may be later ones of the same names;
 * throws where one of them is missing.
 */
export function treeOf(commit: string): string {
  const folder = temporaryFolder()
  const tar = `${folder}/tree.tar`
  execFileSync('git', ['archive', '--output', tar, commit], { cwd: ROOT })
  execFileSync('tar', ['--extract', '--file', tar, '--directory', folder])
  const { dependencies } = JSON.parse(readFileSync(`${folder}/package.json`, 'utf8')) as { dependencies: object }
  const missing = Object.keys(dependencies).filter((name) => !existsSync(`${ROOT}/node_modules/${name}`))
  if (missing.length > 0) throw new Error(`${commit} needs ${missing.join(', ')}, which are not installed today`)
  symlinkSync(`${ROOT}/node_modules`, `${folder}/node_modules`)
  return folder
}
