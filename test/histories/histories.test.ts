/** Some seconds of random histories from a new seed, which a failure names. */
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { keepCompiledCode } from '../../src/cli/compile-cache.js'
import { newSeed } from '../support/random.ts'
import { playInShelter } from './in-shelter.ts'

const STEPS = 60
const WITHIN_MS = 1_500
/** Enough to tell; a busy machine plays on until it has them. */
const ENOUGH = { histories: 2, steps: 21 }

it('every response and everything stored match the model, whatever clients, operators and crashes do', async (t) => {
  keepCompiledCode()
  const played = { histories: 0, steps: 0 }
  while (played.histories < ENOUGH.histories || played.steps < ENOUGH.steps) {
    const plan = { seed: newSeed(), runs: 400, steps: STEPS, withinMs: WITHIN_MS, shrinkMs: 0 }
    const { histories, steps, failure } = await playInShelter(plan)
    const { message, lines = [], again } = failure ?? {}
    const command = `npm run test:long -- --only histories --seed ${again?.seed} --steps ${STEPS} --path ${again?.path}`
    assert.equal(failure, undefined, [message, ...lines, command].join('\n'))
    played.histories += histories
    played.steps += steps
  }
  t.diagnostic(`${played.histories} histories, ${played.steps} steps`)
})
