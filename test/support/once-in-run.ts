/** Makes something costly once for all files of a run, in the run's folder (PETS_TEST_RUN, scripts/test.ts). */
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryFolder } from './folder.ts'
import { until } from './until.ts'

/** Undefined if a file of tests runs by itself. */
export const RUN = process.env.PETS_TEST_RUN

interface Made {
  readonly folder: string
  readonly said: string
}

/** Throws what `make` throws, also if another file has called it. Without a run, each file makes its own. */
export async function onceInRun(
  name: string,
  make: (folder: string) => Promise<string>,
  withinMs: number,
): Promise<Made> {
  const folder = RUN === undefined ? temporaryFolder() : join(RUN, name)
  if (RUN === undefined) return { folder, said: await make(folder) }
  const file = `${folder}.json`
  if (isNew(folder)) {
    const result = await make(folder)
      .then((said) => ({ said }))
      .catch((failure) => ({ failure: String(failure) }))
    writeFileSync(`${file}.new`, JSON.stringify(result))
    renameSync(`${file}.new`, file)
  } else {
    await until(`the ${name} of this run is made`, () => existsSync(file), withinMs)
  }
  const { said, failure } = JSON.parse(readFileSync(file, 'utf8')) as { said?: string; failure?: string }
  if (said === undefined) throw new Error(failure)
  return { folder, said }
}

function isNew(folder: string): boolean {
  try {
    mkdirSync(folder)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  }
}
