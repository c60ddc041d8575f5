/** Puts the program into a folder as a clone has it, with the packages that it runs on. Node is one of them. */
import { cp, mkdir, readdir, rm, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { MANIFEST, ROOT, run } from './tree.ts'

/** The service builds its pages and guides from `src` and `docs`. */
const CONTENTS = [
  ...['pets', 'src', 'client/src', 'conformance/src', 'deploy', 'docs', 'examples'],
  ...['package-lock.json', '.npmrc', 'client/package.json', 'conformance/package.json'],
  ...['LICENSE', 'README.md', 'CHANGELOG.md', 'SECURITY.md', 'CONTRIBUTING.md', 'openapi.json'],
]

/** Fills `folder`, a new one. `processor` is named as Node names it. Throws if npm fails. */
export async function placeProgram(folder: string, processor: string, commitId: string): Promise<void> {
  const { stdout } = await run('git', ['ls-files', '-z', ...CONTENTS], { cwd: ROOT })
  for (const path of stdout.split('\0').slice(0, -1)) {
    await mkdir(dirname(`${folder}/${path}`), { recursive: true })
    await cp(`${ROOT}/${path}`, `${folder}/${path}`)
  }
  // The program reads its version and its commit there.
  await writeFile(`${folder}/package.json`, `${JSON.stringify({ ...MANIFEST, gitHead: commitId }, null, 2)}\n`)
  const platform = ['--os=linux', `--cpu=${processor}`, '--libc=glibc']
  await run('npm', ['ci', '--omit=dev', '--ignore-scripts', ...platform], { cwd: folder })
  const unused = ['(', '-name', '*.map', '-o', '-name', '*.d.*ts', ')', '-delete']
  await run('find', [`${folder}/node_modules`, ...unused])
  // The headers and the npm that come with Node are not needed.
  const node = `${folder}/node_modules/node-linux-${processor}`
  for (const name of await readdir(node)) {
    if (!['bin', 'LICENSE', 'package.json'].includes(name)) await rm(`${node}/${name}`, { recursive: true })
  }
}
