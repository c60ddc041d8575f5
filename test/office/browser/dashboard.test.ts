/** The dashboard, and the banner of findings, in a real browser. */
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { before, it } from 'node:test'
import { assertAccessible } from '../../support/browser/browser.ts'
import { pets } from '../../support/service.ts'
import { until } from '../../support/until.ts'
import { go, inOffice } from './office-browser.ts'

const ANIMALS = `${import.meta.dirname}/../../../examples/animals.csv`
/** Polling waits twenty times as long as a load takes, which can be seconds. */
const RESTS_MS = 300_000

inOffice(
  'the dashboard of the office',
  (office, browser) => {
    before(async () => {
      await office.invite('Olga', 'operator')
      const imported = await pets(['import', '--create', ANIMALS, '--database', office.service.database])
      assert.equal(imported.code, 0, imported.stderr)
    })

    const call = async (key: string) =>
      (await fetch(`${office.service.baseUrl}/pets`, { headers: { authorization: `Bearer ${key}` } })).status

    it('shows a finding on every screen of an operator, and all findings on the dashboard', async () => {
      await using page = await office.open(browser, 'Olga', '#animals')
      const banner = page.locator('#findings')
      await go(page, banner.getByRole('link', { name: /^No backups are made/ }))
      await page
        .locator('.verdict')
        .getByRole('link', { name: /^No backups are made/ })
        .waitFor()
      assert.equal(await banner.isVisible(), false)
      await assertAccessible(page)
      await office.invite('Mia', 'manager')
      await using manager = await office.open(browser, 'Mia', '#animals')
      await manager.locator('.row').first().waitFor()
      assert.equal(await manager.locator('#findings').isVisible(), false)
    })

    it('shows keys near their limits, and the requests of the last days by outcome', async () => {
      const { id, key } = await office.service.issueKey('enterprise', { perMinute: 100, perDay: 5 }, 'Harbour Street')
      for (let n = 0; n < 9; n += 1) await call(key)
      await using page = await office.open(browser, 'Olga', '#dashboard')
      const card = (title: string) => page.locator('.card', { has: page.getByRole('heading', { name: title }) })
      await until(
        'the requests of today are told',
        async () => {
          await page.reload()
          await card('Outcomes').waitFor()
          return (await page.locator('main').innerText()).includes('5 admitted, 4 refused')
        },
        RESTS_MS,
      )
      await card('Keys near their limits')
        .getByText(/^5 of 5 today \(UTC\), banned until (today|\d+ \w+) at /)
        .first()
        .waitFor()
      await card('Outcomes').getByRole('row', { name: 'Admitted 5' }).waitFor()
      await assertAccessible(page)
      await go(page, page.getByRole('link', { name: 'Harbour Street' }))
      assert.match(page.url(), new RegExp(`#key/${id}$`))
    })

    it('shows imports in the report apart, next to other months, on screen and in a file', async () => {
      await using page = await office.open(browser, 'Olga', '#report')
      const row = page.getByRole('row', { name: /^Imported/ })
      await row.waitFor()
      assert.deepEqual(await row.getByRole('cell').allInnerTexts(), ['Imported', '36', '0', '0'])
      const months = await page.getByRole('table').first().locator('th.number').allInnerTexts()
      assert.match(months.join(), /^\w+ 20\d\d,\w+ 20\d\d,\w+ 20\d\d$/)
      const coming = page.waitForEvent('download')
      await page.getByRole('button', { name: 'CSV' }).click()
      const lines = (await readFile(await (await coming).path(), 'utf8')).split('\n')
      await page.locator('main select').focus()
      for (const key of ['ArrowDown', 'ArrowDown', 'Enter']) await page.keyboard.press(key)
      await page.getByRole('heading', { name: `Report for ${months[1]}` }).waitFor()
      assert.equal(await page.evaluate('document.activeElement.tagName'), 'SELECT')
      await page.goBack()
      await row.waitFor()
      assert(lines.includes('all,,imported,36,0,0') && lines.includes('all,,in,0,0,0'), lines.join('\n'))
    })
  },
  async () => ({ args: ['--ban', '4/60s/1h'] }),
)
