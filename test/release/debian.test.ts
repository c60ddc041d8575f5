/** The Debian package, made of a program that stands for the executable: unpacked by dpkg into a folder. */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { before, describe, it } from 'node:test'
import { promisify } from 'node:util'
import { gunzipSync } from 'node:zlib'
import { textsOf, writeDebianPackage } from '../../scripts/release/debian.ts'
import { ROOT } from '../../scripts/release/tree.ts'
import { temporaryFolder } from '../support/folder.ts'
import { findProgram, skipUnless } from '../support/programs.ts'

const run = promisify(execFile)
const COMMIT = { id: '0'.repeat(40), atMs: Date.UTC(2026, 10, 23), isDirty: false }
const dpkgNeeded = skipUnless(
  findProgram('dpkg') !== undefined && process.getuid?.() === 0,
  'root unpacks the package with dpkg; install it',
)

describe('the Debian package', dpkgNeeded, () => {
  const folder = temporaryFolder()
  const root = temporaryFolder()
  const pets = `${folder}/pets`
  const packageFor = (architecture: string) => `${folder}/pet-adoption-service_1.2.3_${architecture}.deb`
  let file: string

  before(async () => {
    writeFileSync(pets, `#!/bin/sh\nexec ${process.execPath} ${ROOT}/src/cli/pets.ts "$@"\n`, { mode: 0o755 })
    const texts = await textsOf(pets)
    for (const processor of ['x64', 'arm64'] as const) {
      const program = { executable: pets, processor, texts }
      await writeDebianPackage(folder, program, '1.2.3', 'The licence of pg', COMMIT)
    }
    file = packageFor(process.arch.replace('x64', 'amd64'))
    for (const each of ['info', 'updates']) mkdirSync(`${root}/var/lib/dpkg/${each}`, { recursive: true })
    writeFileSync(`${root}/var/lib/dpkg/status`, '')
    await run('dpkg', [`--root=${root}`, '--force-depends', '--unpack', file])
  })

  it('is unpacked with each file as its sum says, the settings for root and the service alone', async () => {
    const { stdout } = await run('dpkg-query', [
      `--admindir=${root}/var/lib/dpkg`,
      '--listfiles',
      'pet-adoption-service',
    ])
    assert.match(stdout, /^\/usr\/bin\/pets$/m)
    await run('dpkg', [`--root=${root}`, '--verify', 'pet-adoption-service'])
    assert.equal((await run(`${root}/usr/bin/pets`, ['--version'])).stdout, (await run(pets, ['--version'])).stdout)
    // Until it is configured, dpkg keeps the settings beside their place.
    assert.equal(statSync(`${root}/etc/pets.conf.dpkg-new`).mode & 0o777, 0o640)
  })

  it('says which processor it is for', async () => {
    for (const architecture of ['amd64', 'arm64']) {
      const { stdout } = await run('dpkg-deb', ['--field', packageFor(architecture), 'Architecture'])
      assert.equal(stdout, `${architecture}\n`)
    }
  })

  it('has the unit of deploy/ with the command where the package has it', () => {
    const unit = readFileSync(`${root}/usr/lib/systemd/system/pets.service`, 'utf8')
    assert.match(unit, /^ExecStart=\/usr\/bin\/pets serve --create --config \/etc\/pets\.conf$/m)
    assert.doesNotMatch(unit, /\/usr\/local/)
    assert.match(readFileSync(`${root}/usr/lib/systemd/system/pets.socket`, 'utf8'), /^ListenStream=/m)
  })

  it('brings what docs/production.md copies from it', () => {
    const page = readFileSync(`${ROOT}/docs/production.md`, 'utf8')
    const copied = new Set(page.match(/\/usr\/share\/pet-adoption-service\/[\w.-]+/g))
    assert.equal(copied.size, 4)
    for (const path of copied) assert(statSync(`${root}${path}`).isFile(), path)
  })

  it('has every setting in its file, all but the two of the package off, and the documents with their links', async () => {
    const settings = readFileSync(`${root}/etc/pets.conf.dpkg-new`, 'utf8')
    assert.match(settings, /^#backup-every = /m)
    const lines = settings.split('\n').filter((line) => line !== '' && !line.startsWith('#'))
    assert.deepEqual(lines, ['database = sqlite:/var/lib/pets/pets.db', 'operator-port = 8081'])
    const file = `${folder}/pets.conf`
    writeFileSync(file, settings)
    const { stdout } = await run(pets, ['config', '--check', '--create', '--json', '--config', file])
    assert.equal(stdout.trim().split('\n').length, lines.length)
    const documents = `${root}/usr/share/doc/pet-adoption-service`
    assert.match(readFileSync(`${documents}/docs/production.md`, 'utf8'), /\.\.\/deploy\/README\.md/)
    for (const name of ['README.md', 'deploy/README.md', 'examples/animals.csv']) statSync(`${documents}/${name}`)
  })

  it('has a manual page with every command and every setting', async () => {
    const page = gunzipSync(readFileSync(`${root}/usr/share/man/man1/pets.1.gz`)).toString()
    for (const name of ['serve', 'restore\\-animal', '\\-\\-backup\\-dir']) assert(page.includes(`.B ${name}`), name)
  })

  it('has scripts that the shell can read', async () => {
    for (const name of ['postinst', 'prerm', 'postrm'])
      await run('sh', ['-n', `${root}/var/lib/dpkg/info/pet-adoption-service.${name}`])
    await run('sh', ['-n', `${root}/usr/share/pet-adoption-service/update`])
  })
})
