/** Acts on selected animals and their undo, in a real browser. */
import assert from 'node:assert/strict'
import { before, it } from 'node:test'
import type { AnimalPage } from '../../../src/office/office-data.ts'
import { assertAccessible } from '../../support/browser/browser.ts'
import { until } from '../../support/until.ts'
import { type Client, go, inOffice, isListed, setStatus, toast } from './office-browser.ts'

inOffice('selected animals', (office, browser) => {
  let anna: Client

  before(async () => {
    await office.invite('Anna', 'staff')
    await office.invite('Mia', 'manager')
    anna = office.client('Anna')
  })

  it('last over pages, as a range or as all matches, and one undo reverses an act on them', async () => {
    const ids = await office.give(
      ...Array.from({ length: 60 }, (_, n) => ({ name: `Tide ${n}`, categoryId: 1, status: 'available' })),
    )
    await using page = await office.open(browser, 'Mia', '#animals?text=tide&sort=newest')
    const bar = page.getByRole('region', { name: 'Selected animals' })
    const tick = (n: number) => page.getByLabel(`Select Tide ${n},`)
    const sold = async () => (await anna.get<AnimalPage>('api/animals?text=tide')).counts.sold
    await tick(59).check()
    await tick(54).click({ modifiers: ['Shift'] })
    await bar.getByText('6 animals selected. Set to:').waitFor()
    await page.getByRole('button', { name: 'Next ›' }).click()
    await tick(30).focus()
    await page.keyboard.press('Space')
    await bar.getByText('7 animals selected, 6 on other pages. Set to:').waitFor()
    const acts: string[] = []
    page.on('request', (request) => acts.push(...(request.url().match(/acts$/) ?? [])))
    await bar.getByRole('button', { name: 'Set to Sold' }).dblclick()
    await toast(page, '7 animals were set to Sold.').waitFor()
    assert.equal(acts.length, 1)
    assert.equal(await sold(), 7)
    await page.keyboard.press('Control+z')
    await toast(page, '7 animals were restored to the previous state.').waitFor()
    assert.equal(await sold(), 0)

    await page.getByLabel('Select all on this page').check()
    await bar.getByRole('button', { name: 'Select all 60' }).click()
    await bar.getByText('All 60 matching animals selected').waitFor()
    await assertAccessible(page)
    await page.getByRole('button', { name: '‹ Previous' }).click()
    await until('those of the other page are too', () => tick(50).isChecked())
    await setStatus(anna, ids[0] ?? '', 'pending')
    await bar.getByRole('button', { name: 'Set to Sold' }).click()
    const asked = page.getByRole('dialog', { name: 'Set to Sold' })
    await asked.getByText('All 60 matching animals').waitFor()
    await asked.getByRole('button', { name: 'Set to Sold' }).click()
    await toast(page, '59 animals were set to Sold.').waitFor()
    await toast(page, /Left unchanged, .*Tide 0.*: .*Anna.* set the status to Pending, today at/).waitFor()
    assert.equal(await sold(), 59)

    await go(page, '#journal?who=mia')
    const lines = page.getByRole('row', { name: /changed 59 animals/ })
    await lines.getByRole('button', { name: /^Undo/ }).click()
    await toast(page, '59 animals were restored to the previous state.').waitFor()
    await page.getByText('undid a change to 59 animals').waitFor()
    assert.deepEqual([await lines.count(), await lines.getByRole('button', { name: /^Undo/ }).count()], [1, 0])
    assert.equal(await sold(), 0)
    await assertAccessible(page)
  })

  it('get a category, are removed and are restored together', async () => {
    await office.give(...Array.from({ length: 30 }, (_, n) => ({ name: `Herd ${n}`, categoryId: 1 })))
    await using page = await office.open(browser, 'Mia', '#animals?text=herd&sort=newest')
    const bar = page.getByRole('region', { name: 'Selected animals' })
    const choose = async (word: string) => {
      await bar.getByRole('button', { name: 'Actions, selected animals' }).click()
      await page.getByRole('menuitem', { name: word }).click()
    }
    const tickAll = async () => {
      await page.getByLabel('Select all on this page').check()
      await bar.getByRole('button', { name: 'Select all 30' }).click()
      await bar.getByText('All 30 matching animals selected').waitFor()
    }
    await tickAll()
    await page.getByLabel('Select Herd 29,').uncheck()
    await bar.getByText('24 animals selected').waitFor()
    await tickAll()
    await choose('Change category')
    await page.getByRole('dialog').getByRole('combobox').fill('2')
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Use new category' }).click()
    await page.getByText('All 30 matching animals. You').waitFor()
    await page.getByRole('dialog').getByRole('button', { name: 'Change category' }).click()
    await toast(page, /30 animals were moved to .*2/).waitFor()
    await isListed(page)
    await page.getByLabel('Select Herd 29,').check()
    await page.getByLabel('Select Herd 28,').check()
    await choose('Remove animals')
    await page.getByRole('dialog').getByRole('button', { name: 'Remove animals' }).click()
    await toast(page, '2 animals were removed.').waitFor()
    await page.getByLabel('Status', { exact: true }).selectOption('removed')
    await isListed(page)
    await page.getByLabel('Select all on this page').check()
    await bar.getByRole('button', { name: 'Restore' }).click()
    await toast(page, '2 animals were restored.').waitFor()
    const { animals } = await anna.get<AnimalPage>('api/animals?text=herd&category=2')
    assert.equal(animals.length, 30)
  })
})
