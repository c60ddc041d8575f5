/**
 * Ten seconds of the fuzzer, five on each deployment, from a new seed each time. A failure names its seed:
 * `npm run fuzz -- --engine … --seed …` finds it again.
 */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { fuzz } from './fuzz.ts'
import { NEEDED, openTarget } from './targets.ts'

const SECONDS = 5

describe('whatever a client sends, on either port', () => {
  for (const engine of ['sqlite', 'postgres'] as const) {
    it(
      `on ${engine}: each request has its one answer, the process lives, and what it acknowledged is stored`,
      NEEDED[engine],
      async () => {
        await using target = await openTarget(engine)
        // A busy machine goes on until it has done enough to tell.
        const done = { connections: 0, acknowledged: 0 }
        while (done.connections <= 20 || done.acknowledged <= 2) {
          const seed = Date.now() % 0x7fffffff
          const { failure, connections, acknowledged } = await fuzz(target, { seed, seconds: SECONDS })
          assert.equal(failure, undefined, `seed ${seed}: ${failure?.message}\n${JSON.stringify(failure?.batch)}`)
          done.connections += connections
          done.acknowledged += acknowledged
        }
      },
    )
  }
})
