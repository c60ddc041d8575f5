/** Shows that the kit blames nobody for an open point: right servers pass, and what differs is told (O1-O25). */

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { textReport } from '../../conformance/src/index.ts'
import { together } from './servers/reference.ts'
import { RIGHT } from './servers/right.ts'
import { runKit } from './servers/run-kit.ts'

describe('right servers', { concurrency: 4 }, () => {
  for (const { changes, notes = {}, run } of RIGHT) {
    it(`passed: ${Object.keys(changes).join('; ')}`, async () => {
      const report = await runKit({ ...run, change: together(...Object.values(changes)) })
      assert.deepEqual([report.verdict, report.core], ['passed', 'passed'], textReport(report))
      for (const [pattern, cases] of Object.entries(notes)) {
        for (const id of cases.split(' '))
          assert.match(report.results.find((each) => each.id === id)?.note ?? '', new RegExp(pattern), id)
      }
    })
  }
})
