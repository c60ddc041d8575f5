/** Bundles the kit into the one file of its package: JavaScript for Node 20 and later, Bun and Deno. */
import { chmod } from 'node:fs/promises'
import { resolve } from 'node:path'
import { build } from 'esbuild'

const PROGRAM = resolve(import.meta.dirname, 'dist/pet-adoption-conformance.js')

export async function buildProgram(outfile = PROGRAM): Promise<void> {
  await build({
    entryPoints: [resolve(import.meta.dirname, 'src/main.ts')],
    outfile,
    bundle: true,
    platform: 'node',
    target: 'node20',
    format: 'esm',
    minify: true,
    banner: {
      // commander is CommonJS and loads Node's modules with `require`.
      js: "#!/usr/bin/env node\nimport { createRequire } from 'node:module';const require = createRequire(import.meta.url);",
    },
    logLevel: 'warning',
  })
  await chmod(outfile, 0o755)
}

if (import.meta.main) await buildProgram()
