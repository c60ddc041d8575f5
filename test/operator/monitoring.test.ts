/** The files in deploy/monitoring use only existing metrics, and Prometheus's own tool judges the alerts. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { makeCertificate } from '../support/certificate.ts'
import { temporaryFolder } from '../support/folder.ts'
import { call } from '../support/http.ts'
import { findProgram, skipUnless } from '../support/programs.ts'
import { type RunningService, startService } from '../support/service.ts'

const FOLDER = resolve(import.meta.dirname, '../../deploy/monitoring')
const promtool = findProgram('promtool') ?? ''
const promtoolNeeded = skipUnless(promtool !== '', 'there is no promtool on the path; install prometheus')

describe('monitoring', () => {
  let service: RunningService
  let text = ''
  let types: ReadonlyMap<string, string>

  before(async () => {
    const { cert, key } = makeCertificate(temporaryFolder())
    const backups = ['--backup-dir', join(temporaryFolder(), 'backups')]
    const publishing = ['--publish', join(temporaryFolder(), 'public')]
    const args = [...backups, ...publishing, '--tls-cert', cert, '--tls-key', key]
    service = await startService({ args })
    const animal = { method: 'POST', body: '{"name":"Rex","categoryId":1}', ca: readFileSync(cert) }
    assert.equal((await call(service.port, { ...animal, key: (await service.issueKey('free')).key })).status, 201)
    text = await (await fetch(`${service.operatorUrl}/metrics`)).text()
    types = new Map([...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, name = '', type = '']) => [name, type]))
  })
  after(() => service.stop())

  it('uses only existing metrics and labels', () => {
    const files = readdirSync(FOLDER).filter((file) => /\.(yaml|json)$/.test(file))
    assert.equal(files.length, 3)
    for (const file of files) {
      const content = readFileSync(`${FOLDER}/${file}`, 'utf8')
      for (const [name] of content.matchAll(/\b(?:pets|process|nodejs)_[a-z_]+\b/g)) {
        const metric = types.has(name) ? name : name.replace(/_(bucket|sum|count)$/, '')
        assert(types.has(metric), `${file}: ${name}`)
      }
      for (const [, name = '', labels = ''] of content.matchAll(/\b(pets_[a-z_]+)\{([^}]*)\}/g)) {
        for (const [, label = ''] of labels.matchAll(/([a-z_]+)(?:=|!)/g)) {
          if (label === 'instance' || label === 'job') continue
          assert.match(text, new RegExp(`^${name}\\{[^}]*\\b${label}="`, 'm'), `${file}: ${name}{${label}}`)
        }
      }
    }
  })

  it('counts with each counter except those of failures', () => {
    for (const [name, type] of types) {
      if (type !== 'counter' || !/^pets_(?!.*_failures)/.test(name)) continue
      assert.match(text, new RegExp(`^${name}(?:\\{.*\\})? [1-9]`, 'm'), `nothing counts ${name}`)
    }
  })

  it('shows every metric of the service on the dashboard and in the table of the manual', () => {
    const dashboard = readFileSync(`${FOLDER}/grafana.json`, 'utf8')
    JSON.parse(dashboard)
    const own = [...types.keys()].filter((name) => name.startsWith('pets_')).sort()
    for (const name of own) assert(dashboard.includes(name), name)
    const manual = readFileSync(`${FOLDER}/../../docs/operations.md`, 'utf8')
    const rows = manual.split('\n').filter((line) => line.startsWith('| `pets_'))
    const named = rows.flatMap((row) => (row.split('|')[1] ?? '').match(/pets_[a-z_]+/g) ?? [])
    assert.deepEqual([...new Set(named)].sort(), own)
  })

  it('uses base units, counters that end in _total, and reserved labels only where they belong', () => {
    for (const [name, type] of types) {
      if (!name.startsWith('pets_')) continue
      assert.equal(name.endsWith('_total'), type === 'counter', name)
      assert.doesNotMatch(name, /_(ms|milliseconds|minutes|kb|mb|percent)(_|$)/)
    }
    for (const [, name = '', label] of text.matchAll(/^(pets_\w+)\{(?:[^}]*,)?(quantile|le)="/gm)) {
      assert.equal(label, 'le', `${name} is no summary`)
      assert.match(name, /_bucket$/)
    }
    assert.match(text, new RegExp(`^pets_build_info\\{version="[^"]+",node="${process.version}"\\} 1$`, 'm'))
  })

  it('has metrics as Prometheus wants them, with all that a service can have', promtoolNeeded, () => {
    const { status, stdout, stderr } = spawnSync(promtool, ['check', 'metrics'], { input: text })
    assert.deepEqual([status, String(stdout), String(stderr)], [0, '', ''])
    assert.match(text, /^pets_certificate_not_after_timestamp_seconds \d{10}$/m)
    assert.match(text, /^pets_keys_banned 0$/m)
  })
})

describe('the alerts', () => {
  it('come when they should and not before', promtoolNeeded, () => {
    const { status, stdout, stderr } = spawnSync(promtool, ['test', 'rules', join(import.meta.dirname, 'alerts.yaml')])
    assert.equal(status, 0, `${stdout}${stderr}`)
  })

  it('lead each to a heading of the manual that is there', () => {
    const rules = readFileSync(`${FOLDER}/alerts.yaml`, 'utf8')
    const manual = readFileSync(`${FOLDER}/../../docs/operations.md`, 'utf8').toLowerCase().replaceAll(' ', '-')
    const anchors = [...rules.matchAll(/^ +runbook_url: docs\/operations\.md#(\S+)$/gm)]
    assert.equal(anchors.length, rules.match(/- alert:/g)?.length)
    for (const [, anchor] of anchors) assert.match(manual, new RegExp(`^#+-${anchor}$`, 'm'))
  })
})
