/**
 * The office in Firefox, driven over WebDriver BiDi, which Debian's release supports; Playwright needs a patched one.
 */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { type Browser, launch } from 'puppeteer-core'
import { DESKTOP, NOTICES_STAY, PHONE } from '../../support/browser/browser.ts'
import { PASSPHRASE } from '../../support/office-client.ts'
import { findProgram, skipUnless } from '../../support/programs.ts'
import { type Office, startOffice, statusOf } from './office-browser.ts'

const TIMEOUT_MS = 120_000
const executable = findProgram(process.env.PETS_TEST_FIREFOX, 'firefox-esr', 'firefox')
const needed = skipUnless(
  executable !== undefined,
  'there is no Firefox on the path; install it, or name one in PETS_TEST_FIREFOX',
)

describe('Firefox', needed, () => {
  let office: Office
  let browser: Browser
  before(async () => {
    office = await startOffice()
    await office.invite('Ada', 'operator')
    await office.give({ name: 'Luna', categoryId: 1, status: 'available' })
    browser = await launch({
      browser: 'firefox',
      executablePath: executable ?? '',
      timeout: TIMEOUT_MS,
      protocolTimeout: TIMEOUT_MS,
    })
  })
  after(async () => {
    await browser?.close()
    await office?.[Symbol.asyncDispose]()
  })

  for (const [screen, viewport] of Object.entries({ 'a desktop': DESKTOP, 'a phone': PHONE })) {
    it(`on ${screen} signs in, adds and finds an animal, sets and undoes its status, without errors`, async () => {
      const context = await browser.createBrowserContext()
      const page = await context.newPage()
      const complaints: string[] = []
      page.on('pageerror', (error) => complaints.push(String(error)))
      page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()))
      page.setDefaultTimeout(TIMEOUT_MS)
      await page.setViewport(viewport)
      await page.evaluateOnNewDocument(NOTICES_STAY)
      await page.goto(office.url)
      const click = (role: string, name: string) => page.locator(`::-p-aria([name="${name}"][role="${role}"])`).click()
      const fill = (label: string, text: string) =>
        page.locator(`::-p-xpath(//input[@id=//label[starts-with(., "${label}")]/@for])`).fill(text)
      const sees = (selector: string, text: string) =>
        page.waitForFunction(`[...document.querySelectorAll(${JSON.stringify(selector)})]
          .some(({ textContent }) => textContent.includes(${JSON.stringify(text)}))`)

      await fill('Name', 'Ada')
      await fill('Passphrase', PASSPHRASE)
      await click('button', 'Sign in')
      await sees('.row .name', 'Luna')

      const name = `Ólafur of ${screen}`
      await page.goto(`${office.url}#add`)
      await fill('Name', name)
      await fill('Category', '1')
      await click('button', 'Add')
      await sees('main', 'Added as number')

      await page.goto(`${office.url}#animals?text=olafur of ${screen}`)
      await sees('.row .name', name)
      await page.locator('.row:not(.head) button.status').click()
      await click('menuitemradio', 'Sold')
      await sees('.toast', 'was set to Sold')
      const [id = ''] = await page.$$eval('.row:not(.head) a', (links) =>
        links.map((link) => new URL(link.href).hash.replace(/^#animal\//, '')),
      )
      assert.equal(await statusOf(office.client('Ada'), id), 'sold')
      await click('button', 'Undo')
      await sees('.row button.status', 'Available')
      assert.equal(await statusOf(office.client('Ada'), id), 'available')

      const places = await page.$$eval('nav a', (links) => links.map(({ hash }) => hash))
      assert.ok(places.length > 5, places.join())
      for (const place of [...places, '#animal/1']) {
        await page.goto(`${office.url}${place}`)
        await page.waitForSelector(`main[data-screen="${place.replace(/^#|\/.*/g, '')}"] h1`)
        await page.waitForNetworkIdle({ idleTime: 100 })
        const tooWide = 'document.documentElement.scrollWidth > document.documentElement.clientWidth'
        assert.equal(await page.evaluate(tooWide), false, place)
      }
      assert.deepEqual(complaints, [])
      await context.close()
    })
  }
})
