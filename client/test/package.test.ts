/** The packed tarball in an empty project. */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { delimiter } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { promisify } from 'node:util'
import { startService } from '../../test/support/service.ts'
import { checkExamples, executor, type InstalledPackage, installPackage, PRINTS } from './support/package.ts'

const run = promisify(execFile)

/** What shorter pieces of the README need. */
const GIVEN = `
import { PetAdoption } from 'pet-adoption-client'
const client = new PetAdoption({ baseUrl: process.env.PETS_URL, apiKey: process.env.PETS_KEY })
`

const REQUIRED = `
const required = require('pet-adoption-client')
import('pet-adoption-client').then((imported) => console.log(required.PetAdoption === imported.PetAdoption))
`

describe('the packed client', () => {
  let installed: InstalledPackage
  before(async () => {
    installed = await installPackage()
  })
  after(() => installed[Symbol.asyncDispose]())

  it('holds what its users need and nothing else', async () => {
    const entries = await readdir(installed.folder, { recursive: true })
    const modules =
      'answers backoff client clock errors index json limiter options platform rules sender types version'.split(' ')
    assert.deepEqual(entries.toSorted(), [
      'LICENSE',
      'README.md',
      'dist',
      ...[
        ...['dist', 'dist/commonjs'].flatMap((folder) =>
          modules.flatMap((name) => [`${folder}/${name}.d.ts`, `${folder}/${name}.js`]),
        ),
        'dist/commonjs',
        'dist/commonjs/package.json',
      ].toSorted(),
      'examples',
      ...Object.keys(PRINTS)
        .map((name) => `examples/${name}`)
        .toSorted(),
      'package.json',
    ])
  })

  it('is one module for import and for require on Node 20.19 and later', async (context) => {
    await writeFile(`${installed.project}/required.cjs`, REQUIRED)
    const older = await findNode(/^v20\.(19|[2-9]\d)\./)
    if (older === undefined) context.diagnostic('no Node 20.19 or later of line 20 is on the path')
    for (const runtime of [process.execPath, ...(older === undefined ? [] : [older])]) {
      const { stdout, stderr } = await run(runtime, ['required.cjs'], { cwd: installed.project })
      assert.deepEqual([stdout, stderr], ['true\n', ''], runtime)
    }
  })

  it('is loaded as CommonJS by Jest and an older Node', async () => {
    const file = `${installed.project}/commonjs.cjs`
    await writeFile(
      file,
      `const { PetAdoption, Limiter, PetAdoptionError } = require('pet-adoption-client')
      console.log(new PetAdoption({ baseUrl: 'http://127.0.0.1/v1', apiKey: 'key' }).limiter instanceof Limiter)
      console.log(require.resolve('pet-adoption-client').includes('commonjs'))
      import('pet-adoption-client').then((imported) => {
        const error = new imported.PetAdoptionError('code', 'message', 'GET', '/pets', { status: 400 })
        console.log(imported.PetAdoptionError !== PetAdoptionError && PetAdoptionError.is(error))
      })`,
    )
    for (const runtime of [process.execPath, 'node']) {
      const { stdout, stderr } = await run(runtime, ['--no-experimental-require-module', file])
      assert.deepEqual([stdout, stderr], ['true\ntrue\ntrue\n', ''], runtime)
    }
  })

  it('runs everything else that its README shows', async () => {
    await using service = await startService({ operatorPort: 'none' })
    const execute = await executor(process.execPath, [], service, installed.project)
    const readme = await readFile(`${installed.folder}/README.md`, 'utf8')
    const shown = [...readme.matchAll(/```js\n(.*?)```/gs)].map(([, code = '']) => code)
    const examples = await Promise.all(
      Object.keys(PRINTS).map((name) => readFile(`${installed.folder}/examples/${name}`, 'utf8')),
    )
    const others = shown.filter((code) => !examples.includes(code))
    assert(others.length >= 4, `${others.length}`)
    for (const code of others) {
      await writeFile(`${installed.project}/shown.js`, code.startsWith('import') ? code : `${GIVEN}${code}`)
      await execute('shown.js')
    }
  })

  it('runs its examples, every int64 exact (R5)', async () => {
    await checkExamples(installed, process.execPath)
  })
})

/** The first Node on the path with this version. */
async function findNode(version: RegExp): Promise<string | undefined> {
  for (const folder of (process.env.PATH ?? '').split(delimiter)) {
    const reported = await run(`${folder}/node`, ['--version']).catch(() => ({ stdout: '' }))
    if (version.test(reported.stdout)) return `${folder}/node`
  }
  return undefined
}
