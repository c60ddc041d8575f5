/**
 * Makes the npm package `pet-adoption-service`: the bundled program, the command `pet-adoption`, and type declarations
 * of its exports.
 */
import { copyFile, cp, mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { Bundle } from './bundle.ts'
import { type Commit, HOME, MANIFEST, ROOT, run } from './tree.ts'

/** The module that the package exports. Its declarations name no package but pino. */
export const API = 'src/service/index.ts'

/** Fills `folder` with the files for npm to pack. */
export async function stageService(
  folder: string,
  { modules }: Bundle,
  files: ReadonlyMap<string, string>,
  licences: string,
  commit: Commit,
): Promise<void> {
  for (const [path, text] of [...modules, ...files, ['LICENSES-OF-PACKAGES.txt', licences]] as const) {
    await mkdir(dirname(`${folder}/${path}`), { recursive: true })
    await writeFile(`${folder}/${path}`, text)
  }
  await mkdir(`${folder}/bin`)
  await cp(`${import.meta.dirname}/pet-adoption.js`, `${folder}/bin/pet-adoption.js`)
  await copyFile(`${import.meta.dirname}/service-package.md`, `${folder}/README.md`)
  await copyFile(`${ROOT}/LICENSE`, `${folder}/LICENSE`)
  await declare(folder)
  await writeFile(`${folder}/package.json`, `${JSON.stringify({ ...published(commit), ...HOME }, null, 2)}\n`)
}

function published(commit: Commit): object {
  const { name, version, description, license, optionalDependencies, dependencies } = MANIFEST
  return {
    name,
    version,
    description,
    license,
    type: 'module',
    gitHead: commit.id,
    engines: { node: '>=20' },
    bin: { 'pet-adoption': 'bin/pet-adoption.js' },
    exports: {
      '.': { types: './types/service/index.d.ts', default: './src/service/index.js' },
      './package.json': './package.json',
    },
    files: ['bin', 'src', 'types', 'LICENSES-OF-PACKAGES.txt'],
    // These install the Node on which the program is tested.
    optionalDependencies,
    // Needed only by programs that start the service themselves.
    peerDependencies: { pino: dependencies.pino },
    peerDependenciesMeta: { pino: { optional: true } },
  }
}

/**
 * Writes the declarations of the exported module, and of the modules that they refer to, below `types/`, by the settings
 * of `npm run check`, which so sees what would fail here.
 */
async function declare(folder: string): Promise<void> {
  const compilerOptions = {
    noEmit: false,
    emitDeclarationOnly: true,
    rootDir: ROOT,
    outDir: `${folder}/declared`,
    typeRoots: [`${ROOT}/node_modules/@types`],
  }
  const config = { extends: `${ROOT}/src/tsconfig.json`, compilerOptions, files: [`${ROOT}/${API}`], include: [] }
  await writeFile(`${folder}/tsconfig.json`, JSON.stringify(config))
  await run(`${ROOT}/node_modules/.bin/tsc`, ['--project', `${folder}/tsconfig.json`])
  const modules = [API.slice('src/'.length)]
  for (const path of modules) {
    const declared = await readFile(`${folder}/declared/src/${path.replace(/ts$/, 'd.ts')}`, 'utf8')
    const text = declared.replace(/(from '|import\(")(\.{1,2}\/[^'"]+)\.ts(?=['"])/g, (_, before, specifier) => {
      const target = new URL(`${specifier}.ts`, `file:///${path}`).pathname.slice(1)
      if (!modules.includes(target)) modules.push(target)
      return `${before}${specifier}.js`
    })
    const output = `${folder}/types/${path.replace(/ts$/, 'd.ts')}`
    await mkdir(dirname(output), { recursive: true })
    await writeFile(output, text)
  }
}
