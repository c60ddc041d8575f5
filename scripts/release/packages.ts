/** The packages of this repository that have a folder of their own, and how npm packs one. */
import { execFile } from 'node:child_process'
import { cp, symlink } from 'node:fs/promises'
import { basename, delimiter } from 'node:path'
import { promisify } from 'node:util'
import { ROOT } from './tree.ts'

const run = promisify(execFile)

/** Each builds itself by its `prepack` script. */
const PACKAGE_FOLDERS = ['client', 'conformance'] as const

/** Packs a folder into a file in `destination`. */
export async function pack(folder: string, destination: string): Promise<void> {
  // The compiler and the Node that run in the script are those of this repository.
  const env = { ...process.env, PATH: `${ROOT}/node_modules/.bin${delimiter}${process.env.PATH ?? ''}` }
  await run('npm', ['pack', '--pack-destination', destination], { cwd: folder, env })
}

/**
 * Packs `PACKAGE_FOLDERS`, from copies of them in `scratch`, so that nothing is built into the clone. Each has a version of its
 * own.
 */
export async function packFolders(destination: string, scratch: string): Promise<void> {
  // What they are built from and with lies beside them, as in the clone.
  for (const name of ['src', 'node_modules']) await symlink(`${ROOT}/${name}`, `${scratch}/${name}`)
  for (const folder of PACKAGE_FOLDERS) await packFolder(folder, destination, scratch)
}

async function packFolder(folder: string, destination: string, scratch: string): Promise<void> {
  const copy = `${scratch}/${folder}`
  const filter = (path: string) => !['dist', 'node_modules'].includes(basename(path))
  await cp(`${ROOT}/${folder}`, copy, { recursive: true, filter })
  await pack(copy, destination)
}
