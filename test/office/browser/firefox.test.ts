/** The office in Firefox: a day's work by somebody who has no other browser. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { Browser } from 'puppeteer-core'
import { DESKTOP, PHONE } from '../../support/browser/browser.ts'
import { firefoxNeeded, openFirefox, openInFirefox } from '../../support/browser/firefox.ts'
import { type Office, startOffice, statusOf } from '../../support/browser/office-browser.ts'
import { PASSPHRASE } from '../../support/office-client.ts'

describe('Firefox', firefoxNeeded, () => {
  let office: Office
  let browser: Browser
  before(async () => {
    office = await startOffice()
    await office.invite('Ada', 'operator')
    await office.give({ name: 'Luna', categoryId: 1, status: 'available' })
    browser = await openFirefox()
  })
  after(async () => {
    await browser?.close()
    await office?.[Symbol.asyncDispose]()
  })

  for (const [screen, viewport] of Object.entries({ 'a desktop': DESKTOP, 'a phone': PHONE })) {
    it(`on ${screen}: signs in, adds an animal, finds it, sets its status, takes that back`, async () => {
      await using opened = await openInFirefox(browser, office.url, viewport)
      const { page } = opened
      await opened.fill('Name', 'Ada')
      await opened.fill('Passphrase', PASSPHRASE)
      await opened.click('button', 'Sign in')
      await opened.sees('.row .name', 'Luna')

      const name = `Ólafur of ${screen}`
      await page.goto(`${office.url}#add`)
      await opened.fill('Name', name)
      await opened.fill('Category', '1')
      await opened.click('button', 'Add')
      await opened.sees('main', 'Added, number')

      await page.goto(`${office.url}#animals?text=olafur of ${screen}`)
      await opened.sees('.row .name', name)
      await page.locator('.row:not(.head) button.status').click()
      await opened.click('menuitemradio', 'Sold')
      await opened.sees('.toast', 'is Sold')
      const [id = ''] = await page.$$eval('.row:not(.head) a', (links) =>
        links.map((link) => new URL(link.href).hash.replace(/^#animal\//, '')),
      )
      assert.equal(await statusOf(office.client('Ada'), id), 'sold')
      await opened.click('button', 'Undo')
      await opened.sees('.row button.status', 'Available')
      assert.equal(await statusOf(office.client('Ada'), id), 'available')
      opened.assertClean()
    })

    it(`on ${screen}: no screen of the office scrolls sideways, and none has an error`, async () => {
      await using opened = await openInFirefox(browser, office.url, viewport)
      const { page } = opened
      await opened.fill('Name', 'Ada')
      await opened.fill('Passphrase', PASSPHRASE)
      await opened.click('button', 'Sign in')
      await opened.sees('.row .name', 'Luna')
      const places = await page.$$eval('nav a', (links) => links.map(({ hash }) => hash))
      assert.ok(places.length > 5, places.join())
      for (const place of [...places, '#animal/1']) {
        await page.goto(`${office.url}${place}`)
        await page.waitForSelector('main h1')
        await page.waitForNetworkIdle()
        assert.equal(await opened.isTooWide(), false, place)
      }
      opened.assertClean()
    })
  }
})
