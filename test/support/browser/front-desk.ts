/** The front desk for its tests: the real service, a real browser, and what staff do on the page. */
import type { Browser, Locator, Page } from 'playwright-core'
import { pets, type RunningService, startService } from '../service.ts'
import { until } from '../until.ts'
import { openBrowser } from './chromium.ts'

const ANIMALS = `${import.meta.dirname}/../../../examples/animals.csv`

export interface Listed {
  readonly id: number
  readonly name: string
  readonly status?: string
}

export interface FrontDesk extends AsyncDisposable {
  readonly service: RunningService
  readonly browser: Browser
  readonly url: string
  /** A key without a limit that a test could reach. */
  readonly key: string
  /** Signs in. */
  enter(page: Page, key?: string): Promise<void>
  /** What the service lists, asked for without the page. */
  newest(query?: string): Promise<readonly Listed[]>
  /** Adds an animal without the page. */
  add(body: string, key?: string): Promise<Response>
}

/** Starts the service with the animals of examples/. */
export async function startFrontDesk(): Promise<FrontDesk> {
  const service = await startService({ args: ['--pages'] })
  const browser = await openBrowser()
  const { key } = await service.issueKey()
  const imported = await pets(['import', ANIMALS, '--database', service.database])
  if (imported.code !== 0) throw new Error(imported.stderr)
  return {
    service,
    browser,
    key,
    url: new URL('/', service.baseUrl).href,
    async enter(page, as = key) {
      await page.getByLabel('API key').fill(as)
      await page.getByRole('button', { name: 'Open the desk' }).click()
      await page.locator('#desk').waitFor()
    },
    async newest(query = '') {
      const answer = await fetch(`${service.baseUrl}/pets${query}`, { headers: { authorization: `Bearer ${key}` } })
      return (await answer.json()) as Listed[]
    },
    add: (body, as = key) =>
      fetch(`${service.baseUrl}/pets`, {
        method: 'POST',
        headers: { authorization: `Bearer ${as}`, 'content-type': 'application/json' },
        body,
      }),
    async [Symbol.asyncDispose]() {
      await browser.close()
      await service.stop()
    },
  }
}

/** The names in the list, from the top. */
export function names(page: Page): Promise<string[]> {
  return page.locator('#animals .name').allTextContents()
}

export function listed(page: Page, count: number): Promise<void> {
  return until(`${count} animals are listed`, async () => (await page.locator('#animals li').count()) === count)
}

/** The id of the element that has the focus. */
export function focused(page: Page): Promise<string> {
  return page.evaluate('document.activeElement.id')
}

export async function choose(page: Page, status: string): Promise<void> {
  await page.getByRole('radio', { name: status }).check({ force: true })
}

/** Fills the form for new animals and sends it with the Enter key. */
export async function addOnPage(page: Page, name: string, category = '7'): Promise<void> {
  await page.locator('#add-name').fill(name)
  await page.locator('#add-category').fill(category)
  await page.locator('#add-category').press('Enter')
}

/** Whether the element is within the window, all of it. */
export async function isInView(place: Locator): Promise<boolean> {
  const box = await place.boundingBox()
  const height = place.page().viewportSize()?.height ?? 0
  return box !== null && box.height > 0 && box.y >= 0 && box.y + box.height <= height
}
