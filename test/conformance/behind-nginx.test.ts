/** The effect of a proxy on a right implementation (R15). */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type Report, runConformance, textReport } from '../../conformance/src/index.ts'
import { nginxNeeded, serveWithNginx, startNginx, type TestNginx } from '../deploy/nginx.ts'
import { startService } from '../support/service.ts'

async function checkBehind(start: (host: string) => Promise<TestNginx>): Promise<Report> {
  await using service = await startService({ args: ['--trust-proxy', '127.0.0.1', '--anonymous-per-minute', '100000'] })
  const { key } = await service.issueKey()
  const limited = await service.issueKey('enterprise', { perMinute: 10, perDay: 1_000 })
  const nginx = await start(new URL(service.baseUrl).host)
  try {
    const baseUrl = `http://127.0.0.1:${nginx.port}/v1`
    return await runConformance({ baseUrl, key, limitedKey: limited.key })
  } finally {
    await nginx.stop()
  }
}

describe('a right implementation', { concurrency: 2, ...nginxNeeded }, () => {
  it('passes strictly behind the nginx of deploy/', async () => {
    const report = await checkBehind((host) => startNginx([host]))
    assert.equal(report.verdict, 'passed', textReport(report))
  })

  it('passes only in its core behind a plain nginx, which sends responses of its own', async () => {
    const report = await checkBehind((host) =>
      serveWithNginx((port) => `server { listen 127.0.0.1:${port}; location / { proxy_pass http://${host}; } }`),
    )
    assert.equal(report.core, 'passed', textReport(report))
    assert.equal(report.verdict, 'failed')
  })
})
