/** Pages in headless Chromium, and what must hold for each of them. */
import assert from 'node:assert/strict'
import { mkdirSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'

const ARTIFACTS = resolve(import.meta.dirname, '../../../.artifacts')
const TIMEOUT_MS = 120_000
/** How long pages show a notification (toasts.ts). */
const NOTICE_MS = 10_000
/** Notifications stay, because a busy machine might look for them too late. */
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

/** A page in a new context. Its end fails if the page broke its policy, threw, or asked another host. */
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
      // A timer of the page might ask again for what a test holds.
      await page.unrouteAll({ behavior: 'ignoreErrors' })
      await context.close()
      assert.deepEqual(complaints, [])
    },
  })
}

/** Fails with everything that axe finds. `known` elements of others break a rule; it also fails if they no longer do. */
export async function assertAccessible(page: Page, known: Readonly<Record<string, RegExp>> = {}): Promise<void> {
  if (!(await page.evaluate('"axe" in globalThis'))) {
    await page.evaluate(await readFile(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8'))
  }
  // Text that fades in has less contrast.
  await page.evaluate(`Promise.allSettled(
    document.getAnimations()
      .filter(({ effect }) => Number.isFinite(effect.getComputedTiming().endTime))
      .map(({ finished }) => finished))`)
  const found = await page.evaluate(async () => {
    const { axe } = globalThis as unknown as {
      axe: { run(options: object): Promise<{ violations: Violation[] }> }
    }
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

/** Keeps a picture below .artifacts/, which git ignores, if PETS_TEST_PICTURES=1. */
export async function keepPicture(page: Page, name: string, { fullPage = true } = {}): Promise<void> {
  if (process.env.PETS_TEST_PICTURES !== '1') return
  mkdirSync(ARTIFACTS, { recursive: true })
  await page.screenshot({ path: `${ARTIFACTS}/${name}.png`, fullPage })
}

/** Bytes of the page and its files on the wire. */
export function loadedBytes(page: Page): Promise<number> {
  return page.evaluate(`
    [...performance.getEntriesByType('navigation'), ...performance.getEntriesByType('resource')]
      .filter(({ name }) => !name.includes('/v1/') && !name.includes('/api/'))
      .reduce((sum, { encodedBodySize }) => sum + encodedBodySize, 0)`)
}

export function isTooWide(page: Page): Promise<boolean> {
  return page.evaluate(
    '[document.documentElement, document.body].some(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth)',
  )
}
