/** The dashboard in a real browser: it shows what the service does, as it happens, and says when it shows what has passed. */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { assertAccessible, DESKTOP, isTooWide, keepPicture, PHONE, until } from '../../support/browser.ts'
import { chromiumNeeded, openBrowser } from '../../support/chromium.ts'
import { temporaryFolder } from '../../support/folder.ts'
import { type Office, signIn, startOffice } from '../../support/office-browser.ts'
import { freePort } from '../../support/servers.ts'
import { pets } from '../../support/service.ts'

const ANIMALS = `${import.meta.dirname}/../../../examples/animals.csv`

describe('the dashboard of the office', chromiumNeeded, () => {
  let office: Office
  let browser: Browser

  before(async () => {
    office = await startOffice(['--backup-dir', join(temporaryFolder(), 'backups')])
    browser = await openBrowser()
    await office.invite('Olga', 'operator')
    const imported = await pets(['import', ANIMALS, '--database', office.service.database])
    assert.equal(imported.code, 0, imported.stderr)
  })
  after(async () => {
    await browser?.close()
    await office?.[Symbol.asyncDispose]()
  })

  const open = async (options = {}) => {
    const opened = await office.open(browser, 'Olga', '#dashboard', options)
    await opened.page.getByText('Live', { exact: true }).waitFor()
    await opened.page.locator('canvas').first().waitFor()
    return opened
  }
  const call = (key: string, init: RequestInit = {}) =>
    fetch(`${office.service.baseUrl}/pets`, {
      ...init,
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    })
  const legend = (page: Page, chart: string, line: string) =>
    page.locator('figure', { hasText: chart }).locator('li', { hasText: line }).locator('b').innerText()

  it('shows requests, refusals, animals, commits and keys with their units, and follows them without a reload', async () => {
    const limits = ['--per-minute', '5', '--per-day', '8']
    const { key } = await office.service.issueKey('enterprise', [...limits, '--label', 'x'.repeat(200)])
    const { key: many } = await office.service.issueKey()
    await using opened = await open()
    const { page } = opened
    const isPositive = async (chart: string, line: string) => Number.parseFloat(await legend(page, chart, line)) > 0

    // One minute has to hold them all, or nothing is refused.
    if (Date.now() % 60_000 > 45_000) await page.waitForTimeout(60_500 - (Date.now() % 60_000))
    const statuses = []
    for (let i = 0; i < 7; i += 1) statuses.push((await call(key)).status)
    assert.deepEqual(statuses, [200, 200, 200, 200, 200, 429, 429])
    const created = await call(many, { method: 'POST', body: '{ "name": "Zita", "categoryId": 1, "status": "sold" }' })
    assert.equal(created.status, 201)
    assert.equal((await fetch(`${office.service.baseUrl}/nothing`)).status, 401)

    await until('the requests are counted by operation', () => isPositive('by operation', 'listPets'))
    for (const [chart, line, unit] of [
      ['by operation', 'createPet', '/s'],
      ['by operation', 'other', '/s'],
      ['by status', '200', '/s'],
      ['by status', '201', '/s'],
      ['by status', '429', '/s'],
      ['Latency', 'p99', ' ms'],
      ['Refusals', 'enterprise', '/s'],
      ['Commits', 'commits', '/s'],
      ['Commits', 'animals', ' a commit'],
      ['Memory', 'resident', ' MiB'],
    ] as const) {
      assert.ok(await isPositive(chart, line), `${chart}: ${line}`)
      assert.ok((await legend(page, chart, line)).endsWith(unit), `${chart}: ${line} in ${unit}`)
    }
    assert.equal(await legend(page, 'by status', '5xx'), '0/s')
    assert.equal(await legend(page, 'Animals', 'sold'), '6')
    await page.getByText('Other: without a valid key (401)').waitFor()
    await page.reload()
    await until('the key is among those used most', async () =>
      (await page.locator('.most').innerText()).includes('5 of 8'),
    )
    assert.equal(await isTooWide(page), false)
    await page.getByRole('link', { name: 'All keys, most used first' }).click()
    await page.getByRole('heading', { name: 'Keys', level: 1 }).waitFor()
    opened.assertClean()
  })

  it('shows the values and the time under the pointer', async () => {
    await using opened = await open()
    const { page } = opened
    await until('there are samples', async () => Number.parseFloat(await legend(page, 'Memory', 'resident')) > 0)
    const figure = page.locator('figure', { hasText: 'Memory' })
    await figure.scrollIntoViewIfNeeded()
    const box = await figure.locator('.u-over').boundingBox()
    assert.ok(box !== null)
    await page.mouse.move(box.x + box.width - 4, box.y + 40)
    assert.match(await figure.locator('figcaption').innerText(), /Memory\s*at \d\d:\d\d:\d\d/)
    await page.mouse.move(0, 0)
    assert.match(await figure.locator('figcaption').innerText(), /^Memory\s*$/)
    opened.assertClean()
  })

  it('says how old the newest backup is', async () => {
    await using opened = await open()
    await until('a backup has been made', async () => {
      await opened.page.reload()
      await opened.page.locator('.card', { hasText: 'Backups' }).getByText('one is made every').waitFor()
      return (await opened.page.locator('.card', { hasText: 'Backups' }).innerText()).includes(
        'old; one is made every hour.',
      )
    })
    assert.equal(await opened.page.locator('.notice').count(), 0)
  })

  for (const [name, options] of Object.entries({
    'light, desktop': { colorScheme: 'light', viewport: DESKTOP },
    'dark, desktop': { colorScheme: 'dark', viewport: DESKTOP },
    'light, phone': { colorScheme: 'light', viewport: PHONE },
    'forced colours': { forcedColors: 'active', viewport: DESKTOP },
  } as const)) {
    it(`is accessible and fits the screen: ${name}`, async () => {
      await using opened = await open(options)
      const { page } = opened
      await until('there are samples', async () => Number.parseFloat(await legend(page, 'Memory', 'resident')) > 0)
      await assertAccessible(page)
      assert.equal(await isTooWide(page), false)
      await keepPicture(page, `office-dashboard-${name.replace(', ', '-')}`)
      opened.assertClean()
    })
  }

  it('dims and dates its figures while the service is away, comes back by itself, and has the hour before', async () => {
    const port = String(await freePort())
    const database = `sqlite:${temporaryFolder()}/pets.db`
    const start = () => startOffice(['--operator-port', port], database)
    const first = await start()
    await first.invite('Olga', 'operator')
    const { key } = await first.service.issueKey()
    await using opened = await first.open(browser, 'Olga', '#dashboard')
    const { page } = opened
    await fetch(`${first.service.baseUrl}/pets`, { headers: { authorization: `Bearer ${key}` } })
    await until('the request is counted', async () => Number.parseFloat(await legend(page, 'by status', '200')) > 0)
    const patience = setTimeout(() => first.service.process.kill('SIGKILL'), 5_000)
    assert.equal(await first.service.stop(), 0, 'the open stream has been ended')
    clearTimeout(patience)
    await page.getByText(/^Not connected; trying again\. The figures are of \d\d:\d\d:\d\d\.$/).waitFor()
    assert.equal(await page.locator('.live.stale').count(), 1)
    await assertAccessible(page)
    await keepPicture(page, 'office-dashboard-away')

    await using again = await start()
    await page.getByText('Live', { exact: true }).waitFor()
    assert.equal(await page.locator('.live.stale').count(), 0)
    const response = await fetchEvents(again, page)
    assert.match(response, /listPets 200/, 'the samples of the process before')
    await again.service.process.kill('SIGSTOP')
    await page.getByText(/^Nothing new is coming\. The figures are of/).waitFor({ timeout: 30_000 })
    again.service.process.kill('SIGCONT')
    await page.getByText('Live', { exact: true }).waitFor()
  })

  it('asks to sign in again when the session has ended, and goes on then', async () => {
    await using opened = await open()
    const { page } = opened
    await page.evaluate(`(async () => {
      const { token } = await (await fetch('api/session')).json()
      await fetch('api/session', { method: 'DELETE', headers: { 'X-Session-Token': token } })
    })()`)
    await page.locator('dialog.cover').waitFor({ timeout: 30_000 })
    await signIn(page, 'Olga')
    await page.getByText('Live', { exact: true }).waitFor()
  })
})

/** The history that the stream begins with. */
async function fetchEvents({ url }: Office, page: Page): Promise<string> {
  return String(
    await page.evaluate(`(async () => {
      const reader = (await fetch('${url}api/dashboard/events')).body.getReader()
      let text = ''
      while (!text.includes('\\n\\n')) text += new TextDecoder().decode((await reader.read()).value)
      await reader.cancel()
      return text
    })()`),
  )
}
