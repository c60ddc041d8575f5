/** The list of animals, in a real browser. */
import assert from 'node:assert/strict'
import { before, it } from 'node:test'
import type { Page } from 'playwright-core'
import type { AnimalPage, AnimalView } from '../../../src/office/office-data.ts'
import { assertAccessible } from '../../support/browser/browser.ts'
import { until } from '../../support/until.ts'
import {
  act,
  type Client,
  go,
  holdAnswers,
  inOffice,
  isListed,
  letRest,
  setStatus,
  signIn,
  statusOf,
  toast,
} from './office-browser.ts'

inOffice('the list of animals', (office, browser) => {
  let anna: Client

  before(async () => {
    await office.invite('Sam', 'staff')
    await office.invite('Anna', 'staff')
    await office.invite('Mia', 'manager')
    anna = office.client('Anna')
  })

  const row = (page: Page, name: string) => page.locator('.row:not(.head)', { hasText: name })
  const statusIn = (page: Page, name: string) => row(page, name).locator('button.status')
  const names = (page: Page) => page.locator('.row .name').allInnerTexts()
  const choose = async (page: Page, name: string, status: string) => {
    const now = await statusIn(page, name).innerText()
    await statusIn(page, name).click()
    assert.equal(await page.evaluate('document.activeElement.textContent'), now, 'the entry chosen has the focus')
    await page.getByRole('menuitemradio', { name: status }).click()
  }
  const shows = (page: Page, name: string, status: string) =>
    until(`${name} is shown as ${status}`, async () => (await statusIn(page, name).innerText()) === status)

  it('sorts by headings that are buttons, which name the current order', async () => {
    await office.give(...['Sort C', 'Sort A', 'Sort B'].map((name) => ({ name, categoryId: 1 })))
    await using page = await office.open(browser, 'Sam', '#animals?text=sort')
    const heading = (name: string) => page.getByRole('columnheader', { name, exact: true })
    const isSortedBy = (title: string, way: string | null, ...expected: string[]) =>
      until(`sorted by ${title}, ${way}`, async () => {
        const shown = [await heading(title).getAttribute('aria-sort'), ...(await names(page))]
        return JSON.stringify(shown) === JSON.stringify([way, ...expected])
      })
    await isSortedBy('Waits', null, 'Sort B', 'Sort A', 'Sort C')
    await page.getByRole('button', { name: 'Name', exact: true }).click()
    await isSortedBy('Name', 'ascending', 'Sort A', 'Sort B', 'Sort C')
    await page.getByRole('button', { name: 'Waits', exact: true }).focus()
    await page.keyboard.press('Enter')
    await isSortedBy('Waits', 'descending', 'Sort C', 'Sort A', 'Sort B')
    await page.keyboard.press('Enter')
    await isSortedBy('Waits', 'ascending', 'Sort B', 'Sort A', 'Sort C')
    assert.equal(await heading('Name').getAttribute('aria-sort'), null)
    const headings = page.getByRole('table', { name: 'Animals' }).getByRole('columnheader')
    assert.equal(await headings.count(), 6, 'no animal has a reference')
    for (const title of ['Category', 'Number', 'Status'])
      assert.equal(await heading(title).getByRole('button').count(), 0)
    await assertAccessible(page)
  })

  it('shows the last page, and keeps the focus, if all animals of a page are removed', async () => {
    await office.give(...Array.from({ length: 26 }, (_, n) => ({ name: `Edge ${n}`, categoryId: 1 })))
    await using page = await office.open(browser, 'Mia', '#animals?text=edge&sort=newest')
    await page.getByRole('button', { name: 'Next ›' }).click()
    await page.getByLabel('Select Edge 0,').check()
    await act(page, 'selected animals', 'Remove animals')
    await page.getByRole('dialog').getByRole('button', { name: 'Remove animals' }).click()
    await until('the other page is shown', async () => (await names(page)).length === 25)
    assert.equal(await page.evaluate('document.activeElement.textContent'), 'Animals')
  })

  it('does not search for a word that is still being composed', async () => {
    await office.give({ name: 'すし', categoryId: 1, status: 'available' })
    await using page = await office.open(browser, 'Sam', '', { locale: 'de-DE' })
    const asked: string[] = []
    page.on('request', (request) => asked.push(new URL(request.url()).searchParams.get('text') ?? ''))
    const keyboard = await page.context().newCDPSession(page)
    await page.getByRole('searchbox').focus()
    await keyboard.send('Input.imeSetComposition', { text: 'す', selectionStart: 1, selectionEnd: 1 })
    await keyboard.send('Input.imeSetComposition', { text: 'すし', selectionStart: 2, selectionEnd: 2 })
    await keyboard.send('Input.insertText', { text: 'すし' })
    await until('the word is looked for', () => asked.includes('すし'))
    assert.ok(!asked.includes('す'))
    await row(page, 'すし').waitFor()
  })

  it('works while the browser translates it, and keeps names and statuses untranslated', async () => {
    const [id = ''] = await office.give({ name: 'Rose', categoryId: 1, status: 'available' })
    await using page = await office.open(browser, 'Sam', '#animals?text=rose')
    await statusIn(page, 'Rose').waitFor()
    /** Replaces texts that can be translated, as browsers do. */
    const translate = () =>
      page.evaluate(`{
        const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
        while (texts.nextNode()) {
          const text = texts.currentNode
          if (text.parentElement.closest('[translate="no"]') === null && text.data.trim() !== '') text.data = ' übersetzt '
        }
      }`)
    await translate()
    await statusIn(page, 'Rose').click()
    await page.getByRole('menuitemradio', { name: 'Pending' }).click()
    await toast(page, 'Rose').waitFor()
    await translate()
    assert.match(await toast(page, 'Rose').innerText(), /^Rose übersetzt Pending übersetzt/)
    await page.locator('.toast button').first().click()
    await statusIn(page, 'Rose').getByText('Available').waitFor()
    await go(page, `#animal/${id}`)
    await page.locator('.history li').first().waitFor()
    await translate()
    assert.match(await page.locator('.history li').first().innerText(), /^Sam übersetzt Available/)
  })

  it('shows another person’s change with who and when, and does not overwrite it', async () => {
    const [id = ''] = await office.give({ name: 'Contested', categoryId: 1, status: 'available' })
    await using page = await office.open(browser, 'Sam')
    await statusIn(page, 'Contested').waitFor()
    await setStatus(anna, id, 'sold')
    await choose(page, 'Contested', 'Pending')
    await shows(page, 'Contested', 'Sold')
    const told =
      /Left unchanged, because someone else has changed them: .*Contested.*: .*Anna.* set the status to Sold, today at \d\d:\d\d\./
    await toast(page, told).waitFor()
    assert.equal(await statusOf(anna, id), 'sold')
    await choose(page, 'Contested', 'Available')
    await shows(page, 'Contested', 'Available')
  })

  it('keeps an unchanged animal busy until a notification says so', async () => {
    const [id = ''] = await office.give({ name: 'Disputed', categoryId: 1, status: 'available' })
    await using page = await office.open(browser, 'Sam', '#animals?text=disputed')
    await statusIn(page, 'Disputed').waitFor()
    await setStatus(anna, id, 'sold')
    const release = await holdAnswers(page, new RegExp(`api/animals/${id}$`))
    const asks = page.waitForRequest(new RegExp(`api/animals/${id}$`))
    await choose(page, 'Disputed', 'Pending')
    await asks
    assert.equal(await statusIn(page, 'Disputed').getAttribute('aria-busy'), 'true')
    await release()
    await toast(page, 'Left unchanged').waitFor()
    await shows(page, 'Disputed', 'Sold')
    await choose(page, 'Disputed', 'Available')
    await toast(page, 'was set to Available').waitFor()
    assert.equal(await toast(page, 'Left unchanged').count(), 0)
  })

  it('finds by part of a name or by number while one types, and Back restores the search', async () => {
    const [id = ''] = await office.give(
      { name: 'Ólafur the Great', categoryId: 7 },
      { name: 'Somebody else', categoryId: 7 },
    )
    await using page = await office.open(browser, 'Sam')
    await row(page, 'Somebody else').waitFor()
    await page.getByRole('searchbox').pressSequentially('olafur')
    await until('one is found', async () => (await names(page)).join() === 'Ólafur the Great')
    await go(page, page.getByRole('link', { name: 'Ólafur the Great' }))
    await page.goBack()
    await until('the search is as it was', async () => (await names(page)).join() === 'Ólafur the Great')
    assert.equal(await page.getByRole('searchbox').inputValue(), 'olafur')
    await page.getByRole('searchbox').fill(id)
    await until('it is found by its number', async () => (await names(page))[0] === 'Ólafur the Great')
    await page.getByRole('searchbox').fill('nobody has this name')
    await page.getByText('No animals found for “nobody has this name”.').waitFor()
    await page.getByRole('button', { name: /^Add .*nobody has th/ }).waitFor()
    await page.getByRole('button', { name: 'Show all' }).click()
    await row(page, 'Somebody else').waitFor()
  })

  it('shows who removed an animal and when, and focuses the next one after it is restored', async () => {
    const given = await office.give(...['Gone 1', 'Gone 2'].map((name) => ({ name, categoryId: 9 })))
    await office.invite('Mara', 'manager')
    const mara = office.client('Mara')
    for (const id of given) {
      const { animal } = await mara.get<AnimalView>(`api/animals/${id}`)
      await mara.send('POST', 'api/animals/acts', { act: 'remove', animals: [animal] })
    }
    await using page = await office.open(browser, 'Mara', '#animals?text=gone&status=removed')
    const focused = () => page.evaluate('document.activeElement.textContent')
    await row(page, 'Gone 2')
      .getByText(/^today at \d\d:\d\d by .*Mara/)
      .waitFor()
    await page.getByRole('button', { name: /^Restore .*Gone 2/ }).click()
    await until('the other one has the focus', async () => (await focused()) === 'Gone 1')
    await page.getByRole('button', { name: /^Restore .*Gone 1/ }).click()
    await until('the title has the focus', async () => (await focused()) === 'Animals')
  })

  it('returns to the same place on Back, with a history entry for each page', async () => {
    await office.give(...Array.from({ length: 70 }, (_, n) => ({ name: `Back ${n}`, categoryId: 8 })))
    await using page = await office.open(browser, 'Sam', '#animals?text=back&category=8&sort=newest')
    await page.getByText('1–25 of 70').waitFor()
    await page.getByRole('button', { name: 'Next' }).click()
    await page.getByText('26–50 of 70').waitFor()
    const link = page.getByRole('link', { name: 'Back 22,' })
    await go(page, link)
    await page.goBack()
    await page.getByText('26–50 of 70').waitFor()
    await until('the row has the focus', () => link.evaluate('document.activeElement.textContent === "Back 22"'))
    assert.ok(await link.evaluate('document.body.scrollTop > 0'))
    const top = await page.evaluate('document.body.scrollTo(0, 400), document.body.scrollTop')
    await go(page, page.getByRole('link', { name: 'Add' }).first())
    await page.goBack()
    await until(
      'Back leads to where the menu was used',
      async () => (await page.evaluate('document.body.scrollTop')) === top,
    )
    await page.getByRole('button', { name: 'Last', exact: true }).click()
    await page.getByText('51–70 of 70').waitFor()
    assert.equal((await names(page)).at(-1), 'Back 0')
    assert.equal(await page.evaluate('document.activeElement.textContent'), 'First')
    await page.goBack()
    await page.getByText('26–50 of 70').waitFor()
    await page.goBack()
    await page.getByText('1–25 of 70').waitFor()
    await page.getByLabel('Order').selectOption('By name')
    await until('they are by name', async () => (await names(page))[2] === 'Back 10')
  })

  it('shows counts in filters, keeps its page on a reload, and lists the longest waiting', async () => {
    await office.give(
      ...Array.from({ length: 60 }, (_, n) => ({ name: `Paged ${n}`, categoryId: 1, status: 'pending' })),
    )
    await using page = await office.open(browser, 'Sam')
    const { counts } = await anna.get<AnimalPage>('api/animals?limit=1')
    const status = page.getByLabel('Status', { exact: true })
    await status.selectOption(`Pending (${counts.pending})`)
    await isListed(page)
    assert.equal((await names(page))[0], 'Paged 59')
    await page.getByRole('button', { name: 'Next' }).click()
    await until('older ones follow', async () => (await names(page))[0] === 'Paged 34')
    await page.reload()
    await until('a reload stays on the page', async () => (await names(page))[0] === 'Paged 34')
    const pending = await anna.get<AnimalPage>('api/animals?status=pending&sort=oldest&limit=100')
    await page.getByLabel('Order').selectOption('Longest waiting')
    await until('the oldest pending', async () => (await names(page))[0] === pending.animals[0]?.name)
    await status.selectOption('')
    await page.getByLabel('Order').selectOption('Newest first')
    await page.getByLabel('Order').selectOption('Longest waiting')
    await until('only those that wait', async () => (await status.inputValue()) === 'available')
  })

  it('follows what others do, but not during an act', async () => {
    const [id = ''] = await office.give({ name: 'Follower', categoryId: 1, status: 'available' })
    await using page = await office.open(browser, 'Sam', '#animals?text=follower')
    await page.clock.install()
    await page.reload()
    await statusIn(page, 'Follower').waitFor()
    await statusIn(page, 'Follower').click()
    await setStatus(anna, id, 'pending')
    await page.clock.runFor(40_000)
    assert.ok(await page.getByRole('menuitemradio', { name: 'Sold' }).isVisible())
    assert.equal(await statusIn(page, 'Follower').innerText(), 'Available')
    await page.keyboard.press('Escape')
    await page.clock.runFor(16_000)
    await shows(page, 'Follower', 'Pending')
  })

  it('changes nothing of the next screen once it is left', async () => {
    await office.give(...['Late 1', 'Late 2', 'Other'].map((name) => ({ name, categoryId: 1, status: 'available' })))
    await using page = await office.open(browser, 'Sam', '#animals?text=late')
    await statusIn(page, 'Late 1').waitFor()
    const counts = await holdAnswers(page, /text=late/)
    const list = await holdAnswers(page, /text=nobody/)
    await choose(page, 'Late 1', 'Sold')
    await toast(page, 'was set to Sold').waitFor()
    await page.getByRole('searchbox').fill('other')
    await until('the other is found', async () => (await names(page)).join() === 'Other')
    await counts()
    const found = () => page.getByLabel('Status', { exact: true }).locator('option').first().innerText()
    assert.equal(await found(), 'All statuses (1)')

    await page.clock.install()
    await page.getByRole('searchbox').fill('nobody')
    await page.clock.runFor(1_000)
    await page.getByRole('searchbox').fill('too late')
    await page.evaluate('void (location.hash = "#add")')
    await page.getByRole('heading', { name: 'Add an animal' }).waitFor()
    const said = await page.locator('#announcement').textContent()
    await list()
    await page.clock.runFor(1_000)
    assert.match(page.url(), /#add$/)
    assert.equal(await page.locator('#announcement').textContent(), said)
  })

  it('completes an act after another sign-in if the session ends', async () => {
    const [id = ''] = await office.give({ name: 'Interrupted', categoryId: 1, status: 'available' })
    await using page = await office.open(browser, 'Sam', '#animals?text=interrupted')
    await statusIn(page, 'Interrupted').waitFor()
    await letRest(page)
    await page.context().clearCookies()
    await choose(page, 'Interrupted', 'Sold')
    await page.getByText('Your session has ended.').waitFor()
    assert.equal(await statusOf(anna, id), 'available')
    await signIn(page, 'Sam')
    await shows(page, 'Interrupted', 'Sold')
    assert.equal(await statusOf(anna, id), 'sold')
    assert.equal(await page.getByRole('searchbox').inputValue(), 'interrupted')
  })

  it('says after a lost response that the change might have been made, and shows the result', async () => {
    const [id = ''] = await office.give({ name: 'Unanswered', categoryId: 1, status: 'available' })
    await using page = await office.open(browser, 'Sam')
    await statusIn(page, 'Unanswered').waitFor()
    await page.route('**/api/animals/acts', async (route) => {
      await route.fetch()
      await route.abort('connectionreset')
    })
    await choose(page, 'Unanswered', 'Sold')
    await toast(page, 'might or might not have been done').waitFor()
    await shows(page, 'Unanswered', 'Sold')
    assert.equal(await statusOf(anna, id), 'sold')
  })
})
