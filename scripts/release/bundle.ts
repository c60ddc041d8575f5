/**
 * The program as JavaScript: its modules and those of the packages that it uses, joined by esbuild, so that what is
 * delivered needs no other package. Written to the paths that the modules have in the clone.
 */
import { readFile } from 'node:fs/promises'
import { build, type Metafile, type Plugin } from 'esbuild'
import { THREADS } from '../../src/common/program.ts'
import { type Commit, ROOT } from './tree.ts'

/** A release has what they give as files (program-files.ts), so they are never loaded. */
const NOT_BUNDLED = ['./scalar.ts', './build.ts']

/** Packages written as CommonJS ask for modules of node by `require`, which an ES module does not have. */
const REQUIRE = `import { createRequire as createRequireOf } from 'node:module'
const require = createRequireOf(process.execPath)`

export interface Bundle {
  /** The text of each module by its path. */
  readonly modules: ReadonlyMap<string, string>
  /** The folders of the packages that went into it, sorted, as in `node_modules/pg`. */
  readonly packages: readonly string[]
}

/**
 * Bundles `entries`, modules of the clone, and the code of the program's threads. When `isSplit`, what several of them
 * need, or what is loaded late, becomes a module of its own; otherwise each is whole by itself.
 */
export async function bundle(entries: readonly string[], commit: Commit, isSplit: boolean): Promise<Bundle> {
  const threads = THREADS.map((path) => `${path}.ts`)
  const results = isSplit
    ? [await run([...entries, ...threads], commit, true)]
    : await Promise.all([...entries, ...threads].map((entry) => run([entry], commit, false)))
  const inputs = results.flatMap(({ metafile }) => Object.keys((metafile as Metafile).inputs))
  const packages = inputs.flatMap((path) => /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0] ?? [])
  const files = results.flatMap(({ outputFiles }) => outputFiles)
  return {
    modules: new Map(files.map(({ path, text }) => [path.slice(ROOT.length + 1), text])),
    packages: [...new Set(packages)].sort(),
  }
}

async function run(entryPoints: readonly string[], commit: Commit, splitting: boolean) {
  return build({
    absWorkingDir: ROOT,
    entryPoints: [...entryPoints],
    outdir: ROOT,
    outbase: ROOT,
    chunkNames: 'src/shared/[name]-[hash]',
    bundle: true,
    splitting,
    write: false,
    metafile: true,
    platform: 'node',
    format: 'esm',
    target: 'node24',
    external: NOT_BUNDLED,
    banner: { js: REQUIRE },
    legalComments: 'none',
    // What is loaded whole at each start is quicker to load when it is short. Names stay, for stacks.
    minifySyntax: !splitting,
    minifyWhitespace: !splitting,
    logLevel: 'error',
    plugins: [manifest(commit)],
  })
}

/** The program's package.json, of which it needs the version, with the commit in it. */
function manifest(commit: Commit): Plugin {
  return {
    name: 'manifest',
    setup({ onLoad }) {
      onLoad({ filter: /package\.json$/ }, async ({ path }) => {
        if (path !== `${ROOT}/package.json`) return undefined
        const { version }: { version: string } = JSON.parse(await readFile(path, 'utf8'))
        return { contents: JSON.stringify({ version, gitHead: commit.id }), loader: 'json' }
      })
    },
  }
}
