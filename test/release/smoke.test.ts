/** What a change can break in a release: it is made once, and the executable, the package and the .deb are used. */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readFileSync, statSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { before, describe, it } from 'node:test'
import { promisify } from 'node:util'
import type { Commit } from '../../scripts/release/tree.ts'
import { alter, namesIn, temporaryFolder } from '../support/folder.ts'
import { findProgram, skipUnless } from '../support/programs.ts'
import { until } from '../support/until.ts'
import { createWith, liveWith } from './journey.ts'
import {
  about,
  BUILD_MS,
  CLIENT,
  debianFor,
  download,
  EXECUTABLE,
  install,
  KIT,
  NODE,
  releaseOfRun,
  SERVICE,
  version,
} from './release-of-run.ts'
import { newUser } from './user.ts'

const run = promisify(execFile)
const OTHER_PROCESSOR = process.arch === 'arm64' ? 'x64' : 'arm64'
const dpkgNeeded = skipUnless(
  findProgram('dpkg-deb') !== undefined && process.platform === 'linux',
  'dpkg-deb unpacks it',
)
/** A table of a MB, each of whose rows is checked for some ms. */
const TAKES_LONG_TO_CHECK = `
  PRAGMA ignore_check_constraints = ON;
  CREATE TABLE slow (n INTEGER CHECK (length(hex(zeroblob(n))) > 0));
  WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 100000)
  INSERT INTO slow SELECT 10000000 FROM numbers`

describe('a release, made once', () => {
  let release: string
  let commit: Commit
  /** Why the release has nothing for the other processor; undefined when it has. */
  let missing: string | undefined

  before(
    async () => {
      ;({ release, missing, commit } = await releaseOfRun())
    },
    { timeout: BUILD_MS },
  )

  it('holds its files, each with its checksum, and nothing else', async () => {
    const names = [
      'SHA256SUMS',
      CLIENT,
      KIT,
      SERVICE,
      `pets-${version}-licenses.txt`,
      EXECUTABLE,
      `pets-${version}-sbom.cdx.json`,
      `release-notes-${version}.md`,
      'pets.service',
      'pets.socket',
      'update',
      ...(process.platform === 'linux' ? [debianFor(process.arch)] : []),
      ...(missing === undefined ? [`pets-${version}-linux-${OTHER_PROCESSOR}`, debianFor(OTHER_PROCESSOR)] : []),
    ]
    assert.deepEqual((await readdir(release)).toSorted(), names.toSorted())
    const { stdout } = await run('sha256sum', ['--check', 'SHA256SUMS'], { cwd: release })
    assert.equal(stdout.match(/: OK$/gm)?.length, names.length - 1)
  })

  it('has an executable that says its version, serves pages, imports, exports, makes keys, backs up and restores', async () => {
    const user = newUser()
    const pets = await download(release, EXECUTABLE, user, 'pets')
    assert.equal((await user.run([pets, '--version'])).stdout, about(commit))
    await liveWith(user, [pets])
  })

  it('has an executable whose backup ends when it is interrupted, whatever SQLite is at, and leaves nothing', async () => {
    const user = newUser()
    const pets = await download(release, EXECUTABLE, user, 'pets')
    user.put('animals.csv', 'name,categoryId\nLuna,1\n')
    assert.equal((await user.run([pets, 'import', '--create', 'animals.csv'])).code, 0)
    alter(`${user.folder}/data/pets.db`, TAKES_LONG_TO_CHECK)
    const { process: backup, ended, stderr } = user.start([pets, 'backup', 'saved.db'])
    const saved = () => namesIn(user.folder, /^saved/)
    await until('it is checked', () => saved().some((name) => statSync(`${user.folder}/${name}`).size > 1_000_000))
    backup.kill('SIGINT')
    assert.equal(await ended, 1)
    assert.match(stderr(), /was cut off; nothing is left of it\.\n$/)
    assert.deepEqual(saved(), [])
  })

  it('has a package that serves where npm has installed it', async () => {
    const user = newUser([`${NODE}/bin`])
    await install(release, SERVICE, user)
    await using service = await user.serve(['node_modules/.bin/pet-adoption'], ['--first-key'])
    await createWith(service.baseUrl, readFileSync(`${user.folder}/data/first-key`, 'utf8').trim())
  })

  it('has a Debian package with the same executable', dpkgNeeded, async () => {
    const root = temporaryFolder()
    await run('dpkg-deb', ['--extract', `${release}/${debianFor(process.arch)}`, root])
    const sum = (file: string) => createHash('sha256').update(readFileSync(file)).digest('hex')
    assert.equal(sum(`${root}/usr/bin/pets`), sum(`${release}/${EXECUTABLE}`))
  })
})
