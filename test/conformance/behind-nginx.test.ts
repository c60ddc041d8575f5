/**
 * What a proxy does to a right implementation: behind the nginx of deploy/ it stays right, behind a plain one in its
 * core (R15).
 */
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
  it('behind the nginx of deploy/ passes strictly', async () => {
    const report = await checkBehind((host) => startNginx([host]))
    assert.equal(report.verdict, 'passed', textReport(report))
  })

  it('behind an nginx that is told no more than where to go passes in its core, and strictly fails by its own answers', async () => {
    const report = await checkBehind((host) =>
      serveWithNginx((port) => `server { listen 127.0.0.1:${port}; location / { proxy_pass http://${host}; } }`),
    )
    assert.equal(report.core, 'passed', textReport(report))
    assert.equal(report.verdict, 'failed')
  })
})
