/** The kit passes right servers, which differ at open points (O1-O25), and finds the fault of each wrong one (R1-R18). */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { textReport } from '../../conformance/src/index.ts'
import { filled } from './servers/changes.ts'
import { together } from './servers/reference.ts'
import { RIGHT } from './servers/right.ts'
import { failedIn, runKit } from './servers/run-kit.ts'
import { WRONG } from './servers/wrong.ts'

describe('the kit', { concurrency: 4 }, () => {
  for (const [what, change, notes = {}] of RIGHT) {
    it(`passes ${what} (O1-O25)`, async () => {
      const report = await runKit({ change })
      assert.deepEqual([report.verdict, report.core], ['passed', 'passed'], textReport(report))
      for (const [id, pattern] of Object.entries(notes))
        assert.match(report.results.find((each) => each.id === id)?.note ?? '', pattern, id)
    })
  }

  it('runs every case if more than a page is stored (R7)', async () => {
    const report = await runKit({ change: together(filled) })
    assert.deepEqual([report.verdict, report.counts['not run']], ['passed', 0], textReport(report))
  })

  for (const [what, change, foundBy] of WRONG) {
    it(`finds ${what} by the cases that should, and by no others (R1-R18)`, async () => {
      const report = await runKit({ change: together(filled, change), skip: ['large-body'] })
      assert.deepEqual(failedIn(report).sort(), foundBy.split(' ').sort(), textReport(report))
      assert.equal(report.core, foundBy.endsWith('-strict') ? 'passed' : 'failed')
    })
  }
})
