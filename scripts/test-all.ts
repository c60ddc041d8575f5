/**
 * `npm run test:all`: what takes longer than each change can wait for, and how long each part took. Parts that keep one
 * core busy run two at a time, each told when it has ended. It stops at the first that fails. `npm test` is not part
 * of it.
 */
import { spawn } from 'node:child_process'
import { resolve } from 'node:path'

type Part = readonly string[]

const ROOT = resolve(import.meta.dirname, '..')
/** Stages one after the other; the rows of a stage at the same time; the parts of a row one after the other. */
const STAGES: readonly (readonly (readonly Part[])[])[] = [
  [[['scripts/test.ts', '--long']]],
  [
    [
      ['scripts/test.ts', 'test/release'],
      ['scripts/test.ts', 'test/container'],
    ],
    [
      ['scripts/test.ts', '--pooled'],
      ['test/years/run.ts', '--seed', '7'],
      ['test/forms/run.ts', '--requests', '20000', '--seed', '7'],
      ['test/power/run.ts', '--states', '5000', '--seed', '7'],
      ['test/report/run.ts', '--histories', '1000'],
      ['test/report/run.ts', '--histories', '200', '--engine', 'postgres'],
      ['test/histories/run.ts', '--engine', 'cluster', '--runs', '2', '--steps', '30', '--seed', '7'],
      ['test/histories/run.ts', '--runs', '150', '--steps', '200', '--seed', '7'],
      ['test/cluster/run.ts', '--faults', 'kill leader,stop node+kill redis master,cut node'],
    ],
  ],
]

const took: string[] = []
for (const rows of STAGES) {
  await Promise.all(rows.map((row) => runRow(row, rows.length === 1)))
  if (process.exitCode === 1) break
}
process.stdout.write(`\n${took.join('\n')}\n`)

async function runRow(parts: readonly Part[], isAlone: boolean): Promise<void> {
  for (const part of parts) {
    if (process.exitCode === 1) return
    const startMs = performance.now()
    const code = await run(part, isAlone)
    const seconds = `${((performance.now() - startMs) / 1_000).toFixed(0)} s`.padStart(6)
    took.push(`${seconds}  ${part.join(' ')}${code === 0 ? '' : '  failed'}`)
    if (code !== 0) process.exitCode = 1
  }
}

/** What is written beside another part is kept together until its end. */
async function run(part: Part, isAlone: boolean): Promise<number | null> {
  const child = spawn(process.execPath, part, { cwd: ROOT, stdio: isAlone ? 'inherit' : ['ignore', 'pipe', 'pipe'] })
  const texts: Buffer[] = []
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (text: Buffer) => texts.push(text))
  const code = await new Promise<number | null>((ended) => child.on('close', ended))
  process.stdout.write(Buffer.concat(texts))
  return code
}
