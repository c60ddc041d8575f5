/**
 * Builds a page: esbuild joins what its document names into one script and one style sheet, without types and minified.
 * Their names hold a hash of their content, so a browser may keep them for good. A release has the result as a file,
 * and not esbuild.
 */
import { basename } from 'node:path'
import { build } from 'esbuild'
import { programRoot, readProgramFile } from '../common/program.ts'
import { guides } from './guide.ts'

/** Files of its own folder that `index.html` names: `src="./office.ts"`, `href="./office.css"`. */
const NAMED = /(?<= (?:src|href)=")\.\/([^"]+)/g
/** Browsers since 2022. */
const TARGET = 'es2022'
/** Packages of this tree, by their sources, since a clone has not built them. */
const SOURCES = { 'pet-adoption-client': './client/src/index.ts' }

/**
 * The texts of the page by name. `at` is put before each name in `index.html`, relative to the document, as in
 * `office/`. Throws with esbuild's messages.
 */
export async function buildPage(folder: string, at: string): Promise<Readonly<Record<string, string>>> {
  const document = await readProgramFile(`${folder}/index.html`)
  const entryPoints = [...document.matchAll(NAMED)].map(([, name]) => `${folder}/${name}`)
  const { metafile, outputFiles } = await build({
    absWorkingDir: programRoot(),
    entryPoints,
    outdir: folder,
    entryNames: '[name]-[hash]',
    chunkNames: '[name]-[hash]',
    bundle: true,
    // A module imported dynamically becomes a script of its own, loaded when its screen is opened.
    splitting: true,
    format: 'esm',
    target: TARGET,
    alias: SOURCES,
    plugins: [guides],
    tsconfigRaw: {},
    minify: true,
    metafile: true,
    write: false,
    logLevel: 'silent',
  })
  const nameOf = new Map(
    Object.entries(metafile.outputs).map(([path, { entryPoint }]) => [entryPoint, `${at}${basename(path)}`]),
  )
  return {
    'index.html': document.replace(NAMED, (named, name: string) => nameOf.get(`${folder}/${name}`) ?? named),
    ...Object.fromEntries(outputFiles.map(({ path, text }) => [basename(path), text])),
  }
}
