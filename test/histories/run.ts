#!/usr/bin/env node
/**
 * Long random histories of the whole service, held to the model.
 *
 *     npm run test:long -- --only histories --runs 1000 --steps 200 --seed 7 --engine sqlite
 */
import { parseArgs } from 'node:util'
import { keepCompiledCode } from '../../src/cli/compile-cache.js'
import type { Plan } from './histories.ts'
import { playInLanes } from './lanes.ts'
import { playOnNodes } from './nodes.ts'

const SHRINK_MS = 60_000
const LANES = 2

const { values } = parseArgs({
  options: {
    runs: { type: 'string', default: '1000' },
    steps: { type: 'string', default: '200' },
    seed: { type: 'string', default: String(Date.now() % 0x7fffffff) },
    engine: { type: 'string', default: 'sqlite' },
    path: { type: 'string' },
    'replay-path': { type: 'string' },
  },
})

// Each start of a service begins a thread, which loads three times faster so.
keepCompiledCode()
const begun = performance.now()
const plan: Plan = {
  seed: Number(values.seed),
  runs: Number(values.runs),
  steps: Number(values.steps),
  path: values.path,
  replayPath: values['replay-path'],
  shrinkMs: SHRINK_MS,
}
const engine = values.engine
if (engine !== 'sqlite' && engine !== 'postgres' && engine !== 'cluster') {
  throw new Error('--engine is sqlite, postgres or cluster')
}
const { histories, steps, failure, seed } =
  engine === 'sqlite' ? await playInLanes(plan, LANES) : { ...(await playOnNodes(plan, engine)), seed: plan.seed }
const seconds = ((performance.now() - begun) / 1_000).toFixed(1)
console.log(`${values.engine}: ${histories} histories, ${steps} steps, ${seconds} s, seed ${values.seed}`)
if (failure !== undefined) {
  const again = `npm run test:long -- --only histories --engine ${values.engine} --seed ${seed} --steps ${values.steps} --path ${failure.path} --replay-path ${failure.replayPath}`
  console.error(`${failure.message}\n\n${failure.lines.join('\n')}\n\nAgain: ${again}`)
  process.exitCode = 1
}
