/**
 * `npm run test:all`: what takes longer than each change can wait for, and how long each part took. Two parts run at a
 * time. When one has failed, none is begun any more. `npm test` is not part of it.
 */
import { spawn } from 'node:child_process'
import { resolve } from 'node:path'

type Part = readonly string[]

const ROOT = resolve(import.meta.dirname, '..')
/** The first two run two files at once each: two cores have no time for more. */
const AT_ONCE = 2
/** In this order: what takes longest begins first. What the first one writes is shown as it comes. */
const PARTS: readonly Part[] = [
  ['scripts/test.ts', '--browsers'],
  ['scripts/test.ts', '--long'],
  ['scripts/test.ts', 'test/release', 'test/container'],
  ['test/power/run.ts', '--states', '5000', '--seed', '7'],
  ['test/report/run.ts', '--histories', '1000'],
  ['test/histories/run.ts', '--runs', '150', '--steps', '200', '--seed', '7'],
  ['test/years/run.ts', '--seed', '7'],
  ['test/report/run.ts', '--histories', '200', '--engine', 'postgres'],
  ['test/histories/run.ts', '--engine', 'cluster', '--runs', '2', '--steps', '30', '--seed', '7'],
  ['test/forms/run.ts', '--requests', '20000', '--seed', '7'],
  ['scripts/test.ts', '--pooled'],
]

const left = [...PARTS]
const took: string[] = []
await Promise.all(Array.from({ length: AT_ONCE }, runParts))
process.stdout.write(`\n${took.join('\n')}\n`)

/** Until none is left, or one has failed. */
async function runParts(): Promise<void> {
  for (let part = left.shift(); part !== undefined && process.exitCode !== 1; part = left.shift()) {
    const startMs = performance.now()
    const code = await run(part, part === PARTS[0])
    const seconds = `${((performance.now() - startMs) / 1_000).toFixed(0)} s`.padStart(6)
    took.push(`${seconds}  ${part.join(' ')}${code === 0 ? '' : '  failed'}`)
    if (code !== 0) process.exitCode = 1
  }
}

/** What is not shown as it comes is kept together until its end. */
async function run(part: Part, isShown: boolean): Promise<number | null> {
  const child = spawn(process.execPath, part, { cwd: ROOT, stdio: isShown ? 'inherit' : ['ignore', 'pipe', 'pipe'] })
  const texts: Buffer[] = []
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (text: Buffer) => texts.push(text))
  const code = await new Promise<number | null>((ended) => child.on('close', ended))
  process.stdout.write(Buffer.concat(texts))
  return code
}
