/** The release that the tests of a run share: those of its files, and those of the image, which is built from it. */
import type { Commit } from '../../scripts/release/tree.ts'
import { makeRelease } from '../../scripts/release.ts'
import { onceInRun } from '../support/once-in-run.ts'

const BUILD_MS = 600_000

interface Release {
  /** The folder; nobody writes into it. */
  readonly release: string
  /** Why it has nothing for the other processor; undefined when it has. */
  readonly missing: string | undefined
}

export async function releaseOfRun(commit: Commit): Promise<Release> {
  // What makes a release empties its folder.
  const make = async (folder: string) => (await makeRelease(`${folder}/dist`, commit)) ?? ''
  const { folder, said } = await onceInRun('release', make, BUILD_MS)
  return { release: `${folder}/dist`, missing: said === '' ? undefined : said }
}
