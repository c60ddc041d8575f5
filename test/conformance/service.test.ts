/** The kit against this service on SQLite, with more than a page of animals. test/scale runs it on PostgreSQL and Redis. */
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { runConformance, textReport } from '../../conformance/src/index.ts'
import { startApp } from '../support/app.ts'

it('the service on SQLite meets every statement that the kit checks (R1-R18)', async () => {
  const time = { nowMs: Date.now() }
  const startMs = time.nowMs
  await using app = await startApp({ time })
  // Node's Date does not follow the service's clock.
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
