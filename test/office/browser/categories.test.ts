/** Categories and the words for statuses, as a manager keeps them in a real browser against the real service. */
import assert from 'node:assert/strict'
import { before, it } from 'node:test'
import type { Page } from 'playwright-core'
import type { AnimalPage, Category, JournalPage, Session } from '../../../src/office/office-data.ts'
import { assertAccessible, PHONE } from '../../support/browser/browser.ts'
import { dayWith } from '../../support/until.ts'
import { type Client, go, inOffice, REPORTED } from './office-browser.ts'

inOffice('categories in the office', (office, browser) => {
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

  it('adds and renames a category in a dialog, refuses a name twice, and offers a name by typing a part', async () => {
    await using page = await office.open(browser, 'Anna', '#add', { expected: REPORTED })
    await go(page, page.getByRole('link', { name: 'Categories' }).first())
    await page.getByRole('button', { name: 'Edit category 17' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText('Programs use the number of this category: 17.').waitFor()
    await dialog.getByLabel('Name').fill('dogs')
    await dialog.getByRole('button', { name: 'Save name' }).click()
    await dialog.getByText('Category 17 cannot have this name, because category 2 is Dogs').waitFor()
    await assertAccessible(page)
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
    await page.getByText(/^Added, number/).waitFor()
    assert.deepEqual(await listed(17), ['Prickle', 'Spike'])
  })

  it('joins two categories by changing the category of all found animals, and deletes the empty one', async () => {
    await using page = await office.open(browser, 'Anna', '#animals?category=3')
    await page.getByLabel('Tick all on this page').check()
    await page.getByRole('button', { name: 'Actions, ticked animals' }).click()
    await page.getByRole('menuitem', { name: 'Change category' }).click()
    const press = page.getByRole('dialog').getByRole('button', { name: 'Change category' })
    const before = await press.boundingBox()
    await page.getByRole('dialog').getByRole('combobox').fill('do')
    await page.getByRole('listbox').getByRole('option', { name: 'Dogs' }).waitFor()
    assert.deepEqual(await press.boundingBox(), before, 'suggestions move nothing')
    await page.getByRole('dialog').getByRole('combobox').fill('dogs')
    await press.click()
    await notice(page, '2 animals are in Dogs now.').waitFor()
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

  it('settings that are typed while others are saved stay', async () => {
    await using page = await office.open(browser, 'Anna', '#settings')
    await page.route('**/api/shelter', async (route) => {
      if (route.request().method() === 'PUT') await page.getByLabel('Telephone').fill('17')
      await route.continue()
    })
    await page.getByLabel('Address', { exact: true }).fill('Harbour Street 1')
    await page.keyboard.press('Enter')
    await notice(page, 'Saved. Those').waitFor()
    assert.equal(await page.getByLabel('Telephone').inputValue(), '17')
    await page.keyboard.press('Enter')
    await notice(page, 'Saved. Those').nth(1).waitFor()
    assert.equal((await anna.get<Session>('api/session')).shelter.telephone, '17')
  })

  it('every screen shows the time zone of the shelter', async () => {
    await using page = await office.open(browser, 'Anna', '#settings', { expected: REPORTED })
    const zone = page.getByLabel('Time zone')
    await zone.fill('Nowhere/Land')
    await zone.press('Enter')
    await page.getByText('The time zone must be a time zone such as Europe/Berlin.').waitFor()
    await dayWith(60_000, 'Pacific/Kiritimati')
    await zone.fill('kiritimati')
    await zone.press('Enter')
    await page.locator('.toast').getByText('Saved.').waitFor()
    await go(page, page.getByRole('link', { name: 'Report' }))
    await page.getByText('The months and all times are those of Pacific/Kiritimati; as of').waitFor()
    await go(page, page.getByRole('link', { name: 'Journal' }))
    const { atMs = 0 } = (await anna.get<JournalPage>('api/journal')).lines[0] ?? {}
    const there = new Intl.DateTimeFormat('en-GB', { timeStyle: 'short', timeZone: 'Pacific/Kiritimati' }).format(atMs)
    await page.locator('tbody .when').first().getByText(`today at ${there}`).waitFor()
    await page.getByLabel('From').fill('2026-01-01')
    await page.waitForURL(`**#journal?since=${Date.parse('2026-01-01T00:00+14:00')}`)
    await page.reload()
    assert.match(await page.getByLabel('From').inputValue(), /1 January 2026|2026-01-01/)
  })

  it("the shelter's own words are everywhere in the office, and the interface keeps its own", async () => {
    await using page = await office.open(browser, 'Anna', '#settings', { expected: REPORTED })
    await page.getByLabel('Word for sold').fill('Pending')
    await page.getByLabel('Word for sold').press('Enter')
    await page.getByText('The status sold cannot have this word, because it is taken for pending').waitFor()
    await page.getByLabel('Word for sold').fill('Adopted')
    await page.getByLabel('Word for sold').press('Enter')
    await notice(page, 'Saved. Those who are signed in see it after loading the page again.').waitFor()
    await using other = await office.open(browser, 'Sam', '#animals')
    await other.getByRole('button', { name: /^Adopted, status of .*Rex/ }).waitFor()
    const [rex] = (await anna.get<AnimalPage>('api/animals?text=Rex')).animals
    assert.equal(rex?.status, 'sold')
    await anna.send('PUT', 'api/words', { sold: null })
  })

  it('the settings say how to publish the page, where nothing publishes it', async () => {
    await using page = await office.open(browser, 'Anna', '#settings')
    await page.getByText('To publish it, start the service with --publish FOLDER or run pets publish FOLDER.').waitFor()
    await assertAccessible(page)
  })

  it('every wrong setting is marked at its field, all together, and the first has the focus', async () => {
    await using page = await office.open(browser, 'Anna', '#settings', { expected: REPORTED })
    const fields = [
      ['Web address', 'here', 'must begin with https:// or http://', 'https://www.example.org/animals/'],
      ['Statuses', 'gone', 'must be one or more of available, pending, sold', 'available,pending'],
      ['Language', 'Klingon', 'must be one of en, de, fr,', 'german'],
    ] as const
    const control = (label: string) => page.getByLabel(label, { exact: true })
    for (const [label, wrong] of fields) await control(label).fill(wrong)
    await page.keyboard.press('Enter')
    for (const [label, , sentence] of fields) {
      await page
        .locator('.field', { has: control(label) })
        .getByText(sentence)
        .waitFor()
      assert.equal(await control(label).getAttribute('aria-invalid'), 'true')
    }
    assert.equal(await control('Web address').evaluate((field) => field.matches(':focus')), true)
    await assertAccessible(page)
    for (const [label, , , right] of fields) await control(label).fill(right)
    await page.keyboard.press('Enter')
    await notice(page, 'Saved. Those who are signed in see it after loading the page again.').waitFor()
    assert.equal(await control('Language').inputValue(), 'German')
    const { shelter } = await anna.get<Session>('api/session')
    assert.deepEqual([shelter.language, shelter.statuses], ['de', 'available,pending'])
  })

  it('a manager makes a category by its name where an animal is added, and staff are told whom to ask', async () => {
    await using staff = await office.open(browser, 'Sam', '#add')
    await using page = await office.open(browser, 'Anna', '#add')
    const add = async (page: Page, name: string, category: string) => {
      await page.getByLabel('Name').fill(name)
      await page.getByRole('combobox', { name: 'Category' }).fill(category)
      await page.getByRole('button', { name: 'Add', exact: true }).click()
    }
    await add(staff, 'Rex', 'Rabbit')
    await staff.getByText('There is no category Rabbit. Choose one of the list, or ask a manager').waitFor()
    await add(page, 'Hops', 'Rabbit')
    const dialog = page.getByRole('dialog')
    await dialog.getByText('There is no category “Rabbit” yet.').waitFor()
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    await dialog.waitFor({ state: 'detached' })
    const [, , , ...others] = await anna.get<Category[]>('api/categories')
    assert.ok(!others.some(({ label }) => label === 'Rabbit'), 'nothing is made without consent')
    await page.getByRole('combobox', { name: 'Category' }).fill('')
    await page.getByRole('combobox', { name: 'Category' }).pressSequentially('Rabbit')
    await page.getByRole('option', { name: 'Rabbit new category' }).click()
    await assertAccessible(page)
    await page.getByRole('button', { name: 'Add', exact: true }).click()
    await page.getByText(/^Added, number/).waitFor()
    assert.deepEqual(await listed(4), ['Hops'], 'the least number that neither a name nor an animal has')
    await add(staff, 'Rex', 'rabbit')
    await staff.getByText('ask a manager').waitFor()
    await staff.reload()
    await add(staff, 'Rex', 'rabbit')
    await staff.getByText(/^Added, number/).waitFor()
    assert.deepEqual(await listed(4), ['Hops', 'Rex'])
  })

  it('a number that no animal has is asked about, and one that is used is not', async () => {
    await using page = await office.open(browser, 'Sam', '#add', { viewport: PHONE })
    await page.getByLabel('Category').fill('71')
    await page.getByLabel('Name').fill('Mistyped')
    await page.getByRole('button', { name: 'Add', exact: true }).click()
    await page.getByText('There is no animal in category 71 yet.').waitFor()
    await assertAccessible(page)
    await page.getByRole('button', { name: 'Cancel' }).click()
    await page.getByRole('combobox', { name: 'Category' }).fill('17')
    await page.getByRole('button', { name: 'Add', exact: true }).click()
    await page.getByText(/^Added, number/).waitFor()
    assert.deepEqual(await listed(71), [])
  })
})
