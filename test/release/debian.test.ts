/** The Debian package of a release: its contents, and its program, run by a user who has nothing else. */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { chmodSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { before, describe, it } from 'node:test'
import { promisify } from 'node:util'
import { gunzipSync } from 'node:zlib'
import { type Commit, ROOT } from '../../scripts/release/tree.ts'
import { temporaryFolder } from '../support/folder.ts'
import { liveWith } from './journey.ts'
import { about, BUILD_MS, CLIENT, debianFor, dpkgNeeded, KIT, releaseOfRun, version } from './release-of-run.ts'
import { newUser } from './user.ts'

const run = promisify(execFile)
const PROGRAM = 'usr/lib/pet-adoption-service'

describe('a release', dpkgNeeded, () => {
  let release: string
  let commit: Commit
  /** The package, unpacked, and its scripts. */
  const root = temporaryFolder()
  const scripts = temporaryFolder()

  before(
    async () => {
      ;({ release, commit } = await releaseOfRun())
      chmodSync(root, 0o755)
      await run('dpkg-deb', ['--extract', `${release}/${debianFor(process.arch)}`, root])
      await run('dpkg-deb', ['--control', `${release}/${debianFor(process.arch)}`, scripts])
    },
    { timeout: BUILD_MS },
  )

  it('contains its files, each with its checksum, and nothing else', async () => {
    const documents = [`pets-${version}-sbom.cdx.json`, `release-notes-${version}.md`, 'SHA256SUMS']
    const names = [CLIENT, KIT, debianFor(process.arch), ...documents]
    assert.deepEqual(readdirSync(release).toSorted(), names.toSorted())
    const { stdout } = await run('sha256sum', ['--check', 'SHA256SUMS'], { cwd: release })
    assert.equal(stdout.match(/: OK$/gm)?.length, names.length - 1)
  })

  describe('its Debian package', () => {
    it('has a command that serves, imports, exports, creates keys, backs up and restores', async () => {
      const user = newUser()
      const pets = `${root}/usr/bin/pets`
      assert.equal((await user.run([pets, '--version'])).stdout, about(commit))
      await liveWith(user, [pets])
    })

    it('contains the packages that the program runs on, Node among them, and none for development', () => {
      const packages = readdirSync(`${root}/${PROGRAM}/node_modules`)
      assert(packages.includes(`node-linux-${process.arch}`) && packages.includes('fastify'))
      assert(!packages.includes('typescript'))
    })

    it('writes nothing to /etc itself, so that no update asks about the settings', () => {
      assert(!readdirSync(root).includes('etc'))
      assert(!readdirSync(scripts).includes('conffiles'))
    })

    it('has an example with every setting, all off except the two of the package', async () => {
      const example = `${root}/usr/share/doc/pet-adoption-service/deploy/pets.conf`
      const settings = readFileSync(example, 'utf8')
      assert.match(settings, /^#backup-every = /m)
      const lines = settings.split('\n').filter((line) => line !== '' && !line.startsWith('#'))
      assert.deepEqual(lines, ['database = sqlite:/var/lib/pets/pets.db', 'operator-port = 8081'])
    })

    it('has what docs/production.md copies from it', () => {
      const page = readFileSync(`${ROOT}/docs/production.md`, 'utf8')
      const copied = new Set(page.match(/\/usr\/lib\/pet-adoption-service\/[\w./-]+\w/g))
      assert.equal(copied.size, 4)
      for (const path of copied) assert(statSync(`${root}${path}`).isFile(), path)
    })

    it('has a manual page with every command and every setting', () => {
      const page = gunzipSync(readFileSync(`${root}/usr/share/man/man1/pets.1.gz`)).toString()
      for (const name of ['serve', 'restore\\-animal', '\\-\\-backup\\-dir']) assert(page.includes(`.B ${name}`), name)
    })
  })
})
