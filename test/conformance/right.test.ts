/** Shows that the kit blames nobody for an open point: right servers pass, and what differs is told (O1-O25). */

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { CASES, textReport } from 'pet-adoption-conformance'
import { RIGHT_ANSWERS } from './servers/right/answers.ts'
import { RIGHT_DELIVERIES } from './servers/right/deliveries.ts'
import { RIGHT_LIMITS } from './servers/right/limits.ts'
import { runKit } from './servers/run-kit.ts'
import { WRONG_ANSWERS, WRONG_HABITS, WRONG_MANNERS } from './servers/wrong/index.ts'

const RIGHT = [...RIGHT_ANSWERS, ...RIGHT_LIMITS, ...RIGHT_DELIVERIES]
const WRONG = [...WRONG_ANSWERS, ...WRONG_MANNERS, ...WRONG_HABITS]

describe('right servers', { concurrency: 4 }, () => {
  for (const { what, change, toldBy: [caseId, note] = [], run = {} } of RIGHT) {
    it(`passed: ${what}${caseId === undefined ? '' : `, told by ${caseId}`}`, async () => {
      const report = await runKit({ ...run, change })
      assert.equal(report.verdict, 'passed', textReport(report))
      assert.equal(report.core, 'passed')
      if (note !== undefined) assert.match(report.results.find(({ id }) => id === caseId)?.note ?? '', note)
    })
  }
})

it('there are at least 500 wrong servers and 90 right ones, and nine in ten of the wrong are one finding', () => {
  assert.ok(WRONG.length >= 500, `${WRONG.length} wrong`)
  assert.ok(RIGHT.length >= 90, `${RIGHT.length} right`)
  assert.equal(new Set([...WRONG, ...RIGHT].map(({ what }) => what)).size, WRONG.length + RIGHT.length)
  const single = WRONG.filter(({ foundBy }) => foundBy.length === 1)
  assert.ok(single.length >= 0.9 * WRONG.length, `${single.length} of ${WRONG.length}`)
  const ids = new Set(CASES.map(({ id }) => id))
  assert.deepEqual(
    [...WRONG.flatMap(({ foundBy }) => foundBy)].filter((id) => !ids.has(id)),
    [],
  )
})
