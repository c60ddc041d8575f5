/** Builds a page with esbuild. The names of scripts and styles contain a hash, so browsers cache them as immutable. */
import type { ChildProcess } from 'node:child_process'
import { subscribe } from 'node:diagnostics_channel'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { build, type Plugin, stop } from 'esbuild'
import { Marked, type Tokens } from 'marked'
import { PROGRAM_ROOT, readProgramFile } from '../common/program.ts'
import { isBinary } from './assets.ts'

/** References of `index.html` to files of its folder, as `src="./NAME"` and `href="./NAME"`. */
const ASSET_NAME = /(?<= (?:src|href)=")\.\/([^"]+)/g
/** Browsers since 2022. */
const TARGET = 'es2022'

const processes: ChildProcess[] = []
subscribe('child_process', (message) => processes.push((message as { readonly process: ChildProcess }).process))

/** Ends esbuild's process and awaits its end: a thread that ends before it leaves a zombie. */
export async function endEsbuild(): Promise<void> {
  const running = processes.splice(0).filter(({ exitCode }) => exitCode === null)
  const ended = running.map(async (esbuild) => {
    esbuild.ref()
    await once(esbuild, 'exit')
  })
  await stop()
  await Promise.all(ended)
}

/** The content of the page's files by name. `at`, such as `office/`, is put before each name in `index.html`. */
export async function buildPage(folder: string, at: string): Promise<Readonly<Record<string, string>>> {
  const document = await readProgramFile(`${folder}/index.html`)
  const entryPoints = [...document.matchAll(ASSET_NAME)].map(([, name]) => `${folder}/${name}`)
  const { metafile, outputFiles } = await build({
    absWorkingDir: PROGRAM_ROOT,
    entryPoints,
    outdir: folder,
    entryNames: '[name]-[hash]',
    chunkNames: '[name]-[hash]',
    assetNames: '[name]-[hash]',
    loader: { '.woff2': 'file', '.png': 'copy' },
    bundle: true,
    // A dynamically imported module becomes a separate script, loaded when its screen is opened.
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
    'index.html': document.replace(ASSET_NAME, (match, name: string) => nameOf.get(`${folder}/${name}`) ?? match),
    ...Object.fromEntries(
      outputFiles.map(({ path, text, contents }) => [
        basename(path),
        isBinary(path) ? Buffer.from(contents).toString('base64') : text,
      ]),
    ),
  }
}

/** Loads a guide of `docs/` as HTML, without its title: pictures become data URLs, and links plain text. */
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

/** Scalar's package exposes its script only as a route of a Fastify plugin. */
export async function scalarScript(): Promise<string> {
  const { fastify } = await import('fastify')
  const { default: scalar } = await import('@scalar/fastify-api-reference')
  const server = fastify()
  await server.register(scalar, { routePrefix: '/reference', configuration: { url: '/openapi.json' } })
  const { body, statusCode } = await server.inject('/reference/js/scalar.js')
  if (statusCode !== 200) throw new Error(`@scalar/fastify-api-reference has no script: ${statusCode}`)
  return body
}
