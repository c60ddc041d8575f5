/** Pages in headless Chromium, and what must hold for any page after any test. */
import assert from 'node:assert/strict'
import { mkdirSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'

const ARTIFACTS = resolve(import.meta.dirname, '../../../.artifacts')
/** Only what hangs takes so long, however busy the machine. */
const TIMEOUT_MS = 120_000
/** What the pages take for their notices, which go by themselves (toasts.ts). */
const NOTICE_MS = 10_000
/** With it they stay: a machine that is busy with something else would look for them when they have gone. */
export const NOTICES_STAY = `{
  const set = window.setTimeout
  window.setTimeout = (work, ms, ...more) => (ms === ${NOTICE_MS} ? 0 : set(work, ms, ...more))
}`
export const DESKTOP = { width: 1200, height: 800 }
export const PHONE = { width: 360, height: 740 }

export interface PageOptions extends BrowserContextOptions {
  readonly expected?: RegExp
  readonly prepare?: (page: Page) => Promise<void>
}

/**
 * A page in a new context: nothing is shared with other pages. Its end fails when the page broke its own policy, threw,
 * or asked any host but its own.
 */
export async function openPage(browser: Browser, url: string, options: PageOptions = {}): Promise<Page> {
  const { expected, prepare, ...settings } = options
  const context = await browser.newContext({ viewport: DESKTOP, locale: 'en-GB', ...settings })
  context.setDefaultTimeout(TIMEOUT_MS)
  await context.addInitScript(NOTICES_STAY)
  const page = await context.newPage()
  const complaints: string[] = []
  const complain = (words: string) => expected?.test(words) !== true && complaints.push(words)
  page.on('pageerror', (error) => complain(String(error)))
  page.on('console', (message) => message.type() === 'error' && complain(message.text()))
  page.on('request', (request) => {
    const asked = new URL(request.url())
    if (asked.protocol !== 'data:' && asked.host !== new URL(url).host) complaints.push(`asked ${asked.href}`)
  })
  await prepare?.(page)
  await page.goto(url)
  return Object.assign(page, {
    async [Symbol.asyncDispose]() {
      // What a test holds may be asked for again, by a timer of the page.
      await page.unrouteAll({ behavior: 'ignoreErrors' })
      await context.close()
      assert.deepEqual(complaints, [])
    },
  })
}

/**
 * Fails with what axe finds, by the rules of WCAG and by those of good practice, whatever its impact. `known` are
 * elements of others that nobody here can mend, by the rule that they break; it also fails where they break it no
 * longer.
 */
export async function assertAccessible(page: Page, known: Readonly<Record<string, RegExp>> = {}): Promise<void> {
  if (!(await page.evaluate('"axe" in globalThis'))) {
    await page.evaluate(await readFile(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8'))
  }
  // What is still being faded in has less contrast.
  await page.evaluate(`Promise.allSettled(
    document.getAnimations()
      .filter(({ effect }) => Number.isFinite(effect.getComputedTiming().endTime))
      .map(({ finished }) => finished))`)
  const found = await page.evaluate(async () => {
    const { axe } = globalThis as unknown as {
      axe: { run(options: object): Promise<{ violations: Violation[] }> }
    }
    // What holds is not put together as well.
    return (await axe.run({ resultTypes: ['violations'] })).violations
  })
  const isKnown = (id: string, html: string) => known[id]?.test(html) ?? false
  const broken = found.flatMap(({ id, nodes }) => nodes.map(({ html }) => ({ id, html })))
  assert.deepEqual(
    broken.filter(({ id, html }) => !isKnown(id, html)).map(({ id, html }) => `${id}: ${html}`),
    [],
  )
  const mended = Object.keys(known).filter((rule) => !broken.some(({ id }) => id === rule))
  assert.deepEqual(mended, [], 'these are known no longer')
}

interface Violation {
  readonly id: string
  readonly nodes: readonly { readonly html: string }[]
}

/** Keeps a picture of the page, or of what is in view, below .artifacts/, which git ignores, if PETS_TEST_PICTURES=1. */
export async function keepPicture(page: Page, name: string, { fullPage = true } = {}): Promise<void> {
  if (process.env.PETS_TEST_PICTURES !== '1') return
  mkdirSync(ARTIFACTS, { recursive: true })
  await page.screenshot({ path: `${ARTIFACTS}/${name}.png`, fullPage })
}

/** Bytes of the page and of the files that it loaded, as they came over the wire. */
export function loadedBytes(page: Page): Promise<number> {
  return page.evaluate(`
    [...performance.getEntriesByType('navigation'), ...performance.getEntriesByType('resource')]
      .filter(({ name }) => !name.includes('/v1/') && !name.includes('/api/'))
      .reduce((sum, { encodedBodySize }) => sum + encodedBodySize, 0)`)
}

/** Whether the page needs scrolling sideways, or would if it could. */
export function isTooWide(page: Page): Promise<boolean> {
  return page.evaluate(
    '[document.documentElement, document.body].some(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth)',
  )
}
