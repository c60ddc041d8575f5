/** The reference page in a real browser. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { OPERATIONS } from '../../src/contract/operations.ts'
import { openPage } from '../support/browser/browser.ts'
import { chromiumNeeded, openBrowser } from '../support/browser/chromium.ts'
import { startService } from '../support/service.ts'
import { until } from '../support/until.ts'

/** Scalar probes whether it may compile code, and manages without if the policy says no. */
const EXPECTED = /'unsafe-eval' is not an allowed source/

describe('the reference page', chromiumNeeded, () => {
  it('shows each operation, calls no other host and logs no error (R7, R9, R11, R12)', async () => {
    await using service = await startService({ args: ['--pages'], operatorPort: 'none' })
    await using browser = await openBrowser()
    // Its end fails if the page asked another host or logged an error.
    await using page = await openPage(browser, new URL('/', service.baseUrl).href, { expected: EXPECTED })
    for (const { summary: name } of Object.values(OPERATIONS)) {
      // Scalar draws an operation when it comes into sight.
      await until(`${name} is drawn`, async () => {
        await page.evaluate('scrollBy(0, 300)')
        return (await page.getByRole('heading', { name, exact: true }).count()) > 0
      })
    }
    assert.match(await page.locator('body').innerText(), /removed on 5 December 2030/)
  })
})
