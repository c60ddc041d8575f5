/**
 * What a proxy does to a right implementation: behind the nginx of deploy/ it stays right, behind a plain one in its
 * core (R15).
 */

import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { type Report, runConformance, textReport } from 'pet-adoption-conformance'
import { temporaryFolder } from '../support/folder.ts'
import { findProgram, skipUnless } from '../support/programs.ts'
import { endWithTests, freePort, listening, stop } from '../support/servers/servers.ts'
import { startService } from '../support/service.ts'

const program = findProgram('nginx')
const nginxNeeded = skipUnless(program !== undefined, 'there is no nginx on the path; install it')

/** The configuration of deploy/ before one node, without its deadlines: those are judged before several nodes. */
function deployed(port: number, host: string): string {
  const site = readFileSync(new URL('../../deploy/nginx.conf', import.meta.url), 'utf8')
    .replace(/(?: *server pets.*\n)+/, `  server ${host};\n`)
    .replace(/(proxy_(?:connect|read)_timeout) \d+ms;/g, '$1 60s;')
    .replace(/listen 8080;\n *listen \[::\]:8080;/, `listen 127.0.0.1:${port};`)
  return `events {}\nhttp {\n  access_log off;\n${site}}\n`
}

/** What nginx does when it is told no more than where to go. */
function plain(port: number, host: string): string {
  return `events {} http { access_log off; server { listen 127.0.0.1:${port}; location / { proxy_pass http://${host}; } } }`
}

async function checkBehind(configure: typeof plain): Promise<Report> {
  await using service = await startService({ args: ['--trust-proxy', '127.0.0.1', '--anonymous-per-minute', '100000'] })
  const { key } = await service.issueKey()
  const limited = await service.issueKey('enterprise', { perMinute: 10, perDay: 1_000 })
  const port = await freePort()
  const folder = temporaryFolder()
  const file = join(folder, 'nginx.conf')
  writeFileSync(file, configure(port, new URL(service.baseUrl).host))
  assert.ok(program)
  const directives = `daemon off; pid ${join(folder, 'nginx.pid')};`
  const nginx = spawn(program, ['-p', folder, '-c', file, '-e', 'stderr', '-g', directives], { stdio: 'ignore' })
  endWithTests(nginx)
  try {
    await listening(port, nginx)
    return await runConformance({
      baseUrl: `http://127.0.0.1:${port}/v1`,
      key,
      limitedKey: limited.key,
      thorough: true,
    })
  } finally {
    await stop(nginx, 'SIGTERM')
  }
}

describe('a right implementation', { concurrency: 2, ...nginxNeeded }, () => {
  it('behind the nginx of deploy/ passes strictly', async () => {
    const report = await checkBehind(deployed)
    assert.equal(report.verdict, 'passed', textReport(report))
  })

  it('behind a plain nginx passes in its core, and strictly fails by what nginx answers itself', async () => {
    const report = await checkBehind(plain)
    assert.equal(report.core, 'passed', textReport(report))
    assert.equal(report.verdict, 'failed')
  })
})
