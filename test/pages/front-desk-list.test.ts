/** The front desk's list when answers are late, lost or out of order: it never shows animals of another status. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { Page } from 'playwright-core'
import { assertAccessible, keepPicture, openPage, PHONE } from '../support/browser/browser.ts'
import { chromiumNeeded } from '../support/browser/chromium.ts'
import {
  addOnPage,
  choose,
  type FrontDesk,
  isInView,
  listed,
  names,
  startFrontDesk,
} from '../support/browser/front-desk.ts'
import { minuteWith, until } from '../support/until.ts'

const BROKEN = /net::ERR_FAILED/
const SOLD = /\/v1\/pets\?.*status=sold/

describe('the list of the front desk', chromiumNeeded, () => {
  let desk: FrontDesk
  before(async () => {
    desk = await startFrontDesk()
  })
  after(() => desk?.[Symbol.asyncDispose]())

  const problem = (page: Page) => page.locator('#desk .problem', { hasText: 'could not be reached' })
  const badges = async (page: Page) => new Set(await page.locator('#animals .badge').allTextContents())

  it('is empty where it cannot be loaded for the chosen status, and says so in view and to a screen reader', async () => {
    await using opened = await openPage(desk.browser, desk.url, { viewport: PHONE, expected: BROKEN })
    const { page } = opened
    await desk.enter(page)
    await page.route(SOLD, (route) => route.abort())
    await choose(page, 'Sold')
    await problem(page)
      .or(page.locator('#list-note', { hasText: 'could not be reached' }))
      .waitFor()
    assert.deepEqual(await names(page), [])
    assert.ok(await isInView(problem(page)))
    assert.match(await page.getByRole('status').innerText(), /could not be reached.*Refresh/)
    await assertAccessible(page)
    await keepPicture(page, 'front-desk-not-loaded')
    await page.unroute(SOLD)
    await page.getByRole('button', { name: 'Refresh' }).click()
    await page.locator('#animals li').first().waitFor()
    assert.deepEqual([...(await badges(page))], ['Sold'])
    assert.equal(await problem(page).count(), 0)
    opened.assertClean()
  })

  it('keeps what it shows where it cannot be refreshed, and says of when that is', async () => {
    await using opened = await openPage(desk.browser, desk.url, { expected: BROKEN })
    const { page } = opened
    await desk.enter(page)
    const before = await names(page)
    await page.route(/\/v1\/pets\?/, (route) => route.abort())
    await page.getByRole('button', { name: 'Refresh' }).click()
    await page
      .locator('#list-problem', { hasText: /could not be reached\. The animals below are as of \d\d:\d\d\./ })
      .waitFor()
    assert.deepEqual(await names(page), before)
    opened.assertClean()
  })

  it('shows no animals of the former status while the page waits for the limit (R16)', async () => {
    const { key } = await desk.service.issueKey('enterprise', { perMinute: 2, perDay: 100 })
    await using opened = await openPage(desk.browser, desk.url)
    const { page } = opened
    // One minute has to hold all of it.
    await minuteWith()
    await desk.enter(page, key)
    await choose(page, 'Pending')
    await until('the pending are listed', async () => [...(await badges(page))].join() === 'Pending')
    await choose(page, 'Sold')
    await page.locator('#wait').waitFor()
    await page.locator('#list-note', { hasText: 'Loading' }).waitFor()
    assert.deepEqual(await names(page), [])
    opened.assertClean()
  })

  it('is of the chosen status after Back, and empty if it cannot be loaded then', async () => {
    await using opened = await openPage(desk.browser, desk.url, { expected: /unsafe-eval|net::ERR_FAILED/ })
    const { page } = opened
    await desk.enter(page)
    const selected = () => page.locator('#filter input:checked').getAttribute('value')
    for (const isBroken of [false, true]) {
      await choose(page, 'Sold')
      await until('the sold are listed', async () => [...(await badges(page))].join() === 'Sold')
      await page.goto(new URL('/docs', desk.url).href)
      if (isBroken) await page.route(SOLD, (route) => route.abort())
      await page.goBack()
      assert.equal(await selected(), 'sold', 'the browser sets the selection of before')
      if (isBroken) {
        await problem(page).waitFor()
        assert.deepEqual(await names(page), [])
      } else {
        await until('the sold are listed', async () => [...(await badges(page))].join() === 'Sold')
        await page.waitForTimeout(300) // an answer to an earlier request would be there by now
        assert.deepEqual([...(await badges(page))], ['Sold'])
      }
    }
  })

  it('says when there may be more animals than it shows, and only then', async () => {
    await using opened = await openPage(desk.browser, desk.url)
    const { page } = opened
    await desk.enter(page)
    const note = page.locator('#list-note')
    assert.match(await note.innerText(), /the newest 20\. There may be more/)
    assert.match(await page.getByRole('status').innerText(), /20 animals, perhaps more/)
    await page.getByLabel('Show').selectOption('100')
    await listed(page, (await desk.newest('?limit=100')).length)
    assert.equal(await note.isVisible(), false)
    await page.getByLabel('Show').selectOption('10')
    await listed(page, 10)
    assert.match(await note.innerText(), /the newest 10\. There may be more/)
    opened.assertClean()
  })

  it('keeps an animal that was added while an older answer was on its way, and stays newest first', async () => {
    await using opened = await openPage(desk.browser, desk.url)
    const { page } = opened
    await desk.enter(page)
    const late = Promise.withResolvers<void>()
    await page.route(/\/v1\/pets\?/, async (route) => {
      const response = await route.fetch()
      await late.promise
      await route.fulfill({ response })
    })
    await page.getByRole('button', { name: 'Refresh' }).click()
    // The limit of a key that is not known to have room holds nothing back here.
    await addOnPage(page, 'Came meanwhile')
    await page.locator('#animals .name', { hasText: 'Came meanwhile' }).waitFor()
    late.resolve()
    await page.locator('#animals[aria-busy="false"]').waitFor()
    assert.deepEqual(
      await names(page),
      (await desk.newest()).map(({ name }) => name),
    )
    opened.assertClean()
  })
})
