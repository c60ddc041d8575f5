/** The packages of this repository that have a folder of their own, and how npm packs one. */
import { execFile } from 'node:child_process'
import { cp, mkdir, readFile, symlink } from 'node:fs/promises'
import { basename, delimiter } from 'node:path'
import { promisify } from 'node:util'
import { ROOT } from './tree.ts'

const run = promisify(execFile)

/** Each builds itself by its `prepack` script, from its own folder and what is beside it in the clone. */
const FOLDERS = ['client', 'conformance'] as const

/** Packs a folder into a file in `destination`. */
export async function pack(folder: string, destination: string): Promise<void> {
  // The compiler and the Node that run in the script are those of this repository.
  const env = { ...process.env, PATH: `${ROOT}/node_modules/.bin${delimiter}${process.env.PATH ?? ''}` }
  await run('npm', ['pack', '--pack-destination', destination], { cwd: folder, env })
}

/** Packs all of them, from copies in `scratch`, a new folder, so that nothing is built into the clone. */
export async function packFolders(destination: string, scratch: string, version: string): Promise<void> {
  await mkdir(scratch)
  for (const name of ['src', 'node_modules']) await symlink(`${ROOT}/${name}`, `${scratch}/${name}`)
  for (const folder of FOLDERS) {
    const { version: own }: { version: string } = JSON.parse(await readFile(`${ROOT}/${folder}/package.json`, 'utf8'))
    if (own !== version)
      throw new Error(`${folder}/package.json says ${own} and package.json ${version}; make them one`)
    const filter = (path: string) => !['dist', 'node_modules'].includes(basename(path))
    await cp(`${ROOT}/${folder}`, `${scratch}/${folder}`, { recursive: true, filter })
    await pack(`${scratch}/${folder}`, destination)
  }
}
