/** The installation that `npm start` and `npm test` begin with leaves alone what a running service uses. */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { before, describe, it } from 'node:test'
import { temporaryFolder } from '../support/folder.ts'

const SETUP = `${import.meta.dirname}/../../scripts/setup.mjs`

/** The versions of `service`, a package that the service runs on, and of `tests`, which only development needs. */
const VERSIONS = { service: '1.0.0', tests: '1.0.0' }

describe('the installation of what is missing', () => {
  const project = temporaryFolder()
  const npm = (cwd: string, ...args: string[]) => execFileSync('npm', args, { cwd, stdio: 'pipe', timeout: 60_000 })
  const setUp = (...args: string[]) =>
    execFileSync(process.execPath, [`${project}/scripts/setup.mjs`, ...args], { encoding: 'utf8', stdio: 'pipe' })
  const file = (path: string) => `${project}/node_modules/${path}`

  /** Gives the project the lock file of these versions. It is made elsewhere: npm takes what it locks for installed. */
  const lock = (versions: typeof VERSIONS) => {
    const made = temporaryFolder()
    for (const [name, version] of Object.entries(versions)) {
      mkdirSync(`${made}/from/${name}`, { recursive: true })
      writeFileSync(`${made}/from/${name}/package.json`, JSON.stringify({ name, version }))
    }
    npm(made, 'pack', './from/service', './from/tests', '--pack-destination', 'from')
    const from = (name: keyof typeof VERSIONS) => ({ [name]: `file:from/${name}-${versions[name]}.tgz` })
    const content = { name: 'project', dependencies: from('service'), devDependencies: from('tests') }
    writeFileSync(`${made}/package.json`, JSON.stringify(content))
    npm(made, 'install', '--package-lock-only')
    cpSync(made, project, { recursive: true })
  }

  before(() => {
    mkdirSync(`${project}/scripts`)
    cpSync(SETUP, `${project}/scripts/setup.mjs`)
    lock(VERSIONS)
  })

  it('installs what the service needs and, with --all, what development needs', () => {
    const locked = readFileSync(`${project}/package-lock.json`, 'utf8')
    assert.match(setUp(), /Installing/)
    assert.deepEqual([existsSync(file('service')), existsSync(file('tests'))], [true, false])
    assert.equal(setUp(), '', 'once')
    writeFileSync(file('service/in-use'), '')
    assert.match(setUp('--all'), /Installing/)
    assert(existsSync(file('tests')))
    assert(existsSync(file('service/in-use')), 'a service may be running on it')
    assert.equal(setUp('--all'), '', 'once')
    assert.equal(readFileSync(`${project}/package-lock.json`, 'utf8'), locked)
  })

  it('finds nothing missing in this clone, where it has just run', () => {
    assert.equal(execFileSync(process.execPath, [SETUP, '--all'], { encoding: 'utf8' }), '')
  })

  it('for the service alone takes no development package away, after `npm ci` and for a new lock file', () => {
    npm(project, 'ci')
    assert.equal(setUp(), '')
    assert(existsSync(file('tests')))
    lock({ ...VERSIONS, service: '1.1.0' })
    assert.match(setUp(), /Installing/)
    assert.match(readFileSync(file('service/package.json'), 'utf8'), /1\.1\.0/)
    assert(existsSync(file('tests')))
  })
})
