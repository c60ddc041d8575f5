/**
 * Some seconds of the strain on each engine, from a new seed each time. A failure names its seed:
 * `npm run strain -- --engine … --seed …` draws the same rounds again.
 */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { postgresNeeded } from '../support/servers/postgres.ts'
import { strain } from './strain.ts'

const SECONDS = 6

describe('commands at once, beside a service, cut at any moment', { concurrency: false }, () => {
  for (const engine of ['sqlite', 'postgres'] as const) {
    it(`on ${engine}: nothing acknowledged is lost, nothing is mixed, and each change is whole or not there`, {
      ...(engine === 'postgres' && postgresNeeded),
    }, async () => {
      // On a busy machine some seconds may end before the first round has; then there are twice as many.
      for (let [commands, seconds] = [0, SECONDS]; commands === 0; seconds *= 2) {
        const seed = Date.now() % 0x7fffffff
        const { failure, figures } = await strain(engine, { seed, seconds, shrinkSeconds: 0 })
        assert.equal(failure, undefined, `seed ${failure?.seed}: ${failure?.message}\n${failure?.lines.join('\n')}`)
        commands += figures.commands
      }
    })
  }
})
