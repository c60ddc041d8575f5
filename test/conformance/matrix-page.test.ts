/** The page of `pets check matrix` in a real browser: it can be read, filtered without a script, and printed. */
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { pathToFileURL } from 'node:url'
import { matrixPage } from 'pet-adoption-conformance'
import type { Browser } from 'playwright-core'
import { assertAccessible, DESKTOP, isTooWide, keepPicture, openPage, PHONE } from '../support/browser/browser.ts'
import { chromiumNeeded, openBrowser } from '../support/browser/chromium.ts'
import { type Behaviour, CORRECT } from './servers/reference.ts'
import { runKit } from './servers/run-kit.ts'

const SERVERS: Readonly<Record<string, Partial<Behaviour>>> = {
  'a right server': {},
  'no limit headers': { limitHeaders: () => ({}) },
  'always twenty': {
    readQuery: (params) => CORRECT.readQuery(new URLSearchParams(params.has('status') ? params : {})),
  },
  'a word for each error': { finish: (reply) => (reply.status >= 400 ? { ...reply, body: '"no"' } : reply) },
}

describe('the matrix', chromiumNeeded, () => {
  let browser: Browser
  let url: string
  const folder = mkdtempSync(join(tmpdir(), 'pets-matrix-'))

  before(async () => {
    const runs = Object.entries(SERVERS).map(async ([name, change]) => ({ name, report: await runKit({ change }) }))
    const file = join(folder, 'matrix.html')
    writeFileSync(file, matrixPage(await Promise.all(runs)))
    url = pathToFileURL(file).href
    browser = await openBrowser()
  })
  after(async () => {
    await browser?.close()
    rmSync(folder, { recursive: true })
  })

  for (const colorScheme of ['light', 'dark'] as const) {
    for (const [name, viewport] of Object.entries({ wide: DESKTOP, phone: PHONE })) {
      it(`${name} and ${colorScheme}: axe finds nothing, and only the table is wider than the window`, async () => {
        await using opened = await openPage(browser, url, { colorScheme, viewport })
        const { page } = opened
        await page.locator('summary').first().click()
        await assertAccessible(page)
        assert.equal(await isTooWide(page), false)
        await keepPicture(page, `matrix-${name}-${colorScheme}`)
      })
    }
  }

  it('without a script, rows and columns are chosen; on paper the choice is left out', async () => {
    await using opened = await openPage(browser, url, { javaScriptEnabled: false })
    const { page } = opened
    const rows = page.locator('tbody tr:visible')
    assert.equal(await rows.count(), 16)
    await page.getByLabel('where one failed').check()
    const failed = await rows.count()
    assert.ok(failed > 1 && failed < 10, `${failed} rows`)
    assert.equal(await page.locator('tbody tr:visible').filter({ hasText: 'failed' }).count(), failed)
    await page.getByLabel('no limit headers').uncheck()
    assert.equal(await page.locator('thead th:visible').count(), 4)
    assert.equal(await page.locator('tbody tr:visible').first().locator('td:visible').count(), 3)
    await page.emulateMedia({ media: 'print' })
    assert.equal(await page.locator('fieldset:visible').count(), 0)
    await keepPicture(page, 'matrix-print')
  })
})
