/** Shows that the kit blames nobody for an open point: right servers pass, and what differs is told (O1-O25). */

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { textReport } from '../../conformance/src/index.ts'
import { RIGHT_ANSWERS } from './servers/right/answers.ts'
import { RIGHT_DELIVERIES } from './servers/right/deliveries.ts'
import { RIGHT_LIMITS } from './servers/right/limits.ts'
import { runKit } from './servers/run-kit.ts'

const RIGHT = [...RIGHT_ANSWERS, ...RIGHT_LIMITS, ...RIGHT_DELIVERIES]

describe('right servers', { concurrency: 4 }, () => {
  for (const { what, change, told, run } of RIGHT) {
    it(`passed: ${what}`, async () => {
      const report = await runKit({ ...run, change })
      assert.equal(report.verdict, 'passed', textReport(report))
      assert.equal(report.core, 'passed')
      for (const [caseId, note] of Object.entries(told)) {
        assert.match(report.results.find(({ id }) => id === caseId)?.note ?? '', note, caseId)
      }
    })
  }
})
