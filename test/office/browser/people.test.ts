/** Accounts, people and the journal, in a real browser. */
import assert from 'node:assert/strict'
import { before, it } from 'node:test'
import type { Page } from 'playwright-core'
import type { Animal, AnimalView, Saved } from '../../../src/office/office-data.ts'
import { LINES_PER_PAGE } from '../../../src/office/routes/journal-routes.ts'
import { assertAccessible, openPage } from '../../support/browser/browser.ts'
import { PASSPHRASE } from '../../support/office-client.ts'
import { until } from '../../support/until.ts'
import { act, type Client, go, holdAnswers, inOffice, REPORTED, signIn } from './office-browser.ts'

const HTML = '<b>Bobby</b> & “Tables”'

inOffice('the Account, People and Journal screens', (office, browser) => {
  let olga: Client

  before(async () => {
    await office.invite('Olga', 'operator')
    olga = office.client('Olga')
  })

  const row = (page: Page, name: string | RegExp) => page.locator('tbody tr', { hasText: name })

  it('let people change their passphrase, which ends their other sessions', async () => {
    await office.invite('Sam', 'staff')
    const elsewhere = office.client('Sam')
    const next = 'quite another passphrase'
    await using page = await openPage(browser, office.url, { expected: REPORTED })
    await signIn(page, 'Sam')
    await go(page, page.getByRole('link', { name: 'Sam' }))
    const change = async (old: string) => {
      await page.getByLabel('Current passphrase').fill(old)
      await page.getByLabel('New passphrase', { exact: true }).fill(next)
      await page.getByRole('button', { name: 'Change passphrase' }).click()
    }
    await change('not the passphrase')
    await page.getByText('The passphrase is wrong. Nothing was changed.').waitFor()
    await elsewhere.get('api/session')
    await assertAccessible(page)
    const release = await holdAnswers(page, '**/account/passphrase', 'POST')
    await change(PASSPHRASE)
    await page.getByLabel('New passphrase', { exact: true }).fill('typed since')
    await release()
    await page.locator('#toasts').getByText('Passphrase changed.').waitFor()
    assert.equal(await page.getByLabel('Current passphrase').inputValue(), '')
    assert.equal(await page.getByLabel('New passphrase', { exact: true }).inputValue(), 'typed since')
    await page.getByLabel('New passphrase', { exact: true }).fill('')
    await assert.rejects(elsewhere.get('api/session'), /signed out/)
    await using other = await openPage(browser, office.url, { expected: REPORTED })
    await signIn(other, 'Sam', next)
    await page.getByRole('button', { name: 'Sign out elsewhere' }).click()
    await page.locator('#toasts').getByText('You are signed out everywhere else.', { exact: true }).waitFor()
    await other.reload()
    await other.getByRole('heading', { name: 'Sign in' }).waitFor()
    await page.reload()
    await page.getByRole('heading', { name: 'Your account' }).waitFor()
  })

  it('let people change their name, and reserve the old one', async () => {
    await office.invite('Root', 'operator')
    const root = office.client('Root')
    const formToken = 'd'.repeat(32)
    const own = { name: 'Mine', categoryId: '1', status: null, formToken }
    const { id } = await root.send<Animal>('POST', 'api/animals', own)
    await using page = await office.open(browser, 'Root', '#add')
    await page.getByLabel('Name').fill('Half typed')
    await go(page, page.getByRole('link', { name: 'Root' }))
    const release = await holdAnswers(page, '**/account/name', 'POST')
    await page.getByLabel('Your name').fill('olga')
    await page.keyboard.press('Enter')
    await page.getByLabel('Current passphrase').focus()
    await release()
    await page.getByText('Choose another name: Olga already exists.').waitFor()
    assert.equal(await page.evaluate('document.activeElement.type'), 'password')
    await assertAccessible(page)
    await page.getByLabel('Your name').fill('Ana Ruiz')
    await page.keyboard.press('Enter')
    await page.locator('#toasts').getByText('Name changed.').waitFor()
    await page.locator('#person').getByRole('link', { name: 'Ana Ruiz' }).waitFor()
    await go(page, page.getByRole('link', { name: 'Add', exact: true }))
    assert.equal(await page.getByLabel('Name', { exact: true }).inputValue(), 'Half typed')
    await page.getByLabel('Name').fill('')
    const rename = olga.send('POST', 'api/account/name', { name: 'ROOT' })
    await assert.rejects(rename, /Choose another name: Ana Ruiz had this name before\./)
    await olga.send('POST', 'api/people/Ana%20Ruiz/role', { role: 'staff', passphrase: PASSPHRASE })
    await go(page, `#animal/${id}`)
    await signIn(page, 'Ana Ruiz')
    await page.locator('#person').getByText('staff').waitFor()
    await act(page, '', 'Remove animal')
    await page.getByRole('dialog').getByRole('button', { name: 'Remove animal' }).click()
    await page.getByText('This animal was removed').waitFor()
    const view = await olga.get<AnimalView>(`api/animals/${id}`)
    assert.deepEqual([view.history[0]?.who, view.history[1]?.who], ['Ana Ruiz', 'Root'])
  })

  it('show viewers animals, history and report, and let them change nothing', async () => {
    await office.invite('Vera', 'viewer')
    await office.name('Olga', 'Cats')
    const [id = ''] = await office.give({ name: 'Seen', categoryId: 1, status: 'available' })
    await change(olga, id, 'Seen by all')
    await using page = await office.open(browser, 'Vera')
    const line = page.locator('.row:not(.head)', { hasText: 'Seen by all' })
    await line.waitFor()
    assert.ok((await line.innerText()).includes('Available'))
    // It is offered once category names have loaded.
    await page.getByLabel('Category').waitFor()
    const controls = ':is(button, input, select):not([role="columnheader"] *)'
    const offered = () => page.locator('main').locator(controls).filter({ visible: true }).all()
    const names = async () => Promise.all((await offered()).map((one) => one.getAttribute('aria-label')))
    assert.deepEqual(await names(), ['Status', 'Category', 'Order', 'Actions', 'Search by name, number or reference'])
    assert.deepEqual(await page.locator('nav a').filter({ visible: true }).allInnerTexts(), [
      'Animals',
      'Journal',
      'Report',
    ])
    await go(page, line.getByRole('link'))
    await page.getByText('changed the name from').waitFor()
    assert.deepEqual(await names(), ['Actions'])
    await page.getByRole('button', { name: 'Actions' }).click()
    assert.deepEqual(await page.getByRole('menuitem').allInnerTexts(), ['Print cage card'])
    await page.keyboard.press('Escape')
    await assertAccessible(page)
    await go(page, page.getByRole('link', { name: 'Report' }))
    await page.getByRole('heading', { name: 'Waiting now' }).waitFor()
    assert.equal(await page.getByText('Who did what').count(), 0)
    await go(page, '#add')
    await page.getByText('This screen is for staff, managers and operators. Your role is viewer').waitFor()
    const { animal } = await olga.get<AnimalView>(`api/animals/${id}`)
    await assert.rejects(change(office.client('Vera'), id, 'Mine', animal.version), /It is for staff/)
  })

  it('let operators change other people’s links and roles, but not their own', async () => {
    await office.link('Lena', 'staff')
    await using page = await office.open(browser, 'Olga', '#people')
    await row(page, 'Olga (you)').waitFor()
    assert.equal(await row(page, 'Olga (you)').getByRole('button').count(), 0)
    await page.getByRole('button', { name: 'Invite person', exact: true }).click()
    await page.getByRole('dialog').getByLabel('Name').fill('lena')
    await page.getByRole('combobox', { name: 'Role' }).selectOption('operator')
    await page.getByRole('dialog').getByLabel('Your passphrase').fill(PASSPHRASE)
    await page.keyboard.press('Enter')
    await page.getByText('Choose another name: Lena already exists.').waitFor()
    await page.getByRole('button', { name: 'Cancel' }).click()
    await act(page, 'Lena', 'Create new link')
    await page.getByText('When the link is used: Lena chooses a passphrase and is signed in as staff').waitFor()
    await page.getByRole('dialog').getByLabel('Your passphrase').fill(PASSPHRASE)
    await page.keyboard.press('Enter')
    await page.getByText('Send Lena this link.').waitFor()
    await page.getByText('It works on this computer only.').waitFor()
    await page.keyboard.press('Escape')
    await page.getByText('This will not be shown again.').waitFor()
    await page.getByRole('button', { name: 'Done' }).click()
    await act(page, 'Lena', 'Change role')
    // The row can be out of date; the service knows the role.
    await page.getByRole('dialog').getByLabel('Your passphrase').fill(PASSPHRASE)
    await page.keyboard.press('Enter')
    await page.getByText('Nothing was changed: the role is already staff.').waitFor()
    await olga.send('POST', 'api/people/Lena/role', { role: 'operator', passphrase: PASSPHRASE })
    await page.getByRole('dialog').getByRole('button', { name: 'Change role' }).click()
    await page.getByText('Lena is now staff.').first().waitFor()
    await act(page, 'Lena', 'Change role')
    const release = await holdAnswers(page, '**/role', 'POST')
    await page.getByRole('combobox', { name: 'Role' }).selectOption('manager')
    await page.getByRole('dialog').getByLabel('Your passphrase').fill(PASSPHRASE)
    await page.keyboard.press('Enter')
    await page.getByRole('combobox', { name: 'Role' }).selectOption('viewer')
    await release()
    await page.getByText('Lena is now manager.').first().waitFor()
    await row(page, 'Lena').getByText('manager').waitFor()
    await act(page, 'Lena', 'Revoke access')
    await page.getByText('Immediately: Lena cannot sign in: earlier links stop working.').waitFor()
    await page.getByRole('button', { name: 'Cancel' }).click()
    await go(page, '#journal')
    await row(page, 'changed the role').first().waitFor()
    await row(page, 'to choose a passphrase').waitFor()
  })

  it('journal who did what, with old and new values', async () => {
    await olga.send('PUT', 'api/categories', { names: [{ id: '7', label: 'Dogs' }] })
    const animal = await olga.send<Animal>('POST', 'api/animals', {
      name: HTML,
      categoryId: '7',
      status: 'available',
      formToken: 'a'.repeat(32),
    })
    const { version } = animal
    await olga.send('PATCH', `api/animals/${animal.id}`, { version, name: 'Bob', status: null })
    await office.link('Uwe', 'viewer')
    await olga.send('POST', 'api/people/Uwe/revoke', {})
    await using page = await openPage(browser, `${office.url}#journal`, { expected: REPORTED })
    await signIn(page, 'Olga')
    const line = row(page, `changed Bob (animal ${animal.id})`)
    await line.waitFor()
    const told = await line.innerText()
    for (const words of ['Olga', 'today at', `name: “${HTML}” → “Bob”`, 'status: Available → No status']) {
      assert.ok(told.includes(words), `${words} in ${told}`)
    }
    assert.match(await row(page, 'named Dogs').innerText(), /label: none → “Dogs”|label: .*Dogs/)
    await row(page, 'revoked the access of Uwe').waitFor()
    await row(page, 'signed in').first().waitFor()
    await go(page, page.getByRole('link', { name: `changed Bob (animal ${animal.id})` }))
    assert.match(page.url(), new RegExp(`#animal/${animal.id}$`))
  })

  it('show staff who changed which animal, but nothing of keys and people', async () => {
    const [id = ''] = await office.give({ name: 'Watched', categoryId: 1 })
    await change(olga, id, 'Watched Two')
    await office.invite('Sten', 'staff')
    await using page = await office.open(browser, 'Sten', '#animals')
    await go(page, page.getByRole('link', { name: 'Journal' }))
    await row(page, 'Watched Two').waitFor()
    assert.equal(await row(page, 'signed in').count(), 0)
    const kinds = await page.getByLabel('What').locator('option').allInnerTexts()
    assert.deepEqual(kinds, ['Everything', 'Added', 'Changed', 'Removed, restored', 'Imports', 'Categories'])
    await page.getByLabel('What').selectOption('Changed')
    await page.getByLabel('From').fill('0026-01-01')
    await page.waitForURL(/#journal\?kind=change$/)
    await page.getByLabel('From').fill('2026-01-01')
    await page.waitForURL(/#journal\?kind=change&since=\d+$/)
    await page.reload()
    await page.getByText('1 January 2026', { exact: true }).waitFor()
    await go(page, row(page, 'Watched Two').getByRole('link'))
    await page.getByRole('heading', { name: 'Watched Two' }).waitFor()
  })

  it('filter the journal by animal and day, and page back', async () => {
    const [id = ''] = await office.give({ name: 'Often', categoryId: 1 })
    let { version } = await change(olga, id, 'Often 0')
    for (let n = 1; n <= LINES_PER_PAGE; n += 1) ({ version } = await change(olga, id, `Often ${n}`, version))
    await using page = await office.open(browser, 'Olga', '#journal')
    await page.getByLabel('Animal').fill('oft')
    const count = () => page.locator('tbody tr').count()
    await until('one page is shown', async () => (await count()) === LINES_PER_PAGE)
    await page.setViewportSize({ width: 390, height: 844 })
    const { height = Infinity } = (await page.locator('tbody').boundingBox()) ?? {}
    assert.ok(height <= 5_000, `a page of the journal is ${height} px high on a phone`)
    await page.setViewportSize({ width: 1280, height: 800 })
    const release = await holdAnswers(page, '**/api/journal?*')
    await page.getByLabel('What').selectOption('Changed')
    await page.waitForURL(/kind=change/)
    await page.getByRole('button', { name: 'Older' }).click()
    await release()
    await page.getByRole('button', { name: 'Older' }).click()
    await until('the rest is shown', async () => (await count()) === LINES_PER_PAGE + 1)
    assert.ok(!(await page.getByRole('button', { name: 'Older' }).isVisible()))
    assert.equal(await page.evaluate('document.activeElement.textContent'), 'Journal')
    await page.getByLabel('From').fill('2099-01-01')
    await page.keyboard.press('Enter')
    await page.locator('main').getByText('No entry matches these filters.').waitFor()
    await page.getByLabel('From').fill('')
    await until('all is shown again', async () => (await count()) === LINES_PER_PAGE)
  })
})

async function change(client: Client, id: string, name: string, version = '0'): Promise<Animal> {
  const { animal } = await client.send<Saved>('PATCH', `api/animals/${id}`, { version, name })
  return animal
}
