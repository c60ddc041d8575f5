/**
 * The files that the program reads while it runs. Its pages are built in advance, so that a release builds nothing and
 * needs no package.
 */
import { globSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { BUILT, SCALAR } from '../../src/assets/assets.ts'
import { buildPage, scalarScript } from '../../src/assets/build.ts'
import { ROOT } from './tree.ts'

/** The packages whose code or files are in these files. */
export const PACKAGES_OF_FILES = [
  'node_modules/@scalar/fastify-api-reference',
  'node_modules/@fontsource-variable/inter',
  'node_modules/uqr',
]

/** The text of each file by its path in the clone. */
export async function programFiles(): Promise<ReadonlyMap<string, string>> {
  const icons = globSync('src/assets/*.svg', { cwd: ROOT }).sort()
  const page = 'src/office/page'
  const files = [
    ...icons.map(async (path) => [path, await readFile(`${ROOT}/${path}`, 'utf8')] as const),
    buildPage(page, 'office/').then((built) => [`${page}/${BUILT}`, JSON.stringify(built)] as const),
    scalarScript().then((script) => [SCALAR, script] as const),
  ]
  return new Map(await Promise.all(files))
}
