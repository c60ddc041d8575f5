/** Earlier versions of this software as they were, out of the repository's history, to be run beside today's. */
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from 'node:fs'
import { resolve } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { APPLICATION_ID, addFunctions, MIGRATIONS } from '../../src/store/sqlite/file/migrations.ts'
import { temporaryFolder } from './folder.ts'
import { installPackages } from './install-packages.ts'
import { skipUnless } from './programs.ts'

const ROOT = resolve(import.meta.dirname, '../..')
const PACKAGES = `${ROOT}/test/earlier-versions`

/** The last commit with the number 1.0.0 before a change that CHANGELOG.md tells of under 1.1.0. */
export const COMMIT_OF_1_0_0 = '8f7aab8b791e4e4b076e40332093f4782052e538'

/** The last one before package.json says 1.1.0. */
const LAST_COMMIT_OF_1_0_0 = 'a9d32e4d44bb69776f4eef2c7201c594ca82d0a8'

/** The commit that has the number 1.1.0 and its notes. */
const COMMIT_OF_1_1_0 = '9ef030600e722805d2204ca6f833a12d34d93eae'

/** For `describe(…, historyNeeded, …)`: a shallow clone, or a tree without git, does not have the commits. */
export const historyNeeded = skipUnless(
  [COMMIT_OF_1_0_0, LAST_COMMIT_OF_1_0_0, COMMIT_OF_1_1_0].every(isThere),
  'the history is not all there; git fetch --unshallow',
)

function isThere(commit: string): boolean {
  try {
    execFileSync('git', ['cat-file', '-e', `${commit}^{commit}`], { cwd: ROOT, stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

/**
 * A folder with the tree of a commit, whose package.json says that version. It has the packages of this installation,
 * which may be later ones of the same names, and those that only it has (test/earlier-versions/). Rejects where one of
 * them is missing.
 */
export async function treeOf(commit: string, expected = '1.0.0'): Promise<string> {
  const outOfReach = await installPackages(PACKAGES)
  if (outOfReach !== undefined) throw new Error(outOfReach)
  const folder = temporaryFolder()
  const tar = `${folder}/tree.tar`
  execFileSync('git', ['archive', '--output', tar, commit], { cwd: ROOT })
  execFileSync('tar', ['--extract', '--file', tar, '--directory', folder])
  const manifest = JSON.parse(readFileSync(`${folder}/package.json`, 'utf8'))
  const { version, dependencies }: { version: string; dependencies: object } = manifest
  if (version !== expected) throw new Error(`${commit} is ${version}`)
  const places = [`${ROOT}/node_modules`, `${PACKAGES}/node_modules`]
  const missing = Object.keys(dependencies).filter((name) => !places.some((place) => existsSync(`${place}/${name}`)))
  if (missing.length > 0) throw new Error(`${commit} needs ${missing.join(', ')}, which are not installed today`)
  mkdirSync(`${folder}/node_modules`)
  for (const place of places) {
    for (const name of readdirSync(place)) {
      const link = `${folder}/node_modules/${name}`
      if (!existsSync(link)) symlinkSync(`${place}/${name}`, link)
    }
  }
  return folder
}

/** The schema that 1.1.0 left. */
export const EARLIER_VERSION = 5

/** An empty database of an earlier schema, open. */
export function openEarlier(path: string, version: number): DatabaseSync {
  const file = new DatabaseSync(path)
  file.exec(`PRAGMA journal_mode = WAL; PRAGMA application_id = ${APPLICATION_ID}`)
  addFunctions(file)
  for (const { to, sql } of MIGRATIONS) if (to <= version) file.exec(sql)
  file.exec(`PRAGMA user_version = ${version}`)
  return file
}

/** A SQLite file as an earlier version left it, with one animal. */
export function makeEarlierFile(path: string): void {
  const file = openEarlier(path, EARLIER_VERSION)
  file.exec("INSERT INTO pets (name, category_id, status) VALUES ('Luna', 1, 'sold')")
  file.exec("UPDATE pet_counts SET n = 1 WHERE status = 'sold'")
  file.close()
}

export function schemaOf(path: string): unknown {
  const file = new DatabaseSync(path, { readOnly: true, timeout: 5_000 })
  try {
    return file.prepare('PRAGMA user_version').get()?.user_version
  } finally {
    file.close()
  }
}
