/** Categories and settings, in a real browser. */
import assert from 'node:assert/strict'
import { before, it } from 'node:test'
import type { Page } from 'playwright-core'
import type { AnimalPage, Category, JournalPage, Session } from '../../../src/office/office-data.ts'
import { assertAccessible } from '../../support/browser/browser.ts'
import { dayWith, until } from '../../support/until.ts'
import { type Client, go, inOffice, REPORTED } from './office-browser.ts'

inOffice('the Categories and Settings screens', (office, browser) => {
  let anna: Client

  before(async () => {
    await office.invite('Sam', 'staff')
    await office.invite('Anna', 'manager')
    anna = office.client('Anna')
    await office.name('Anna', 'Cats', 'Dogs', 'Doggies')
    await office.give(
      { name: 'Mia', categoryId: 1, status: 'available' },
      { name: 'Rex', categoryId: 3, status: 'sold' },
      { name: 'Bo', categoryId: 3, status: 'available' },
      { name: 'Spike', categoryId: 17, status: 'pending' },
    )
  })

  const notice = (page: Page, text: string) => page.locator('#toasts').getByText(text)
  const listed = async (category: number) =>
    (await anna.get<AnimalPage>(`api/animals?category=${category}`)).animals.map(({ name }) => name).sort()

  it('add, rename and find a category', async () => {
    await using page = await office.open(browser, 'Anna', '#add', { expected: REPORTED })
    await go(page, page.getByRole('link', { name: 'Categories' }).first())
    await page.getByRole('button', { name: 'Edit category 17' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText('Programs use the number of this category, 17.').waitFor()
    await dialog.getByLabel('Name').fill('Hedgehogs')
    await page.keyboard.press('Enter')
    await notice(page, 'Name saved.').waitFor()
    await page.getByRole('button', { name: 'Add category' }).click()
    await dialog.getByLabel('Name').fill('Birds')
    await dialog.getByLabel('Number').fill('20')
    await dialog.getByRole('button', { name: 'Add category' }).click()
    await notice(page, '“Birds” was added.').waitFor()
    const categories = await anna.get<Category[]>('api/categories')
    assert.deepEqual(
      categories.map(({ id, label }) => `${id} ${label}`),
      ['1 Cats', '2 Dogs', '3 Doggies', '17 Hedgehogs', '20 Birds'],
    )
    await go(page, '#add')
    const category = page.getByRole('combobox', { name: 'Category' })
    await category.pressSequentially('hedge')
    await page.getByRole('option', { name: 'Hedgehogs' }).waitFor()
    await page.keyboard.press('ArrowDown')
    await assertAccessible(page)
    await page.keyboard.press('Enter')
    assert.equal(await category.inputValue(), 'Hedgehogs')
    await page.getByLabel('Name').fill('Prickle')
    await page.getByRole('button', { name: 'Add', exact: true }).click()
    await page.getByText(/^Added as number/).waitFor()
    assert.deepEqual(await listed(17), ['Prickle', 'Spike'])
  })

  it('join two categories by moving all animals of one, and delete that', async () => {
    await using page = await office.open(browser, 'Anna', '#animals?category=3')
    await page.getByLabel('Select all on this page').check()
    await page.getByRole('button', { name: 'Actions, selected animals' }).click()
    await page.getByRole('menuitem', { name: 'Change category' }).click()
    const press = page.getByRole('dialog').getByRole('button', { name: 'Change category' })
    const before = await press.boundingBox()
    await page.getByRole('dialog').getByRole('combobox').fill('do')
    await page.getByRole('listbox').getByRole('option', { name: 'Dogs' }).waitFor()
    assert.deepEqual(await press.boundingBox(), before, 'suggestions move nothing')
    await page.getByRole('dialog').getByRole('combobox').fill('dogs')
    await press.click()
    await notice(page, '2 animals were moved to Dogs.').waitFor()
    assert.deepEqual(await listed(2), ['Bo', 'Rex'])
    await go(page, '#categories')
    await page.getByRole('button', { name: 'Delete Doggies' }).click()
    await notice(page, '“Doggies” was deleted.').waitFor()
    const isThere = async () => (await anna.get<Category[]>('api/categories')).some(({ id }) => id === '3')
    assert.equal(await isThere(), false)
    assert.equal(await page.getByRole('button', { name: 'Delete Dogs' }).count(), 0, 'it has animals')
    await page.getByRole('button', { name: 'Undo' }).first().click()
    await page.getByRole('button', { name: 'Delete Doggies' }).waitFor()
    assert.equal(await isThere(), true)
  })

  it('keep settings that are typed while others are being saved', async () => {
    await using page = await office.open(browser, 'Anna', '#settings')
    await page.route('**/api/shelter', async (route) => {
      if (route.request().method() === 'PUT') await page.getByLabel('Phone number').fill('17')
      await route.continue()
    })
    await page.getByLabel('Address', { exact: true }).fill('Harbour Street 1')
    await page.keyboard.press('Enter')
    await notice(page, 'Saved. Other').waitFor()
    assert.equal(await page.getByLabel('Phone number').inputValue(), '17')
    await page.keyboard.press('Enter')
    const saved = async () => (await anna.get<Session>('api/session')).shelter.telephone
    await until('the other is saved', async () => (await saved()) === '17')
  })

  it('show times in the shelter’s time zone on every screen', async () => {
    await using page = await office.open(browser, 'Anna', '#settings', { expected: REPORTED })
    const zone = page.getByLabel('Time zone')
    await dayWith(60_000, 'Pacific/Kiritimati')
    await zone.fill('kiritimati')
    await zone.press('Enter')
    await page.locator('.toast').getByText('Saved.').waitFor()
    await go(page, page.getByRole('link', { name: 'Report' }))
    await page.getByText('Time zone: Pacific/Kiritimati.').waitFor()
    await go(page, page.getByRole('link', { name: 'Journal' }))
    const { atMs = 0 } = (await anna.get<JournalPage>('api/journal')).lines[0] ?? {}
    const there = new Intl.DateTimeFormat('en-GB', { timeStyle: 'short', timeZone: 'Pacific/Kiritimati' }).format(atMs)
    await page.locator('tbody .when').first().getByText(`today at ${there}`).waitFor()
    await page.getByLabel('From').fill('2026-01-01')
    await page.waitForURL(`**#journal?since=${Date.parse('2026-01-01T00:00+14:00')}`)
    await page.reload()
    assert.match(await page.getByLabel('From').inputValue(), /1 January 2026|2026-01-01/)
  })

  it('use the shelter’s words everywhere in the office, but not in the API', async () => {
    await using page = await office.open(browser, 'Anna', '#settings', { expected: REPORTED })
    await page.getByLabel('Word for sold').fill('Adopted')
    await page.getByLabel('Word for sold').press('Enter')
    await notice(page, 'Saved. Other people see it when they reload the page.').waitFor()
    await using other = await office.open(browser, 'Sam', '#animals')
    await other.getByRole('button', { name: /^Adopted, status of .*Rex/ }).waitFor()
    const [rex] = (await anna.get<AnimalPage>('api/animals?text=Rex')).animals
    assert.equal(rex?.status, 'sold')
    await anna.send('PUT', 'api/words', { sold: null })
  })

  it('say how to publish the page if nothing does', async () => {
    await using page = await office.open(browser, 'Anna', '#settings')
    await page.getByText('To publish it, start the service with --publish FOLDER or run pets publish FOLDER.').waitFor()
    await assertAccessible(page)
  })

  it('save the public page’s settings, with a language by its name', async () => {
    await using page = await office.open(browser, 'Anna', '#settings')
    await page.getByLabel('Statuses', { exact: true }).fill('available,pending')
    await page.getByLabel('Language', { exact: true }).fill('german')
    await page.keyboard.press('Enter')
    await notice(page, 'Saved. Other people see it when they reload the page.').waitFor()
    assert.equal(await page.getByLabel('Language', { exact: true }).inputValue(), 'German')
    const { shelter } = await anna.get<Session>('api/session')
    assert.deepEqual([shelter.language, shelter.statuses], ['de', 'available,pending'])
  })

  it('create a category by name on Add for managers, and tell staff whom to ask', async () => {
    await using staff = await office.open(browser, 'Sam', '#add')
    await using page = await office.open(browser, 'Anna', '#add')
    const add = async (page: Page, name: string, category: string) => {
      await page.getByLabel('Name').fill(name)
      await page.getByRole('combobox', { name: 'Category' }).fill(category)
      await page.getByRole('button', { name: 'Add', exact: true }).click()
    }
    await add(staff, 'Rex', 'Rabbit')
    await staff.getByText('Category “Rabbit” does not exist. Choose one from the list, or ask a manager').waitFor()
    await add(page, 'Hops', 'Rabbit')
    const dialog = page.getByRole('dialog')
    await dialog.getByText('Category “Rabbit” does not exist yet.').waitFor()
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    await dialog.waitFor({ state: 'detached' })
    const [, , , ...others] = await anna.get<Category[]>('api/categories')
    assert.ok(!others.some(({ label }) => label === 'Rabbit'), 'nothing is made without consent')
    await page.getByRole('combobox', { name: 'Category' }).fill('')
    await page.getByRole('combobox', { name: 'Category' }).pressSequentially('Rabbit')
    await page.getByRole('option', { name: 'Rabbit new category' }).click()
    await assertAccessible(page)
    await page.getByRole('button', { name: 'Add', exact: true }).click()
    await page.getByText(/^Added as number/).waitFor()
    assert.deepEqual(await listed(4), ['Hops'], 'the least number that neither a name nor an animal has')
    await add(staff, 'Rex', 'rabbit')
    await staff.getByText('ask a manager').waitFor()
    await staff.reload()
    await add(staff, 'Rex', 'rabbit')
    await staff.getByText(/^Added as number/).waitFor()
    assert.deepEqual(await listed(4), ['Hops', 'Rex'])
  })
})
