/** The working tree that a release is made from, and its commit. */
import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

export const ROOT = resolve(import.meta.dirname, '../..')

export interface Commit {
  /** The full hash. */
  readonly id: string
  readonly atMs: number
  /** Whether the working tree differs from the commit. */
  readonly isDirty: boolean
}

export async function headCommit(): Promise<Commit> {
  const git = async (...args: string[]) => (await run('git', args, { cwd: ROOT })).stdout.trim()
  const [id, atS, changes] = await Promise.all([
    git('rev-parse', 'HEAD'),
    git('show', '--no-patch', '--format=%ct', 'HEAD'),
    git('status', '--porcelain'),
  ])
  return { id, atMs: Number(atS) * 1000, isDirty: changes !== '' }
}

/** Where the project has its home, as `package.json` says it: each package of a release says the same. */
export async function home(): Promise<Readonly<Record<string, unknown>>> {
  const manifest: Record<string, unknown> = JSON.parse(await readFile(`${ROOT}/package.json`, 'utf8'))
  return Object.fromEntries(
    ['homepage', 'repository', 'bugs'].flatMap((name) => (name in manifest ? [[name, manifest[name]]] : [])),
  )
}
