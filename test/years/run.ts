#!/usr/bin/env node
/**
 * `npm run years`: five years of a service in a minute, from November 2026 to January 2031.
 *
 *     npm run years -- --seed 7 --to 2027-11-21
 */
import { parseArgs } from 'node:util'
import { keepCompiledCode } from '../../src/cli/compile-cache.js'
import { live } from './years.ts'

/** Of a failure. */
const LINES = 40

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: String(Date.now() % 0x7fffff) },
    from: { type: 'string', default: '2026-11-21T12:00:10Z' },
    to: { type: 'string', default: '2031-01-15T00:00:00Z' },
  },
})
keepCompiledCode()
const begun = performance.now()
const seed = Number(values.seed)
const { trace, lines, counts, failure } = await live({
  seed,
  fromMs: Date.parse(values.from),
  toMs: Date.parse(values.to),
})
const seconds = ((performance.now() - begun) / 1_000).toFixed(1)
for (const [what, n] of [...counts].sort()) console.log(`${String(n).padStart(7)} ${what}`)
console.log(`${values.from} to ${values.to}, ${seconds} s, seed ${seed}, trace ${trace.slice(0, 16)}`)
if (failure !== undefined) {
  console.error(`…\n${lines.slice(-LINES).join('\n')}\n\n${failure}`)
  process.exitCode = 1
}
