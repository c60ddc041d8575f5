/** The alerts of deploy/monitoring, judged by Prometheus's own tool, and where they send who is woken by them. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, it } from 'node:test'
import { makeCertificate } from '../support/certificate.ts'
import { temporaryFolder } from '../support/folder.ts'
import { findProgram, skipUnless } from '../support/programs.ts'
import { startService } from '../support/service.ts'

const ROOT = resolve(import.meta.dirname, '../..')
const promtool = findProgram('promtool') ?? ''
const promtoolNeeded = skipUnless(promtool !== '', 'there is no promtool on the path; install prometheus')

describe('the alerts', () => {
  it('come when they should and not before', promtoolNeeded, () => {
    const { status, stdout, stderr } = spawnSync(promtool, ['test', 'rules', join(import.meta.dirname, 'alerts.yaml')])
    assert.equal(status, 0, `${stdout}${stderr}`)
  })

  it('lead each to a heading of the manual that is there', () => {
    const rules = readFileSync(`${ROOT}/deploy/monitoring/alerts.yaml`, 'utf8')
    const headings = [...readFileSync(`${ROOT}/docs/operations.md`, 'utf8').matchAll(/^#+ (.*)$/gm)].map(
      ([, title = '']) => title.toLowerCase().replaceAll(' ', '-'),
    )
    const anchors = [...rules.matchAll(/^ +runbook_url: docs\/operations\.md#(\S+)$/gm)].map(
      ([, anchor = '']) => anchor,
    )
    assert.equal(anchors.length, rules.match(/- alert:/g)?.length)
    for (const anchor of anchors) assert(headings.includes(anchor), anchor)
  })
})

describe('the metrics of a service with all that it can have', () => {
  it('are as Prometheus wants them', promtoolNeeded, async () => {
    const { cert, key } = makeCertificate(temporaryFolder())
    const args = ['--backup-dir', `${temporaryFolder()}/backups`, '--tls-cert', cert, '--tls-key', key]
    await using service = await startService({ args })
    const input = await (await fetch(`${service.operatorUrl}/metrics`)).text()
    const { status, stdout, stderr } = spawnSync(promtool, ['check', 'metrics'], { input })
    assert.deepEqual([status, String(stdout), String(stderr)], [0, '', ''])
    assert.match(input, /^pets_certificate_not_after_timestamp_seconds \d{10}$/m)
    assert.match(input, /^pets_backup_interval_seconds 3600$/m)
    assert.match(input, /^pets_keys_banned 0$/m)
  })
})
