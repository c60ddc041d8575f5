#!/usr/bin/env node
/**
 * The reports of many random histories on one engine, held to a model.
 *
 *     npm run test:long -- --only reports --histories 10000 --engine sqlite --seed 1
 */
import assert from 'node:assert/strict'
import { parseArgs } from 'node:util'
import { storeEngines } from '../store/engines.ts'
import { assertHistories } from './histories.ts'

/** Histories of one database; the next has the next seed. */
const TOGETHER = 25
const NAMES: Readonly<Record<string, string>> = { sqlite: 'SQLite', postgres: 'PostgreSQL' }

const { values } = parseArgs({
  options: {
    histories: { type: 'string', default: '1000' },
    engine: { type: 'string', default: 'sqlite' },
    seed: { type: 'string', default: '1' },
  },
})
const engine = storeEngines.find(({ name }) => name === NAMES[values.engine])
assert(engine, '--engine is sqlite or postgres')
const [seed, databases] = [Number(values.seed), Math.ceil(Number(values.histories) / TOGETHER)]
assert(Number.isSafeInteger(seed) && databases > 0, '--histories and --seed are whole numbers')
const begun = performance.now()
const running = await engine.start()
try {
  for (let n = 0; n < databases; n += 1) await assertHistories(await running.createDatabase(), seed + n, TOGETHER)
} finally {
  await running.stop()
}
const seconds = ((performance.now() - begun) / 1_000).toFixed(1)
console.log(`reports, ${values.engine}: ${databases * TOGETHER} histories, ${seconds} s, seed ${values.seed}`)
