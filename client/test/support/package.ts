/** The client as its users get it: packed by npm and installed into an empty project. */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { cp, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, resolve } from 'node:path'
import { promisify } from 'node:util'
import { type RunningService, startService } from '../../../test/support/service.ts'

const run = promisify(execFile)

export const CLIENT = resolve(import.meta.dirname, '../..')
const BIN = resolve(CLIENT, '../node_modules/.bin')

export interface InstalledPackage extends AsyncDisposable {
  /** The project into which the package is installed. */
  readonly project: string
  /** The package in there. */
  readonly folder: string
}

/** Packs a copy, so that tests which run at the same time do not build into each other's `dist`. */
export async function installPackage(): Promise<InstalledPackage> {
  const temporary = await mkdtemp(`${tmpdir()}/client-`)
  const copy = `${temporary}/client`
  const project = `${temporary}/project`
  // Only the compiler comes from the outside; the package has no dependencies.
  const env = { ...process.env, PATH: `${BIN}${delimiter}${process.env.PATH ?? ''}` }
  await cp(CLIENT, copy, { recursive: true, filter: (path) => !/\/(?:dist|node_modules)$/.test(path) })
  await run('npm', ['pack', '--pack-destination', temporary], { cwd: copy, env })
  const tarball = (await readdir(temporary)).find((name) => name.endsWith('.tgz'))
  await mkdir(project)
  await writeFile(`${project}/package.json`, '{ "private": true, "type": "module" }')
  await run('npm', ['install', '--offline', '--no-audit', '--no-fund', `../${tarball}`], { cwd: project, env })
  return {
    project,
    folder: `${project}/node_modules/pet-adoption-client`,
    [Symbol.asyncDispose]: () => rm(temporary, { recursive: true }),
  }
}

/** What each example prints. */
export const PRINTS: Record<string, RegExp> = {
  'add.js': /^Luna has the id \d+ and is of category 9223372036854775807\n$/,
  'list.js': /^\d+ {2}Luna\n$/,
  'limits.js': /^Rex is in; (\d+) of (\d+) requests are left until \S+Z\nMolly .*\nOscar .*\n$/,
  'errors.js': /^the service says: unauthorized \(401\): .+\n$/,
  'timeouts.js': /^4 animals\n$/,
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

/** Runs the examples of the installed package, and what shows that int64s are exact, each against a service. */
export async function checkExamples({ project }: InstalledPackage, runtime: string, args: readonly string[] = []) {
  await using service = await startService()
  await writeFile(`${project}/exact.js`, EXACT)
  const execute = await executor(runtime, args, service, project)
  for (const [example, expected] of Object.entries(PRINTS)) {
    assert.match(await execute(`node_modules/pet-adoption-client/examples/${example}`), expected, example)
  }
  assert.equal(await execute('exact.js'), 'true\ntrue\ntrue\n')
}

/** Runs a file of the project with the address and a key of the service in its environment; gives what it prints. */
export async function executor(runtime: string, args: readonly string[], service: RunningService, cwd: string) {
  const { key } = await service.issueKey()
  const env = { ...process.env, PETS_URL: service.baseUrl, PETS_KEY: key, NO_COLOR: '1' }
  return async (file: string) => (await run(runtime, [...args, file], { cwd, env })).stdout
}
