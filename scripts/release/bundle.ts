/**
 * Bundles the program as JavaScript with esbuild: its modules and those of the packages that it uses, so that a release
 * needs no other package. The results have the paths that the modules have in the clone.
 */
import { readFile } from 'node:fs/promises'
import { build, type Metafile, type Plugin } from 'esbuild'
import { THREADS } from '../../src/common/program.ts'
import { type Commit, ROOT } from './tree.ts'

/** Never loaded in a release, which has their results as files (program-files.ts). */
const NOT_BUNDLED = ['./scalar.ts', './build.ts']

/** CommonJS packages load modules of Node by `require`, which an ES module does not have. */
const REQUIRE = `import { createRequire as createRequireOf } from 'node:module'
const require = createRequireOf(process.execPath)`

export interface Bundle {
  /** The text of each module by its path. */
  readonly modules: ReadonlyMap<string, string>
  /** The folders of the bundled packages, such as `node_modules/pg`, sorted. */
  readonly packages: readonly string[]
}

/**
 * Bundles `entries` (paths of modules in the clone) and the modules of the program's threads. With `isSplit`, code that
 * several of them share, or that is loaded late, becomes a separate module; otherwise each bundle is self-contained.
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
    // A self-contained bundle is loaded whole at each start, so its size counts. Names stay, for stack traces.
    minifySyntax: !splitting,
    minifyWhitespace: !splitting,
    logLevel: 'error',
    plugins: [manifest(commit)],
  })
}

/** Replaces the program's package.json by one that also names the commit; the program reads its version there. */
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
