/** Shows that the kit blames nobody for an open point: right servers pass, and what differs is reported (O1-O25). */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { textReport } from '../../conformance/src/index.ts'
import { filled } from './servers/changes.ts'
import { together } from './servers/reference.ts'
import { RIGHT } from './servers/right.ts'
import { runKit } from './servers/run-kit.ts'

describe('the kit', { concurrency: 4 }, () => {
  for (const [what, change, notes = {}] of RIGHT) {
    it(`passes ${what}`, async () => {
      const report = await runKit({ change })
      assert.deepEqual([report.verdict, report.core], ['passed', 'passed'], textReport(report))
      for (const [id, pattern] of Object.entries(notes))
        assert.match(report.results.find((each) => each.id === id)?.note ?? '', pattern, id)
    })
  }

  it('asks about each limit if more than a page is stored (R7)', async () => {
    const report = await runKit({ change: together(filled) })
    assert.deepEqual([report.verdict, report.counts['not run']], ['passed', 0], textReport(report))
  })
})
