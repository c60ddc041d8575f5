/** The front desk as staff use it, in a real browser against the real desk.service. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import type { OwnUse } from '../../src/pages/own-use-data.ts'
import { loadPages } from '../../src/pages/pages.ts'
import { startApp } from '../support/app.ts'
import {
  assertAccessible,
  DESKTOP,
  firstPaintMs,
  isTooWide,
  keepPicture,
  loadedBytes,
  openPage,
  PHONE,
} from '../support/browser/browser.ts'
import { chromiumNeeded } from '../support/browser/chromium.ts'
import {
  choose,
  type FrontDesk,
  focused,
  type Listed,
  listed,
  names,
  startFrontDesk,
} from '../support/browser/front-desk.ts'
import { minuteWith, until } from '../support/until.ts'

const GREATEST = '9223372036854775807'
const LEAST = '-9223372036854775808'
/** Chromium itself reports each answer from 400 up on the console. */
const REFUSED = /status of 4\d\d/

describe('the front desk', chromiumNeeded, () => {
  let desk: FrontDesk
  let browser: Browser
  let url: string
  before(async () => {
    desk = await startFrontDesk()
    ;({ browser, url } = desk)
  })
  after(() => desk?.[Symbol.asyncDispose]())

  it('shows the newest animals first after a key is pasted, and what is left of its allowance (R7, R15, O5)', async () => {
    const { key: pro } = await desk.service.issueKey('pro')
    await using opened = await openPage(browser, url)
    const { page } = opened
    await minuteWith()
    await desk.enter(page, pro)
    assert.deepEqual(
      await names(page),
      (await desk.newest()).map(({ name }) => name),
    )
    assert.match(await page.locator('#gauge').innerText(), /^299 of 300 requests left\s+resets in \d+ s/)
    await page.getByRole('button', { name: 'Refresh' }).click()
    await page.getByText('298 of 300 requests left').waitFor()
    opened.assertClean()
  })

  it('shows a key what its requests came to, and takes one request for it', async () => {
    const { key: pro } = await desk.service.issueKey('pro')
    await using opened = await openPage(browser, url)
    const { page } = opened
    await minuteWith()
    await desk.enter(page, pro)
    await until('the ledger has what was asked so far', async () => {
      const response = await fetch(new URL('/use.json', url), { headers: { Authorization: `Bearer ${pro}` } })
      return ((await response.json()) as OwnUse).days.some(({ admitted }) => admitted > 1)
    })
    await page.getByRole('button', { name: 'Last 30 days' }).click()
    await page.locator('#use-sums', { hasText: /^In 30 days: \d+ answered\.$/ }).waitFor()
    assert.equal(await page.locator('#use-days li').count(), 1)
    const left = async () => Number((await page.locator('#gauge-left').innerText()).replace(',', ''))
    const before = await left()
    await page.getByRole('button', { name: 'Last 30 days' }).click()
    await until('one request less', async () => (await left()) === before - 1)
    await assertAccessible(page)
    await page.getByRole('button', { name: 'Forget key' }).click()
    assert.equal(await page.locator('#use-days li').count(), 0)
    opened.assertClean()
  })

  it('keeps the key for the tab only: a reload keeps it, another tab asks for it, “Forget key” forgets it', async () => {
    await using opened = await openPage(browser, url)
    const { page } = opened
    await desk.enter(page)
    const kept = await page.evaluate('[JSON.stringify(localStorage), document.cookie, location.href]')
    assert.deepEqual(kept, ['{}', '', url])
    await page.reload()
    await page.locator('#animals li').first().waitFor()
    const other = await page.context().newPage()
    await other.goto(url)
    await other.getByRole('heading', { name: 'Welcome' }).waitFor()
    await page.getByRole('button', { name: 'Forget key' }).click()
    await page.reload()
    await page.getByRole('heading', { name: 'Welcome' }).waitFor()
    assert.equal(await page.evaluate(() => sessionStorage.length), 0)
    opened.assertClean()
  })

  it('says next to the field that a key is not valid (R13)', async () => {
    await using opened = await openPage(browser, url, { expected: REFUSED })
    const { page } = opened
    for (const [pasted, problem] of [
      ['', 'Paste the key that you were given.'],
      ['two words', 'A key has no blanks'],
      ['pets_nobody', 'This key is not valid.'],
    ] as const) {
      await page.getByLabel('API key').fill(pasted)
      await page.getByRole('button', { name: 'Open the desk' }).click()
      await page.locator('#key-problem', { hasText: problem }).waitFor()
      assert.equal(await page.getByLabel('API key').getAttribute('aria-invalid'), 'true')
      assert.equal(await page.locator('#desk').isVisible(), false)
    }
    opened.assertClean()
  })

  it('filters by status and shows as many as are chosen; an animal without a status is shown as such (R7, R8, O4)', async () => {
    await using opened = await openPage(browser, url)
    const { page } = opened
    await desk.enter(page)
    for (const status of ['available', 'pending', 'sold']) {
      await choose(page, status)
      await page.locator('#animals[aria-busy="false"]').waitFor()
      const expected = (await desk.newest(`?status=${status}`)).map(({ name }) => name)
      await listed(page, expected.length)
      assert.deepEqual(await names(page), expected)
      const badges = new Set(await page.locator('#animals .badge').allTextContents())
      assert.deepEqual([...badges].join().toLowerCase(), status)
    }
    await choose(page, 'All')
    await page.getByLabel('Show').selectOption('100')
    const all = await desk.newest('?limit=100')
    await listed(page, all.length)
    assert.deepEqual(
      await page.locator('#animals .badge').allTextContents(),
      all.map(({ status = 'no status' }) => status.charAt(0).toUpperCase() + status.slice(1)),
    )
    await page.getByLabel('Show').selectOption('10')
    await listed(page, 10)
    opened.assertClean()
  })

  it('shows every digit of an int64, and a name as text whatever it contains (R5)', async () => {
    const name = '<img src=x onerror=alert(1)> & "quotes"'
    await desk.add(JSON.stringify({ name, categoryId: 1 }))
    await desk.add(`{ "name": "Greatest", "categoryId": ${GREATEST} }`)
    await desk.add(`{ "name": "Least", "categoryId": ${LEAST} }`)
    await using opened = await openPage(browser, url)
    const { page } = opened
    await desk.enter(page)
    assert.deepEqual((await names(page)).slice(0, 3), ['Least', 'Greatest', name])
    assert.deepEqual((await page.locator('#animals .category').allTextContents()).slice(0, 2), [LEAST, GREATEST])
    opened.assertClean()
  })

  it('looks an animal up by its number, and says that this goes away on 5 December 2030 (R11, R12)', async () => {
    await using opened = await openPage(browser, url, { expected: REFUSED })
    const { page } = opened
    await desk.enter(page)
    const field = page.getByLabel('Number (id)')
    const section = page.locator('#look-up-section')
    assert.match(await section.innerText(), /goes away on 5\s+December 2030/)
    await field.fill('1')
    await section.getByRole('button', { name: 'Find' }).click()
    await section.locator('.name', { hasText: 'Luna' }).waitFor()
    await field.fill(GREATEST)
    await field.press('Enter')
    await section.getByText(`There is no animal with number ${GREATEST}.`).waitFor()
    assert.equal(await section.locator('.name').count(), 0)
    for (const wrong of ['Luna', '1.5', '', '--1']) {
      await field.fill(wrong)
      await field.press('Enter')
      await section.getByText('The number of an animal is a whole number, such as 42.').waitFor()
    }
    opened.assertClean()
  })

  it('adds an animal, and says beside the field what is wrong, whether page or service found it (R9, R10)', async () => {
    await using opened = await openPage(browser, url, { expected: REFUSED })
    const { page } = opened
    await desk.enter(page)
    const form = page.locator('#add')
    const field = { name: form.getByLabel('Name'), category: form.getByLabel('Category number') }
    const press = () => form.getByRole('button', { name: 'Add' }).click()

    await press()
    assert.equal(await page.locator('#add-name-problem').innerText(), 'Give the animal a name.')
    assert.equal(await page.locator('#add-category-problem').innerText(), 'The category is a whole number, such as 7.')
    assert.equal(await focused(page), 'add-name')

    await field.name.fill('Ada')
    await field.category.fill('9223372036854775808')
    await press()
    assert.equal(await page.locator('#add-name-problem').innerText(), '')
    assert.notEqual(await page.locator('#add-category-problem').innerText(), '')
    assert.equal(await field.category.getAttribute('aria-invalid'), 'true')

    // An unpaired surrogate: the page accepts it, the service does not (O19).
    await field.name.evaluate((element) => {
      Object.assign(element, { value: 'Ada \ud800' })
    })
    await field.category.fill(GREATEST)
    await press()
    await page.locator('#add-name-problem', { hasText: 'unpaired surrogate' }).waitFor()
    assert.equal(await field.category.getAttribute('aria-invalid'), null)

    await field.name.fill('Ada, “the first”')
    await form.getByLabel('Status').selectOption('Pending')
    await press()
    const first = page.locator('#animals li').first()
    await first.locator('.name', { hasText: 'Ada, “the first”' }).waitFor()
    assert.equal(await first.locator('.category').innerText(), GREATEST)
    assert.equal(await first.locator('.badge').innerText(), 'Pending')
    assert.equal(await field.name.inputValue(), '')
    assert.match(
      await page.getByRole('status').innerText(),
      /^“\u2068Ada, “the first”\u2069” was added with number \d+\.$/,
    )
    assert.equal((await desk.newest('?limit=1'))[0]?.name, 'Ada, “the first”')

    await field.name.fill('Nobody’s')
    await field.category.fill('7')
    await form.getByLabel('Status').selectOption('No status')
    await field.category.press('Enter')
    await first.locator('.badge', { hasText: 'No status' }).waitFor()
    assert.equal(Object.hasOwn((await desk.newest('?limit=1'))[0] ?? {}, 'status'), false)
    opened.assertClean()
  })

  it('can be used with the keyboard alone', async () => {
    await using opened = await openPage(browser, url)
    const { page } = opened
    const { keyboard } = page
    const tabTo = async (id: string) => {
      for (let i = 0; i < 20 && (await focused(page)) !== id; i += 1) await keyboard.press('Tab')
      assert.equal(await focused(page), id)
    }
    await tabTo('key')
    await keyboard.insertText(desk.key)
    await keyboard.press('Enter')
    await page.locator('#animals li').first().waitFor()
    await keyboard.press('Tab')
    await keyboard.press('ArrowRight')
    await page.locator('#animals .badge.available').first().waitFor()
    const others = page.locator('#animals .badge:not(.available)')
    await until('only the available are listed', async () => (await others.count()) === 0)
    await tabTo('add-name')
    await keyboard.type('Keys')
    await tabTo('add-category')
    await keyboard.type('3')
    await keyboard.press('Enter')
    await page.locator('#animals .name', { hasText: 'Keys' }).waitFor()
    opened.assertClean()
  })

  it('waits as long as a 429 says when a Free key runs out, counts down, and continues by itself (R14, R16)', async () => {
    // In this process, so that neither the service nor the page waits for the end of the minute.
    await using app = await startApp({ pages: loadPages({ publicUrl: undefined }) })
    const free = await app.issue('free')
    const key = await app.issue()
    const newest = async () =>
      (JSON.parse((await app.call({ key, path: '/v1/pets?limit=1' })).body) as Listed[])[0]?.name
    app.clock.nowMs = Date.now()
    const pass = async (page: Page, seconds: number) => {
      app.clock.nowMs += seconds * 1000
      await page.clock.runFor(seconds * 1000)
    }
    await using opened = await openPage(browser, `http://127.0.0.1:${app.port}/`, {
      expected: REFUSED,
      prepare: (page) => page.clock.install(),
    })
    const { page } = opened
    await desk.enter(page, free)
    // The page reads the reset by the `Date` of the answers, which is the machine's.
    await minuteWith(40_000)
    app.clock.nowMs = Date.now()
    while ((await app.call({ key: free, path: '/v1/pets?limit=1' })).status !== 429);
    await page.getByRole('button', { name: 'Refresh' }).click()

    const notice = page.locator('#wait')
    await notice.waitFor()
    assert.match(await notice.innerText(), /used up[\s\S]+continues by itself/)
    assert.match(await page.locator('#gauge').innerText(), /^0 of 60 requests left/)
    assert.match(await page.getByRole('status').innerText(), /used up.+This takes \d+ s\./)
    const seconds = async () => Number.parseInt(await page.getByRole('timer').innerText(), 10)
    const pageMs = async () => Number(await page.evaluate('Date.now()'))
    const untilReset = async () => 60 - ((await pageMs()) % 60_000) / 1000
    // By the service's clock, which stood still while the answer was on its way.
    const most = 60 - (app.clock.nowMs % 60_000) / 1000
    const left = await seconds()
    const least = await untilReset()
    assert.ok(left > least - 3 && left < most + 3, `${left} s are announced, ${most} to ${least} s are left`)
    // What is shown may be a second old.
    await pass(page, 3)
    assert.ok((await seconds()) <= left - 2, 'the page counts down')
    await assertAccessible(page)
    await keepPicture(page, 'front-desk-waiting')

    await page.locator('#add').getByLabel('Name').fill('Held back')
    await page.locator('#add').getByLabel('Category number').fill('9')
    await page.locator('#add').getByRole('button', { name: 'Add' }).click()
    // Nearer to the end of the minute; the rest is for a busy machine: time passes for the page by itself as well.
    await pass(page, Math.max(0, (await seconds()) - 15))
    assert.equal(await newest(), undefined, 'nothing is sent while the page waits')
    assert.equal(await notice.isVisible(), true)

    const rest = await seconds()
    app.clock.nowMs = (await pageMs()) + (rest + 2) * 1000
    await page.clock.runFor(rest * 1000)
    await notice.waitFor({ state: 'hidden' })
    await page.locator('#animals .name', { hasText: 'Held back' }).waitFor()
    assert.equal(await newest(), 'Held back')
    await page.locator('#gauge', { hasText: '58 of 60 requests left' }).waitFor()
    opened.assertClean()
  })

  it('shows the hours when the day is used up, and another key works in the meantime (R14, O11)', async () => {
    const { key: spent } = await desk.service.issueKey('enterprise', { perMinute: 100, perDay: 1 })
    await using opened = await openPage(browser, url, { expected: REFUSED })
    const { page } = opened
    await desk.enter(page, spent)
    assert.match(await page.locator('#gauge').innerText(), /^0 of 1 requests left\s+resets (at \d\d:\d\d|in \d+ s)/)
    const startMs = Date.now()
    await page.locator('#look-up-id').fill('1')
    await page.locator('#look-up-id').press('Enter')
    const notice = page.locator('#wait')
    await notice.waitFor()
    const said = await page.getByRole('timer').innerText()
    const leftS = 86_400 - (Date.now() % 86_400_000) / 1000
    const passedS = (Date.now() - startMs) / 1000
    const shownS = said.endsWith(' s')
      ? Number.parseInt(said, 10)
      : said.split(':').reduce((s, n) => 60 * s + Number(n), 0)
    const isTrue = shownS > leftS - 3 && shownS < leftS + passedS + 3
    assert.ok(isTrue, `${said} is shown, ${leftS} s are left, and ${passedS} s have passed`)
    await page.getByRole('button', { name: 'Forget key' }).click()
    await notice.waitFor({ state: 'hidden' })
    await desk.enter(page)
    await page.locator('#look-up-id').fill('1')
    await page.locator('#look-up-id').press('Enter')
    await page.locator('#found .name', { hasText: 'Luna' }).waitFor()
    opened.assertClean()
  })

  for (const colorScheme of ['light', 'dark'] as const) {
    for (const [name, viewport] of Object.entries({ desktop: DESKTOP, phone: PHONE })) {
      it(`is accessible and fits the screen: ${colorScheme}, ${name}`, async () => {
        await using opened = await openPage(browser, url, { colorScheme, viewport })
        const { page } = opened
        await assertAccessible(page)
        await keepPicture(page, `front-desk-key-${colorScheme}-${name}`)
        await desk.enter(page)
        await page.locator('#look-up-id').fill('1')
        await page.locator('#look-up-id').press('Enter')
        await page.locator('#found .name').waitFor()
        await page.locator('#add').getByRole('button').click()
        await assertAccessible(page)
        assert.equal(await isTooWide(page), false)
        await keepPicture(page, `front-desk-${colorScheme}-${name}`)
        opened.assertClean()
      })
    }
  }

  it('is small: under 100 kB over the wire with all it loads', async (t) => {
    await using opened = await openPage(browser, url)
    await desk.enter(opened.page)
    const bytes = await loadedBytes(opened.page)
    t.diagnostic(
      `${bytes} bytes; first paint ${await firstPaintMs(browser, url, 6)} ms on a processor six times slower`,
    )
    assert.ok(bytes > 5_000 && bytes < 100_000, `${bytes} bytes`)
  })
})
