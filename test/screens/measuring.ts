/**
 * Each screen in each variant: as wide as a phone, a tablet and a desk, with text of usual size and twice as large
 * (then the phone is the narrowest that there is); CI takes four of the six. All are dark, where only colours are other
 * (screens.test.ts). What is wrong is told with screen, element, variants and pixels, and has a picture in
 * .artifacts/screens/; PETS_TEST_PICTURES=1 asks for one of each, and of the light too.
 */
import { mkdirSync } from 'node:fs'
import { resolve } from 'node:path'
import { build } from 'esbuild'
import type { Page } from 'playwright-core'
import { PICTURES_ASKED } from '../support/browser/browser.ts'

const PICTURES = resolve(import.meta.dirname, '../../.artifacts/screens')
/** A picture of a list need not be longer, in CSS pixels. */
const HIGHEST_PICTURE = 2_400
const PHONE_WIDTH = 390

interface Variant {
  readonly width: number
  readonly height: number
  /** Of the text, in percent of its usual size. */
  readonly text: number
}

/** Each width and size of text is in one of the four that CI has time for; `npm run test:long` takes all. */
const VARIANTS: readonly Variant[] = [
  { width: PHONE_WIDTH, height: 844, text: 100 },
  { width: 320, height: 568, text: 200 },
  { width: 820, height: 1180, text: 200 },
  { width: 1440, height: 900, text: 100 },
  { width: 820, height: 1180, text: 100 },
  { width: 1440, height: 900, text: 200 },
].slice(0, process.env.PETS_TEST_VARIANTS === 'all' ? 6 : 4)

/** What is shown once a screen has been reached. */
export interface Shown {
  readonly page: Page
  /** What is in front; the uppermost dialog or else the page, unless told. */
  readonly scope?: string | undefined
  /** Opens again what a window closes when it changes its size, such as a menu; it must not be scrolled either. */
  readonly again?: (() => Promise<void>) | undefined
}

/** What is wrong with an element, as page/measure.ts tells it. */
interface Found {
  readonly rule: string
  readonly element: string
  readonly px: number
}

/** What is wrong, a line for each rule that an element of the screen breaks. */
export async function measureInAll(name: string, { page, scope, again }: Shown): Promise<string[]> {
  const broken = new Map<string, { px: number; variants: string[] }>()
  for (const variant of VARIANTS) {
    const { width, height, text } = variant
    const title = `${width} ${text} %`
    if (page.viewportSize()?.width !== width) await page.setViewportSize({ width, height })
    // A frame: observers of sizes have run.
    await page.evaluate(`new Promise((done) => {
      document.documentElement.style.fontSize = '${text}%'
      requestAnimationFrame(() => setTimeout(done))
    })`)
    await again?.()
    const found = await measure(page, { scope, isTouched: width <= PHONE_WIDTH, isFixed: again !== undefined })
    for (const { rule, element, px } of found) {
      const fault = `${rule}: ${element}`
      const known = broken.get(fault) ?? { px: 0, variants: [] }
      broken.set(fault, { px: Math.max(px, known.px), variants: [...known.variants, title] })
    }
    if (PICTURES_ASKED) {
      await page.emulateMedia({ colorScheme: 'light' })
      await keepPicture(page, `${name} ${title} light`, again === undefined)
      await page.emulateMedia({ colorScheme: 'dark' })
    }
    if (PICTURES_ASKED || found.length > 0) await keepPicture(page, `${name} ${title} dark`, again === undefined)
  }
  return [...broken].map(([fault, { px, variants }]) => `${name}: ${fault}, ${px} px, in ${variants.join(', ')}`)
}

let script: string | undefined

/** Measures what the page shows now, which is the uppermost dialog or else the page unless told. */
export async function measure(
  page: Page,
  asked: { scope?: string | undefined; isTouched: boolean; isFixed: boolean },
): Promise<Found[]> {
  const ask = `
    const { scope = document.querySelector('dialog[open]') === null ? 'body' : 'dialog[open]:last-of-type', ...rest } = ${JSON.stringify(asked)}
    return measureScreen({ scope, ...rest })`
  const found = await page.evaluate(`(() => { if (!('measureScreen' in globalThis)) return undefined; ${ask} })()`)
  if (found !== undefined) return found as Found[]
  if (script === undefined) {
    const entryPoints = [`${import.meta.dirname}/page/measure.ts`]
    const { outputFiles } = await build({ entryPoints, bundle: true, format: 'iife', write: false })
    script = outputFiles[0]?.text ?? ''
  }
  return page.evaluate(`(() => { ${script}; ${ask} })()`)
}

async function keepPicture(page: Page, name: string, isWhole: boolean): Promise<void> {
  mkdirSync(PICTURES, { recursive: true })
  // A PNG takes longer to encode.
  const path = `${PICTURES}/${name.replaceAll(/[^\p{L}\p{N}]+/gu, '-').replace(/-$/, '')}.jpeg`
  const { width, height } = page.viewportSize() ?? { width: 0, height: 0 }
  const hasDialog = (await page.locator('dialog[open]').count()) > 0
  const below = Number(await page.evaluate('document.body.scrollHeight - document.body.clientHeight'))
  const isLonger = isWhole && !hasDialog && below > 0
  if (isLonger) await page.setViewportSize({ width, height: Math.min(height + below, HIGHEST_PICTURE) })
  await page.screenshot({ path })
  if (isLonger) await page.setViewportSize({ width, height })
}
