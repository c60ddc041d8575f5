/**
 * Some weeks of the years that `npm run years` plays in full, from a new seed each time: twice the same, and once over
 * the removal of getPet.
 */
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { keepCompiledCode } from '../../src/cli/compile-cache.js'
import { DAY_MS } from '../../src/common/clock.ts'
import { type Lived, live } from './years.ts'

async function weeksFrom(from: string, seed: number): Promise<Lived> {
  keepCompiledCode()
  const fromMs = Date.parse(from)
  const toMs = fromMs + 35 * DAY_MS
  const lived = await live({ seed, fromMs, toMs })
  const again = `npm run years -- --seed ${seed} --from ${from} --to ${new Date(toMs).toISOString()}`
  assert.equal(lived.failure, undefined, `${lived.lines.join('\n')}\n${again}`)
  return lived
}

it('weeks of a service and those who use it are what the model says, and the same each time', async (t) => {
  const seed = Date.now() % 0x7fffff
  const lived = await weeksFrom('2026-11-21T12:00:10Z', seed)
  assert.equal(lived.trace, (await weeksFrom('2026-11-21T12:00:10Z', seed)).trace, `seed ${seed}`)
  assert((lived.counts.get('midnights') ?? 0) >= 5, 'time passes')
  t.diagnostic(`${lived.lines.length} lines, seed ${seed}`)
})

it('on the day on which getPet is removed it is there until midnight, and nothing else ends', async () => {
  const { lines } = await weeksFrom('2030-11-15T12:00:10Z', Date.now() % 0x7fffff)
  assert(lines.some((line) => line.includes('2030-12-04T23:59:59.999Z')))
})
