/** Shows that the kit bites: each wrong server is found by the cases that should, and by no others (R1-R18). */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { textReport } from '../../conformance/src/index.ts'
import { filled } from './servers/changes.ts'
import { together } from './servers/reference.ts'
import { failedIn, runKit } from './servers/run-kit.ts'
import { WRONG } from './servers/wrong.ts'

describe('the kit', { concurrency: 4 }, () => {
  for (const [what, change, foundBy] of WRONG) {
    it(`finds ${what}`, async () => {
      const report = await runKit({ change: together(filled, change), skip: ['large-body'] })
      assert.deepEqual(failedIn(report).sort(), foundBy.split(' ').sort(), textReport(report))
      assert.equal(report.core, foundBy.endsWith('-strict') ? 'passed' : 'failed')
    })
  }
})
