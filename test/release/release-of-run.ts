/** The release that the tests of a run and the image share, for this machine's processor. */
import { readFileSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Processor } from '../../scripts/release/debian.ts'
import { type Commit, headCommit, ROOT } from '../../scripts/release/tree.ts'
import { makeRelease } from '../../scripts/release.ts'
import { onceInRun } from '../support/once-in-run.ts'
import { findProgram, skipUnless } from '../support/programs.ts'
import { reachable } from '../support/reachable.ts'

export const { version }: { version: string } = JSON.parse(readFileSync(`${ROOT}/package.json`, 'utf8'))
/** While CHANGELOG.md has unreleased changes, the version ends in `-dev` and a build also names its commit. */
export const isInTheMaking = version.endsWith('-dev')
export const KIT = `pet-adoption-conformance-${version}.tgz`
export const CLIENT = `pet-adoption-client-${version}.tgz`
export const debianFor = (architecture: string) =>
  `pet-adoption-service_${version}_${architecture.replace('x64', 'amd64')}.deb`
/** The package of node that the tests run on, where another user can read it. */
export const NODE = reachable(dirname(dirname(process.execPath)))

/** Time limit for building a release. */
export const BUILD_MS = 1_200_000

/** For `describe(…, dpkgNeeded, …)`. */
export const dpkgNeeded = skipUnless(findProgram('dpkg-deb') !== undefined, 'dpkg-deb makes and unpacks the package')

interface Release {
  /** The folder, which no test changes. */
  readonly release: string
  readonly commit: Commit
}

export async function releaseOfRun(): Promise<Release> {
  const commit = await headCommit()
  // `makeRelease` empties its folder.
  const make = async (folder: string) => {
    await makeRelease(`${folder}/dist`, commit, [process.arch as Processor])
    return ''
  }
  const { folder } = await onceInRun('release', make, BUILD_MS)
  return { release: `${folder}/dist`, commit }
}

/** The output of `--version` for a build of this commit. */
export function about(commit: Commit): string {
  const id = commit.id.slice(0, 12)
  return `${isInTheMaking ? `${version}+${id}` : version} (commit ${id}, node ${process.version})\n`
}
