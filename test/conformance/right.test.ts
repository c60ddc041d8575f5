/** Shows that the kit blames nobody for an open point: right servers pass, and what differs is told (O1-O25). */

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { textReport } from '../../conformance/src/index.ts'
import { RIGHT } from './servers/right.ts'
import { runKit } from './servers/run-kit.ts'

describe('right servers', { concurrency: 4 }, () => {
  for (const [what, change, told = {}, run] of RIGHT) {
    it(`passed: ${what}`, async () => {
      const report = await runKit({ ...run, change })
      assert.deepEqual([report.verdict, report.core], ['passed', 'passed'], textReport(report))
      for (const [caseId, note] of Object.entries(told)) {
        assert.match(report.results.find(({ id }) => id === caseId)?.note ?? '', note, caseId)
      }
    })
  }
})
