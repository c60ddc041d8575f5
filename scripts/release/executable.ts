/**
 * Makes the program a single executable: Node's own, with the bundle as its main module, compiled ahead of time. The
 * program's files and the code of its threads are assets.
 */
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { Bundle } from './bundle.ts'
import { run } from './tree.ts'

const MAIN = 'src/cli/pets.js'
/** The code cache holds hashes with a random seed. With a fixed seed the same sources give the same bytes. */
const SAME_BYTES = '--random-seed=1'

/**
 * Writes the executable. `node` may be for another processor: then the main module is not compiled ahead, and the
 * program takes some ms longer to start. The assets keep the paths that they have in the clone.
 */
export async function writeExecutable(
  output: string,
  { modules }: Bundle,
  files: ReadonlyMap<string, string>,
  scratch: string,
  node = process.execPath,
): Promise<void> {
  const parts = new Map([...modules, ...files])
  for (const [path, text] of parts) {
    await mkdir(dirname(`${scratch}/${path}`), { recursive: true })
    await writeFile(`${scratch}/${path}`, text)
  }
  const assets = [...parts.keys()].filter((path) => path !== MAIN)
  const config = {
    main: MAIN,
    mainFormat: 'module',
    executable: node,
    output,
    disableExperimentalSEAWarning: true,
    useCodeCache: node === process.execPath,
    assets: Object.fromEntries(assets.map((path) => [path, path])),
  }
  await writeFile(`${scratch}/sea.json`, JSON.stringify(config))
  await rm(output, { force: true })
  await run(process.execPath, [SAME_BYTES, '--build-sea', 'sea.json'], { cwd: scratch })
}
