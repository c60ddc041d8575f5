/** Importing and exporting files, in a real browser. */
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { before, it } from 'node:test'
import type { Page } from 'playwright-core'
import type { AnimalPage } from '../../../src/office/office-data.ts'
import { assertAccessible, isTooWide, PHONE } from '../../support/browser/browser.ts'
import { until } from '../../support/until.ts'
import { act, answered, type Client, go, holdAnswers, inOffice, letRest, toast } from './office-browser.ts'

inOffice('the import and export screen', (office, browser) => {
  let mia: Client

  before(async () => {
    await office.invite('Mia', 'manager')
    mia = office.client('Mia')
  })

  const choose = (page: Page, name: string, text: string) =>
    page.getByLabel('File of animals').setInputFiles({ name, mimeType: 'text/csv', buffer: Buffer.from(text) })
  /** Waits for lines of the verdict, each as "Added 2 1 Available". */
  const verdict = async (page: Page, ...lines: readonly string[]) => {
    const shown = async () =>
      (await page.locator('.verdict-words div').allInnerTexts()).map((line) =>
        line.replace(/[\u2068\u2069]/g, '').replace(/\s+/g, ' '),
      )
    await until(`${lines}`, async () => {
      const found = await shown()
      return found.length === lines.length && lines.every((line, at) => found[at]?.startsWith(line))
    })
  }
  const named = async (text: string) =>
    (await mia.get<AnimalPage>(`api/animals?text=${encodeURIComponent(text)}`)).animals

  it('names invalid rows and duplicates, imports as chosen, and undoes', async () => {
    await office.give({ name: 'Known already', categoryId: 1, status: 'available' })
    await using page = await office.open(browser, 'Mia', '#import')
    await page.getByText('There are none yet.').waitFor()
    await choose(
      page,
      'week.csv',
      'name,categoryId,status\nImported one,1,sold\nBroken,cat,\nKnown already,1,available\n',
    )
    await page.getByRole('heading', { name: 'week.csv' }).waitFor()
    await page.getByText('Line 3', { exact: true }).waitFor()
    await verdict(page, 'Added 1 Sold; category 1', 'To be decided 1 looks like an animal here', 'Invalid 1 row')
    await page.getByRole('cell', { name: 'Imported one' }).waitFor()
    assert.equal((await named('Imported one')).length, 0)
    await assertAccessible(page)

    const importThem = page.getByRole('button', { name: /^Add \d/ })
    await importThem.click()
    await page.getByText('Tick this, or correct the rows').waitFor()
    await page.getByLabel('Skip the 1 invalid row').check()
    await importThem.click()
    await page.getByText('Choose one of them.').waitFor()
    await assertAccessible(page)
    await page.getByLabel('Skip it').check()
    await page.getByRole('button', { name: 'Add 1 animal', exact: true }).waitFor()
    await page.getByLabel('Add it too').check()
    await importThem.click()
    await page.locator('.good', { hasText: '2 animals imported, 1 invalid row skipped.' }).waitFor()
    await until('the title has the focus', () => page.evaluate('document.activeElement.matches("h1")'))
    assert.equal((await named('Imported one'))[0]?.status, 'sold')
    await go(page, page.getByRole('link', { name: 'See them' }))
    const names = async () => (await page.locator('.row .name').allInnerTexts()).join()
    await until('only what was imported is shown', async () => (await names()) === 'Known already,Imported one')
    await page.getByRole('searchbox').fill('known')
    await until('a search stays within it', async () => (await names()) === 'Known already')
    await assertAccessible(page)
    await page.getByRole('button', { name: /Import 1, .*week\.csv.*: show all animals/ }).click()
    await until('the filter is taken away', async () => (await names()) === 'Known already,Known already')
    await page.goBack()
    await page.getByRole('row', { name: /week\.csv.*Mia/ }).waitFor()
    const look = await holdAnswers(page, '**/api/imports/1/undo')
    await page.getByRole('button', { name: 'Undo import of week.csv' }).click()
    const asked = page.getByRole('dialog', { name: 'Undo import' })
    // It would open above another screen later.
    await asked.getByText('week.csv: …').waitFor()
    await look()
    await asked.getByText('week.csv: 2 animals').waitFor()
    await asked.getByRole('button', { name: 'Cancel' }).click()
    assert.equal((await named('Imported one')).length, 1)
    await page.getByRole('button', { name: 'Undo import of week.csv' }).dblclick()
    await asked.getByRole('button', { name: 'Undo import' }).click()
    await page.getByText(/undone today at/).waitFor()
    assert.equal((await named('Imported one')).length, 0)
  })

  it('stays open if a file is dropped next to the box, as every screen does', async () => {
    await using page = await office.open(browser, 'Mia', '#import')
    const drop = (where: string) =>
      page.evaluate<string[]>(`{
        const dataTransfer = new DataTransfer()
        dataTransfer.items.add(new File(['name,categoryId\\nDropped,1\\n'], 'dropped.csv'))
        const send = (kind) => new DragEvent(kind, { dataTransfer, bubbles: true, cancelable: true })
        const isOpened = (kind) => document.querySelector('${where}').dispatchEvent(send(kind));
        ['dragover', 'drop'].filter(isOpened)
      }`)
    assert.deepEqual(await drop('main h1'), [])
    assert.equal(await page.getByRole('heading', { name: 'dropped.csv' }).count(), 0)
    assert.deepEqual(await drop('.drop strong'), [])
    await page.getByRole('heading', { name: 'dropped.csv' }).waitFor()
    const answer = await holdAnswers(page, '**/api/uploads', 'POST')
    await drop('.drop strong')
    assert.equal(await page.locator('.drop[inert]').count(), 1, 'another file would be ignored')
    await page.getByRole('link', { name: 'Animals' }).press('Enter')
    await page.getByRole('dialog').getByText('A file is still being processed.').waitFor()
    const listed = answered(page, /api\/animals\?/)
    await page.getByRole('dialog').getByRole('button', { name: 'Leave page' }).click()
    await page.getByRole('heading', { name: 'Animals', level: 1 }).waitFor()
    await listed
    assert.deepEqual(await drop('main h1'), [])
    await page.evaluate(`document.getElementById('announcement').textContent = ''`)
    await answer()
    assert.equal(await page.locator('#announcement').textContent(), '', 'nothing is told of a screen that was left')
  })

  it('offers to add rows with one reference and different names as different animals', async () => {
    await using page = await office.open(browser, 'Mia', '#import')
    const rows = 'Pair one,Cat,P1,Available\nPair two,Cat,P1,Available\n'
    await choose(page, 'pair.csv', `Name,Species,Animal ID,Status\n${rows}`)
    const question = page.getByLabel('By which date is a row the latest with its reference?')
    await question.selectOption('They are different animals')
    await verdict(page, 'Added 2 Available; Cat')
    await page.getByLabel('Rows with one reference').selectOption('They are one animal')
    await question.waitFor()
  })

  it('asks how a list is read in the first week only', async () => {
    await office.give({ name: 'Listed one', categoryId: 1, status: 'available' })
    await using page = await office.open(browser, 'Mia', '#import')
    const list = (rows: string) => `Animal ID,Ruf,Species,Status\n${rows}`
    await choose(
      page,
      'list.csv',
      list('A1,Listed one,Cat,Hold\nA2,Listed two,Dog,Blue list\nA3,Listed three,Dog,Ready\n'),
    )
    await page.getByText('questions', { exact: false }).first().waitFor()
    await assertAccessible(page)
    await page
      .getByLabel('Which column has the names?')
      .selectOption({ label: 'Ruf: Listed one, Listed two, Listed three' })
    await until('it is read again', async () => (await page.getByLabel('Name', { exact: true }).inputValue()) === 'Ruf')
    for (const [word, status] of [
      ['Hold', 'pending'],
      ['Blue list', 'available'],
      ['Ready', 'available'],
    ] as const) {
      const select = page.getByLabel(new RegExp(`^Status .*${word}`))
      if ((await select.inputValue()) === '?') await select.selectOption(status)
      await until('it is read again', async () => (await select.inputValue()) === status)
    }
    await verdict(page, 'Added 3 Available: 2, Pending: 1')
    await page.locator('#main').getByText('New categories', { exact: false }).waitFor()
    await assertAccessible(page)
    await page.getByRole('button', { name: 'Add 3', exact: true }).click()
    await page.locator('.good', { hasText: '3 added.' }).waitFor()
    await choose(page, 'newer.csv', list('A1,Listed one,Cat,Blue list\nA3,Listed three,Dog,Ready\n'))
    await verdict(page, 'Changed 1 Available', 'As before 1')
    await page.getByText(/^Read as .?Mia.? confirmed on .*\d{4}\.$/).waitFor()
    assert.equal(await page.locator('details.mapping[open]').count(), 0)
    const missing = page.getByRole('group', { name: '1 animal of this list is missing from it now' })
    await missing.getByText('Listed two').waitFor()
    await assertAccessible(page)
    await missing.getByLabel('What becomes of them').selectOption('Are removed')
    await verdict(page, 'Changed 1', 'Removed 1', 'As before 1')
    await page.getByRole('button', { name: 'Update 1, remove 1', exact: true }).click()
    await page.getByText('Tick this if it is right.').waitFor()
    await page.getByLabel('2 of 3 animals would change or go').check()
    await page.getByRole('button', { name: 'Update 1, remove 1', exact: true }).click()
    await page.locator('.good', { hasText: '1 changed, 1 removed.' }).waitFor()
    await page.getByRole('button', { name: 'Undo import of newer.csv' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Undo import' }).click()
    await toast(page, 'restored as before').waitFor()
  })

  it('restores a review that was left, and adds a row that matches several animals', async () => {
    for (const name of ['Bella', 'Bella']) await office.give({ name, categoryId: 5, status: 'available' })
    await using page = await office.open(browser, 'Mia', '#import')
    const rows = 'reference,name,categoryId,status\nB-9,Bella,5,available\n'
    await choose(page, 'bella.csv', rows)
    await page.getByRole('heading', { name: 'bella.csv' }).waitFor()
    await page.getByRole('link', { name: 'Animals' }).click()
    await page.getByRole('dialog').getByText('Nothing was imported yet. The review stays for an hour').waitFor()
    await page.getByRole('dialog').getByRole('button', { name: 'Leave page' }).click()
    await page.getByRole('heading', { name: 'Animals', level: 1 }).waitFor()
    await go(page, '#import')
    await page.getByRole('heading', { name: 'bella.csv' }).waitFor()
  })

  it('says that nothing was imported if an upload is cut off', async () => {
    await using page = await office.open(browser, 'Mia', '#import')
    await page.route('**/api/uploads', (route) =>
      route.request().method() === 'POST' ? route.abort('connectionreset') : route.continue(),
    )
    await choose(page, 'cut.csv', 'name,categoryId\nCut off,1\n')
    await page.getByText('The file did not reach the service, and nothing was imported.').waitFor()
  })

  it('downloads the matches of the list and journals it, for managers only', async () => {
    await office.invite('Sven', 'staff')
    await office.invite('Oda', 'operator')
    await office.give(
      { name: 'Out one', categoryId: 3, status: 'sold' },
      { name: 'Out two', categoryId: 3 },
      { name: 'Other', categoryId: 3, status: 'sold' },
    )
    await using page = await office.open(browser, 'Oda', '#animals?text=out&status=sold')
    await act(page, '', 'Export list')
    const dialog = page.getByRole('dialog')
    await dialog.getByText('Sold, with “out”.').waitFor()
    const coming = page.waitForEvent('download')
    await dialog.getByRole('button', { name: 'Download spreadsheet' }).click()
    const text = await readFile(await (await coming).path(), 'utf8')
    assert.match(text, /^\ufeffid,name,categoryId,status\n\d+,Out one,3,sold\n$/)
    await dialog.waitFor({ state: 'detached' })
    await go(page, '#journal')
    const entry = page.getByRole('row', { name: 'exported matching animals (CSV)' })
    assert.match(await entry.innerText(), /search: .*out[\s\S]*status: Sold/)
    await using asStaff = await office.open(browser, 'Sven')
    await asStaff.getByRole('button', { name: 'Actions', exact: true }).click()
    assert.deepEqual(await asStaff.getByRole('menuitem').allInnerTexts(), ['Print list', 'Print cage cards'])
  })

  it('asks to sign in before a download if the session has ended', async () => {
    await using page = await office.open(browser, 'Mia', '#import')
    await letRest(page)
    await page.context().clearCookies()
    await page.getByRole('button', { name: 'Download spreadsheet' }).click()
    await page.getByText('Your session has ended.').waitFor()
  })

  it('reports an unreadable file as text', async () => {
    await using page = await office.open(browser, 'Mia', '#import', { viewport: PHONE })
    await choose(page, '<img src=x onerror=alert(1)>.csv', '\x89PNG\0\0\0\r')
    await page.getByRole('heading', { name: '<img src=x onerror=alert(1)>.csv' }).waitFor()
    assert.equal(await page.getByRole('button', { name: /^Add/ }).count(), 0)
    assert.ok(!(await isTooWide(page)))
    await assertAccessible(page)
  })

  it('says where to check after a lost response to an import', async () => {
    await using page = await office.open(browser, 'Mia', '#import')
    await page.route('**/api/imports', async (route) => {
      if (route.request().method() === 'GET') return route.continue()
      // A file dropped in the meantime changes nothing.
      await choose(page, 'another.csv', 'name,categoryId\nAnother,1\n')
      await route.fetch()
      return route.abort('connectionreset')
    })
    await choose(page, 'lost.csv', 'name,categoryId\nLost answer,1\n')
    await page.getByRole('button', { name: 'Add 1 animal' }).click()
    await page.getByText('Look at the imports below before you import the file again.').waitFor()
    await page.getByRole('row', { name: /lost\.csv/ }).waitFor()
    await page.getByRole('heading', { name: 'lost.csv' }).waitFor()
  })
})
