/** The first hour of an office, in a real browser against the real service. */
import assert from 'node:assert/strict'
import { it } from 'node:test'
import type { Page } from 'playwright-core'
import type { FirstStep } from '../../../src/office/office-data.ts'
import { assertAccessible } from '../../support/browser/browser.ts'
import { answered, go, holdAnswers, inOffice } from '../../support/browser/office-browser.ts'
import { until } from '../../support/until.ts'

inOffice('the first hour of an office', (office, browser) => {
  const shown = async (page: Page) =>
    (await page.locator('.steps li:visible').evaluateAll((items) => items.map((item) => item.className))).join()
  const are = (page: Page, ...states: readonly string[]) =>
    until(`the steps are ${states}`, async () => (await shown(page)) === states.join())
  const goHome = (page: Page) => go(page, page.getByRole('link', { name: 'Animals' }).first())

  it('leads whoever may do them through four steps, until each is done or skipped', async () => {
    await office.invite('Olga', 'operator')
    const olga = office.client('Olga')
    const { key } = await office.service.issueKey('free')
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
    assert.equal(await shown(page), 'open,open,open,open')
    await assertAccessible(page)
    // The answer to the first skip knows nothing of the second one, and arrives after it.
    const release = await holdAnswers(page, '**/first-steps/name/skip', 'POST')
    await page.getByRole('button', { name: 'Skip “Name the shelter”' }).click()
    const isStored = async () => (await olga.get<readonly FirstStep[]>('api/first-steps'))[0]?.state === 'skipped'
    await until('the first one is stored', isStored)
    await page.getByRole('button', { name: 'Skip “Invite people”' }).click()
    await are(page, 'skipped', 'open', 'skipped', 'open')
    await page.getByRole('searchbox').focus()
    await release()
    assert.equal(await shown(page), 'skipped,open,skipped,open')
    assert.equal(await page.evaluate('document.activeElement.type'), 'search')
    await go(page, page.getByRole('link', { name: 'Name the shelter' }))
    await page.getByLabel('Name of the shelter').fill('Harbour Street')
    await page.keyboard.press('Enter')
    await page.locator('.toast').getByText('Saved.').waitFor()
    await goHome(page)
    await are(page, 'done', 'open', 'skipped', 'open')
    await page.reload()
    await are(page, 'done', 'open', 'skipped', 'open')

    await office.invite('Mia', 'manager')
    await office.invite('Stella', 'staff')
    await using manager = await office.open(browser, 'Mia')
    await are(manager, 'done', 'open')
    await manager.getByRole('button', { name: 'Skip “Import your list”' }).focus()
    await manager.keyboard.press('Enter')
    await manager.locator('.steps').waitFor({ state: 'hidden' })
    assert.equal(await manager.evaluate('document.activeElement.tagName'), 'H1')
    await using staff = await office.open(browser, 'Stella')
    await staff.getByText('There are no animals yet.').waitFor()
    assert.equal(await staff.locator('.steps').count(), 0)
    await assert.rejects(office.client('Mia').send('POST', 'api/first-steps/keys/skip', {}), /There is no such step/)

    await page.reload()
    await are(page, 'done', 'skipped', 'done', 'open')
    const animal = { name: 'Rex', categoryId: '1', status: null, formToken: 'f'.repeat(32) }
    await olga.send('POST', 'api/animals', animal)
    await page.reload()
    await are(page, 'done', 'done', 'done', 'open')
    const used = await fetch(`${office.service.baseUrl}/pets`, { headers: { authorization: `Bearer ${key}` } })
    assert.equal(used.status, 200)
    await go(page, page.getByRole('link', { name: 'Issue a key' }))
    const open = async () =>
      (await olga.get<readonly FirstStep[]>('api/first-steps')).some(({ state }) => state === 'open')
    await until('the use is stored', async () => !(await open()))
    const asked = answered(page, /api\/first-steps$/)
    await goHome(page)
    await asked
    assert.equal(await shown(page), '')
  })
})
