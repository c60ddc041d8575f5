/**
 * The files that the program reads while it runs, by their paths in the clone: what its pages are made of. Of packages
 * that bring such files, the files are put where src/pages/pages.ts and src/operator/office/page.ts prefer them.
 */
import { globSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { scalarScript } from '../../src/assets/scalar.ts'
import { ROOT } from './tree.ts'

const FILES = [
  'src/assets/*.svg',
  'src/pages/front-desk/*.{html,css,js}',
  'src/pages/reference/*.{html,css,js}',
  'src/operator/office-page/*.{html,css,js}',
  'client/src/*.ts',
]

const OF_PACKAGES = {
  'src/operator/office-page/uplot.js': 'node_modules/uplot/dist/uPlot.iife.min.js',
  'src/operator/office-page/uplot.css': 'node_modules/uplot/dist/uPlot.min.css',
}

/** The packages whose files are among them. */
export const PACKAGES_OF_FILES = ['node_modules/@scalar/fastify-api-reference', 'node_modules/uplot']

/** The text of each file by its path. */
export async function programFiles(): Promise<ReadonlyMap<string, string>> {
  const own = FILES.flatMap((pattern) => globSync(pattern, { cwd: ROOT })).sort()
  const files = [...own.map((path) => [path, path] as const), ...Object.entries(OF_PACKAGES)]
  const read = async ([path, source]: readonly [string, string]) =>
    [path, await readFile(`${ROOT}/${source}`, 'utf8')] as const
  return new Map([...(await Promise.all(files.map(read))), ['src/pages/reference/scalar.js', await scalarScript()]])
}
