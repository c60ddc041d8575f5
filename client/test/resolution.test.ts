/** The types of the packed client, as TypeScript finds them for import, for require and for a bundler. */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { cp, mkdir, writeFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { promisify } from 'node:util'
import { CLIENT, type InstalledPackage, installPackage } from './support/package.ts'

const run = promisify(execFile)
const ROOT = resolve(CLIENT, '..')

/** Compiles only with the types: an expected error that does not come is an error. */
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

const MODES = [
  { moduleResolution: 'nodenext', module: 'nodenext', extensions: ['mts', 'cts'] },
  { moduleResolution: 'bundler', module: 'esnext', extensions: ['ts'] },
]

describe('the declarations of the packed client', () => {
  let installed: InstalledPackage
  before(async () => {
    installed = await installPackage()
  })
  after(() => installed[Symbol.asyncDispose]())

  const compile = async (folder: string, compilerOptions: object) => {
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
    const { stdout } = await run(`${ROOT}/node_modules/.bin/tsc`, ['--project', folder]).catch(
      (error: { stdout: string }) => error,
    )
    return stdout
  }

  for (const { moduleResolution, module, extensions } of MODES) {
    it(`report mistakes under ${moduleResolution}`, async () => {
      const folder = `${installed.project}/${moduleResolution}`
      await mkdir(folder)
      for (const extension of extensions) await writeFile(`${folder}/mistakes.${extension}`, MISTAKES)
      assert.equal(await compile(folder, { module, moduleResolution }), '')
    })
  }

  it('compile in a program with neither the DOM nor @types/node', async () => {
    const folder = `${installed.project}/bare`
    await mkdir(folder)
    const bare = MISTAKES.replace(/^export const make.*$/m, '')
    await writeFile(`${folder}/bare.ts`, bare)
    const options = { module: 'nodenext', moduleResolution: 'nodenext', lib: ['es2022'] }
    assert.equal(await compile(folder, options), '')
  })

  it('let the examples compile', async () => {
    const folder = `${installed.project}/examples`
    await cp(`${installed.folder}/examples`, folder, { recursive: true })
    const options = { module: 'nodenext', checkJs: true, types: ['node'] }
    assert.equal(await compile(folder, options), '')
  })
})
