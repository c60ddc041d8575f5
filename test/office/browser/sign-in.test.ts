/** Signing in and out, in a real browser. */
import assert from 'node:assert/strict'
import { before, it } from 'node:test'
import type { Page } from 'playwright-core'
import { assertAccessible, openPage, type PageOptions, PHONE } from '../../support/browser/browser.ts'
import { PASSPHRASE } from '../../support/office-client.ts'
import { until } from '../../support/until.ts'
import { answered, go, inOffice, letRest, REPORTED, signIn, startOffice } from './office-browser.ts'

inOffice('the sign-in of the office', (office, browser) => {
  before(async () => {
    await office.invite('Sam', 'staff')
    await office.invite('Mia', 'manager')
    await office.invite('Olga', 'operator')
  })

  /** A page on which this person signed in by the form, because sessions end here. */
  const enter = async (name: string, hash = '', options: PageOptions = {}) => {
    const page = await openPage(browser, `${office.url}${hash}`, { expected: REPORTED, ...options })
    await signIn(page, name)
    return page
  }
  const screens = (page: Page) => page.locator('#navigation a').allInnerTexts()

  it('keeps sessions of two offices on one host apart', async () => {
    await using other = await startOffice()
    await other.invite('Sam', 'staff')
    await using page = await enter('Sam')
    const second = await page.context().newPage()
    await second.goto(other.url)
    await signIn(second, 'Sam')
    for (const each of [page, second, page]) {
      await each.reload()
      await each.getByRole('heading', { name: 'Animals', level: 1 }).waitFor()
    }
  })

  it('says what to do if the browser keeps no cookies', async () => {
    await using page = await openPage(browser, office.url, {
      expected: REPORTED,
      async prepare(page) {
        await page.route('**/api/session', async (route) => {
          const response = await route.fetch()
          await page.context().clearCookies()
          const { 'set-cookie': _cookie, ...headers } = response.headers()
          await route.fulfill({ response, headers })
        })
      },
    })
    await page.getByLabel('Name').fill('Sam')
    await page.getByLabel('Passphrase').fill(PASSPHRASE)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByText('This browser does not keep cookies from this page').waitFor()
    await page.getByText(`Allow cookies for ${new URL(office.url).host}`).waitFor()
    await assertAccessible(page)
  })

  it('accepts an invite link once, with a chosen passphrase, and clears the address', async () => {
    const link = await office.link('Nora', 'staff')
    await using page = await openPage(browser, office.url, { expected: REPORTED })
    await page.getByRole('heading', { name: 'Sign in' }).waitFor()
    await page.goto(link)
    await page.getByRole('heading', { name: 'Welcome, Nora' }).waitFor()
    await assertAccessible(page)
    await page.getByLabel('Passphrase').fill('too short')
    await page.getByRole('button', { name: 'Start' }).click()
    await page.getByText('Use at least 12 characters.').waitFor()
    await page.getByLabel('Passphrase').fill(PASSPHRASE)
    await page.getByRole('button', { name: 'Show passphrase' }).click()
    assert.equal(await page.getByLabel('Passphrase').getAttribute('type'), 'text')
    await assertAccessible(page)
    await page.getByRole('button', { name: 'Start' }).click()
    await page.getByRole('heading', { name: 'Animals' }).waitFor()
    assert.doesNotMatch(page.url(), /invitation/)

    await using again = await openPage(browser, link, { expected: REPORTED })
    await again.getByText('This invite link no longer works.').waitFor()
    await signIn(again, 'Nora')
    await again.getByRole('heading', { name: 'Animals' }).waitFor()
  })

  it('forgets everything on sign-out, so the next person starts at the first screen', async () => {
    await using page = await enter('Mia', '#add', { viewport: PHONE })
    await page.getByLabel('Name').fill('Half a na')
    await page.getByRole('button', { name: 'More' }).click()
    await assertAccessible(page)
    await page.getByRole('dialog').getByRole('button', { name: 'Sign out' }).click()
    await page.getByText('is not added yet.').waitFor()
    await page.getByRole('dialog').last().getByRole('button', { name: 'Sign out' }).click()
    await signIn(page, 'Sam')
    await page.getByRole('heading', { name: 'Animals', exact: true }).waitFor()
    await go(page, page.getByRole('link', { name: 'Add', exact: true }))
    assert.equal(await page.getByLabel('Name').inputValue(), '')
  })

  it('reports a wrong name or passphrase in the form, which keeps the name', async () => {
    await using page = await openPage(browser, office.url, { expected: REPORTED })
    await page.getByLabel('Name').fill('Sam')
    await page.getByLabel('Passphrase').fill('not the passphrase')
    await page.keyboard.press('Enter')
    await page.getByText('The name or the passphrase is wrong.').waitFor()
    assert.equal(await page.getByLabel('Name').inputValue(), 'Sam')
    assert.equal(await page.getByLabel('Passphrase').getAttribute('aria-invalid'), 'true')
    assert.equal(await page.evaluate('document.activeElement.type'), 'password')
    await assertAccessible(page)
    await page.keyboard.press('Escape')
    await page.keyboard.press('Escape')
    assert.ok(await page.locator('dialog.cover').isVisible())
  })

  it('shows what the role allows, and says for whom another screen is', async () => {
    for (const [name, more, administration] of [
      ['Sam', [], []],
      ['Mia', ['Import, export', 'Categories'], ['Settings']],
    ] as const) {
      await using page = await enter(name, '#import')
      await page.getByRole('heading', { level: 1 }).waitFor()
      const refusals = page.getByText('This screen is for managers and operators.')
      assert.equal(await refusals.count(), more.length === 0 ? 1 : 0)
      assert.deepEqual(await screens(page), ['Animals', 'Add', ...more, 'Journal', 'Report', ...administration])
    }
  })

  it('continues a tab if the same person signs in again in another tab, but no one else', async () => {
    const [id = ''] = await office.give({ name: 'In two tabs', categoryId: 1 })
    await using page = await enter('Mia', `#animal/${id}`)
    await page.getByRole('heading', { name: 'In two tabs' }).waitFor()
    const other = await page.context().newPage()
    const handOver = async (name: string) => {
      await letRest(page)
      await page.locator('#loading').waitFor({ state: 'hidden' })
      await other.goto(office.url)
      await other.getByRole('button', { name: 'Sign out' }).click()
      await signIn(other, name)
    }
    await handOver('Mia')
    await page.getByLabel('Name').fill('In one tab')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('heading', { name: 'In one tab' }).waitFor()
    await handOver('Sam')
    await page.getByLabel('Name').fill('Not in this name')
    await page.getByRole('button', { name: 'Save' }).click()
    await until('Sam is named', async () => (await page.locator('#person').innerText()).includes('Sam'))
    await page.getByRole('heading', { name: 'In one tab' }).waitFor()
    assert.equal(await page.getByLabel('Name').inputValue(), 'In one tab')

    // Refuses the second one after Sam is known.
    await handOver('Mia')
    await page.reload()
    await go(page, '#add')
    await page.getByLabel('Category').fill('1')
    await handOver('Sam')
    const tokens: (string | undefined)[] = []
    const held = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    await page.route('**/api/animals', async (route) => {
      if (route.request().method() !== 'POST') return route.continue()
      const n = tokens.push(route.request().headers()['x-session-token'])
      await held[n - 1]?.promise
      await route.continue()
    })
    for (const name of ['Early', 'Late']) {
      await page.getByLabel('Name').fill(name)
      await page.keyboard.press('Enter')
      await until('it is sent', async () => (await page.getByLabel('Name').inputValue()) === '')
    }
    held[0]?.resolve()
    await page.locator('#person').getByText('Sam').waitFor()
    const refused = answered(page, /api\/animals$/)
    held[1]?.resolve()
    await refused
    assert.equal(new Set(tokens).size, 1, 'nothing is sent again in the name of Sam')
  })

  it('exposes nothing of the session to scripts, except the last name', async () => {
    await using page = await enter('Sam')
    assert.deepEqual(await page.evaluate('[document.cookie, JSON.stringify(localStorage), sessionStorage.length]'), [
      '',
      '{"last name":"Sam"}',
      0,
    ])
    await page.reload()
    await page.getByRole('heading', { name: 'Animals' }).waitFor()
    assert.equal(await page.locator('dialog.cover').count(), 0)
  })
})
