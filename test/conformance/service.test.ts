/**
 * The conformance kit against this service on its embedded store, in a store that contains more than a page of animals.
 * Time is the test's, so no limit is waited for. test/scale does the same with nodes on PostgreSQL and Redis.
 */
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { runConformance, textReport } from '../../conformance/src/index.ts'
import { startApp } from '../support/app.ts'

it('on SQLite, every statement that can be checked from outside is met, the limits included (R1-R18)', async () => {
  const time = { nowMs: Date.now() }
  const startMs = time.nowMs
  await using app = await startApp({ time })
  // Node's own Date is not of the service's time.
  app.publicPort.server.prependListener('request', (_request, response) => {
    response.setHeader('Date', new Date(time.nowMs).toUTCString())
  })
  const key = await app.issue('business')
  const body = '{"name":"other","categoryId":1,"status":"sold"}'
  for (let n = 0; n < 120; n += 1) await app.call({ method: 'POST', path: '/v1/pets', key, body })
  const report = await runConformance({
    baseUrl: `http://127.0.0.1:${app.port}/v1`,
    key: await app.issue(),
    limitedKey: await app.issue('enterprise', { perMinute: 10, perDay: 1_000 }),
    clock: () => time.nowMs,
    sleep: async (ms) => {
      time.nowMs += ms
    },
  })
  assert.deepEqual([report.verdict, report.counts['not run']], ['passed', 0], textReport(report))
  assert(time.nowMs > startMs, 'a limit was waited for')
})
