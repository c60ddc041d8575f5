/** The working tree that a release is made from, and its commit. */
import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { promisify } from 'node:util'

export const run = promisify(execFile)

export const ROOT = resolve(import.meta.dirname, '../..')

/** package.json. */
export const MANIFEST: {
  readonly name: string
  readonly version: string
} = JSON.parse(readFileSync(`${ROOT}/package.json`, 'utf8'))

export interface Commit {
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

/** The project's home, for each package. */
export const HOME = Object.fromEntries(
  Object.entries(MANIFEST).filter(([name]) => ['homepage', 'repository', 'bugs'].includes(name)),
)
