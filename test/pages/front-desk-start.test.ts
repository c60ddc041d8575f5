/** The front desk in a browser that is slow, old, strict or has the wrong time, and for eyes that need contrast. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { Page } from 'playwright-core'
import { DESKTOP, keepPicture, loadedBytes, openPage } from '../support/browser/browser.ts'
import { chromiumNeeded } from '../support/browser/chromium.ts'
import { type FrontDesk, startFrontDesk } from '../support/browser/front-desk.ts'
import { minuteWith, until } from '../support/until.ts'

const SCRIPT = /\/desk-\w+\.js$/
/** Of fields, buttons with a border, and focus rings (WCAG 1.4.11). */
const LEAST_CONTRAST = 3
/** Faster than real time, so that an animation that begins late begins at once. */
const FAST = 1_000

describe('the start of the front desk', chromiumNeeded, () => {
  let desk: FrontDesk
  before(async () => {
    desk = await startFrontDesk()
  })
  after(() => desk?.[Symbol.asyncDispose]())

  it('waits with what is typed until its script has come, and says so when it does not come', async () => {
    const context = await desk.browser.newContext({ viewport: DESKTOP })
    const page = await context.newPage()
    const late = Promise.withResolvers<void>()
    await page.route(SCRIPT, async (route) => {
      await late.promise
      await route.continue()
    })
    await page.goto(desk.url, { waitUntil: 'commit' })
    const button = page.locator('#key-form button')
    await button.waitFor()
    assert.equal(await button.innerText(), 'Loading …')
    assert.equal(await button.isDisabled(), true)
    await page.getByLabel('API key').fill(desk.key)
    await page.getByLabel('API key').press('Enter')
    assert.equal(await page.getByText('The page is still loading.').isVisible(), false)
    const session = await context.newCDPSession(page)
    await session.send('Animation.enable')
    await session.send('Animation.setPlaybackRate', { playbackRate: FAST })
    await page.getByText('The page is still loading.').waitFor()
    await keepPicture(page, 'front-desk-late')
    late.resolve()
    await page.getByRole('button', { name: 'Open the desk' }).click()
    await page.locator('#animals li').first().waitFor()
    assert.equal(await page.getByText('The page is still loading.').count(), 0)
    await context.close()
  })

  it('works without AbortSignal.any, as in Safari before 17.4, and where the browser keeps nothing', async () => {
    const prepare = async (page: Page) => {
      await page.addInitScript(() => {
        Reflect.deleteProperty(AbortSignal, 'any')
        const refuse = () => {
          throw new DOMException('refused', 'SecurityError')
        }
        Object.defineProperty(globalThis, 'sessionStorage', { get: refuse })
      })
    }
    await using opened = await openPage(desk.browser, desk.url, { prepare })
    const { page } = opened
    await desk.enter(page)
    await page.locator('#animals li').first().waitFor()
    await page.locator('#look-up-id').fill('1')
    await page.locator('#look-up-id').press('Enter')
    await page.locator('#found .name', { hasText: 'Luna' }).waitFor()
    await page.getByRole('button', { name: 'Forget key' }).click()
    await page.getByRole('heading', { name: 'Welcome' }).waitFor()
    opened.assertClean()
  })

  it('loads three files beside the page, and none of them again (R1)', async () => {
    await using opened = await openPage(desk.browser, desk.url)
    const { page } = opened
    const loaded = await page.evaluate(() => performance.getEntriesByType('resource').map(({ name }) => name))
    const paths = [...new Set(loaded)].map((name) => new URL(name).pathname.replace(/-[0-9A-Z]{8}\./, '.'))
    assert.deepEqual(paths.toSorted(), ['/front-desk/desk.js', '/front-desk/front-desk.css', '/icon.svg'])
    const bytes = await loadedBytes(page)
    assert.ok(bytes < 30_000, `${bytes} bytes`)
    await page.reload()
    const again = (await page.evaluate(`
      [...performance.getEntriesByType('navigation'), ...performance.getEntriesByType('resource')]
        .map(({ transferSize }) => transferSize)`)) as number[]
    // Chromium counts 300 bytes for the headers of a 304.
    assert.ok(Math.max(...again) <= 300, `${again} bytes`)
    opened.assertClean()
  })

  it('does not tell of requests left in a window that is over', async () => {
    await using opened = await openPage(desk.browser, desk.url, { prepare: installClock })
    const { page } = opened
    const { key } = await desk.service.issueKey('free')
    await minuteWith()
    await desk.enter(page, key)
    const gauge = page.locator('#gauge')
    await until('the allowance is shown', async () => /of 60 requests left/.test(await gauge.innerText()))
    await page.clock.fastForward(61_000)
    await until('it is renewed', async () => (await gauge.innerText()).trim() === 'The allowance has been renewed')
    opened.assertClean()
  })

  for (const [minutes, what] of [
    [10, 'fast'],
    [-10, 'slow'],
  ] as const) {
    it(`counts down to the reset by the service’s time where the clock is ${what} (R15)`, async () => {
      const time = Date.now() + minutes * 60_000
      await using opened = await openPage(desk.browser, desk.url, { prepare: (page) => installClock(page, time) })
      const { page } = opened
      await desk.enter(page, (await desk.service.issueKey('free')).key)
      const said = await page.locator('#gauge-reset').innerText()
      const seconds = Number(/^resets in (\d+) s$/.exec(said)?.[1])
      assert.ok(seconds >= 0 && seconds <= 61, said)
      opened.assertClean()
    })
  }

  for (const colorScheme of ['light', 'dark'] as const) {
    it(`has borders of fields and focus rings that can be seen: ${colorScheme}`, async () => {
      await using opened = await openPage(desk.browser, desk.url, { colorScheme })
      const { page } = opened
      const weak: string[] = []
      const look = async (selector: string, part: 'border' | 'outline') => {
        for (const place of await page.locator(selector).all()) {
          if (!(await place.isVisible())) continue
          if (part === 'outline') await place.focus()
          const ratio = await contrast(page, await place.evaluate(coloursOf, part))
          if (ratio < LEAST_CONTRAST) weak.push(`${part} of ${selector}: ${ratio.toFixed(2)}`)
        }
      }
      await page.keyboard.press('Tab') // so that the focus is shown as with the keyboard
      await look('input, button', 'outline')
      await look('#key', 'border')
      await desk.enter(page)
      await page.keyboard.press('Tab')
      await look('select, .plain, .side input', 'border')
      await look('select, button, .side input, a:not(.skip)', 'outline')
      await look('.filter input + span', 'outline')
      assert.deepEqual(weak, [])
      opened.assertClean()
    })
  }
})

async function installClock(page: Page, time = Date.now()): Promise<void> {
  await page.clock.install({ time })
}

/** Runs in the page: the colour of the border or ring, and the colours of the surfaces on both sides. */
function coloursOf(start: unknown, part: 'border' | 'outline'): string[] {
  interface Box {
    readonly parentElement: Box | null
    readonly previousElementSibling: { focus(): void } | null
    readonly tagName: string
  }
  const { getComputedStyle } = globalThis as unknown as {
    getComputedStyle(box: Box): { backgroundColor: string; borderTopColor: string; outlineColor: string }
  }
  const element = start as Box
  if (element.tagName === 'SPAN') element.previousElementSibling?.focus()
  const surface = (box: Box | null): string => {
    for (let at = box; at !== null; at = at.parentElement) {
      const colour = getComputedStyle(at).backgroundColor
      if (!/, 0\)$|transparent/.test(colour)) return colour
    }
    return 'white'
  }
  const style = getComputedStyle(element)
  if (part === 'outline') return [style.outlineColor, surface(element.parentElement)]
  return [style.borderTopColor, surface(element), surface(element.parentElement)]
}

/** The least contrast of the first colour with the others, on which it lies (WCAG 2.2). */
async function contrast(page: Page, [colour = '', ...surfaces]: readonly string[]): Promise<number> {
  const ratios = surfaces.map(async (surface) => {
    const [drawn, below] = await page.evaluate(
      ({ colour, surface }) => {
        const canvas = new (globalThis as unknown as Canvases).OffscreenCanvas(1, 1)
        const context = canvas.getContext('2d', { willReadFrequently: true })
        const draw = (fill: string) => {
          context.fillStyle = fill
          context.fillRect(0, 0, 1, 1)
          return [...context.getImageData(0, 0, 1, 1).data]
        }
        const below = draw(surface)
        return [draw(colour), below]
      },
      { colour, surface },
    )
    const [darker = 0, lighter = 0] = [luminance(drawn), luminance(below)].sort((a, b) => a - b)
    return (lighter + 0.05) / (darker + 0.05)
  })
  return Math.min(...(await Promise.all(ratios)))
}

interface Canvases {
  OffscreenCanvas: new (
    width: number,
    height: number,
  ) => {
    getContext(
      kind: '2d',
      settings: object,
    ): {
      fillStyle: string
      fillRect(x: number, y: number, width: number, height: number): void
      getImageData(x: number, y: number, width: number, height: number): { data: Uint8ClampedArray }
    }
  }
}

function luminance([red = 0, green = 0, blue = 0]: readonly number[] = []): number {
  const linear = (value: number) => (value <= 10.314_75 ? value / 3294.6 : ((value / 255 + 0.055) / 1.055) ** 2.4)
  return 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue)
}
