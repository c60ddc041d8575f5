/** The operator's dashboard in a real browser: it shows what the service does, as it happens. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { Browser } from 'playwright-core'
import {
  assertAccessible,
  DESKTOP,
  firstPaintMs,
  isTooWide,
  keepPicture,
  loadedBytes,
  openPage,
  PHONE,
  until,
} from '../support/browser.ts'
import { chromiumNeeded, openBrowser } from '../support/chromium.ts'
import { pets, type RunningService, startService } from '../support/service.ts'

const ANIMALS = `${import.meta.dirname}/../../examples/animals.csv`

describe('the dashboard', chromiumNeeded, () => {
  let service: RunningService
  let browser: Browser

  before(async () => {
    service = await startService({ args: ['--pages'] })
    browser = await openBrowser()
    const imported = await pets(['import', ANIMALS, '--database', service.database])
    assert.equal(imported.code, 0, imported.stderr)
  })
  after(async () => {
    await browser?.close()
    await service?.stop()
  })

  const call = (key: string, init: RequestInit = {}) =>
    fetch(`${service.baseUrl}/pets`, {
      ...init,
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    })

  it('shows requests, refusals, animals, commits and keys, and follows them without a reload', async () => {
    const { key, id } = await service.issueKey('enterprise', ['--per-minute', '5', '--per-day', '8', '--label', 'Few'])
    const { key: many } = await service.issueKey()
    await using opened = await openPage(browser, service.operatorUrl)
    const { page } = opened
    await page.getByText('Live', { exact: true }).waitFor()
    const legend = (chart: string, line: string) =>
      page.locator('figure', { hasText: chart }).locator('li', { hasText: line }).locator('b').innerText()
    const isPositive = async (chart: string, line: string) => Number.parseFloat(await legend(chart, line)) > 0

    // One minute has to hold them all, or nothing is refused.
    if (Date.now() % 60_000 > 45_000) await page.waitForTimeout(60_500 - (Date.now() % 60_000))
    const statuses = []
    for (let i = 0; i < 7; i += 1) statuses.push((await call(key)).status)
    assert.deepEqual(statuses, [200, 200, 200, 200, 200, 429, 429])
    const created = await call(many, { method: 'POST', body: '{ "name": "Zita", "categoryId": 1, "status": "sold" }' })
    assert.equal(created.status, 201)

    await until('the requests are counted by operation', () => isPositive('by operation', 'listPets'))
    for (const [chart, line] of [
      ['by operation', 'createPet'],
      ['by status', '200'],
      ['by status', '201'],
      ['by status', '429'],
      ['Latency', 'p99'],
      ['Refusals', 'enterprise'],
      ['Commits', 'per second'],
      ['Commits', 'rows per commit'],
      ['Memory', 'resident'],
    ] as const) {
      assert.ok(await isPositive(chart, line), `${chart}: ${line}`)
    }
    assert.equal(await legend('by status', '5xx'), '0')
    assert.equal(await legend('Animals', 'sold'), '6')
    assert.equal(await legend('Animals', 'without'), '3')
    assert.match(await legend('Event-loop', 'p99'), /^[\d.]+ ms$/)

    const row = page.locator('tbody tr', { hasText: id })
    await until('the key’s use is shown', async () => (await row.innerText()).includes('5 of 5'))
    assert.match(await row.innerText(), /^Few\s*key_\w+\s+enterprise\s+\w.+\s+5 of 5\s+5 of 8\s+2$/)
    await until('the next samples are quiet again', async () => (await legend('by operation', 'listPets')) === '0')
    opened.assertClean()
  })

  for (const colorScheme of ['light', 'dark'] as const) {
    for (const [name, viewport] of Object.entries({ desktop: DESKTOP, phone: PHONE })) {
      it(`is accessible and fits the screen: ${colorScheme}, ${name}`, async () => {
        await using opened = await openPage(browser, service.operatorUrl, { colorScheme, viewport })
        const { page } = opened
        await page.locator('tbody tr').first().waitFor()
        await assertAccessible(page)
        assert.equal(await isTooWide(page), false)
        await keepPicture(page, `dashboard-${colorScheme}-${name}`)
        opened.assertClean()
      })
    }
  }

  it('is read-only, under a strict policy', async () => {
    const page = await fetch(service.operatorUrl)
    const policy = page.headers.get('content-security-policy') ?? ''
    for (const part of ["default-src 'none'", "script-src 'self'", "style-src 'self'", "frame-ancestors 'none'"]) {
      assert.ok(policy.includes(part), part)
    }
    for (const path of ['/', '/dashboard/events', '/dashboard/keys']) {
      for (const method of ['POST', 'PUT', 'PATCH', 'DELETE']) {
        assert.equal((await fetch(service.operatorUrl + path, { method })).status, 404, `${method} ${path}`)
      }
    }
    const told = await (await fetch(`${service.operatorUrl}/dashboard/keys`)).text()
    assert.doesNotMatch(told, /pets_|hash/, 'no secret of a key is shown')
  })

  it('is small: under 100 kB over the wire with all it loads', async (t) => {
    await using opened = await openPage(browser, service.operatorUrl)
    await opened.page.locator('tbody tr').first().waitFor()
    const bytes = await loadedBytes(opened.page)
    const paintMs = await firstPaintMs(browser, service.operatorUrl, 6)
    t.diagnostic(`${bytes} bytes; first paint ${paintMs} ms on a processor six times slower`)
    assert.ok(bytes > 25_000 && bytes < 100_000, `${bytes} bytes`)
  })

  it('does not delay the shutdown of the service while somebody is looking', async () => {
    const other = await startService()
    await using opened = await openPage(browser, other.operatorUrl, { expected: /ERR_/ })
    await opened.page.getByText('Live', { exact: true }).waitFor()
    const patience = setTimeout(() => other.process.kill('SIGKILL'), 5_000)
    assert.equal(await other.stop(), 0, 'the open stream has been ended')
    clearTimeout(patience)
    await opened.page.getByText('Not connected; trying again').waitFor()
  })
})
