/** The front desk and the reference page, on the public port. */
import type { Page } from 'playwright-core'
import { LONG_NAME, type Screen, type Stage, UNBROKEN } from './stage.ts'

/** As in the page's page.js. */
const NOTICE_MS = 10_000

let key: string | undefined

async function desk(stage: Stage, as?: string, prepare?: (page: Page) => Promise<void>): Promise<Page> {
  key ??= (await stage.office.service.issueKey('enterprise')).key
  const page = await stage.guest(new URL('/', stage.office.service.baseUrl).href, prepare)
  await page.getByLabel('API key').fill(as ?? key)
  await page.getByRole('button', { name: 'Open the desk' }).click()
  await page.locator('#desk').waitFor()
  return page
}

async function add(page: Page, name: string, category = '7'): Promise<void> {
  await page.locator('#add-name').fill(name)
  await page.locator('#add-category').fill(category)
  await page.locator('#add-category').press('Enter')
}

const listed = (page: Page) => page.locator('#animals li').first().waitFor()

export const FRONT_DESK_SCREENS: readonly Screen[] = [
  {
    name: 'desk, welcome',
    async reach(stage) {
      const page = await stage.guest(new URL('/', stage.office.service.baseUrl).href)
      await page.getByRole('button', { name: 'Open the desk' }).click()
      await page.locator('#key-problem:not(:empty)').waitFor()
      return { page }
    },
  },
  {
    name: 'desk, its script does not come',
    async reach(stage) {
      const page = await stage.guest(new URL('/', stage.office.service.baseUrl).href, async (fresh) => {
        await fresh.route('**/front-desk/*.js', (route) => route.abort())
      })
      await page.evaluate('document.getAnimations().forEach((animation) => animation.finish())')
      await page.locator('#late').waitFor()
      return { page }
    },
  },
  {
    name: 'desk',
    async reach(stage) {
      const page = await desk(stage)
      await listed(page)
      return { page }
    },
  },
  {
    name: 'desk, requests of the key',
    async reach(stage) {
      const days = Array.from({ length: 30 }, (_, n) => ({
        day: new Date(Date.UTC(2026, 9, 26 + n)).toISOString().slice(0, 10),
        admitted: n % 7 === 6 ? 0 : 123_456 * n,
        refused: n % 5,
      }))
      const page = await desk(stage, undefined, async (fresh) => {
        await fresh.route('**/use.json', (route) => route.fulfill({ json: { days } }))
      })
      await page.getByRole('button', { name: 'Last 30 days' }).click()
      await page.getByText('In 30 days').first().waitFor()
      return { page }
    },
  },
  {
    name: 'desk, requests are not told',
    async reach(stage) {
      const page = await desk(stage, undefined, async (fresh) => {
        await fresh.route('**/use.json', (route) => route.abort())
      })
      await page.getByRole('button', { name: 'Last 30 days' }).click()
      await page.getByText('The service could not be reached.').waitFor()
      return { page }
    },
  },
  {
    name: 'desk, skip link',
    async reach(stage) {
      const page = await desk(stage)
      await page.locator('.skip').focus()
      return { page }
    },
  },
  {
    name: 'desk, problems of fields',
    async reach(stage) {
      const page = await desk(stage)
      await add(page, '', 'dogs')
      await page.locator('#look-up-id').fill('9'.repeat(18))
      await page.getByRole('button', { name: 'Find' }).click()
      await page.getByText('There is no animal with number').first().waitFor()
      return { page }
    },
  },
  {
    name: 'desk, found and added',
    async reach(stage) {
      const page = await desk(stage)
      await page.locator('#look-up-id').fill('1')
      await page.getByRole('button', { name: 'Find' }).click()
      await page.locator('#found li').waitFor()
      await add(page, LONG_NAME)
      await page.getByText('was added with number').first().waitFor()
      await add(page, UNBROKEN)
      await page.locator('.settled').nth(1).waitFor()
      return { page }
    },
  },
  {
    name: 'desk, it may have been added',
    async reach(stage) {
      const page = await desk(stage)
      await page.route('**/v1/pets', (route) =>
        route.request().method() === 'POST' ? route.abort() : route.continue(),
      )
      await add(page, LONG_NAME)
      await page.getByRole('button', { name: 'Look again' }).waitFor()
      return { page }
    },
  },
  {
    name: 'desk, the allowance is used up',
    async reach(stage) {
      const few = await stage.office.service.issueKey('enterprise', { perMinute: 100, perDay: 2 })
      const page = await desk(stage, few.key)
      await listed(page)
      for (const status of ['Sold', 'Pending']) await page.getByRole('radio', { name: status }).check({ force: true })
      await page.locator('#wait').waitFor()
      return { page }
    },
  },
  {
    name: 'desk, not loaded',
    async reach(stage) {
      const page = await desk(stage)
      await listed(page)
      await page.route('**/v1/pets**', (route) => route.fulfill({ status: 502, body: '' }))
      await page.getByRole('button', { name: 'Refresh' }).click()
      await page.locator('#list-problem:not(:empty)').waitFor()
      return { page }
    },
  },
  {
    name: 'desk, notice of what is out of view',
    async reach(stage) {
      // It would go by itself before it is measured.
      const stay = `(() => {
        const set = window.setTimeout
        window.setTimeout = (work, ms) => (ms === ${NOTICE_MS} ? 0 : set(work, ms))
      })()`
      const page = await desk(stage, undefined, async (fresh) => void (await fresh.addInitScript(stay)))
      await listed(page)
      await page.setViewportSize({ width: 390, height: 844 })
      await page.locator('#look-up-id').fill('1')
      await page.evaluate('document.getElementById("look-up").requestSubmit(), scrollTo(0, 0)')
      await page.locator('#notice').waitFor()
      return { page }
    },
  },
  {
    name: 'reference',
    async reach(stage) {
      const page = await stage.guest(new URL('/docs', stage.office.service.baseUrl).href)
      await page.getByRole('heading', { name: 'List animals', exact: true }).waitFor()
      // Scalar draws this page: its samples scroll in boxes of their own, and its targets and cuts cannot be set from
      // outside.
      return { page, leaves: /^(?!scrolls sideways: html|outside the window: body)/ }
    },
  },
]
