/** The types of the packed client under each way in which TypeScript finds them, old and new. */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { cp, mkdir, readFile, writeFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { promisify } from 'node:util'
import { installTools, TOOLS } from '../../test/openapi-tools/tools.ts'
import { CLIENT, type InstalledPackage, installPackage } from './support/package.ts'

const run = promisify(execFile)
const ROOT = resolve(CLIENT, '..')
/** TypeScript 7 no longer knows `node10`. */
const TYPESCRIPT_5 = `${TOOLS}/node_modules/.bin/tsc`
const TYPESCRIPT_7 = `${ROOT}/node_modules/.bin/tsc`

/** Compiles only if the types are there: an error that is expected and does not come is one. */
const MISTAKES = `
import { PetAdoption, PetAdoptionError, toJson, type Pet } from 'pet-adoption-client'
export async function call(client: PetAdoption) {
  const pet: Pet = await client.createPet({ name: 'Rex', categoryId: 1, status: undefined })
  const id: bigint = pet.id
  // @ts-expect-error: an id is a bigint
  const rounded: number = pet.id
  // @ts-expect-error: no such status
  await client.listPets({ status: 'lost' })
  // @ts-expect-error: a category is needed
  await client.createPet({ name: 'Rex' })
  for await (const { name } of client.pages({ status: 'sold' })) name.length
  const { headers } = await client.withResponse.listPets()
  new PetAdoption({ baseUrl: '', apiKey: '', onRequest: ({ headers }) => headers.set('traceparent', '00'), headers: { a: 'b' } })
  // @ts-expect-error: no such option
  await client.listPets({}, { timeOut: 5 })
  const error: unknown = headers.get('Location')
  const code: string | undefined = PetAdoptionError.is(error) ? error.code : undefined
  return { id, rounded, code, text: toJson(pet) }
}
export const make = () => new PetAdoption({ baseUrl: new URL('http://127.0.0.1:8080/v1'), apiKey: 'key', fetch })
`

interface Mode {
  readonly name: string
  readonly compiler: string
  readonly module: string
  readonly moduleResolution: string
  /** The end of the file's name, which says to TypeScript whether it is a CommonJS module. */
  readonly extensions: readonly string[]
}

const MODES: readonly Mode[] = [
  { name: 'node10', compiler: TYPESCRIPT_5, module: 'commonjs', moduleResolution: 'node10', extensions: ['ts'] },
  { name: 'node16', compiler: TYPESCRIPT_5, module: 'node16', moduleResolution: 'node16', extensions: ['mts', 'cts'] },
  {
    name: 'nodenext',
    compiler: TYPESCRIPT_7,
    module: 'nodenext',
    moduleResolution: 'nodenext',
    extensions: ['mts', 'cts'],
  },
  { name: 'bundler', compiler: TYPESCRIPT_7, module: 'esnext', moduleResolution: 'bundler', extensions: ['ts'] },
]

describe('the declarations of the packed client', () => {
  let installed: InstalledPackage
  before(async () => {
    await installTools()
    installed = await installPackage()
  })
  after(() => installed[Symbol.asyncDispose]())

  const compile = async (compiler: string, folder: string, compilerOptions: object) => {
    const options = {
      strict: true,
      exactOptionalPropertyTypes: true,
      noEmit: true,
      target: 'es2022',
      lib: ['es2022', 'dom', 'dom.iterable'],
      typeRoots: [`${ROOT}/node_modules/@types`],
      types: [],
      skipLibCheck: false,
      skipDefaultLibCheck: true,
      ...compilerOptions,
    }
    await writeFile(`${folder}/tsconfig.json`, JSON.stringify({ compilerOptions: options, include: ['.'] }))
    const { stdout } = await run(compiler, ['--project', folder]).catch((error: { stdout: string }) => error)
    return stdout
  }

  for (const { name, compiler, module, moduleResolution, extensions } of MODES) {
    it(`are found under ${name}, and report mistakes`, async () => {
      const folder = `${installed.project}/${name}`
      await mkdir(folder)
      for (const extension of extensions) await writeFile(`${folder}/mistakes.${extension}`, MISTAKES)
      assert.equal(await compile(compiler, folder, { module, moduleResolution, ignoreDeprecations: '5.0' }), '')
    })
  }

  it('compile where a program has neither the DOM nor @types/node', async () => {
    const folder = `${installed.project}/bare`
    await mkdir(folder)
    const bare = MISTAKES.replace(/^export const make.*$/m, '')
    await writeFile(`${folder}/bare.ts`, bare)
    for (const compiler of [TYPESCRIPT_5, TYPESCRIPT_7]) {
      const options = { module: 'nodenext', moduleResolution: 'nodenext', lib: ['es2022'] }
      assert.equal(await compile(compiler, folder, options), '')
    }
  })

  it('let the examples compile', async () => {
    const folder = `${installed.project}/examples`
    await cp(`${installed.folder}/examples`, folder, { recursive: true })
    const options = { module: 'nodenext', checkJs: true, types: ['node'] }
    assert.equal(await compile(TYPESCRIPT_7, folder, options), '')
  })

  it('tell editors that getPet is deprecated (R12)', async () => {
    for (const name of ['client.d.ts', 'commonjs/client.d.ts']) {
      const declarations = await readFile(`${installed.folder}/dist/${name}`, 'utf8')
      assert.match(declarations, /@deprecated [^*]*5 December 2030[^*]*\*\/\s*getPet/)
    }
  })
})
