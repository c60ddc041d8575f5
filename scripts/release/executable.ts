/**
 * The program as one executable file: node's own, with the bundle as its main module, compiled ahead, and the files of
 * the program and the code of its threads as assets.
 */
import { execFile } from 'node:child_process'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { promisify } from 'node:util'
import type { Bundle } from './bundle.ts'

const run = promisify(execFile)
const MAIN = 'src/cli/pets.js'
/** The code cache holds hashes whose seed is random; with a seed of its own the same sources give the same bytes. */
const SAME_BYTES = '--random-seed=1'

/**
 * Made of `node`, which may be that of another processor: then the main module is compiled when the program starts,
 * which takes some ms longer. The assets keep the paths that they have in the clone.
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
