/** What a visit of the office waits for, and what the list of animals makes of answers that come late. */
import assert from 'node:assert/strict'
import { before, it } from 'node:test'
import type { Page, Request } from 'playwright-core'
import {
  act,
  answered,
  go,
  holdAnswers,
  inOffice,
  signIn,
  statusOf,
  toast,
} from '../../support/browser/office-browser.ts'

inOffice('a visit of the office', (office, browser) => {
  before(async () => {
    await office.give({ name: 'Luna', categoryId: 1 })
    // Staff have no first steps and no findings, which the page would ask for.
    await office.invite('Ada', 'staff')
  })

  it('asks for the animals and the session at the same time, and for each of them once', async () => {
    const asked: string[] = []
    const animals = Promise.withResolvers<void>()
    const note = (request: Request) => {
      const { pathname } = new URL(request.url())
      asked.push(pathname)
      if (pathname === '/api/animals') animals.resolve()
    }
    await using page = await office.open(browser, 'Ada', '', {
      prepare: async (page) => {
        page.on('request', note)
        await page.route('**/api/session', async (route) => {
          await animals.promise
          await route.continue()
        })
      },
    })
    await page.locator('.row .name', { hasText: 'Luna' }).waitFor()
    for (const path of ['/api/session', '/api/animals', '/api/categories']) {
      assert.deepEqual(
        asked.filter((each) => each === path),
        [path],
      )
    }
  })

  it('that comes soon after another asks for nothing but the session and what there is', async () => {
    await using page = await office.open(browser, 'Ada')
    await page.locator('.row .name', { hasText: 'Luna' }).waitFor()
    const again = await page.context().newPage()
    await again.goto(office.url)
    await again.locator('.row .name', { hasText: 'Luna' }).waitFor()
    const loaded = await again.evaluate<string[]>(
      "[...performance.getEntriesByType('navigation'), ...performance.getEntriesByType('resource')]" +
        '.filter(({ transferSize }) => transferSize > 0).map(({ name }) => new URL(name).pathname)',
    )
    assert.deepEqual(loaded.sort(), ['/api/animals', '/api/categories', '/api/session'])
  })

  it('of nobody who is signed in shows the animals as they are after the sign-in', async () => {
    const signedIn = Promise.withResolvers<void>()
    await using page = await office.open(browser, 'Ada', '', {
      storageState: { cookies: [], origins: [] },
      // The title of the form is not that of a screen.
      prepare: async (page) => void page.once('load', () => signedIn.resolve(signIn(page, 'Ada'))),
    })
    await signedIn.promise
    await page.locator('.row .name', { hasText: 'Luna' }).waitFor()
  })

  const LIST = /animals\?.*limit=25/
  const row = (page: Page, name: string) => page.locator('.row:not(.head)', { hasText: name })
  const choose = async (page: Page, name: string, status: string) => {
    await row(page, name).locator('button.status').click()
    await page.getByRole('menuitemradio', { name: status }).click()
  }

  it('what is ticked while an act is under way stays, and no other act meets that one', async () => {
    const [first = ''] = await office.give(...['Busy 1', 'Busy 2'].map((name) => ({ name, categoryId: 1 })))
    await using page = await office.open(browser, 'Ada', '#animals?text=busy')
    const bar = page.getByRole('region', { name: 'Ticked animals' })
    await page.getByLabel('Tick Busy 1,').check()
    const done = await holdAnswers(page, '**/api/animals/acts', 'POST')
    await bar.getByRole('button', { name: 'Set to Pending' }).click()
    // The rows are shown anew.
    const sorted = answered(page, /sort=name.*limit=25/)
    await page.getByLabel('Order').selectOption('By name')
    await sorted
    assert.equal(await row(page, 'Busy 1').locator('button.status').getAttribute('aria-busy'), 'true')
    await bar.getByRole('button', { name: 'Set to Sold' }).click()
    await page.getByLabel('Tick Busy 2,').check()
    await done()
    await toast(page, 'is Pending').waitFor()
    await bar.getByText('1 animal ticked').waitFor()
    assert.equal(await page.getByLabel('Tick Busy 2,').isChecked(), true)
    assert.equal(await statusOf(office.client('Ada'), first), 'pending')
    assert.equal(await page.getByText('somebody else').count(), 0)
  })

  it('numbers of animals are not those of before an act, whose answer comes before theirs', async () => {
    await office.give(...['Count 1', 'Count 2'].map((name) => ({ name, categoryId: 1 })))
    await using page = await office.open(browser, 'Ada', '#animals?text=count')
    await row(page, 'Count 1').waitFor()
    const pending = (n: number) => page.locator('option', { hasText: `Pending (${n})` }).waitFor({ state: 'attached' })
    const look = await holdAnswers(page, LIST)
    const asked = page.waitForRequest(LIST)
    await page.evaluate('void document.dispatchEvent(new Event("visibilitychange"))')
    await asked
    await choose(page, 'Count 1', 'Pending')
    await pending(1)
    await look()
    await pending(1)
    // Nor where a list is awaited when the act is done.
    await page.unroute(LIST)
    const list = await holdAnswers(page, LIST)
    await row(page, 'Count 2').locator('button.status').focus()
    const order = page.waitForRequest(LIST)
    await page.getByLabel('Order').selectOption('By name')
    await order
    await row(page, 'Count 2').locator('button.status').press('Enter')
    await page.getByRole('menuitemradio', { name: 'Pending' }).press('Enter')
    await toast(page, 'Count 2').waitFor()
    await list()
    await pending(2)
  })

  it('a list waits until a menu is closed, and shows what the notice of a screen before takes back', async () => {
    await office.give(...['Menu 1', 'Menu 2'].map((name) => ({ name, categoryId: 1 })))
    await using page = await office.open(browser, 'Ada', '#animals?text=menu')
    await row(page, 'Menu 2').waitFor()
    const first = page.locator('.row .name').first()
    const list = await holdAnswers(page, LIST)
    await page.getByLabel('Order').selectOption('By name')
    await row(page, 'Menu 2').locator('button.status').press('Enter')
    await list()
    assert.match(await first.innerText(), /Menu 2/)
    await page.getByRole('menuitemradio', { name: 'Sold' }).press('Enter')
    await row(page, 'Menu 1').and(page.locator(':nth-child(1)')).waitFor()

    await toast(page, 'Menu 2').waitFor()
    await go(page, page.getByRole('link', { name: 'Journal' }))
    await page.goBack()
    await row(page, 'Menu 2').getByText('Sold').waitFor()
    await page.getByRole('button', { name: 'Undo' }).click()
    await row(page, 'Menu 2').getByText('No status').waitFor()
  })

  it('a page of a list that goes is not turned, and a place in it takes the focus from nobody', async () => {
    await office.give(...Array.from({ length: 52 }, (_, n) => ({ name: `Turn ${n}`, categoryId: 1 })))
    await using page = await office.open(browser, 'Ada', '#animals?text=turn&sort=newest')
    const next = page.getByRole('button', { name: 'Next ›' })
    await next.waitFor()
    const sorted = await holdAnswers(page, /sort=name/)
    await page.getByLabel('Order').selectOption('By name')
    await next.press('Enter')
    await sorted()
    await page.getByText('1–25 of 52').waitFor()
    await row(page, 'Turn 0').waitFor()
    assert.doesNotMatch(page.url(), /before=/)

    await go(page, page.getByRole('link', { name: 'Turn 10,' }))
    const list = await holdAnswers(page, LIST)
    await page.goBack()
    const search = page.getByRole('searchbox')
    await search.focus()
    await list()
    await row(page, 'Turn 10').waitFor()
    assert.equal(await page.evaluate('document.activeElement.type'), 'search')
  })

  it('a category is chosen for those ticked before the names of categories are here', async () => {
    await office.invite('Mia', 'manager')
    await office.name('Mia', 'Cats', 'Dogs')
    await office.give({ name: 'Moved', categoryId: 1 })
    let names = async () => {}
    await using page = await office.open(browser, 'Ada', '#animals?text=moved', {
      prepare: async (page) => {
        names = await holdAnswers(page, '**/api/categories')
      },
    })
    await page.getByLabel('Tick Moved,').check()
    await act(page, 'ticked animals', 'Change category')
    await page.getByRole('dialog').getByRole('combobox').fill('Dogs')
    await page.keyboard.press('Enter')
    await names()
    await toast(page, 'is in Dogs now').waitFor()
  })
})
