/** Importing and exporting files, in a real browser against the real service. */
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { before, it } from 'node:test'
import type { Page } from 'playwright-core'
import type { AnimalPage } from '../../../src/office/office-data.ts'
import { assertAccessible, isTooWide, PHONE } from '../../support/browser/browser.ts'
import { type Client, onEachOffice } from '../../support/browser/office-browser.ts'
import { until } from '../../support/until.ts'

onEachOffice(
  (engine) => `import and export, on ${engine}`,
  (office, browser, engine) => {
    let mia: Client

    before(async () => {
      await office.invite('Mia', 'manager')
      mia = office.client('Mia')
    })

    const choose = (page: Page, name: string, text: string) =>
      page.getByLabel('File of animals').setInputFiles({ name, mimeType: 'text/csv', buffer: Buffer.from(text) })
    const named = async (text: string) =>
      (await mia.get<AnimalPage>(`api/animals?text=${encodeURIComponent(text)}`)).animals

    it('a file is looked at, its bad rows and duplicates are named, and it is imported as chosen and undone', async () => {
      await office.give({ name: 'Known already', categoryId: 1, status: 'available' })
      await using opened = await office.open(browser, 'Mia', '#import')
      const { page } = opened
      await page.getByText('There are none yet.').waitFor()
      await choose(
        page,
        'week.csv',
        'name,categoryId,status\nImported one,1,sold\nBroken,cat,\nKnown already,1,available\n',
      )
      await page.getByRole('heading', { name: 'week.csv' }).waitFor()
      await page.getByText('Line 3').waitFor()
      await page.getByText('1 duplicate', { exact: true }).waitFor()
      await page.getByRole('cell', { name: 'Imported one' }).waitFor()
      assert.equal((await named('Imported one')).length, 0)
      await assertAccessible(page)

      const importThem = page.getByRole('button', { name: /^Import \d/ })
      await importThem.click()
      await page.getByText('Tick this, or correct the rows').waitFor()
      await page.getByLabel('Leave the 1 bad row out').check()
      await importThem.click()
      await page.getByText('Tick this, or take them out').waitFor()
      await page.getByLabel(/^Import the 1 animal/).check()
      await importThem.click()
      await page.locator('.good', { hasText: '2 animals imported, 1 row left out.' }).waitFor()
      assert.equal((await named('Imported one'))[0]?.status, 'sold')
      await page.getByRole('row', { name: /week\.csv.*Mia/ }).waitFor()
      await page.locator('.toast').getByRole('button', { name: 'Undo' }).click()
      await page.getByText(/undone today at/).waitFor()
      assert.equal((await named('Imported one')).length, 0)
      opened.assertClean()
    })

    it('all animals are downloaded in three forms, after signing in again if need be', async () => {
      await office.give({ name: '=1+1', categoryId: 1 })
      await using opened = await office.open(browser, 'Mia', '#import')
      const { page } = opened
      for (const [form, expected] of [
        ['CSV', /(^|,)=1\+1,/m],
        ['CSV for spreadsheets', /'=1\+1/],
        ['NDJSON', /"name":"=1\+1"/],
      ] as const) {
        const coming = page.waitForEvent('download')
        await page.getByRole('button', { name: form, exact: true }).click()
        const download = await coming
        assert.match(await readFile(await download.path(), 'utf8'), expected)
      }
      await page.context().clearCookies()
      await page.getByRole('button', { name: 'NDJSON' }).click()
      await page.getByText('Your session has ended.').waitFor()
      opened.assertClean()
    })

    // What follows is the page's own; what the engines answer is the subject of test/office, on each of them.
    if (engine !== 'SQLite') return

    it('columns and values of other systems are translated, and a mistake in the rules is told beside them', async () => {
      await using opened = await office.open(browser, 'Mia', '#import')
      const { page } = opened
      await choose(page, 'other.csv', 'Tier,categoryId,status\nTranslated,4,adopted\n')
      await page.getByLabel('Translate').fill('nonsense')
      await page.getByRole('button', { name: 'Read again' }).click()
      await page.getByText('"nonsense" should be').waitFor()
      await page.getByLabel('Translate').fill('name=Tier,status:adopted=sold')
      await page.getByRole('button', { name: 'Read again' }).click()
      await page.getByRole('cell', { name: 'Translated' }).waitFor()
      await page.getByRole('button', { name: 'Import 1 animal' }).click()
      await page.locator('.good', { hasText: '1 animal imported.' }).waitFor()
      assert.equal((await named('Translated'))[0]?.status, 'sold')
      await page.getByRole('button', { name: /Undo the import of other\.csv/ }).click()
      await page.getByRole('dialog').getByRole('button', { name: 'Undo the import' }).click()
      await until('it is gone', async () => (await named('Translated')).length === 0)
      opened.assertClean()
    })

    it('a dropped file is taken like a chosen one; what cannot be read is told, and shows as text', async () => {
      await using opened = await office.open(browser, 'Mia', '#import', { viewport: PHONE })
      const { page } = opened
      const data = await page.evaluateHandle(`(() => {
      const transfer = new DataTransfer()
      const picture = new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0, 0, 0, 13, 0xff, 0xfe])
      transfer.items.add(new File([picture], '<img src=x onerror=alert(1)>.csv'))
      return transfer
    })()`)
      await page.locator('.drop').dispatchEvent('drop', { dataTransfer: data })
      await page.getByRole('heading', { name: '<img src=x onerror=alert(1)>.csv' }).waitFor()
      assert.equal(await page.getByRole('button', { name: /^Import/ }).count(), 0)
      assert.equal(await isTooWide(page), false)
      await assertAccessible(page)
      opened.assertClean()
    })

    it('a lost answer to an import says where to look before importing again', async () => {
      await using opened = await office.open(browser, 'Mia', '#import')
      const { page } = opened
      await page.route('**/api/imports', async (route) => {
        if (route.request().method() === 'GET') return route.continue()
        await route.fetch()
        return route.abort('connectionreset')
      })
      await choose(page, 'lost.csv', 'name,categoryId\nLost answer,1\n')
      await page.getByRole('button', { name: 'Import 1 animal' }).click()
      await page.getByText('Look at the imports below before you import the file again.').waitFor()
      await page.getByRole('row', { name: /lost\.csv/ }).waitFor()
      opened.assertClean()
    })
  },
)
