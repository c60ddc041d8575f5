/**
 * `npm run test:all`: the tests that take too long for each change, which CI runs in addition to `npm test`. Two parts
 * run at a time, and the time of each is printed. After a failure no other part is started. The longest tests are in
 * `npm run test:long`.
 */
import { spawn } from 'node:child_process'
import { resolve } from 'node:path'

type TestPart = readonly string[]

const ROOT = resolve(import.meta.dirname, '..')
/** Each of the two parts runs as many files at once as there are cores, because most tests wait. */
const AT_ONCE = 2
/** The longest part first. Its output is shown as it comes. */
const PARTS: readonly TestPart[] = [
  ['scripts/test.ts', '--browsers'],
  ['scripts/test.ts', '--long'],
  ['scripts/test.ts', '--pooled'],
]

const queue = [...PARTS]
const took: string[] = []
await Promise.all(Array.from({ length: AT_ONCE }, runParts))
process.stdout.write(`\n${took.join('\n')}\n`)

/** Runs one part after the other, until none is left or one has failed. */
async function runParts(): Promise<void> {
  for (let part = queue.shift(); part !== undefined && process.exitCode !== 1; part = queue.shift()) {
    const startMs = performance.now()
    const code = await run(part, part === PARTS[0])
    const seconds = `${((performance.now() - startMs) / 1_000).toFixed(0)} s`.padStart(6)
    took.push(`${seconds}  ${part.join(' ')}${code === 0 ? '' : '  failed'}`)
    if (code !== 0) process.exitCode = 1
  }
}

/** Without `isShown` the output is printed when the part ends, so that outputs do not mix. */
async function run(part: TestPart, isShown: boolean): Promise<number | null> {
  const child = spawn(process.execPath, part, { cwd: ROOT, stdio: isShown ? 'inherit' : ['ignore', 'pipe', 'pipe'] })
  const texts: Buffer[] = []
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (text: Buffer) => texts.push(text))
  const code = await new Promise<number | null>((ended) => child.on('close', ended))
  process.stdout.write(Buffer.concat(texts))
  return code
}
