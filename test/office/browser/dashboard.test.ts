/**
 * The dashboard in a real browser: it shows what the service does, as it happens, and says when it shows what has
 * passed. Its layouts, the pointer and the backups, which only SQLite has, are tried on one engine.
 */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { before, it } from 'node:test'
import type { Page } from 'playwright-core'
import {
  assertAccessible,
  DESKTOP,
  isTooWide,
  keepPicture,
  openPage,
  type PageOptions,
  PHONE,
} from '../../support/browser/browser.ts'
import { onEachOffice, REPORTED, signIn, startOffice } from '../../support/browser/office-browser.ts'
import { pets } from '../../support/commands/commands.ts'
import { temporaryFolder } from '../../support/folder.ts'
import { freePort } from '../../support/servers/servers.ts'
import { oneOf, until } from '../../support/until.ts'

const ANIMALS = `${import.meta.dirname}/../../../examples/animals.csv`
/** A page rests twenty times as long as it took to load, which on a busy machine is seconds. */
const RESTS_MS = 300_000

onEachOffice(
  (engine) => `the dashboard of the office, on ${engine}`,
  (office, browser, engine) => {
    before(async () => {
      await office.invite('Olga', 'operator')
      const imported = await pets(['import', ANIMALS, '--database', office.service.database])
      assert.equal(imported.code, 0, imported.stderr)
    })

    const live = (page: Page) => page.getByText('Live', { exact: true }).waitFor()
    const open = async (options: PageOptions = {}) => {
      const opened = await office.open(browser, 'Olga', '#dashboard', options)
      await live(opened.page)
      await opened.page.locator('canvas').first().waitFor()
      return opened
    }
    const call = (key: string, init: RequestInit = {}) =>
      fetch(`${office.service.baseUrl}/pets`, {
        ...init,
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      })
    const legend = (page: Page, chart: string, line: string) =>
      page
        .locator('figure', { hasText: chart })
        .locator('li', { hasText: new RegExp(`^${line} `) })
        .locator('b')
        .innerText()
    const isPositive = async (page: Page, chart: string, line: string) =>
      Number.parseFloat(await legend(page, chart, line)) > 0

    it('shows requests, refusals, animals, commits and keys with their units, and follows them without a reload', async () => {
      const { key: many } = await office.service.issueKey()
      await using opened = await open()
      const { page } = opened
      await oneOf(20, (n) => countedTogether(page, many, 6 + n))
      assert.equal(await legend(page, 'by status', '5xx'), '0/s')
      await page.getByText('Other: without a valid key (401)').waitFor()
      await page.reload()
      await until(
        'the key is among those used most',
        async () => (await page.locator('.most').first().innerText()).includes('5 of 5'),
        RESTS_MS,
      )
      const card = (title: string) => page.locator('.card', { has: page.getByRole('heading', { name: title }) })
      await card('Refused most').getByText(/^key_/).first().waitFor()
      await card('Near their limits')
        .getByText(/^100 % of 5 a day, /)
        .first()
        .waitFor()
      assert.equal(await isTooWide(page), false)
      await page.getByRole('link', { name: 'All keys, most used first' }).click()
      await page.getByRole('heading', { name: 'Keys', level: 1 }).waitFor()
      opened.assertClean()
    })

    /** Asks for all that the charts show, which one sample has to hold: a line shows the latest. What is missing. */
    const countedTogether = async (page: Page, many: string, sold: number): Promise<string | undefined> => {
      const limits = { perMinute: 100, perDay: 5 }
      const { key } = await office.service.issueKey('enterprise', limits, 'x'.repeat(200))
      await readEvents(page, 'sample')
      const statuses = []
      for (let i = 0; i < 7; i += 1) statuses.push((await call(key)).status)
      assert.deepEqual(statuses, [200, 200, 200, 200, 200, 429, 429])
      const body = '{ "name": "Zita", "categoryId": 1, "status": "sold" }'
      assert.equal((await call(many, { method: 'POST', body })).status, 201)
      assert.equal((await fetch(`${office.service.baseUrl}/nothing`)).status, 401)

      await until('the requests are counted by operation', () => isPositive(page, 'by operation', 'listPets'))
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
        const shown = await legend(page, chart, line)
        if (!(Number.parseFloat(shown) > 0)) return `${chart}: ${line} is ${shown}`
        assert.ok(shown.endsWith(unit), `${chart}: ${line} in ${unit}`)
      }
      const shown = await legend(page, 'Animals', 'sold')
      return shown === String(sold) ? undefined : `${shown} sold`
    }

    it('asks to sign in again when the session has ended, and goes on then', async () => {
      // A session of its own, for it ends.
      const prepare = (page: Page) => page.clock.install()
      await using opened = await openPage(browser, `${office.url}#dashboard`, { expected: REPORTED, prepare })
      const { page } = opened
      await signIn(page, 'Olga')
      await live(page)
      await page.evaluate(`(async () => {
        const { token } = await (await fetch('api/session')).json()
        await fetch('api/session', { method: 'DELETE', headers: { 'X-Session-Token': token } })
      })()`)
      await page.getByText(/^Not connected; trying again\./).waitFor()
      await until('the page asks to sign in', async () => {
        await page.clock.runFor(1_000)
        return page.locator('dialog.cover').isVisible()
      })
      await signIn(page, 'Olga')
      await page.clock.runFor(5_000)
      await live(page)
    })

    // What follows is the same on every engine.
    if (engine !== 'SQLite') return

    it('shows the values and the time under the pointer', async () => {
      await using opened = await open()
      const { page } = opened
      await until('there are samples', () => isPositive(page, 'Memory', 'resident'))
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
      const { page } = opened
      const card = page.locator('.card', { hasText: 'Backups' })
      await until('a backup has been made', async () => {
        await page.reload()
        await card.getByText('one is made every').waitFor()
        return (await card.innerText()).includes('old; one is made every hour.')
      })
      assert.equal(await page.locator('.notice').count(), 0)
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
        await until('there are samples', () => isPositive(page, 'Memory', 'resident'))
        await assertAccessible(page)
        assert.equal(await isTooWide(page), false)
        await keepPicture(page, `office-dashboard-${name.replace(', ', '-')}`)
        opened.assertClean()
      })
    }

    // The last one, for it ends the office.
    it('dims and dates its figures while the service is away, and comes back by itself', async () => {
      const { key } = await office.service.issueKey()
      await using opened = await open({ prepare: (page) => page.clock.install() })
      const { page } = opened
      assert.equal((await call(key)).status, 200)
      await until('the request is counted', () => isPositive(page, 'by status', '200'))
      const patience = setTimeout(() => office.service.process.kill('SIGKILL'), 60_000)
      assert.equal(await office.service.stop(), 0, 'the open stream has been ended')
      clearTimeout(patience)
      await page.getByText(/^Not connected; trying again\. The figures are of \d\d:\d\d:\d\d\.$/).waitFor()
      assert.equal(await page.locator('.live.stale').count(), 1)
      await assertAccessible(page)
      await keepPicture(page, 'office-dashboard-away')

      await using again = await startOffice({
        operatorPort: Number(new URL(office.url).port),
        database: office.service.database,
      })
      await live(page)
      assert.equal(await page.locator('.live.stale').count(), 0)
      again.service.process.kill('SIGSTOP')
      try {
        // More than three samples are due by the clock of the page.
        await page.clock.fastForward(20_000)
        await page.getByText(/^Nothing new is coming\. The figures are of/).waitFor()
      } finally {
        again.service.process.kill('SIGCONT')
      }
      await live(page)
    })
  },
  async (engine) => ({
    operatorPort: await freePort(),
    args: [
      ...['--warn-at', '80,100'],
      ...(engine === 'SQLite' ? ['--backup-dir', join(temporaryFolder(), 'backups')] : []),
    ],
  }),
)

/** What the page would get from a new stream until an event of this name has come. */
async function readEvents(page: Page, name: string): Promise<string> {
  return String(
    await page.evaluate(`(async () => {
      const reader = (await fetch('api/dashboard/events')).body.getReader()
      let text = ''
      while (!/event: ${name}\\n.*\\n\\n/.test(text)) text += new TextDecoder().decode((await reader.read()).value)
      await reader.cancel()
      return text
    })()`),
  )
}
