/** Importing and exporting files, in a real browser against the real service. */
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { before, it } from 'node:test'
import { writeXlsx } from 'hucre/xlsx'
import type { Page } from 'playwright-core'
import type { AnimalPage } from '../../../src/office/office-data.ts'
import { assertAccessible, isTooWide, PHONE } from '../../support/browser/browser.ts'
import { until } from '../../support/until.ts'
import { act, answered, type Client, go, holdAnswers, inOffice, letRest, toast } from './office-browser.ts'

inOffice('import and export', (office, browser) => {
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
  /** What is understood is folded. */
  const unfold = (page: Page) => page.getByText('How the file is understood').click()
  const named = async (text: string) =>
    (await mia.get<AnimalPage>(`api/animals?text=${encodeURIComponent(text)}`)).animals

  it('a file is looked at, its bad rows and duplicates are named, and it is imported as chosen and undone', async () => {
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
    await verdict(
      page,
      'Added 1 1 Sold; 1 category 1',
      'To be decided 1 looks like an animal here',
      'Left out 1 bad row',
    )
    await page.getByRole('cell', { name: 'Imported one' }).waitFor()
    assert.equal((await named('Imported one')).length, 0)
    await assertAccessible(page)

    const importThem = page.getByRole('button', { name: /^Import( \d|$)/ })
    await importThem.click()
    await page.getByText('Tick this, or correct the rows').waitFor()
    await page.getByLabel('Leave the 1 bad row out').check()
    await importThem.click()
    await page.getByText('Choose one of them.').waitFor()
    await assertAccessible(page)
    await page.getByLabel('Leave it out').check()
    await page.getByRole('button', { name: 'Import 1 animal', exact: true }).waitFor()
    await page.getByLabel('Import it too').check()
    await importThem.click()
    await page.locator('.good', { hasText: '2 animals imported, 1 bad row left out.' }).waitFor()
    await until('the title has the focus', () => page.evaluate('document.activeElement.matches("h1")'))
    assert.equal((await named('Imported one'))[0]?.status, 'sold')
    await go(page, page.getByRole('link', { name: 'See them' }))
    const names = async () => (await page.locator('.row .name').allInnerTexts()).join()
    await until('only what was imported is shown', async () => (await names()) === 'Known already,Imported one')
    await page.getByRole('searchbox').fill('known')
    await until('a search stays within it', async () => (await names()) === 'Known already')
    await assertAccessible(page)
    await page.getByRole('button', { name: /Import 1, .*week\.csv.*: show all animals again/ }).click()
    await until('the filter is taken away', async () => (await names()) === 'Known already,Known already')
    await page.goBack()
    await page.getByRole('row', { name: /week\.csv.*Mia/ }).waitFor()
    const look = await holdAnswers(page, '**/api/imports/1/undo')
    await page.keyboard.press('Control+z')
    const asked = page.getByRole('dialog', { name: 'Undo import' })
    // At once: it would open above another screen later.
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

  it('a file that is dropped beside the box does not leave the office, on any screen', async () => {
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
    await page.getByRole('dialog').getByText('A file is on its way.').waitFor()
    const listed = answered(page, /api\/animals\?/)
    await page.getByRole('dialog').getByRole('button', { name: 'Leave this page' }).click()
    await page.getByRole('heading', { name: 'Animals', level: 1 }).waitFor()
    await listed
    assert.deepEqual(await drop('main h1'), [])
    await page.evaluate(`document.getElementById('announcement').textContent = ''`)
    await answer()
    assert.equal(await page.locator('#announcement').textContent(), '', 'nothing is told of a screen that was left')
  })

  it('a file with a column of references updates the animals that are here, and is undone', async () => {
    await office.give({ name: 'Listed one', categoryId: 1, status: 'available' })
    await using page = await office.open(browser, 'Mia', '#import')
    await choose(page, 'list.csv', 'number,name,categoryId,status\nA1,Listed one,1,sold\nA2,Listed two,1,available\n')
    await unfold(page)
    await page.getByLabel('Reference').selectOption('number')
    await verdict(page, 'Added 2 1 Available, 1 Sold; 2 category 1', 'To be decided 1 of those added looks like')
    await page.getByRole('button', { name: 'Update', exact: true }).click()
    await page.getByText('Choose one of them.').waitFor()
    await assertAccessible(page)
    await page.getByLabel('It is this animal').check()
    await page.getByRole('button', { name: 'Update', exact: true }).click()
    await page.locator('.good', { hasText: '1 added, 1 recognised by name.' }).waitFor()
    assert.equal((await named('Listed one'))[0]?.status, 'sold')
    await choose(page, 'newer.csv', 'number,name,categoryId,status\nA1,Listed one,1,pending\n')
    await verdict(page, 'Changed 1 1 Pending', 'No longer listed 1 stays as it is')
    await unfold(page)
    await page.locator('.meanings').getByLabel('What becomes of them').selectOption('Are removed')
    await page.getByRole('cell', { name: 'Available → removed' }).waitFor()
    await verdict(page, 'Changed 1', 'Removed 1 no longer listed; 1 Available')
    await assertAccessible(page)
    await page.getByRole('button', { name: 'Update', exact: true }).click()
    await page.getByText('Tick this if it is right.').waitFor()
    await page.getByLabel('2 of 2 animals of the last file change or go').check()
    await page.getByRole('button', { name: 'Update', exact: true }).click()
    await page.locator('.good', { hasText: '1 changed, 1 removed.' }).waitFor()
    const now = await named('Listed')
    assert.deepEqual([now.length, now[0]?.status], [1, 'pending'])
    await page.getByRole('button', { name: 'Undo import of newer.csv' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Undo import' }).click()
    await toast(page, 'put back as before').waitFor()
    assert.deepEqual((await named('Listed')).map(({ status }) => status).sort(), ['available', 'sold'])
  })

  it('what the list finds is downloaded, and the journal says what it was; staff are offered none', async () => {
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
    const entry = page.getByRole('row', { name: 'exported the animals found (CSV)' })
    assert.match(await entry.innerText(), /search: .*out[\s\S]*status: Sold/)
    await using asStaff = await office.open(browser, 'Sven')
    await asStaff.getByRole('button', { name: 'Actions', exact: true }).click()
    assert.deepEqual(await asStaff.getByRole('menuitem').allInnerTexts(), ['Print list', 'Print cage cards'])
  })

  it('all animals are downloaded, after signing in again if need be', async () => {
    await office.give({ name: '=1+1', categoryId: 1 })
    await using page = await office.open(browser, 'Mia', '#import')
    const exporting = page.getByRole('button', { name: 'Download spreadsheet' })
    const coming = page.waitForEvent('download')
    await exporting.click()
    assert.match(await readFile(await (await coming).path(), 'utf8'), /'=1\+1/)
    await letRest(page)
    await page.context().clearCookies()
    await exporting.click()
    await page.getByText('Your session has ended.').waitFor()
  })

  it('columns and words of other systems are chosen by keyboard, each choice is read again, and stays', async () => {
    await mia.send('PUT', 'api/categories', { names: [{ id: '4', label: 'Dogs' }] })
    await using page = await office.open(browser, 'Mia', '#import', { viewport: PHONE })
    const text = (name: string) => `Ruf,Species,Lage\n${name},dog,weg\n${name} II,Wuff,da\n`
    await choose(page, 'other.csv', text('Translated'))
    await page.locator('.import .problem', { hasText: 'no column is understood as the name' }).waitFor()
    const chosen = (label: string | RegExp) => page.getByLabel(label).locator('option:checked').textContent()
    assert.deepEqual(
      [await chosen('Name'), await chosen('Category'), await chosen('Status')],
      ['Choose …', 'Species', 'Choose …'],
    )
    await assertAccessible(page)
    await page.getByLabel('Name').focus()
    await page.keyboard.type('Ruf')
    await page.getByRole('cell', { name: 'Translated', exact: true }).waitFor()
    await until('the focus is back', () => page.evaluate('document.activeElement.value === "Ruf"'))
    assert.deepEqual([await chosen(/dog.*1 row/), await chosen(/Wuff.*1 row/)], ['Dogs', 'Choose …'])
    await page.getByLabel(/Wuff/).selectOption('Dogs')
    await page.getByRole('button', { name: 'Import 2 animals' }).waitFor()
    await page.getByLabel('Status').selectOption('Lage')
    await verdict(page, 'Left out 2 bad rows')
    await page.getByLabel(/weg/).selectOption('Sold')
    await verdict(page, 'Added 1', 'Left out 1 bad row')
    await page.getByLabel(/“da/).selectOption('No status')
    assert.ok(!(await isTooWide(page)))
    await assertAccessible(page)
    await page.getByRole('button', { name: 'Import 2 animals' }).click()
    await page.locator('.good', { hasText: '2 animals imported.' }).waitFor()
    const found = async (name: string) =>
      (await named(name)).map(({ categoryId, status }) => `${categoryId} ${status}`).sort()
    assert.deepEqual(await found('Translated'), ['4 null', '4 sold'])
    await choose(page, 'next.csv', text('Later'))
    await page.getByRole('button', { name: 'Import 2 animals' }).click()
    await page.locator('.good', { hasText: '2 animals imported.' }).waitFor()
    assert.deepEqual(await found('Later'), ['4 null', '4 sold'])
  })

  it('choices stay in the browser, so that the file of the next week updates by the same reference', async () => {
    await using page = await office.open(browser, 'Mia', '#import')
    const text = (status: string) => `number,Call,categoryId,status\nW1,Weekly one,1,${status}\n`
    await choose(page, 'week 1.csv', text('available'))
    await page.getByLabel('Name').selectOption('Call')
    await page.getByLabel('Reference').selectOption('number')
    await page.getByRole('button', { name: 'Update', exact: true }).click()
    await page.locator('.good', { hasText: '1 added' }).waitFor()
    await page.reload()
    await choose(page, 'week 2.csv', text('sold'))
    await page.locator('.verdict-words div', { hasText: /^Changed1 1 Sold/ }).waitFor()
    assert.equal(await page.getByLabel('Reference').inputValue(), 'number')
    // Of another version, or of somebody who has changed it.
    for (const kept of ['{', '{"rules":7}', '{"rules":[["name","nothing"]],"update":{"reference":7}}']) {
      await page.evaluate((value) => localStorage.setItem('import choices', value), kept)
      await page.reload()
      await choose(page, 'week 2.csv', text('sold'))
      await page.getByLabel('Name').waitFor()
      assert.equal(await page.getByLabel('Reference').inputValue(), 'number')
    }
  })

  it('a file’s reference is chosen, its categories are made by a tick, who is gone is left out, and what is unclear is shown', async () => {
    await mia.send('PUT', 'api/categories', { names: [{ id: '4', label: 'Dogs' }] })
    await using page = await office.open(browser, 'Mia', '#import')
    const text = (...rows: string[]) => `Animal ID,Pet Name,Species,Outcome\n${rows.join('\n')}\n`
    await choose(
      page,
      'first.csv',
      text('F1,Fay,Fennec,Available', 'F2,Flo,Ferret,Adopted', 'F3,Fin,Ferret,Transferred'),
    )
    await page.getByLabel('Names that are not here become new categories').check()
    await verdict(page, 'Added 2', 'No longer listed', 'Left out 1 not here any more (1 “Transferred”; 1 Ferret)')
    await page.getByText('New categories: Fennec, Ferret.').waitFor()
    assert.equal(await page.getByLabel('Reference').inputValue(), 'Animal ID')
    await page.getByRole('cell', { name: 'Fennec, Available' }).waitFor()
    await assertAccessible(page)
    await page.getByRole('button', { name: 'Update', exact: true }).click()
    await page.locator('.good', { hasText: '2 added.' }).waitFor()
    await office.give({ name: 'Twin', categoryId: 1 }, { name: 'Twin', categoryId: 1 })
    await choose(page, 'next.csv', text('F1,Fay,Fennec,Available', 'F2,Flo,Ferret,Adopted', 'F4,Twin,1,Available'))
    await page.getByText('1 of those added looks like an animal here').waitFor()
    const could = await page.locator('.import .most li p').allInnerTexts()
    assert.equal(could.length, 2)
    for (const one of could) assert.match(one, /^Animal \d+\s*, No status, since \d/)
    await assertAccessible(page)
    await unfold(page)
    await page.getByLabel('Reference').selectOption('No column')
    await page.getByRole('group', { name: '3 animals look like those already here' }).waitFor()
    await choose(page, 'next.csv', text('F5,Fox,1,Available'))
    await verdict(page, 'Added 1')
    assert.equal(await page.getByLabel('Reference').inputValue(), '')
  })

  it('a workbook is read as a list is; of a list without kinds it is said once what all are', async () => {
    await mia.send('PUT', 'api/categories', { names: [{ id: '4', label: 'Dogs' }] })
    let releaseNames = async () => {}
    await using page = await office.open(browser, 'Mia', '#import', {
      async prepare(page) {
        releaseNames = await holdAnswers(page, '**/api/categories')
      },
    })
    const give = async (name: string, bytes: Uint8Array | string) => {
      await page.getByLabel('File of animals').setInputFiles({ name, mimeType: '', buffer: Buffer.from(bytes) })
      await page.getByRole('heading', { name }).waitFor()
    }
    const rows = [
      ['Name', 'Species', 'Status'],
      ['Formed', 'Dog', 'On hold'],
    ]
    const uploaded = answered(page, /api\/uploads$/)
    const shown = give('list.xlsx', await writeXlsx({ sheets: [{ name: 'List', rows }] }))
    await uploaded
    await releaseNames()
    await shown
    await verdict(page, 'Added 1 1 Pending; 1 Dogs')
    await give('no kind.csv', 'Name,Status\nKindless,Available\n')
    await page.getByLabel('All of them are').fill('Dogs')
    await page.keyboard.press('Tab')
    await verdict(page, 'Added 1 1 Available; 1 Dogs')
    await assertAccessible(page)
    await page.getByRole('button', { name: 'Import 1 animal' }).click()
    await page.locator('.good', { hasText: '1 animal imported.' }).waitFor()
    assert.equal((await named('Kindless'))[0]?.categoryId, '4')
    await give('next.csv', 'Name,Status\nOther,Available\n')
    await page.locator('.import .problem', { hasText: 'understood as the category' }).waitFor()
  })

  it('a choice that cannot be read again is taken back, and told', async () => {
    await using page = await office.open(browser, 'Mia', '#import')
    await choose(page, 'torn.csv', 'name,categoryId,status\nTorn,4,sold\n')
    const held = Promise.withResolvers<void>()
    await page.route('**/api/uploads/*', async (route) => {
      await held.promise
      await route.abort('connectionreset')
    })
    await unfold(page)
    await page.getByLabel(/sold.*1 row/).selectOption('Pending')
    await page.getByRole('button', { name: 'Download spreadsheet' }).focus()
    held.resolve()
    await page.locator('.import > .problem:not(:empty)').waitFor()
    assert.equal(
      await page.evaluate('document.activeElement.textContent'),
      'Download spreadsheet',
      'the focus stays where it went',
    )
    assert.equal(await page.getByLabel(/sold.*1 row/).inputValue(), 'sold')
    await page.getByRole('button', { name: 'Import 1 animal' }).click()
    await page.locator('.good', { hasText: '1 animal imported.' }).waitFor()
    assert.equal((await named('Torn'))[0]?.status, 'sold')
  })

  it('a dropped file is taken like a chosen one; what cannot be read is told, and shows as text', async () => {
    await using page = await office.open(browser, 'Mia', '#import', { viewport: PHONE })
    const data = await page.evaluateHandle(`(() => {
      const transfer = new DataTransfer()
      const picture = new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0, 0, 0, 13, 0xff, 0xfe])
      transfer.items.add(new File([picture], '<img src=x onerror=alert(1)>.csv'))
      return transfer
    })()`)
    await page.locator('.drop').dispatchEvent('drop', { dataTransfer: data })
    await page.getByRole('heading', { name: '<img src=x onerror=alert(1)>.csv' }).waitFor()
    assert.equal(await page.getByRole('button', { name: /^Import/ }).count(), 0)
    assert.ok(!(await isTooWide(page)))
    await assertAccessible(page)
  })

  it('a lost answer to an import says where to look before importing again', async () => {
    await using page = await office.open(browser, 'Mia', '#import')
    await page.route('**/api/imports', async (route) => {
      if (route.request().method() === 'GET') return route.continue()
      // One that is dropped meanwhile takes nothing away.
      await choose(page, 'another.csv', 'name,categoryId\nAnother,1\n')
      await route.fetch()
      return route.abort('connectionreset')
    })
    await choose(page, 'lost.csv', 'name,categoryId\nLost answer,1\n')
    await page.getByRole('button', { name: 'Import 1 animal' }).click()
    await page.getByText('Look at the imports below before you import the file again.').waitFor()
    await page.getByRole('row', { name: /lost\.csv/ }).waitFor()
    await page.getByRole('heading', { name: 'lost.csv' }).waitFor()
  })
})
