/**
 * Every screen of the office in a real browser: axe finds nothing, nothing scrolls sideways, and the bars over a screen
 * cover no control that has the focus (WCAG 2.4.11).
 */
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { before, it } from 'node:test'
import type { Page } from 'playwright-core'
import { STYLE } from '../../src/public-page/style.ts'
import { inOffice, toast } from '../office/browser/office-browser.ts'
import { assertAccessible, isTooWide } from '../support/browser/browser.ts'

const SRC = resolve(import.meta.dirname, '../../src')
const LONG_NAME = 'Maximiliane Freifrau von und zu Hohenstein-Waldeck'
const UNBROKEN = 'x'.repeat(180)
/** The widths at which no screen scrolls sideways: 320 px is 1280 px at a zoom of 400% (WCAG 1.4.10). */
const WIDTHS = [320, 390, 1280]
/** Windows in which the focus is followed: a zoom of 400%, a phone, a desktop. */
const WINDOWS = [
  { width: 320, height: 256 },
  { width: 390, height: 664 },
  { width: 1280, height: 720 },
]
/** Further stops are more rows of the same list. */
const STOPS = 60

interface Screen {
  readonly hash: string
  /** What is done on the screen before it is judged. */
  readonly prepare?: (page: Page) => Promise<unknown>
}

const ROW = '.row:not(.head)'

async function selectSome(page: Page): Promise<void> {
  for (const at of [0, 1]) await page.locator(`${ROW} input`).nth(at).check()
}

async function changeStatus(page: Page): Promise<void> {
  await page.locator(`${ROW} .status`).first().click()
  await page.getByRole('menuitemradio', { checked: false }).first().click()
  await toast(page, /./).waitFor()
}

/** By the name that the router gives to a screen, and what else of it is shown. */
const SCREENS: Readonly<Record<string, Screen>> = {
  animals: { hash: '#animals' },
  'animals, none found': { hash: `#animals?text=${'q'.repeat(180)}` },
  'animals, some selected': { hash: '#animals', prepare: selectSome },
  'animals, a notification': { hash: '#animals', prepare: changeStatus },
  animal: { hash: '#animal/1' },
  add: { hash: '#add' },
  import: { hash: '#import' },
  categories: { hash: '#categories' },
  settings: { hash: '#settings' },
  keys: { hash: '#keys' },
  key: { hash: '#key/' },
  people: { hash: '#people' },
  journal: { hash: '#journal' },
  report: { hash: '#report' },
  dashboard: { hash: '#dashboard' },
  account: { hash: '#account' },
  guide: { hash: '#guide' },
}

/**
 * What has the focus, and whether nothing of it is in sight: of nine points, each is outside of the window or shows
 * something else. Undefined when the focus has left the page.
 */
const FOCUSED = `(() => {
  const element = document.activeElement
  if (element === null || element === document.body) return undefined
  const { x, y, width, height } = element.getBoundingClientRect()
  const parts = [0.1, 0.5, 0.9]
  const isShown = parts.some((right) => parts.some((down) => {
    const there = document.elementFromPoint(x + right * width, y + down * height)
    if (there === null) return false
    return element.contains(there) || there.closest('label')?.control === element
  }))
  return { html: element.outerHTML.slice(0, 120), isCovered: !isShown && width > 1 }
})()`

/** The controls that are covered when they get the focus, in the order of the Tab key. */
async function coveredControls(page: Page): Promise<readonly string[]> {
  const covered: string[] = []
  await page.locator('main').evaluate('document.activeElement.blur()')
  for (let stop = 0; stop < STOPS; stop += 1) {
    await page.keyboard.press('Tab')
    const focused = await page.evaluate<{ html: string; isCovered: boolean } | undefined>(FOCUSED)
    if (focused === undefined) break
    if (focused.isCovered) covered.push(focused.html)
  }
  return covered
}

inOffice('every screen of the office', (office, browser) => {
  let page: Page
  let keyId: string

  before(async () => {
    await office.invite('Olga', 'operator')
    await office.link(LONG_NAME, 'manager')
    const names = ['Luna', 'Ólafur', 'لونا الجميلة', '<b>Mochi</b> & “Söhne”', UNBROKEN, `${LONG_NAME}, ${LONG_NAME}`]
    const animals = Array.from({ length: 24 }, (_, at) => ({ name: names[at % names.length] ?? '', categoryId: 1 }))
    await office.give(...animals, { name: 'Rex', categoryId: 2, status: 'sold' })
    await office.name('Olga', 'Guinea pigs, hamsters and other small animals', UNBROKEN.slice(0, 60))
    for (const _ of Array(12)) keyId = (await office.service.issueKey('free')).id
    page = await office.open(browser, 'Olga', '', { reducedMotion: 'reduce' })
  })

  /** Opens the page anew, so that nothing of the screen before is left. */
  async function open({ hash, prepare }: Screen): Promise<void> {
    await page.goto('about:blank')
    await page.goto(`${office.url}${hash}${hash.endsWith('/') ? keyId : ''}`)
    await page.locator('main h1').waitFor()
    await page.waitForLoadState('networkidle')
    await prepare?.(page)
  }

  for (const [name, screen] of Object.entries(SCREENS)) {
    it(`${name}: is accessible, and does not scroll sideways at ${WIDTHS.join(', ')} px`, async () => {
      await open(screen)
      for (const width of WIDTHS) {
        await page.setViewportSize({ width, height: 800 })
        assert.equal(await isTooWide(page), false, `${width} px`)
      }
      await assertAccessible(page)
    })

    it(`${name}: covers no control that has the focus`, async () => {
      for (const window of WINDOWS) {
        await page.setViewportSize(window)
        await open(screen)
        assert.deepEqual(await coveredControls(page), [], `${window.width} × ${window.height}`)
      }
    })
  }

  it('has a row in this test', () => {
    const router = readFileSync(`${SRC}/office/page/session/router.ts`, 'utf8')
    const names = [...router.matchAll(/^ {2}(\w+): \{\s+title: '/gm)].map(([, name = '']) => name)
    assert(names.length > 10)
    assert.deepEqual(
      names.filter((name) => !(name in SCREENS)),
      [],
    )
  })

  it('is dark by other colours alone, each with a name and set at the root', () => {
    const written = globSync(`${SRC}/**/*.{css,html,ts}`, { exclude: ['**/public-page/style.ts'] })
    const styles = [STYLE, ...written.map((file) => readFileSync(file, 'utf8'))]
    const dark = /@media screen and \(prefers-color-scheme: dark\)\s*\{\s*(.*?)\n\}/gs
    const blocks = styles.flatMap((style) => [...style.matchAll(dark)])
    assert(blocks.length > 0)
    for (const [, block = ''] of blocks) {
      assert.match(
        block,
        /^:root(?::not\(\.[\w-]+\))? \{(?:\s*--[\w-]+: (?:#[0-9a-f]{3,8}|none|[^;]*rgb\([^)]*\));)+\s*\}$/,
      )
    }
  })
})
