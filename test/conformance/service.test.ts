/** The conformance kit against this service on its embedded store; test/scale holds the nodes on PostgreSQL to it. */

import assert from 'node:assert/strict'
import { it } from 'node:test'
import { runConformance, textReport } from '../../conformance/src/index.ts'
import { startService } from '../support/service.ts'

it('on SQLite, every statement that can be checked from outside is met, the limits included (R1–R18)', async () => {
  await using service = await startService({ args: ['--anonymous-per-minute', '100000'] })
  const { key } = await service.issueKey()
  const limited = await service.issueKey('enterprise', { perMinute: 10, perDay: 1_000 })
  const report = await runConformance({ baseUrl: service.baseUrl, key, limitedKey: limited.key, thorough: true })
  assert.equal(report.verdict, 'passed', textReport(report))
})
