/** A release as its users get it: made twice, and each of its files used where nothing else is. */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { promisify } from 'node:util'
import { type Commit, headCommit, ROOT } from '../../scripts/release/tree.ts'
import { makeRelease } from '../../scripts/release.ts'
import { THREADS } from '../../src/common/program.ts'
import { temporaryFolder } from '../support/folder.ts'
import { postgresNeeded, startPostgres, type TestPostgres } from '../support/postgres.ts'
import { findProgram } from '../support/programs.ts'
import { reachable } from '../support/reachable.ts'
import { redisNeeded, startRedis, type TestRedis } from '../support/redis.ts'
import { liveWith, scaleOut } from './journey.ts'
import { newUser, type User } from './user.ts'

const run = promisify(execFile)
const { version } = JSON.parse(await readFile(`${ROOT}/package.json`, 'utf8')) as { version: string }
const EXECUTABLE = `pets-${version}-${process.platform}-${process.arch}`
const SERVICE = `pet-adoption-service-${version}.tgz`
const KIT = `pet-adoption-conformance-${version}.tgz`
const INSTALLED_BYTES = 15_000_000
const BUILD_MS = 300_000
/** The package of node that the tests run on, where another user can read it. */
const NODE = reachable(dirname(dirname(process.execPath)))

const release = temporaryFolder()
let commit: Commit
let engines: { postgres: TestPostgres; redis: TestRedis } | undefined

before(
  async () => {
    commit = await headCommit()
    await makeRelease(release, commit)
    if (postgresNeeded.skip || redisNeeded.skip) return
    const [postgres, redis] = await Promise.all([startPostgres(), startRedis()])
    engines = { postgres, redis }
  },
  { timeout: BUILD_MS },
)
after(async () => {
  await engines?.postgres.stop()
  await engines?.redis.stop()
})

/** Copies a file of the release to where a user has downloaded it. */
async function download(name: string, user: User, as: string): Promise<string> {
  return user.put(as, await readFile(`${release}/${name}`), 0o755)
}

/** Installs a package of the release, and nothing from anywhere else. */
async function install(name: string, user: User): Promise<void> {
  await download(name, user, name)
  user.put('package.json', '{ "private": true, "type": "module" }')
  const flags = ['--offline', '--ignore-scripts', '--omit=optional', '--no-audit', '--no-fund']
  const { code, stderr } = await user.run(['npm', 'install', ...flags, `./${name}`])
  assert.equal(code, 0, stderr)
}

async function filesIn(name: string): Promise<readonly string[]> {
  return (await run('tar', ['--list', '--gzip', '--file', `${release}/${name}`])).stdout.trim().split('\n')
}

describe('a release', () => {
  it('holds its files, each with its checksum, and nothing else', async () => {
    const names = [
      'SHA256SUMS',
      `pet-adoption-client-${version}.tgz`,
      KIT,
      SERVICE,
      `pets-${version}-licenses.txt`,
      EXECUTABLE,
      `pets-${version}-sbom.cdx.json`,
      `release-notes-${version}.md`,
    ]
    assert.deepEqual((await readdir(release)).toSorted(), names.toSorted())
    const { stdout } = await run('sha256sum', ['--check', 'SHA256SUMS'], { cwd: release })
    assert.equal(stdout.match(/: OK$/gm)?.length, names.length - 1)
  })

  it('is the same to the last byte when it is made again', { timeout: BUILD_MS }, async () => {
    const again = temporaryFolder()
    await makeRelease(again, commit)
    const sums = (folder: string) => readFile(`${folder}/SHA256SUMS`, 'utf8')
    assert.equal(await sums(again), await sums(release))
  })

  it('names the packages in it, their licences, and what is new', async () => {
    const bill = JSON.parse(await readFile(`${release}/pets-${version}-sbom.cdx.json`, 'utf8'))
    assert.equal(bill.bomFormat, 'CycloneDX')
    const components = (bill.components as { name: string }[]).map(({ name }) => name)
    const licences = await readFile(`${release}/pets-${version}-licenses.txt`, 'utf8')
    for (const name of ['fastify', 'pg', 'uplot']) {
      assert(components.includes(name), name)
      assert.match(licences, new RegExp(`^${name} \\d`, 'm'))
    }
    assert(!components.includes('typescript'), 'what only development needs is not in it')
    assert.match(
      await readFile(`${release}/release-notes-${version}.md`, 'utf8'),
      new RegExp(`^# ${version}\n\n[^]*\n- `),
    )
  })
})

describe('the executable', () => {
  let user: User
  let pets: string
  before(async () => {
    user = newUser()
    pets = await download(EXECUTABLE, user, 'pets')
  })

  it('says its version, the commit and the version of node', async () => {
    const { stdout } = await user.run([pets, '--version'])
    assert.equal(stdout, `${version} (commit ${commit.id.slice(0, 12)}, node ${process.version})\n`)
  })

  it('names itself as it was started', async () => {
    const { stderr } = await user.run([pets, 'show', 'x'])
    assert(stderr.endsWith(`as \`${pets} find\` shows it.\n`), stderr)
  })

  it('needs nothing of the tree that it was made in', async () => {
    assert(!(await readFile(pets)).includes(ROOT))
  })

  it('serves pages, imports, exports, makes keys and checks', () => liveWith(user, [pets]))

  it('runs over PostgreSQL and Redis', { skip: postgresNeeded.skip || redisNeeded.skip }, async () => {
    assert(engines !== undefined)
    await scaleOut(newUser(), [pets], await engines.postgres.createDatabase(), engines.redis.url)
  })
})

describe('the package of the service', () => {
  let user: User
  let folder: string
  const command = ['node_modules/.bin/pet-adoption']
  before(async () => {
    user = newUser([`${NODE}/bin`])
    folder = `${user.folder}/node_modules/pet-adoption-service`
    await install(SERVICE, user)
  })

  it('holds JavaScript, declarations, pages and papers, and no source of ours', async () => {
    const files = await filesIn(SERVICE)
    const kinds = [
      /^package\/(package\.json|README\.md|LICENSE|LICENSES-OF-PACKAGES\.txt)$/,
      /^package\/bin\/pet-adoption\.js$/,
      /^package\/src\/(service|cli\/pets|shared\/[\w-]+)\.js$/,
      ...THREADS.map((path) => new RegExp(`^package/${path}\\.js$`)),
      /^package\/src\/(assets|pages|operator)\/.+\.(html|css|js|svg)$/,
      /^package\/client\/src\/\w+\.ts$/,
      /^package\/types\/.+\.d\.ts$/,
    ]
    assert.deepEqual(
      files.filter((file) => !kinds.some((kind) => kind.test(file))),
      [],
    )
  })

  it('is all that is installed, without a script, and small', async (context) => {
    assert.deepEqual(await installedIn(`${user.folder}/node_modules`), ['pet-adoption-service'])
    const manifest = JSON.parse(await readFile(`${folder}/package.json`, 'utf8'))
    assert.deepEqual([manifest.scripts, manifest.dependencies, manifest.version], [undefined, undefined, version])
    const { stdout } = await run('du', ['--summarize', '--bytes', `${user.folder}/node_modules`])
    const bytes = Number.parseInt(stdout, 10)
    context.diagnostic(`${bytes} bytes installed`)
    assert(bytes < INSTALLED_BYTES, `${bytes} bytes`)
  })

  it('says its version, the commit and the version of node', async () => {
    const { stdout } = await user.run([...command, '--version'])
    assert.equal(stdout, `${version} (commit ${commit.id.slice(0, 12)}, node ${process.version})\n`)
  })

  it('names itself pet-adoption', async () => {
    const { stderr } = await user.run([...command, 'show', 'x'])
    assert(stderr.endsWith('as `pet-adoption find` shows it.\n'), stderr)
  })

  it('serves pages, imports, exports, makes keys and checks', () => liveWith(user, command))

  it('runs over PostgreSQL and Redis', { skip: postgresNeeded.skip || redisNeeded.skip }, async () => {
    assert(engines !== undefined)
    await scaleOut(user, command, await engines.postgres.createDatabase(), engines.redis.url)
  })

  it('declares what it exports, to a compiler that looks at every declaration', async () => {
    const program = `
      import { type Service, type ServiceConfig, startService } from 'pet-adoption-service'
      export const start = (config: ServiceConfig): Promise<Service> => startService(config, { } as never, Date.now)
      // @ts-expect-error: a port is a number
      export const port: string = ({} as ServiceConfig).port
    `
    const types = { typeRoots: [`${ROOT}/node_modules/@types`], types: ['node'] }
    const compilerOptions = { strict: true, noEmit: true, module: 'nodenext', target: 'esnext', ...types }
    // Pino's own declarations come with pino, which such a program installs.
    await mkdir(`${user.folder}/program`)
    await symlink(`${ROOT}/node_modules/pino`, `${user.folder}/node_modules/pino`)
    await writeFile(`${user.folder}/program/start.ts`, program)
    await writeFile(`${user.folder}/program/tsconfig.json`, JSON.stringify({ compilerOptions }))
    const compiled = run(`${ROOT}/node_modules/.bin/tsc`, ['--project', `${user.folder}/program`])
    const { stdout } = await compiled.catch((error: { stdout: string }) => error)
    assert.equal(stdout, '')
  })

  it('runs on the Node that npm installed beside it where the one on the path is too old', async (context) => {
    const older = findProgram('/usr/bin/node', '/usr/local/bin/node')
    if (older === undefined) return context.skip('there is no other Node')
    const command = [older, 'node_modules/pet-adoption-service/bin/pet-adoption.js', '--version']
    const alone = await user.run(command)
    if (Number.parseInt((await user.run([older, '--version'])).stdout.slice(1), 10) < 24) {
      assert.match(alone.stderr, /^pet-adoption needs Node 24 or later, and this is v\d+[^\n]+\n$/)
      assert.equal(alone.code, 1)
    }
    await symlink(NODE, `${user.folder}/node_modules/node-${process.platform}-${process.arch}`)
    assert.match((await user.run(command)).stdout, new RegExp(`node ${process.version.replaceAll('.', '\\.')}`))
  })
})

describe('the package of the conformance kit', () => {
  it('holds one program, what describes its reports, and papers', async () => {
    const files = ['LICENSE', 'README.md', 'package.json', 'report.schema.json', 'examples/github-actions.yml']
    const wanted = [...files, 'dist/pet-adoption-conformance.js'].map((file) => `package/${file}`)
    assert.deepEqual((await filesIn(KIT)).toSorted(), wanted.toSorted())
  })

  it('checks a service, installed alone in an empty folder', async () => {
    const user = newUser([`${NODE}/bin`])
    const pets = await download(EXECUTABLE, user, 'pets')
    await install(KIT, user)
    assert.deepEqual(await installedIn(`${user.folder}/node_modules`), ['pet-adoption-conformance'])
    await using service = await user.serve([pets])
    const wide = ['--plan', 'enterprise', '--per-minute', '100000', '--per-day', '100000', '--json']
    const { key }: { key: string } = JSON.parse((await user.run([pets, 'keys', 'create', ...wide])).stdout)
    const check = ['node_modules/.bin/pet-adoption-conformance', service.baseUrl, '--key', key]
    const { code, stdout, stderr } = await user.run([...check, '--only', 'R5,R9,R13'])
    assert.equal(code, 0, stdout + stderr)
    assert.match(stdout, new RegExp(`kit ${version.replaceAll('.', '\\.')}, suite`))
    assert.match(stdout, /PASSED/)
  })
})

async function installedIn(folder: string): Promise<readonly string[]> {
  return (await readdir(folder)).filter((name) => !name.startsWith('.'))
}
