/** The dashboard in a real browser: it says in words whether all is well, and leads to what is not. */
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { before, it } from 'node:test'
import { go, inOffice } from '../../support/browser/office-browser.ts'
import { temporaryFolder } from '../../support/folder.ts'
import { pets } from '../../support/service.ts'
import { until } from '../../support/until.ts'

const ANIMALS = `${import.meta.dirname}/../../../examples/animals.csv`
/** A page rests twenty times as long as it took to load, which on a busy machine is seconds. */
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

    it('says that all is well, with the animals as exact as the list, each number leading to them', async () => {
      await using page = await office.open(browser, 'Olga', '#dashboard')
      await page.locator('.verdict', { hasText: 'All is well.' }).waitFor()
      const tile = page.locator('.now div', { hasText: 'Available' })
      const available = await tile.locator('dd').innerText()
      await go(page, tile.getByRole('link'))
      await page
        .locator('.pages', { hasText: `of ${available}` })
        .or(page.getByText(`Available (${available})`))
        .first()
        .waitFor({ state: 'attached' })
      assert.match(page.url(), /#animals\?status=available$/)
    })

    it('names a banned key with the time of its end, leads to it, and shows what was refused today', async () => {
      const { id, key } = await office.service.issueKey('enterprise', { perMinute: 100, perDay: 5 }, 'Harbour Street')
      for (let n = 0; n < 9; n += 1) await call(key)
      await using page = await office.open(browser, 'Olga', '#dashboard')
      await page.locator('.verdict', { hasText: '1 thing needs you:' }).waitFor()
      const need = page.getByRole('link', {
        name: /^The key of Harbour Street is banned until (today|\d+ \w+) at \d\d:\d\d\.$/,
      })
      await need.waitFor()
      await until(
        'the requests of today are told',
        async () => {
          await page.reload()
          await need.waitFor()
          return (await page.locator('main').innerText()).includes('5 requests answered and 4 refused today (UTC).')
        },
        RESTS_MS,
      )
      const card = (title: string) => page.locator('.card', { has: page.getByRole('heading', { name: title }) })
      await card('Keys near their limits')
        .getByText(/^5 of 5 today \(UTC\), banned until (today|\d+ \w+) at /)
        .first()
        .waitFor()
      const chart = page.locator('.chart')
      const words = (await chart.innerText()).split(/\s*\n\s*|\s{2,}/)
      assert.deepEqual(words.slice(0, 6), ['Requests a day:', 'answered', 'refused', '10', '5', '0'])
      const heights = (of: string) =>
        chart
          .locator(`.bars .${of}`)
          .evaluateAll((bars) => bars.reduce((sum, bar) => sum + Number(bar.getAttribute('height')), 0))
      assert.deepEqual([await heights('green'), await heights('red')], [50, 40], 'per cent of a scale up to 10')
      await go(page, need)
      await page.getByRole('heading', { name: 'Harbour Street' }).waitFor()
      assert.match(page.url(), new RegExp(`#key/${id}$`))
    })

    it('the report has what an import brought by itself, beside other months, as on the screen so in a file', async () => {
      await using page = await office.open(browser, 'Olga', '#report')
      const row = page.getByRole('row', { name: /^Brought by imports/ })
      await row.waitFor()
      assert.deepEqual(await row.getByRole('cell').allInnerTexts(), ['Brought by imports', '36', '0', '0'])
      const months = await page.getByRole('table').first().locator('th.number').allInnerTexts()
      assert.match(months.join(), /^\w+ 20\d\d,\w+ 20\d\d,\w+ 20\d\d$/)
      const coming = page.waitForEvent('download')
      await page.getByRole('button', { name: 'CSV' }).click()
      const lines = (await readFile(await (await coming).path(), 'utf8')).split('\n')
      await page.locator('main select').focus()
      for (const key of ['ArrowDown', 'ArrowDown', 'Enter']) await page.keyboard.press(key)
      await page.getByRole('heading', { name: `Report of ${months[1]}` }).waitFor()
      assert.equal(await page.evaluate('document.activeElement.tagName'), 'SELECT')
      await page.goBack()
      await row.waitFor()
      assert(lines.includes('all,,imported,36,0,0') && lines.includes('all,,in,0,0,0'), lines.join('\n'))
    })

    it('has how the process does, and how old the newest backup is, under “Details”', async () => {
      await using page = await office.open(browser, 'Olga', '#dashboard')
      await page.locator('.bars').waitFor()
      await page.getByText('Event loop delay').waitFor({ state: 'hidden' })
      await until('a backup has been made', async () => {
        await page.reload()
        await page.getByText('Details', { exact: true }).click()
        return (await page.locator('details').innerText()).includes('old; one is made every hour.')
      })
      await page.getByText('Event loop delay').waitFor()
    })
  },
  async () => ({
    args: ['--ban', '4/60s/1h', '--backup-dir', join(temporaryFolder(), 'backups')],
  }),
)
