/** The client as its users get it: packed by npm and installed into an empty project. */
import { execFile } from 'node:child_process'
import { cp, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, resolve } from 'node:path'
import { promisify } from 'node:util'

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
