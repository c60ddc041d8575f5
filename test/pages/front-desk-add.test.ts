/** Adding animals at the front desk when answers are late or lost: nothing is lost and nothing is added twice. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { Page, Request } from 'playwright-core'
import { assertAccessible, keepPicture, openPage, PHONE } from '../support/browser/browser.ts'
import { chromiumNeeded } from '../support/browser/chromium.ts'
import {
  addOnPage,
  choose,
  type FrontDesk,
  focused,
  isInView,
  names,
  startFrontDesk,
} from '../support/browser/front-desk.ts'
import { pets } from '../support/service.ts'
import { until } from '../support/until.ts'

const POSTS = /\/v1\/pets$/
const BROKEN = /net::ERR_FAILED/

describe('adding animals at the front desk', chromiumNeeded, () => {
  let desk: FrontDesk
  before(async () => {
    desk = await startFrontDesk()
  })
  after(() => desk?.[Symbol.asyncDispose]())

  /** How often the animal is in the service. */
  const count = async (name: string) => (await desk.newest('?limit=100')).filter((pet) => pet.name === name).length
  const outbox = (page: Page) => page.locator('#outbox')
  const postsOf = (page: Page) => {
    const posts: Request[] = []
    page.on('request', (request) => request.method() === 'POST' && posts.push(request))
    return posts
  }
  /** Holds back every answer to a POST until the returned function is called. */
  const holdPosts = async (page: Page) => {
    const late = Promise.withResolvers<void>()
    await page.route(POSTS, async (route) => {
      await late.promise
      await route.continue()
    })
    return late.resolve
  }
  const isTold = async (page: Page, words: RegExp) => {
    const said = page.locator('#outbox .sentence').or(page.locator('#notice')).filter({ hasText: words })
    for (const place of await said.all()) if (await isInView(place)) return true
    return false
  }

  it('says after a broken connection that the animal may have been added, shows the newest, and sends nothing unasked', async () => {
    await using opened = await openPage(desk.browser, desk.url, { expected: BROKEN })
    const { page } = opened
    const posts = postsOf(page)
    await desk.enter(page)
    await page.route(POSTS, async (route) => {
      await route.fetch()
      await route.abort()
    })
    await addOnPage(page, 'Answer lost')
    await outbox(page)
      .getByText(/Answer lost.+ may have been added\. One like it is there, with number \d+\./)
      .waitFor()
    assert.deepEqual(
      await outbox(page).locator('.name').allTextContents(),
      (await desk.newest('?limit=5')).map(({ name }) => name),
    )
    assert.match(await page.getByRole('status').innerText(), /may have been added/)
    await assertAccessible(page)
    await keepPicture(page, 'front-desk-doubt')
    await page.keyboard.press('Enter')
    assert.equal(posts.length, 1)
    await outbox(page).getByRole('button', { name: 'It was added' }).click()
    await outbox(page)
      .getByText(/Answer lost.+ was added\./)
      .waitFor()
    assert.equal(posts.length, 1)
    assert.equal(await count('Answer lost'), 1)
    assert.equal((await names(page)).filter((name) => name === 'Answer lost').length, 1)
    opened.assertClean()
  })

  it('sends an animal again when people have looked, and takes none for it that was there before', async () => {
    await using opened = await openPage(desk.browser, desk.url, { expected: BROKEN })
    const { page } = opened
    await desk.add('{ "name": "Namesake", "categoryId": 7, "status": "available" }')
    await desk.enter(page)
    await page.route(POSTS, (route) => route.abort())
    await addOnPage(page, 'Namesake')
    await outbox(page).getByText('None of the newest 5 is like it.').waitFor()
    await outbox(page).getByRole('button', { name: 'Look again' }).click()
    await outbox(page).getByText('None of the newest 5 is like it.').waitFor()
    await page.unroute(POSTS)
    await outbox(page).getByRole('button', { name: 'Send it again' }).click()
    await outbox(page)
      .getByText(/Namesake.+ was added with number/)
      .waitFor()
    assert.equal(await count('Namesake'), 2)
    opened.assertClean()
  })

  it('leaves alone what is typed, and where, while an answer is awaited', async () => {
    await using opened = await openPage(desk.browser, desk.url)
    const { page } = opened
    await desk.enter(page)
    const release = await holdPosts(page)
    await addOnPage(page, 'First of two')
    await outbox(page)
      .getByText(/Adding .+First of two/)
      .waitFor()
    await page.locator('#add-name').fill('Half a na')
    await page.locator('#add-category').fill('12')
    await page.locator('#look-up-id').focus()
    release()
    await outbox(page)
      .getByText(/First of two.+ was added with number/)
      .waitFor()
    assert.equal(await page.locator('#add-name').inputValue(), 'Half a na')
    assert.equal(await page.locator('#add-category').inputValue(), '12')
    assert.equal(await focused(page), 'look-up-id')
    opened.assertClean()
  })

  it('adds two animals in quick succession, and one for a double click', async () => {
    await using opened = await openPage(desk.browser, desk.url)
    const { page } = opened
    await desk.enter(page)
    const release = await holdPosts(page)
    await addOnPage(page, 'Quick one')
    await addOnPage(page, 'Quick two')
    await page.locator('#add-name').fill('Clicked twice')
    await page.locator('#add-category').fill('7')
    await page.locator('#add').getByRole('button', { name: 'Add' }).dblclick()
    assert.equal(await page.locator('#add-name-problem').innerText(), '')
    release()
    await until('all are added', async () => (await outbox(page).getByText('was added with number').count()) === 3)
    for (const name of ['Quick one', 'Quick two', 'Clicked twice']) assert.equal(await count(name), 1, name)
    assert.deepEqual(
      await names(page),
      (await desk.newest()).map(({ name }) => name),
    )
    opened.assertClean()
  })

  it('confirms what was added in view, also where the filter hides it or the list is above the window of a phone', async () => {
    for (const [viewport, status] of [
      [undefined, 'Sold'],
      [PHONE, 'All'],
      [PHONE, 'Sold'],
    ] as const) {
      await using opened = await openPage(desk.browser, desk.url, viewport && { viewport })
      const { page } = opened
      await desk.enter(page)
      await choose(page, status)
      await page.locator('#animals[aria-busy="false"]').waitFor()
      await addOnPage(page, `Seen ${status}`)
      await until('it is confirmed in view', () => isTold(page, /Seen.+ was added with number/))
      if (status === 'Sold')
        await outbox(page).getByText('It is not in the list, which shows sold animals only.').waitFor()
      await keepPicture(page, `front-desk-added-${viewport ? 'phone' : 'desktop'}-${status}`, { fullPage: false })
      opened.assertClean()
    }
  })

  it('gives back an animal that the service refuses, without touching the next one', async () => {
    await using opened = await openPage(desk.browser, desk.url, { expected: /status of 413/ })
    const { page } = opened
    await desk.enter(page)
    const release = await holdPosts(page)
    await addOnPage(page, 'x'.repeat(70_000), '8')
    await page.locator('#add-name').fill('The next one')
    release()
    await outbox(page)
      .getByText(/was not added\. The body is too large\./)
      .waitFor()
    assert.equal(await page.locator('#add-name').inputValue(), 'The next one')
    await outbox(page).getByRole('button', { name: 'Correct it' }).click()
    await page.locator('#add-problem', { hasText: 'The form holds another animal.' }).waitFor()
    await page.locator('#add-name').fill('')
    await outbox(page).getByRole('button', { name: 'Correct it' }).click()
    assert.equal((await page.locator('#add-name').inputValue()).length, 70_000)
    assert.equal(await page.locator('#add-category').inputValue(), '8')
    opened.assertClean()
  })

  it('keeps what was typed when the key becomes invalid, and shows no old refusal to the next one (R13)', async () => {
    const { key, id } = await desk.service.issueKey()
    await using opened = await openPage(desk.browser, desk.url, { expected: /status of 401/ })
    const { page } = opened
    await desk.enter(page, key)
    await pets(['keys', 'revoke', id, '--database', desk.service.database])
    await addOnPage(page, 'Typed before')
    await page.getByText('This key is not valid.').waitFor()
    await desk.enter(page)
    assert.equal(await page.locator('#add-name').inputValue(), 'Typed before')
    assert.deepEqual(await page.locator('#desk .problem:not(:empty)').allTextContents(), [])
    await page.locator('#add').getByRole('button', { name: 'Add' }).click()
    await outbox(page)
      .getByText(/Typed before.+ was added with number/)
      .waitFor()
    assert.equal(await count('Typed before'), 1)
    opened.assertClean()
  })

  it('asks before the page is left, and says when the key is forgotten, while it is not known what became of an animal', async () => {
    await using opened = await openPage(desk.browser, desk.url)
    const { page } = opened
    await desk.enter(page)
    await holdPosts(page)
    await addOnPage(page, 'In the air')
    await outbox(page)
      .getByText(/Adding .+In the air/)
      .waitFor()
    const asked = page.waitForEvent('dialog')
    const left = page.reload().catch(() => 'stayed')
    const dialog = await asked
    assert.equal(dialog.type(), 'beforeunload')
    await dialog.dismiss()
    await Promise.race([left, page.waitForTimeout(200)])
    await page.getByRole('button', { name: 'Forget key' }).click()
    await page
      .locator('#key-problem', { hasText: /In the air.+ may have been added: look when you are here/ })
      .waitFor()
    opened.assertClean()
  })

  it('names the bounds of a number that is too large, in the form and in the look-up (R5)', async () => {
    await using opened = await openPage(desk.browser, desk.url)
    const { page } = opened
    await desk.enter(page)
    const bounds = 'lies between -9223372036854775808 and 9223372036854775807.'
    for (const tooLarge of ['9223372036854775808', '-9223372036854775809', '9'.repeat(60_000)]) {
      await addOnPage(page, 'Out of bounds', tooLarge)
      assert.equal(await page.locator('#add-category-problem').innerText(), `The category ${bounds}`)
      await page.locator('#look-up-id').fill(tooLarge)
      await page.locator('#look-up-id').press('Enter')
      assert.equal(await page.locator('#look-up-problem').innerText(), `The number of an animal ${bounds}`)
    }
    opened.assertClean()
  })
})
