/** Every screen of the office: input, keys, texts, loading, and a service that is down. test/screens checks layout. */
import assert from 'node:assert/strict'
import { before, it } from 'node:test'
import { DESKTOP, isTooWide, loadedBytes, PHONE } from '../../support/browser/browser.ts'
import { PASSPHRASE } from '../../support/office-client.ts'
import { freePort } from '../../support/servers/servers.ts'
import { until } from '../../support/until.ts'
import { go, holdAnswers, inOffice, startOffice, toast } from './office-browser.ts'

const HOSTILE = '<img src=x onerror=alert(1)><script>alert(2)</script>'
const LONG = `Longest ${'x'.repeat(60_000)}`
const FOCUSED = '({ type: document.activeElement.type, value: document.activeElement.value })'
const RIGHT_TO_LEFT = 'لونا ‎الجميلة'

inOffice(
  'the office on every screen',
  (office, browser) => {
    before(async () => {
      await office.invite('Mia', 'manager')
      await office.invite('Olga', 'operator')
      await office.give(...['Bruno', 'Luna'].map((name) => ({ name, categoryId: 1, status: 'available' })))
    })

    it('shows any text as text, of any length and direction', async () => {
      const ids = await office.give(
        { name: HOSTILE, categoryId: 1 },
        { name: LONG, categoryId: 1 },
        { name: RIGHT_TO_LEFT, categoryId: 1 },
      )
      for (const viewport of [DESKTOP, PHONE]) {
        await using page = await office.open(browser, 'Mia', '', { viewport })
        await page.getByRole('link', { name: HOSTILE }).waitFor()
        const heights = await page.locator('.row').evaluateAll((rows) => rows.map(({ clientHeight }) => clientHeight))
        assert.ok(Math.max(...heights) < 110, `rows of ${Math.max(...heights)} pixels`)
        assert.ok(!(await isTooWide(page)))
        for (const [n, id] of ids.entries()) {
          await go(page, `#animal/${id}`)
          await page.getByRole('heading', { name: 'History' }).waitFor()
          await page.locator('main button.status').click()
          await page.getByRole('menuitemradio', { name: viewport === PHONE ? 'Sold' : 'Pending' }).click()
          await page.locator('.toast').nth(n).waitFor()
          assert.ok(!(await isTooWide(page)))
          const height = Number(
            await page.evaluate('Math.max(document.documentElement.scrollHeight, document.body.scrollHeight)'),
          )
          assert.ok(height < 2_000, `${height} pixels high`)
        }
        assert.equal(await page.locator('main img, main script').count(), 0)
      }
    })

    it('sets a status by keyboard, four Tabs from the search, with visible focus', async () => {
      await using page = await office.open(browser, 'Mia', '#animals?text=bruno')
      await page.locator('button.status').first().waitFor()
      await page.getByRole('searchbox').focus()
      for (let step = 0; step < 4; step += 1) {
        await page.keyboard.press('Tab')
        if (await page.evaluate("document.activeElement.matches('button.status')")) break
      }
      assert.equal(await page.evaluate('getComputedStyle(document.activeElement).outlineStyle'), 'solid')
      await page.keyboard.press('ArrowDown')
      await page.keyboard.press('p')
      await page.keyboard.press('Enter')
      await toast(page, 'was set to Pending').waitFor()
      await until('the focus is where it was', async () =>
        /^Pending, status of .*Bruno/.test(
          String(await page.evaluate('document.activeElement.getAttribute("aria-label")')),
        ),
      )
      await page
        .locator('#announcement', { hasText: /Bruno.* was set to Pending\. Press Control Z to undo it\./ })
        .waitFor({ state: 'attached' })
      await page.keyboard.press('Control+z')
      await toast(page, 'was restored to the previous state').waitFor()
    })

    it('has search and Add within reach of a thumb on a phone', async () => {
      await using page = await office.open(browser, 'Mia', '#import', {
        viewport: PHONE,
        hasTouch: true,
        isMobile: true,
      })
      const tap = async (name: string) => {
        const tab = page.locator('#thumb').getByText(name, { exact: true })
        const box = await tab.boundingBox()
        assert.ok(box !== null && box.y > PHONE.height * 0.85, `${name} is at ${box?.y}`)
        await tab.tap()
      }
      const focused = (type: string) => page.evaluate(`document.activeElement.matches('${type}')`)
      await tap('Search')
      await until('the search has the focus', async () => (await focused('input[type="search"]')) === true)
      await tap('Add')
      await until('the name has the focus', async () => (await focused('form .field:first-child input')) === true)
      await tap('Animals')
      await page.locator('.row', { hasText: 'Luna' }).locator('button.status').tap()
      await page.getByRole('menuitemradio', { name: 'Sold' }).tap()
      await page.getByRole('button', { name: 'Undo' }).tap()
      await toast(page, 'was restored').waitFor()
    })

    it('loads at most 50 kB, besides a typeface of at most 60', async () => {
      await using page = await office.open(browser, 'Mia')
      await page.waitForLoadState('networkidle')
      const typeface = Number(
        await page.evaluate(
          "performance.getEntriesByType('resource').find(({ name }) => name.endsWith('.woff2')).transferSize",
        ),
      )
      const bytes = (await loadedBytes(page)) - typeface
      assert.ok(bytes > 10_000 && bytes < 50_000, `${bytes} bytes`)
      assert.ok(typeface > 10_000 && typeface < 60_000, `${typeface} bytes of the typeface`)
    })

    it('says what is loading, and has an icon for a phone’s home screen', async () => {
      let answer = async () => {}
      await using page = await office.open(browser, 'Mia', '', {
        prepare: async (page) => {
          answer = await holdAnswers(page, '**/api/animals?**')
        },
      })
      const loading = page.getByText('Loading …', { exact: true })
      const isShown = () => loading.evaluate((words) => words.checkVisibility({ opacityProperty: true }))
      await until('it says so', async () => (await loading.isVisible()) && (await isShown()))
      const { x, y } = (await loading.boundingBox()) ?? { x: 0, y: 0 }
      assert.notEqual(await page.evaluate(`document.elementFromPoint(${x + 5}, ${y + 5}).id`), 'loading')
      await answer()
      await page.locator('.row .name').first().waitFor()
      await loading.waitFor({ state: 'hidden' })
      const size = await page.evaluate(`(async () => {
        const picture = new Image()
        picture.src = document.querySelector('link[rel="apple-touch-icon"]').href
        await picture.decode()
        return picture.naturalWidth
      })()`)
      assert.equal(size, 180)
    })

    it('goes to the search on Ctrl+/, but not on a character alone', async () => {
      await using page = await office.open(browser, 'Olga', '#people')
      await page.keyboard.press('/')
      await page.keyboard.press('?')
      assert.deepEqual(
        [await page.locator('main').getAttribute('data-screen'), await page.getByRole('dialog').count()],
        ['people', 0],
      )
      await page.keyboard.press('Control+/')
      await page.locator('main[data-screen="animals"]').waitFor()
      await until(
        'the search has the focus',
        async () => (await page.evaluate('document.activeElement.type')) === 'search',
      )
      await page.keyboard.type('a/?')
      assert.deepEqual(await page.evaluate(FOCUSED), { type: 'search', value: 'a/?' })
      assert.equal(await page.getByRole('dialog').count(), 0)
    })

    it('closes a dialog on Back, after a question if text is unsaved, and not before its response', async () => {
      await using page = await office.open(browser, 'Olga', '#animals')
      await go(page, page.getByRole('link', { name: 'People', exact: true }))
      const dialog = page.getByRole('dialog', { name: 'Invite' })
      const shown = (screen: string) => page.locator(`main[data-screen="${screen}"]`).waitFor()
      const invite = () => page.getByRole('button', { name: 'Invite' }).click()
      const back = () => page.evaluate('history.back()')
      await invite()
      await back()
      await shown('animals')
      assert.equal(await page.getByRole('dialog').count(), 0)

      await go(page, page.getByRole('link', { name: 'People', exact: true }))
      await invite()
      await dialog.getByLabel('Name').fill('Nora')
      await back()
      await page.getByText('What you typed here is not saved.').waitFor()
      await page.getByRole('dialog', { name: 'Leave' }).getByRole('button', { name: 'Cancel' }).click()
      await page.waitForURL(/#people$/)
      await dialog.getByLabel('Your passphrase').fill(PASSPHRASE)
      const answer = await holdAnswers(page, '**/api/people', 'POST')
      await dialog.getByRole('button', { name: 'Invite' }).click()
      await page.locator('dialog[closedby="none"]').waitFor()
      const moved = page.evaluate(
        'new Promise((resolve) => addEventListener("hashchange", resolve, { once: true })).then(() => 0)',
      )
      await back()
      await moved
      assert.match(page.url(), /#people$/)
      assert.equal(await page.getByRole('dialog').count(), 1)
      await answer()
      await page.getByText(/is shown only once/).waitFor()
      await back()
      await page.getByText('This will not be shown again.').waitFor()
      await back()
      await shown('animals')
      assert.equal(await page.getByRole('dialog').count(), 0)
    })

    it('reports a failure of the page, keeps unsaved text, and logs the cause', async () => {
      const options = { expected: /TypeError/ }
      await using page = await office.open(browser, 'Mia', '#account', options)
      await page.getByLabel('Your name').fill('Maria')
      const told = toast(page, 'Something went wrong on this page')
      const reload = told.getByRole('button', { name: 'Reload page' })
      // Scripts of extensions and other events are ignored.
      await page.evaluate(`{
        setTimeout(() => { throw new TypeError('of another') })
        Promise.reject('TypeError')
        dispatchEvent(new ErrorEvent('error', { message: 'TypeError' }))
        const { querySelector } = document
        document.querySelector = () => {
          document.querySelector = querySelector
          throw new TypeError('no querySelector ' + '\u732b'.repeat(9_000))
        }
      }`)
      await page.keyboard.press('Tab')
      assert.equal(await told.count(), 0)
      await page.locator('main h1').focus()
      await page.keyboard.press('Control+/')
      await told.waitFor()
      page.once('dialog', (dialog) => void dialog.dismiss())
      await reload.click()
      assert.equal(await page.getByLabel('Your name').inputValue(), 'Maria')
      await office.service.says(
        /"screen":"account","stack":"TypeError: no querySelector 猫{2000}.*office page failed in the browser/,
      )

      // As if the service had another version.
      await page.route('**/api/journal*', (route) => route.fulfill({ json: {} }))
      page.once('dialog', (dialog) => void dialog.accept())
      await page.evaluate('void (location.hash = "#journal")')
      await page.reload()
      await told.waitFor()
      await page.unrouteAll()
      await Promise.all([page.waitForEvent('load'), reload.click()])
      await page.locator('main section[aria-busy="false"]').waitFor({ state: 'attached' })
      assert.equal(await told.count(), 0)
    })

    it('asks before unsaved text of a form is lost, but not of a search or filter', async () => {
      await using page = await office.open(browser, 'Olga', '#guide')
      const leaving = page.getByRole('dialog', { name: 'Leave page' })
      for (const [screen, label, isAsked] of [
        ['account', 'Your name', true],
        ['account', 'New passphrase', true],
        ['settings', 'Phone number', true],
        ['settings', 'Word for sold', true],
        ['animals', 'Search by name, number or reference', false],
        ['journal', 'Who', false],
        ['add', 'Name', false],
      ] as const) {
        await page.evaluate(`void (location.hash = '#${screen}')`)
        await page.locator(`main[data-screen="${screen}"]`).getByLabel(label, { exact: true }).fill('Typed')
        await page.evaluate('void (location.hash = "#guide")')
        if (isAsked) {
          await leaving.getByText('What you typed here is not saved.').waitFor()
          await leaving.getByRole('button', { name: 'Leave page' }).click()
        }
        await page.locator('main[data-screen="guide"]').waitFor()
      }
    })

    // Last, because it ends the office.
    it('says as of when the list is while the service is down, and recovers by itself', async () => {
      await office.give(
        { name: 'Survivor one', categoryId: 1, status: 'available' },
        { name: 'Survivor two', categoryId: 1, status: 'sold' },
      )
      await using page = await office.open(browser, 'Mia', '#animals?text=survivor')
      const refresh = () => page.evaluate('void document.dispatchEvent(new Event("visibilitychange"))')
      const names = () => page.locator('.row .name').allInnerTexts()
      await until('both are listed', async () => (await names()).length === 2)
      await office.service.stop()
      await refresh()
      await page.getByText(/The service could not be reached\. This is the list as of \d\d:\d\d/).waitFor()
      assert.equal((await names()).length, 2)
      await page.getByLabel('Status', { exact: true }).selectOption('sold')
      await page.getByRole('alert').getByText('The animals could not be loaded.').waitFor()
      assert.deepEqual(await names(), [])
      await using _again = await startOffice({
        operatorPort: Number(new URL(office.url).port),
        database: office.service.database,
      })
      await refresh()
      await until('the sold one is listed', async () => (await names()).join() === 'Survivor two')
      assert.equal(await page.locator('dialog.cover').count(), 0)
    })
  },
  async () => ({ operatorPort: await freePort() }),
)
