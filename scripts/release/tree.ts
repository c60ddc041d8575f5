/** The working tree that a release is made from, and its commit. */
import { execFile } from 'node:child_process'
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
