/** A release as its users get it: made twice, and each of its files used where nothing else is. See smoke.test.ts. */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { delimiter } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { promisify } from 'node:util'
import { type Commit, ROOT } from '../../scripts/release/tree.ts'
import { THREADS } from '../../src/common/program.ts'
import { temporaryFolder } from '../support/folder.ts'
import { findProgram } from '../support/programs.ts'
import { postgresNeeded, startPostgres, type TestPostgres } from '../support/servers/postgres.ts'
import { redisNeeded, startRedis, type TestRedis } from '../support/servers/redis.ts'
import { liveWith, scaleOut } from './journey.ts'
import {
  about,
  BUILD_MS,
  CLIENT,
  download,
  EXECUTABLE,
  install,
  isInTheMaking,
  KIT,
  NODE,
  releaseOfRun,
  SERVICE,
  version,
} from './release-of-run.ts'
import { newUser, type User } from './user.ts'

const run = promisify(execFile)
const INSTALLED_BYTES = 15_000_000

let release: string
let commit: Commit
/** Why the release has nothing for the other processor; undefined when it has. */
let missing: string | undefined
let engines: { postgres: TestPostgres; redis: TestRedis } | undefined

before(
  async () => {
    ;({ release, missing, commit } = await releaseOfRun())
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

/** Compiles a program of the user's against what is installed, and resolves to what the compiler has to say. */
async function compile(user: User, program: string, options: object): Promise<string> {
  await mkdir(`${user.folder}/program`)
  await writeFile(`${user.folder}/program/program.ts`, program)
  const compilerOptions = { strict: true, noEmit: true, module: 'nodenext', target: 'esnext', ...options }
  await writeFile(`${user.folder}/program/tsconfig.json`, JSON.stringify({ compilerOptions }))
  const compiled = run(`${ROOT}/node_modules/.bin/tsc`, ['--project', `${user.folder}/program`])
  return (await compiled.catch((error: { stdout: string }) => error)).stdout
}

/** A clone of the commit with the packages of this one, and what `npm run release` does in it. */
async function clone() {
  const folder = temporaryFolder()
  await run('git', ['clone', '--quiet', '--shared', ROOT, folder])
  // Hard links, or copies on another disk. With a symbolic link the packages would lie outside of the clone.
  await run('sh', ['-c', 'cp -al "$1" "$2" || cp -a "$1" "$2"', 'sh', `${ROOT}/node_modules`, folder])
  const { scripts } = JSON.parse(await readFile(`${folder}/package.json`, 'utf8')) as { scripts: { release: string } }
  const env = { ...process.env, PATH: `${folder}/node_modules/.bin${delimiter}${process.env.PATH ?? ''}` }
  return { folder, npmRunRelease: () => run('sh', ['-c', scripts.release], { cwd: folder, env }) }
}

async function filesIn(name: string): Promise<readonly string[]> {
  return (await run('tar', ['--list', '--gzip', '--file', `${release}/${name}`])).stdout.trim().split('\n')
}

describe('a release', () => {
  it('is the same to the last byte when it is made again, in another folder', {
    timeout: BUILD_MS,
  }, async (context) => {
    if (commit.isDirty) return context.skip('this one is not of a commit')
    const { folder, npmRunRelease } = await clone()
    const { stdout, stderr } = await npmRunRelease()
    if (stderr.includes('There is nothing for ') !== (missing ?? '').includes('There is nothing for '))
      return context.skip('the registry gave the node for the other processor to one of the two alone')
    for (const name of await readdir(release)) assert(stdout.includes(` MB  ${name}\n`), stdout)
    const tag = new RegExp(`git tag v${version} ${commit.id.slice(0, 12)}\\b`)
    const next = isInTheMaking ? /\bdo not tag it\b/ : tag
    assert.match(stdout, next, 'it says what is to be done next')
    const sums = (folder: string) => readFile(`${folder}/SHA256SUMS`, 'utf8')
    assert.equal(await sums(`${folder}/dist`), await sums(release))
  })

  it('is not made in a tree that differs from its commit', async () => {
    const { folder, npmRunRelease } = await clone()
    await writeFile(`${folder}/src/new.ts`, '')
    const stderr = /^A release is made from a commit, and the tree differs from it; [^\n]+\n$/
    await assert.rejects(npmRunRelease, { code: 1, stderr })
    assert(!(await readdir(folder)).includes('dist'))
  })

  it('names the packages in it, their licences, and what is new', async () => {
    const bill = JSON.parse(await readFile(`${release}/pets-${version}-sbom.cdx.json`, 'utf8'))
    assert.equal(bill.bomFormat, 'CycloneDX')
    const components = (bill.components as { name: string }[]).map(({ name }) => name)
    const licences = await readFile(`${release}/pets-${version}-licenses.txt`, 'utf8')
    for (const name of ['fastify', 'pg', 'uqr']) {
      assert(components.includes(name), name)
      assert.match(licences, new RegExp(`^${name} \\d`, 'm'))
    }
    assert(!components.includes('typescript'), 'what only development needs is not in it')
    assert.match(
      await readFile(`${release}/release-notes-${version}.md`, 'utf8'),
      isInTheMaking
        ? /^# Unreleased\n\n[\s\S]*\n- /
        : new RegExp(`^# ${version.replaceAll('.', '\\.')} \\(\\d{4}-\\d\\d-\\d\\d\\)\n\n[^]*\n- `),
    )
  })
})

describe('the executable', () => {
  let user: User
  let pets: string
  before(async () => {
    user = newUser()
    pets = await download(release, EXECUTABLE, user, 'pets')
  })

  it('names itself as it was started', async () => {
    const { stderr } = await user.run([pets, 'remove', 'x'])
    assert(stderr.endsWith(`as \`${pets} find\` shows it.\n`), stderr)
  })

  it('needs nothing of the tree that it was made in', async () => {
    assert(!(await readFile(pets)).includes(ROOT))
  })

  it('runs over PostgreSQL and Redis', { skip: postgresNeeded.skip || redisNeeded.skip }, async () => {
    assert(engines !== undefined)
    await scaleOut(newUser(), [pets], await engines.postgres.createDatabase(), engines.redis.url)
  })
})

describe('the package of the service', () => {
  let user: User
  let folder: string
  let use: string
  const command = ['node_modules/.bin/pet-adoption']
  before(async () => {
    user = newUser([`${NODE}/bin`])
    folder = `${user.folder}/node_modules/pet-adoption-service`
    use = await install(release, SERVICE, user)
  })

  it('holds JavaScript, declarations, pages and papers, and no source of ours', async () => {
    const files = await filesIn(SERVICE)
    const kinds = [
      /^package\/(package\.json|README\.md|LICENSE|LICENSES-OF-PACKAGES\.txt)$/,
      /^package\/bin\/pet-adoption\.js$/,
      /^package\/src\/(service\/index|cli\/pets|shared\/[\w-]+)\.js$/,
      ...THREADS.map((path) => new RegExp(`^package/${path}\\.js$`)),
      /^package\/src\/assets\/[\w-]+\.(css|js|svg)$/,
      /^package\/src\/(office\/page|pages\/reference)\/built\.json$/,
      /^package\/src\/pages\/reference\/scalar\.js$/,
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
    const [command, rest] = use.split(' serve ')
    assert.equal(rest, '--first-key --pages')
    const { stdout } = await user.run(['sh', '-c', `${command} --version`])
    assert.equal(stdout, about(commit))
  })

  it('names itself pet-adoption', async () => {
    const { stderr } = await user.run([...command, 'remove', 'x'])
    assert(stderr.endsWith('as `pet-adoption find` shows it.\n'), stderr)
  })

  it('serves pages, imports, exports, makes keys, checks, backs up and restores', () => liveWith(user, command))

  it('runs over PostgreSQL and Redis', { skip: postgresNeeded.skip || redisNeeded.skip }, async () => {
    assert(engines !== undefined)
    await scaleOut(user, command, await engines.postgres.createDatabase(), engines.redis.url)
  })

  it('declares what it exports, to a compiler that looks at every declaration', async () => {
    const program = `
      import { type Service, type ServiceConfig, startService, systemClock } from 'pet-adoption-service'
      export const start = (config: ServiceConfig): Promise<Service> => startService(config, {} as never, systemClock)
      // @ts-expect-error: a port is a number
      export const port: string = ({} as ServiceConfig).port
    `
    // Pino's own declarations come with pino, which such a program installs.
    await symlink(`${ROOT}/node_modules/pino`, `${user.folder}/node_modules/pino`)
    assert.equal(await compile(user, program, { typeRoots: [`${ROOT}/node_modules/@types`], types: ['node'] }), '')
  })

  it('runs on the Node that npm installed beside it where the one on the path is too old', async (context) => {
    const older = findProgram('/usr/bin/node', '/usr/local/bin/node')
    if (older === undefined) return context.skip('there is no other Node')
    const command = [older, 'node_modules/pet-adoption-service/bin/pet-adoption.js', '--version']
    const alone = await user.run(command)
    const platform = `node-${process.platform}-${process.arch}`
    // What the root of the machine has is beside everything.
    const isAlone = !existsSync(`/node_modules/${platform}`)
    if (isAlone && Number.parseInt((await user.run([older, '--version'])).stdout.slice(1), 10) < 24) {
      assert.match(alone.stderr, /^pet-adoption needs Node 24 or later, and this is v\d+[^\n]+\n$/)
      assert.equal(alone.code, 1)
    }
    await symlink(NODE, `${user.folder}/node_modules/${platform}`)
    assert.match((await user.run(command)).stdout, new RegExp(`node ${process.version.replaceAll('.', '\\.')}`))
  })
})

describe('the package of the client', () => {
  let user: User
  before(async () => {
    user = newUser([`${NODE}/bin`])
    await install(release, CLIENT, user)
  })

  it('adds and lists an animal from JavaScript, to the last digit, installed alone in an empty folder', async () => {
    assert.deepEqual(await installedIn(`${user.folder}/node_modules`), ['pet-adoption-client'])
    const pets = await download(release, EXECUTABLE, user, 'pets')
    await using service = await user.serve([pets], ['--first-key'])
    const key = (await readFile(`${user.folder}/data/first-key`, 'utf8')).trim()
    const program = `
      import { PetAdoption } from 'pet-adoption-client'
      const [, , baseUrl, apiKey] = process.argv
      const client = new PetAdoption({ baseUrl, apiKey })
      const made = await client.createPet({ name: 'Luna', categoryId: 9223372036854775807n, status: 'sold' })
      const [listed] = await client.listPets({ status: 'sold', limit: 1 })
      console.log(made.id, listed.id, listed.categoryId, client.rateLimit.remaining)
    `
    user.put('program.js', program)
    const { code, stdout, stderr } = await user.run(['node', 'program.js', service.baseUrl, key])
    assert.deepEqual([code, stdout], [0, '1n 1n 9223372036854775807n 58\n'], stderr)
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
    const pets = await download(release, EXECUTABLE, user, 'pets')
    const use = await install(release, KIT, user)
    assert.deepEqual(await installedIn(`${user.folder}/node_modules`), ['pet-adoption-conformance'])
    await using service = await user.serve([pets])
    const wide = ['--plan', 'enterprise', '--per-minute', '100000', '--per-day', '100000', '--json']
    const { key }: { key: string } = JSON.parse((await user.run([pets, 'keys', 'create', '--create', ...wide])).stdout)
    const [check = ''] = use.split(' --limited-key')
    const line = check.replace('https://staging.pets.example/v1', service.baseUrl).replace('"$KEY"', key)
    const { code, stdout, stderr } = await user.run(['sh', '-c', `${line} --yes --only R5,R9,R13`])
    assert.equal(code, 0, stdout + stderr)
    assert.match(stdout, new RegExp(`kit ${version.replaceAll('.', '\\.')}, suite`))
    assert.match(stdout, /PASSED/)
  })
})

async function installedIn(folder: string): Promise<readonly string[]> {
  return (await readdir(folder)).filter((name) => !name.startsWith('.'))
}
