/** The keys that work on every screen, and numbers as people type them, in a real browser. */
import assert from 'node:assert/strict'
import { before, it } from 'node:test'
import { inOffice } from '../../support/browser/office-browser.ts'
import { until } from '../../support/until.ts'

const FOCUSED = '({ type: document.activeElement.type, value: document.activeElement.value })'

inOffice('the keyboard', (office, browser) => {
  before(() => office.invite('Olga', 'operator'))

  it('“/” goes to the search from any screen, and is a letter where somebody types', async () => {
    await using opened = await office.open(browser, 'Olga', '#people')
    const { page } = opened
    await page.keyboard.press('/')
    await page.locator('main[data-screen="animals"]').waitFor()
    await until(
      'the search has the focus',
      async () => (await page.evaluate('document.activeElement.type')) === 'search',
    )
    await page.keyboard.type('a/?')
    assert.deepEqual(await page.evaluate(FOCUSED), { type: 'search', value: 'a/?' })
    assert.equal(await page.getByRole('dialog').count(), 0)
    opened.assertClean()
  })

  it('“?” lists the keys, and in a dialog neither key does anything', async () => {
    await using opened = await office.open(browser, 'Olga')
    const { page } = opened
    await page.keyboard.press('?')
    await page.getByRole('dialog', { name: 'Keyboard' }).getByText('Go to the search').waitFor()
    await page.keyboard.press('?')
    await page.keyboard.press('/')
    assert.equal(await page.getByRole('dialog').count(), 1)
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    opened.assertClean()
  })

  it('1,000,000 is a number where one is asked for', async () => {
    await using opened = await office.open(browser, 'Olga', '#journal')
    const { page } = opened
    for (const written of ['1,000,000', ' 1 000 000', '1000000']) {
      await page.getByLabel('Animal').fill(written)
      const asked = page.waitForRequest(/animal=1000000\b/)
      await page.getByRole('button', { name: 'Filter', exact: true }).click()
      await asked
    }
    opened.assertClean()
  })

  it('on a tablet every control is high enough for a finger', async () => {
    await office.give({ name: 'Luna', categoryId: 1, status: 'sold' })
    await using opened = await office.open(browser, 'Olga', '', {
      hasTouch: true,
      isMobile: true,
      viewport: { width: 1_180, height: 820 },
    })
    const { page } = opened
    for (const screen of ['animals', 'keys', 'people', 'journal']) {
      await page.goto(`${office.url}#${screen}`)
      await page.locator(`main[data-screen="${screen}"] :is(.row:not(.head), tbody tr)`).first().waitFor()
      const low = await page.evaluate(`[...document.querySelectorAll('main :is(button, td a, select, input)')]
        .filter((control) => control.checkVisibility() && !control.matches('[type="checkbox"]'))
        .map((control) => [control.textContent, control.getBoundingClientRect().height])
        .filter(([, height]) => height < 43.5)`)
      assert.deepEqual(low, [], screen)
    }
    opened.assertClean()
  })
})
