/**
 * Repeats the declarations in dist/ as `.d.cts`. The code is the same for `import` and `require`, which Node understands
 * from 20.19 on; but TypeScript under `node16` lets a CommonJS file require only what is declared as CommonJS.
 */
import { readdir, readFile, writeFile } from 'node:fs/promises'

const DIST = `${import.meta.dirname}/../dist`

for (const name of await readdir(DIST)) {
  if (!name.endsWith('.d.ts')) continue
  const declarations = await readFile(`${DIST}/${name}`, 'utf8')
  const text = declarations.replace(/(from '\.\/[\w-]+)\.(?:js|ts)'/g, "$1.cjs'")
  await writeFile(`${DIST}/${name.replace(/ts$/, 'cts')}`, text)
}
