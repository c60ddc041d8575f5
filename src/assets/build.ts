/**
 * Builds a page: esbuild joins what its document names into one script and one style sheet, without types and minified.
 * Their names hold a hash of their content, so a browser may keep them for good. A release has the results as files,
 * and not the packages used here.
 */
import { readFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { build, type Plugin } from 'esbuild'
import { Marked, type Tokens } from 'marked'
import { programRoot, readProgramFile } from '../common/program.ts'

/** Files of its own folder that `index.html` names: `src="./office.ts"`, `href="./office.css"`. */
const NAMED = /(?<= (?:src|href)=")\.\/([^"]+)/g
/** Browsers since 2022. */
const TARGET = 'es2022'

/**
 * The texts of the page by name, of a typeface in base64. `at` is put before each name in `index.html`, relative to
 * the document, as in `office/`. Throws with esbuild's messages.
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
    assetNames: '[name]-[hash]',
    loader: { '.woff2': 'file' },
    bundle: true,
    // A module imported dynamically becomes a script of its own, loaded when its screen is opened.
    splitting: true,
    format: 'esm',
    target: TARGET,
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
    ...Object.fromEntries(
      outputFiles.map(({ path, text, contents }) => [
        basename(path),
        path.endsWith('.woff2') ? Buffer.from(contents).toString('base64') : text,
      ]),
    ),
  }
}

/**
 * For `import html from '….md'`, a guide of `docs/`: its Markdown as HTML, without its title, with its pictures in it,
 * so that it needs nothing but the page. What leads to other files leads nowhere there, and stays as words. Fails if a
 * picture is not there.
 */
const guides: Plugin = {
  name: 'guides',
  setup({ onLoad }) {
    onLoad({ filter: /\.md$/ }, async ({ path }) => {
      return { contents: `export default ${JSON.stringify(await guideHtml(path))}`, loader: 'js' }
    })
  },
}

async function guideHtml(path: string): Promise<string> {
  const marked = new Marked({
    async: true,
    async walkTokens(token) {
      if (token.type !== 'image') return
      const picture = await readFile(join(dirname(path), (token as Tokens.Image).href))
      token.href = `data:image/png;base64,${picture.toString('base64')}`
    },
    renderer: {
      heading: ({ depth }) => (depth === 1 ? '' : false),
      link({ tokens }) {
        return this.parser.parseInline(tokens)
      },
    },
  })
  return marked.parse(await readFile(path, 'utf8'))
}

/** The script of the reference page. Scalar's package exposes it only as a route of a Fastify plugin. */
export async function scalarScript(): Promise<string> {
  const { fastify } = await import('fastify')
  const { default: scalar } = await import('@scalar/fastify-api-reference')
  const server = fastify()
  await server.register(scalar, { routePrefix: '/reference', configuration: { url: '/openapi.json' } })
  const { body, statusCode } = await server.inject('/reference/js/scalar.js')
  if (statusCode !== 200) throw new Error(`@scalar/fastify-api-reference has no script: ${statusCode}`)
  return body
}
