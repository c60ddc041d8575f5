/** Runs the whole kit against wrong servers, several at a time, and holds it to what each is to be found by. */

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { CASES, textReport } from 'pet-adoption-conformance'
import type { Wrong } from './mutate.ts'
import { runKit } from './run-kit.ts'

const AT_ONCE = 4
/** Of real time, for the servers that never answer. */
const SHORT_PATIENCE = { httpMs: 5_000, rawMs: 5_000 }

/**
 * Cases that cite no requirement cannot fail, unless a request of theirs ends the server; what looks back sees their
 * answers too.
 */
const OBSERVING = CASES.filter(({ cites }) => cites.every((cited) => cited.startsWith('O'))).map(({ id }) => id)

export function testWrong(servers: readonly Wrong[]): void {
  describe('wrong servers', { concurrency: AT_ONCE }, () => {
    for (const { what, change, foundBy } of servers) {
      it(`${what}: found by ${foundBy.join(' and ')}`, async () => {
        const patience = what.startsWith('no answer ever') ? { patience: SHORT_PATIENCE } : {}
        const needsAll =
          (typeof change === 'object' && change.fate !== undefined) || foundBy.some((id) => id.startsWith('every-'))
        // A megabyte of body is a sixth of the whole run, and no server here is wrong about it.
        const skip = needsAll ? ['create-large-body'] : OBSERVING
        const report = await runKit({ change, skip, ...patience })
        const failed = report.results.filter(({ outcome }) => outcome === 'failed').map(({ id }) => id)
        assert.deepEqual(failed, foundBy, textReport(report))
        assert.equal(report.verdict, 'failed')
      })
    }
  })
}
