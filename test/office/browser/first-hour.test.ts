/** The first hour of an office, in a real browser. */
import assert from 'node:assert/strict'
import { it } from 'node:test'
import type { Page } from 'playwright-core'
import { assertAccessible } from '../../support/browser/browser.ts'
import { until } from '../../support/until.ts'
import { answered, go, holdAnswers, inOffice } from './office-browser.ts'

inOffice('the first hour of an office', (office, browser) => {
  const shown = async (page: Page) => {
    const links = await page.locator('.steps a:visible').all()
    return (await Promise.all(links.map((link) => link.getAttribute('href')))).join()
  }
  const are = (page: Page, ...steps: readonly string[]) =>
    until(`the steps are ${steps}`, async () => (await shown(page)) === steps.join())
  const goHome = (page: Page) => go(page, page.getByRole('link', { name: 'Animals' }).first())

  it('lists open steps until each is done or the person hides them', async () => {
    await office.invite('Olga', 'operator')
    let steps = async () => {}
    let listed = Promise.resolve()
    await using page = await office.open(browser, 'Olga', '', {
      prepare: async (page) => {
        steps = await holdAnswers(page, '**/api/first-steps')
        listed = answered(page, /api\/animals\?/)
      },
    })
    await listed
    const none = page.getByText('There are no animals yet.')
    assert.equal(await none.isVisible(), false, 'the steps would move it')
    await steps()
    await none.waitFor()
    assert.equal(await shown(page), '#settings,#import,#people')
    await assertAccessible(page)
    await go(page, page.getByRole('link', { name: 'Set up the shelter' }))
    await page.getByLabel('Shelter name').fill('Harbour Street')
    await page.getByLabel('Time zone').fill('Europe/Berlin')
    await page.keyboard.press('Enter')
    await page.locator('.toast').getByText('Saved.').waitFor()
    await goHome(page)
    await are(page, '#import', '#people')

    await office.invite('Mia', 'manager')
    await office.invite('Stella', 'staff')
    await using manager = await office.open(browser, 'Mia')
    await are(manager, '#import')
    await manager.getByRole('button', { name: 'Hide the first steps' }).click()
    await manager.locator('.steps').waitFor({ state: 'hidden' })
    assert.equal(await manager.evaluate('document.activeElement.tagName'), 'H1')
    await manager.reload()
    await manager.getByText('There are no animals yet.').waitFor()
    assert.equal(await shown(manager), '')
    await using staff = await office.open(browser, 'Stella')
    await staff.getByText('There are no animals yet.').waitFor()
    assert.equal(await staff.locator('.steps').count(), 0)
    await page.reload()
    await are(page, '#import')
  })
})
