/** Shows that the conformance kit bites: the correct server passes, and every wrong one is caught by the case that should. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { textReport } from '../../src/conformance/text-report.ts'
import { CHOICES, DEFECTS } from './defects/defects.ts'
import { runKit } from './defects/run-kit.ts'

test('a correct server passes every case, and every case is run', async () => {
  const report = await runKit()
  assert.equal(report.verdict, 'passed', textReport(report))
  assert.equal(report.counts['not run'], 0, textReport(report))
})

for (const { what, change, caughtBy, statement } of DEFECTS) {
  test(`caught: ${what} (${statement}, ${caughtBy})`, async () => {
    // What looks back on the whole run needs all of it; for the rest, the cases about one statement are quicker.
    const only = caughtBy.startsWith('every-') ? undefined : [statement]
    const report = await runKit({ change, only })
    const result = report.results.find(({ id }) => id === caughtBy)
    assert.equal(result?.outcome, 'failed', result?.note ?? textReport(report))
    assert.equal(result.failure?.statement, statement)
    assert.equal(report.verdict, 'failed')
  })
}

for (const { what, change, reportedBy, note } of CHOICES) {
  test(`reported and not failed: ${what} (${reportedBy})`, async () => {
    const report = await runKit({ change })
    assert.equal(report.verdict, 'passed', textReport(report))
    assert.match(report.results.find(({ id }) => id === reportedBy)?.note ?? '', note)
  })
}
