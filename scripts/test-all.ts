/**
 * `npm run test:all`: what takes longer than each change can wait for, one after the other, and how long each took. It
 * stops at the first that fails. `npm test` is not part of it.
 */
import { spawnSync } from 'node:child_process'
import { resolve } from 'node:path'

const ROOT = resolve(import.meta.dirname, '..')
const STEPS: readonly (readonly string[])[] = [
  ['scripts/test.ts', '--long'],
  ['test/forms/run.ts', '--requests', '20000', '--seed', '7'],
  ['test/histories/run.ts', '--runs', '150', '--steps', '200', '--seed', '7'],
  ['test/histories/run.ts', '--engine', 'cluster', '--runs', '2', '--steps', '30', '--seed', '7'],
  ['test/years/run.ts', '--seed', '7'],
  ['test/power/run.ts', '--states', '5000', '--seed', '7'],
  ['scripts/test.ts', 'test/release'],
  ['scripts/test.ts', 'test/container'],
  ['test/cluster/run.ts', '--faults', 'kill leader,stop node+kill redis master,cut node'],
]

const took: string[] = []
for (const step of STEPS) {
  const startMs = performance.now()
  const { status } = spawnSync(process.execPath, step, { cwd: ROOT, stdio: 'inherit' })
  const seconds = `${((performance.now() - startMs) / 1_000).toFixed(0)} s`.padStart(6)
  took.push(`${seconds}  ${step.join(' ')}${status === 0 ? '' : '  failed'}`)
  if (status !== 0) process.exitCode = 1
  if (status !== 0) break
}
process.stdout.write(`\n${took.join('\n')}\n`)
