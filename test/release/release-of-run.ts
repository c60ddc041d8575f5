/** The release that the tests of a run share: those of its files, and those of the image, which is built from it. */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { promisify } from 'node:util'
import { type Commit, headCommit, ROOT } from '../../scripts/release/tree.ts'
import { makeRelease } from '../../scripts/release.ts'
import { onceInRun } from '../support/once-in-run.ts'
import { reachable } from '../support/reachable.ts'
import type { User } from './user.ts'

const run = promisify(execFile)
export const { version }: { version: string } = JSON.parse(readFileSync(`${ROOT}/package.json`, 'utf8'))
/** While CHANGELOG.md has unreleased changes the version ends in `-dev`, and a build is named by its commit too. */
export const isInTheMaking = version.endsWith('-dev')
export const EXECUTABLE = `pets-${version}-${process.platform}-${process.arch}`
const SERVICE_NAME = 'pet-adoption-service'
export const SERVICE = `${SERVICE_NAME}-${version}.tgz`
export const KIT = `pet-adoption-conformance-${version}.tgz`
export const CLIENT = `pet-adoption-client-${version}.tgz`
export const debianFor = (architecture: string) =>
  `${SERVICE_NAME}_${version}_${architecture.replace('x64', 'amd64')}.deb`
/** The package of node that the tests run on, where another user can read it. */
export const NODE = reachable(dirname(dirname(process.execPath)))

/** How long a release may take to be made. */
export const BUILD_MS = 1_200_000

interface Release {
  /** The folder; nobody writes into it. */
  readonly release: string
  /** Why it has nothing for the other processor; undefined when it has. */
  readonly missing: string | undefined
  readonly commit: Commit
}

export async function releaseOfRun(): Promise<Release> {
  const commit = await headCommit()
  // What makes a release empties its folder.
  const make = async (folder: string) => (await makeRelease(`${folder}/dist`, commit)) ?? ''
  const { folder, said } = await onceInRun('release', make, BUILD_MS)
  return { release: `${folder}/dist`, missing: said === '' ? undefined : said, commit }
}

/** What `--version` says of a build of this commit. */
export function about(commit: Commit): string {
  const id = commit.id.slice(0, 12)
  return `${isInTheMaking ? `${version}+${id}` : version} (commit ${id}, node ${process.version})\n`
}

/** Copies a file of the release to where a user has downloaded it. */
export async function download(release: string, name: string, user: User, as: string): Promise<string> {
  return user.put(as, await readFile(`${release}/${name}`), 0o755)
}

/** Installs a package of the release by the first line that its README shows; gives the second, which uses it. */
export async function install(release: string, name: string, user: User): Promise<string> {
  await download(release, name, user, name)
  user.put('package.json', '{ "private": true, "type": "module" }')
  const readme = await run('tar', ['--extract', '--to-stdout', '--file', `${release}/${name}`, 'package/README.md'])
  const [install = '', use = ''] = /```sh\n([\s\S]*?)```/.exec(readme.stdout)?.[1]?.split('\n') ?? []
  assert.match(install, /^npm install \.\//)
  const { code, stderr } = await user.run(['sh', '-c', install])
  assert.equal(code, 0, stderr)
  return use
}
