/**
 * The conformance kit against this service on its embedded store: whole where time is the test's, so that no limit is
 * waited for; and on the real process, all that needs no limit to be reached. test/scale holds the nodes on PostgreSQL
 * to it.
 */
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { runConformance, textReport } from '../../conformance/src/index.ts'
import { startApp } from '../support/app.ts'
import { startService } from '../support/service.ts'
import { PATIENT_TIMEOUTS } from './servers/run-kit.ts'

it('on SQLite, every statement that can be checked from outside is met, the limits included (R1–R18)', async () => {
  const time = { nowMs: Date.now() }
  const startMs = time.nowMs
  await using app = await startApp({ time })
  // Node's own Date is not of the service's time.
  app.publicPort.server.prependListener('request', (_request, response) => {
    response.setHeader('Date', new Date(time.nowMs).toUTCString())
  })
  const report = await runConformance({
    baseUrl: `http://127.0.0.1:${app.port}/v1`,
    key: await app.issue(),
    limitedKey: await app.issue('enterprise', { perMinute: 10, perDay: 1_000 }),
    thorough: true,
    timeouts: PATIENT_TIMEOUTS,
    clock: () => time.nowMs,
    sleep: async (ms) => {
      time.nowMs += ms
    },
  })
  assert.equal(report.verdict, 'passed', textReport(report))
  assert(time.nowMs > startMs, 'a limit was waited for')
})

it('the process meets what needs no limit to be reached', async () => {
  await using service = await startService({ args: ['--anonymous-per-minute', '100000'], operatorPort: 'none' })
  const { key } = await service.issueKey()
  const { baseUrl } = service
  const report = await runConformance({ baseUrl, key, thorough: true, timeouts: PATIENT_TIMEOUTS })
  assert.equal(report.counts.failed + report.counts.suspicious, 0, textReport(report))
  for (const { outcome, note = '' } of report.results) if (outcome === 'not run') assert.match(note, /--limited-key/)
})
