/** The reference page in a real browser: it lists the interface, and its try-it calls the service. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { OPERATIONS } from '../../src/contract/operations.ts'
import { assertAccessible, DESKTOP, isTooWide, keepPicture, openPage, PHONE } from '../support/browser/browser.ts'
import { chromiumNeeded, openBrowser } from '../support/browser/chromium.ts'
import { type RunningService, startService } from '../support/service.ts'
import { until } from '../support/until.ts'

const GREATEST = '9223372036854775807'
/** Scalar's own: its dialog has a main part beside that of the page, to which the focus returns. */
const TWO_MAINS = { 'landmark-no-duplicate-main': /references-rendered/ }
/** Scalar probes whether it may compile code, and makes do when the policy says no; and one animal is not there. */
const EXPECTED = /'unsafe-eval' is not an allowed source|status of 404/

describe('the reference page', chromiumNeeded, () => {
  let service: RunningService
  let browser: Browser
  let key: string
  /** Scalar takes seconds to draw it, so that tests share two pages. */
  let light: Page
  let dark: Page

  before(async () => {
    service = await startService({ args: ['--pages'], operatorPort: 'none' })
    browser = await openBrowser()
    key = (await service.issueKey()).key
    await fetch(`${service.baseUrl}/pets`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: `{ "name": "Greatest", "categoryId": ${GREATEST}, "status": "available" }`,
    })
    ;[light, dark] = await Promise.all([
      openReference({ colorScheme: 'light' }),
      openReference({ viewport: PHONE, colorScheme: 'dark' }),
    ])
  })
  after(async () => {
    for (const page of [light, dark]) await page?.[Symbol.asyncDispose]()
    await browser?.close()
    await service?.stop()
  })

  /** The page, read to its end: Scalar draws an operation when it comes into sight. */
  const openReference = async (options: Parameters<typeof openPage>[2]) => {
    const url = new URL('/docs', service.baseUrl).href
    const page = await openPage(browser, url, { expected: EXPECTED, ...options })
    await until('the last operation is drawn', async () => {
      await page.evaluate('scrollBy(0, 300)')
      return (await page.getByRole('heading', { name: 'Get an animal', exact: true }).count()) > 0
    })
    await page.getByRole('button', { name: 'Copy the example' }).first().waitFor({ state: 'attached' })
    return page
  }

  /** Pastes the key, opens try-it for an operation, lets `prepare` fill it in, and sends it. */
  const tryIt = async (page: Page, operation: string, prepare: (page: Page) => Promise<void> = async () => {}) => {
    await page.getByLabel('Bearer Token').first().fill(key)
    await page.getByRole('button', { name: operation, exact: true }).first().click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('button', { name: 'Send' }).first().waitFor()
    await prepare(page)
    const answered = page.waitForResponse((response) => response.url().startsWith(service.baseUrl))
    await dialog.getByRole('button', { name: 'Send' }).first().click()
    return { dialog, response: await answered }
  }
  const close = async (page: Page) => {
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'hidden' })
  }

  it('has on a phone no control that a finger misses, in the colours and the typeface of the office (WCAG 2.5.8)', async () => {
    const page = dark
    await assertAccessible(page)
    // Clipped to a pixel is what screen readers alone have.
    const small = await page.evaluate(`[...document.querySelectorAll('button, [role="tab"], select, input')]
      .filter((control) => control.checkVisibility())
      .map((control) => [control.getBoundingClientRect(), control.outerHTML.slice(0, 200)])
      .filter(([{ width, height }]) => width > 1 && (width < 24 || height < 24))
      .map(([{ width, height }, html]) => width + ' x ' + height + ': ' + html)`)
    assert.deepEqual(small, [])
    const [ground, face] = (await page.evaluate(`[
      getComputedStyle(document.querySelector('.scalar-app')).backgroundColor,
      getComputedStyle(document.querySelector('h1')).fontFamily,
    ]`)) as [string, string]
    assert.equal(ground, 'rgb(27, 34, 32)')
    assert.match(face, /^"?Inter/)
    await keepPicture(page, 'reference-phone')
    await page.setViewportSize({ width: 320, height: 568 })
    await page.evaluate("document.documentElement.style.fontSize = '200%'")
    assert.equal(await isTooWide(page), false, 'narrow, with large text')
    await page.evaluate("document.documentElement.style.fontSize = ''")
    await page.setViewportSize(DESKTOP)
  })

  it('lists the operations, and marks getPet as deprecated (R7, R9, R11, R12)', async () => {
    const page = light
    for (const { summary: name } of Object.values(OPERATIONS)) {
      await page.getByRole('link', { name }).click()
      await page.getByRole('heading', { name, exact: true }).waitFor()
    }
    assert.match(await page.locator('body').innerText(), /it is removed on 5 December 2030/)
    const struck = page.locator('.line-through', { hasText: 'Get an animal' })
    assert.ok((await struck.count()) > 0, 'getPet is struck through')
    assert.equal(await page.locator('.line-through', { hasText: 'List animals' }).count(), 0)
    await keepPicture(page, 'reference')
  })

  for (const scheme of ['light', 'dark'] as const) {
    it(`is accessible, also when all of it is open, and its try-it: ${scheme}`, async () => {
      const page = scheme === 'light' ? light : dark
      await page.getByRole('heading', { name: 'List animals', exact: true }).waitFor()
      await assertAccessible(page)
      await keepPicture(page, `reference-${scheme}`)
      await page.evaluate(
        `document.querySelectorAll('main button[aria-expanded="false"]:not([aria-haspopup])').forEach((one) => one.click())`,
      )
      await page.keyboard.press('Escape')
      await page.locator('[id$="responses.429"][aria-expanded="true"]').nth(1).waitFor()
      await assertAccessible(page)
      await tryIt(page, 'Test Request (get /pets)')
      await assertAccessible(page, TWO_MAINS)
      await close(page)
      await until('the focus is where it was before the dialog', async () =>
        /Test Request/.test(String(await page.evaluate('document.activeElement.textContent'))),
      )
    })
  }

  it('calls the service with the key that is pasted, and shows every digit that comes (R5, R7, R13)', async () => {
    const { dialog, response } = await tryIt(light, 'Test Request (get /pets)')
    assert.equal(response.status(), 200)
    await dialog.getByText(GREATEST).first().waitFor()
    await dialog
      .getByRole('button', { name: 'Raw' })
      .or(dialog.getByText('Raw', { exact: true }))
      .first()
      .click()
    await dialog.getByText(GREATEST).first().waitFor()
    await keepPicture(light, 'reference-try-it', { fullPage: false })
    await close(light)
  })

  it('sends every digit that is typed into a body (R5, R9)', async () => {
    const body = `{ "name": "Least", "categoryId": -9223372036854775808 }`
    const { response, dialog } = await tryIt(light, 'Test Request (post /pets)', async (page) => {
      await page.getByRole('dialog').locator('.cm-content').first().fill(body)
    })
    assert.equal(response.status(), 201)
    assert.match(await response.text(), /"categoryId":-9223372036854775808/)
    await dialog.getByText('-9223372036854775808').nth(1).waitFor()
    await close(light)
  })

  it('sends every digit that is typed into a path (R5, R11)', async () => {
    const { response, dialog } = await tryIt(light, 'Test Request (get /pets/{petId})', async (page) => {
      const variables = page.getByRole('dialog').getByRole('region', { name: 'Variables' })
      await variables.getByRole('combobox', { name: 'Value' }).fill(GREATEST)
    })
    assert.equal(response.status(), 404)
    assert.ok(response.url().endsWith(`/pets/${GREATEST}`), response.url())
    await dialog.getByText('There is no animal with this id.').waitFor()
  })
})
