/** Packs the npm packages, which have their own folders. */
import { cp, mkdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { basename, delimiter } from 'node:path'
import { HOME, MANIFEST, ROOT, run } from './tree.ts'

/** Each is built by its `prepack` script, from its own folder and the packages of the clone. */
const FOLDERS = ['client', 'conformance'] as const

/** From copies in `scratch`, a new folder, so that nothing is built into the clone. */
export async function packFolders(destination: string, scratch: string): Promise<void> {
  // So that the script uses the compiler and the Node of this repository.
  const env = { ...process.env, PATH: `${ROOT}/node_modules/.bin${delimiter}${process.env.PATH ?? ''}` }
  await mkdir(scratch)
  await symlink(`${ROOT}/node_modules`, `${scratch}/node_modules`)
  for (const folder of FOLDERS) {
    const manifest: Manifest = JSON.parse(await readFile(`${ROOT}/${folder}/package.json`, 'utf8'))
    if (manifest.version !== MANIFEST.version)
      throw new Error(
        `${folder}/package.json says ${manifest.version} and package.json ${MANIFEST.version}; make them one`,
      )
    const filter = (path: string) => !['dist', 'node_modules'].includes(basename(path))
    await cp(`${ROOT}/${folder}`, `${scratch}/${folder}`, { recursive: true, filter })
    // No runtime reads TypeScript below node_modules.
    const targets = Object.entries(manifest.exports).filter(([, target]) => !String(target).endsWith('.ts'))
    const published = { ...manifest, exports: Object.fromEntries(targets), ...HOME }
    await writeFile(`${scratch}/${folder}/package.json`, `${JSON.stringify(published, null, 2)}\n`)
    await run('npm', ['pack', '--pack-destination', destination], { cwd: `${scratch}/${folder}`, env })
  }
}

interface Manifest {
  readonly version: string
  readonly exports: Readonly<Record<string, unknown>>
}
