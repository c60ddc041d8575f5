/** Packs the packages of this repository that have a folder of their own. */
import { execFile } from 'node:child_process'
import { cp, mkdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { basename, delimiter } from 'node:path'
import { promisify } from 'node:util'
import { home, ROOT } from './tree.ts'

const run = promisify(execFile)

/** Each is built by its `prepack` script, from its own folder and the packages of the clone. */
const FOLDERS = ['client', 'conformance'] as const

/** Packs a folder into a file in `destination`. */
export async function pack(folder: string, destination: string): Promise<void> {
  // So that the script uses the compiler and the Node of this repository.
  const env = { ...process.env, PATH: `${ROOT}/node_modules/.bin${delimiter}${process.env.PATH ?? ''}` }
  await run('npm', ['pack', '--pack-destination', destination], { cwd: folder, env })
}

/** Packs all of them, from copies in `scratch`, a new folder, so that nothing is built into the clone. */
export async function packFolders(destination: string, scratch: string, version: string): Promise<void> {
  await mkdir(scratch)
  await symlink(`${ROOT}/node_modules`, `${scratch}/node_modules`)
  for (const folder of FOLDERS) {
    const manifest: Manifest = JSON.parse(await readFile(`${ROOT}/${folder}/package.json`, 'utf8'))
    if (manifest.version !== version)
      throw new Error(`${folder}/package.json says ${manifest.version} and package.json ${version}; make them one`)
    const filter = (path: string) => !['dist', 'node_modules'].includes(basename(path))
    await cp(`${ROOT}/${folder}`, `${scratch}/${folder}`, { recursive: true, filter })
    await writeFile(
      `${scratch}/${folder}/package.json`,
      `${JSON.stringify({ ...published(manifest), ...(await home()) }, null, 2)}\n`,
    )
    await pack(`${scratch}/${folder}`, destination)
  }
}

interface Manifest {
  readonly version: string
  readonly exports: Readonly<Record<string, unknown>>
}

/** The manifest without exports of TypeScript, which no runtime reads below node_modules. */
function published(manifest: Manifest): Manifest {
  const exports = Object.entries(manifest.exports).filter(([, target]) => !String(target).endsWith('.ts'))
  return { ...manifest, exports: Object.fromEntries(exports) }
}
