/** The packed tarball in an empty project: what is in it, its size, its types, and its examples on each runtime. */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { cp, readdir, readFile, writeFile } from 'node:fs/promises'
import { delimiter, resolve } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { promisify } from 'node:util'
import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'
import { type RunningService, startService } from '../../test/support/service.ts'
import { CLIENT, type InstalledPackage, installPackage } from './support/package.ts'

const run = promisify(execFile)
const ROOT = resolve(CLIENT, '..')
const SIZE_LIMIT_BYTES = 5_000

/** What each example prints. */
const PRINTS: Record<string, RegExp> = {
  'add.js': /^Luna has the id \d+ and is of category 9223372036854775807\n$/,
  'list.js': /^\d+ {2}Luna\n$/,
  'limits.js': /^Rex is in; (\d+) of (\d+) requests are left until \S+Z\nMolly .*\nOscar .*\n$/,
  'errors.js': /^the service says: unauthorized \(401\): .+\n$/,
  'patience.js': /^4 animals\n$/,
}

const EXACT = `
import { PetAdoption } from 'pet-adoption-client'
const client = new PetAdoption({ baseUrl: process.env.PETS_URL, apiKey: process.env.PETS_KEY })
for (const categoryId of [2n ** 63n - 1n, -(2n ** 63n), 2n ** 53n + 1n]) {
  const pet = await client.createPet({ name: 'Ä "1" \\\\ 🐕', categoryId })
  const [listed] = await client.listPets({ limit: 1 })
  const fetched = await client.getPet(pet.id)
  console.log([pet, listed, fetched].every((each) => each.categoryId === categoryId && each.name === 'Ä "1" \\\\ 🐕'))
}
`

describe('the packed client', () => {
  let installed: InstalledPackage
  before(async () => {
    installed = await installPackage()
  })
  after(() => installed[Symbol.asyncDispose]())

  it('holds what its users need and nothing else', async () => {
    const entries = await readdir(installed.folder, { recursive: true })
    const modules = ['backoff', 'client', 'errors', 'index', 'json', 'types']
    assert.deepEqual(entries.toSorted(), [
      'LICENSE',
      'README.md',
      'dist',
      ...modules.flatMap((name) => [`dist/${name}.d.ts`, `dist/${name}.js`]),
      'examples',
      ...Object.keys(PRINTS)
        .map((name) => `examples/${name}`)
        .toSorted(),
      'package.json',
    ])
  })

  it('has no dependencies and runs nothing when it is installed', async () => {
    const manifest = JSON.parse(await readFile(`${installed.folder}/package.json`, 'utf8'))
    const kinds = ['dependencies', 'devDependencies', 'peerDependencies', 'optionalDependencies']
    for (const kind of kinds) assert.equal(manifest[kind], undefined, kind)
    for (const script of ['preinstall', 'install', 'postinstall', 'prepare']) {
      assert.equal(manifest.scripts[script], undefined, script)
    }
  })

  it(`is smaller than ${SIZE_LIMIT_BYTES} bytes, minified and gzipped`, async (context) => {
    const { outputFiles } = await build({
      entryPoints: [`${installed.folder}/dist/index.js`],
      bundle: true,
      minify: true,
      format: 'esm',
      write: false,
    })
    const bytes = gzipSync(outputFiles[0]?.contents ?? '', { level: 9 }).length
    context.diagnostic(`${bytes} bytes minified and gzipped`)
    assert(bytes > 0 && bytes < SIZE_LIMIT_BYTES, `${bytes} bytes`)
  })

  it('declares types under which the examples compile and mistakes do not', async () => {
    const { project } = installed
    await cp(`${installed.folder}/examples`, `${project}/checked`, { recursive: true })
    await writeFile(
      `${project}/checked/mistakes.ts`,
      `
      import { PetAdoption, type Pet } from 'pet-adoption-client'
      const client = new PetAdoption({ baseUrl: 'http://127.0.0.1:8080/v1', apiKey: 'key' })
      const pet: Pet = await client.createPet({ name: 'Rex', categoryId: 1, status: undefined })
      const id: bigint = pet.id
      // @ts-expect-error: an id is a bigint
      const rounded: number = pet.id
      // @ts-expect-error: no such status
      await client.listPets({ status: 'lost' })
      // @ts-expect-error: a category is needed
      await client.createPet({ name: 'Rex' })
      export { id, rounded }
      `,
    )
    const compilerOptions = {
      strict: true,
      exactOptionalPropertyTypes: true,
      checkJs: true,
      noEmit: true,
      target: 'es2022',
      module: 'nodenext',
      lib: ['es2022', 'dom'],
      typeRoots: [`${ROOT}/node_modules/@types`],
      types: ['node'],
      skipLibCheck: false,
    }
    await writeFile(`${project}/tsconfig.json`, JSON.stringify({ compilerOptions, include: ['checked'] }))
    const { stdout } = await run(`${ROOT}/node_modules/.bin/tsc`, ['--project', project]).catch(
      (error: { stdout: string }) => error,
    )
    assert.equal(stdout, '')
  })

  it('tells editors that getPet is deprecated (R12)', async () => {
    const declarations = await readFile(`${installed.folder}/dist/client.d.ts`, 'utf8')
    assert.match(declarations, /@deprecated [^*]*5 December 2030[^*]*\*\/\s*getPet/)
  })

  const runtimes: [string, string, string[], RegExp][] = [
    ['this Node', process.execPath, [], /^v/],
    ['Node 20', 'node', [], /^v20\./],
    ['Deno', 'deno', ['run', '--allow-net', '--allow-env', '--allow-read'], /^deno /],
    ['Bun', 'bun', ['run'], /^\d/],
  ]
  for (const [name, program, args, version] of runtimes) {
    it(`runs its examples on ${name}, every int64 exact (R5)`, async (context) => {
      const runtime = await findRuntime(program, version)
      if (runtime === undefined) return context.skip(`no ${program} whose version matches ${version} is on the path`)
      await using service = await startService()
      await writeFile(`${installed.project}/exact.js`, EXACT)
      const execute = await executor(runtime, args, service, installed.project)
      for (const [example, expected] of Object.entries(PRINTS)) {
        assert.match(await execute(`node_modules/pet-adoption-client/examples/${example}`), expected, example)
      }
      assert.equal(await execute('exact.js'), 'true\ntrue\ntrue\n')
    })
  }
})

async function executor(runtime: string, args: readonly string[], service: RunningService, cwd: string) {
  const { key } = await service.issueKey()
  const env = { ...process.env, PETS_URL: service.baseUrl, PETS_KEY: key, NO_COLOR: '1' }
  return async (file: string) => (await run(runtime, [...args, file], { cwd, env })).stdout
}

/** The first program of that name on the path (or the program itself, given by its path) that reports that version. */
async function findRuntime(program: string, version: RegExp): Promise<string | undefined> {
  const folders = program.includes('/') ? [''] : (process.env.PATH ?? '').split(delimiter)
  for (const folder of folders) {
    const path = folder === '' ? program : `${folder}/${program}`
    const reported = await run(path, ['--version']).catch(() => ({ stdout: '' }))
    if (version.test(reported.stdout)) return path
  }
  return undefined
}
