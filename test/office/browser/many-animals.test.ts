/** The office over a million animals, in a real browser: staff of a large shelter wait for nothing. */
import assert from 'node:assert/strict'
import { createWriteStream } from 'node:fs'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { before, it } from 'node:test'
import type { Page } from 'playwright-core'
import { onEachOffice } from '../../support/browser/office-browser.ts'
import { temporaryFolder } from '../../support/folder.ts'
import { pets } from '../../support/service.ts'
import { until } from '../../support/until.ts'

/** A million names are indexed in this time on a busy machine, too. */
const INDEX_MS = 500_000
const PAUSE_MS = 3_000
const ANIMALS = 1_000_000
const STATUSES = ['available', 'pending', 'sold', '']
/** These, the oldest, have another name than the rest. */
const OLD = 100_000
const nameOf = (n: number) => (n === 500_000 ? 'Schnüffel' : n > OLD ? 'Animal' : 'Veteran')

function* rows() {
  yield 'name,categoryId,status\n'
  for (let n = 1; n <= ANIMALS; n += 1) yield `${nameOf(n)} ${n},1,${STATUSES[n % 4]}\n`
}

onEachOffice(
  (engine) => `the office over a million animals, on ${engine}`,
  (office, browser, engine) => {
    before(async () => {
      const file = `${temporaryFolder()}/animals.csv`
      await pipeline(Readable.from(rows()), createWriteStream(file))
      const { code, stderr } = await pets(['import', file, '--database', office.service.database])
      assert.equal(code, 0, stderr)
      await office.invite('Sam', 'staff')
    })

    const row = (page: Page, name: string) => page.locator('.row:not(.head)', { hasText: name })

    /** A search that has run out of time says where it goes on; how often that is depends on the machine. */
    async function searchUntil(page: Page, name: string): Promise<void> {
      const older = page.getByRole('button', { name: 'Older' })
      for (let tries = 0; tries < 300 && (await row(page, name).count()) === 0; tries += 1) {
        await Promise.race([row(page, name).waitFor(), page.waitForTimeout(1_000)]).catch(() => {})
        // Disabled again where the answer came between these two: then the row is there, and nothing is left to click.
        if (await older.isEnabled()) await older.click({ timeout: 1_000 }).catch(() => {})
      }
      await row(page, name).waitFor()
    }

    it('one of them is found by a part of its name, without its accent, while the index is still being made', async () => {
      await using opened = await office.open(browser, 'Sam', '#animals?text=schnuffel')
      await searchUntil(opened.page, 'Schnüffel 500000')
      opened.assertClean()
    })

    it('a name that a tenth of them have, and none of the newest, is found, the newest of them first', async () => {
      await using opened = await office.open(browser, 'Sam', '#animals?text=veteran')
      await searchUntil(opened.page, `Veteran ${OLD}`)
      assert.equal(await opened.page.locator('.row .name').first().innerText(), `Veteran ${OLD}`)
      opened.assertClean()
    })

    // On PostgreSQL test/store/postgres/search.test.ts tells it by rows, since a statement ends after half a second.
    if (engine === 'SQLite') {
      it('a page of that name is found at once when the index is made', async () => {
        await using opened = await office.open(browser, 'Sam', '#animals?text=veteran')
        const { page } = opened
        const names = page.locator('.row .name')
        await until(
          'the index is made',
          async () => {
            // A search of a name that is not found compares names for a second, on the processor that makes the index.
            await page.waitForTimeout(PAUSE_MS)
            await page.reload()
            await page.locator('.row .name, .empty').first().waitFor()
            return (await names.count()) === 25
          },
          INDEX_MS,
        )
        assert.equal(await names.first().innerText(), `Veteran ${OLD}`)
        opened.assertClean()
      })
    }

    it('the counts are exact, pages go both ways, and a status is set', async () => {
      await using opened = await office.open(browser, 'Sam', '#animals')
      const { page } = opened
      await row(page, 'Animal 1000000').waitFor()
      for (const count of ['1,000,000', '250,000']) {
        await until(`${count} is shown`, async () => (await page.locator('body').innerText()).includes(count))
      }
      await page.getByRole('button', { name: 'Older' }).click()
      await row(page, 'Animal 1000000').waitFor({ state: 'detached' })
      await page.getByRole('button', { name: 'Newer' }).click()
      await row(page, 'Animal 1000000').locator('button.status').click()
      await page.getByRole('menuitemradio', { name: 'Pending' }).click()
      await page.locator('.toast', { hasText: /set to Pending/ }).waitFor()
      opened.assertClean()
    })
  },
)
