/**
 * `npm run test:all`: what takes longer than each change can wait for, and CI runs besides `npm test`, with how long
 * each part took. Two parts run at a time. When one has failed, none is begun any more. What is longer still is
 * `npm run test:long`.
 */
import { spawn } from 'node:child_process'
import { resolve } from 'node:path'

type Part = readonly string[]

const ROOT = resolve(import.meta.dirname, '..')
/** Both run as many files at once as there are cores: more wait than compute. */
const AT_ONCE = 2
/** In this order: what takes longest begins first. What the first one writes is shown as it comes. */
const PARTS: readonly Part[] = [
  ['scripts/test.ts', '--browsers'],
  ['scripts/test.ts', '--long'],
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
