/**
 * Each screen in each variant: as wide as a phone, a tablet and a desk, with text of usual size and twice as large
 * (then the phone is the narrowest that there is), in light and in dark colours; CI takes four of the twelve. What is
 * wrong is told with screen, element, variants and pixels. Each run leaves a picture of each screen in
 * .artifacts/screens/, as on a phone and as at a desk, and of each variant that has a fault; PETS_TEST_PICTURES=1 asks
 * for all.
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
const NARROWEST = 320
const TABLET_WIDTH = 820
const HEIGHTS: Readonly<Record<number, number>> = {
  [NARROWEST]: 568,
  [PHONE_WIDTH]: 844,
  [TABLET_WIDTH]: 1180,
  1440: 900,
}

interface Variant {
  readonly name: string
  readonly width: number
  readonly colours: 'light' | 'dark'
  /** Of the text, in percent of its usual size. */
  readonly text: number
  /** Each run keeps a picture of it. */
  readonly isPictured: boolean
}

/** Each width with each size of text, in both colours. */
const ALL_VARIANTS: readonly Variant[] = [PHONE_WIDTH, TABLET_WIDTH, 1440].flatMap((usual) =>
  [100, 200].flatMap((text) =>
    (['light', 'dark'] as const).map((colours) => {
      const width = usual === PHONE_WIDTH && text === 200 ? NARROWEST : usual
      const isPictured = text === 100 && width !== TABLET_WIDTH && (width === PHONE_WIDTH) === (colours === 'light')
      return { name: `${width} ${colours} ${text} %`, width, colours, text, isPictured }
    }),
  ),
)

/** Each width, size of text and colour in one of the four that CI has time for; `npm run test:long` takes all. */
const FEW = [`${PHONE_WIDTH} light 100 %`, `${NARROWEST} dark 200 %`, `${TABLET_WIDTH} light 200 %`, '1440 dark 100 %']
const VARIANTS = ALL_VARIANTS.filter(({ name }) => process.env.PETS_TEST_VARIANTS === 'all' || FEW.includes(name))

/** What is shown once a screen has been reached. */
export interface Shown {
  readonly page: Page
  /** What is in front; the uppermost dialog or else the page, unless told. */
  readonly scope?: string
  /** Opens again what a window closes when it changes its size, such as a menu; it must not be scrolled either. */
  readonly again?: () => Promise<void>
  /** What is left to others, as a pattern of faults; whoever leaves something says why. */
  readonly leaves?: RegExp
}

interface Asked {
  /** The uppermost dialog or else the page, unless told. */
  readonly scope: string | undefined
  readonly isTouched: boolean
  readonly isFixed: boolean
}

/** What is wrong with an element, as page/measure.ts tells it. */
export interface Found {
  readonly rule: string
  readonly element: string
  readonly px: number
}

/** What is wrong, a line for each rule that an element of the screen breaks. */
export async function measureInAll(name: string, { page, scope, again, leaves }: Shown): Promise<string[]> {
  const broken = new Map<string, { px: number; variants: string[] }>()
  for (const variant of VARIANTS) {
    await apply(page, variant)
    await again?.()
    const asked = { scope, isTouched: variant.width <= PHONE_WIDTH, isFixed: again !== undefined }
    const found = await measure(page, asked)
    const faults = found.map(({ rule, element, px }) => ({ fault: `${rule}: ${element}`, px }))
    const wrong = faults.filter(({ fault }) => leaves?.test(fault) !== true)
    for (const { fault, px } of wrong) {
      const known = broken.get(fault) ?? { px: 0, variants: [] }
      broken.set(fault, { px: Math.max(px, known.px), variants: [...known.variants, variant.name] })
    }
    if (wrong.length > 0 || variant.isPictured || PICTURES_ASKED) {
      await keepPicture(page, `${name} ${variant.name}`, again === undefined)
    }
  }
  return [...broken].map(([fault, { px, variants }]) => `${name}: ${fault}, ${px} px, in ${inShort(variants)}`)
}

function inShort(variants: readonly string[]): string {
  return variants.length === VARIANTS.length ? 'all variants' : variants.join(', ')
}

async function apply(page: Page, { width, colours, text }: Variant): Promise<void> {
  if (page.viewportSize()?.width !== width) await page.setViewportSize({ width, height: HEIGHTS[width] ?? 0 })
  await page.emulateMedia({ colorScheme: colours, reducedMotion: 'reduce' })
  // Two frames: observers of sizes have run, and what they have set is laid out.
  await page.evaluate(`new Promise((done) => {
    document.documentElement.style.fontSize = '${text}%'
    requestAnimationFrame(() => requestAnimationFrame(done))
  })`)
}

let script: string | undefined

/** Measures what the page shows now. */
export async function measure(page: Page, asked: Asked): Promise<Found[]> {
  const ask = `
    const { scope = document.querySelector('dialog[open]') === null ? 'body' : 'dialog[open]:last-of-type', ...rest } = ${JSON.stringify(asked)}
    return measureScreen({ scope, ...rest })`
  const found = await page.evaluate(`(() => { if (!('measureScreen' in globalThis)) return undefined; ${ask} })()`)
  if (found !== undefined) return found as Found[]
  script ??= await bundle()
  return page.evaluate(`(() => { ${script}; ${ask} })()`)
}

async function bundle(): Promise<string> {
  const entryPoints = [`${import.meta.dirname}/page/measure.ts`]
  const { outputFiles } = await build({ entryPoints, bundle: true, format: 'iife', write: false })
  return outputFiles[0]?.text ?? ''
}

async function keepPicture(page: Page, name: string, isWhole: boolean): Promise<void> {
  mkdirSync(PICTURES, { recursive: true })
  // A PNG takes longer to encode.
  const path = `${PICTURES}/${name.replaceAll(/[^\p{L}\p{N}]+/gu, '-').replace(/-$/, '')}.jpeg`
  const { width, height } = page.viewportSize() ?? { width: 0, height: 0 }
  const whole = Number(await page.evaluate('document.documentElement.scrollHeight'))
  const isDialog = (await page.locator('dialog[open]').count()) > 0
  const inBody = Number(await page.evaluate('document.body.scrollHeight - document.body.clientHeight'))
  if (isWhole && !isDialog && inBody > 0) {
    await page.setViewportSize({ width, height: Math.min(height + inBody, HIGHEST_PICTURE) })
    await page.screenshot({ path })
    return page.setViewportSize({ width, height })
  }
  if (!isWhole || isDialog || whole <= height) return void (await page.screenshot({ path }))
  const clip = { x: 0, y: 0, width, height: Math.min(whole, HIGHEST_PICTURE) }
  await page.screenshot({ path, clip, fullPage: true })
}
