/**
 * The system's Firefox, headless, for what people do every day: another engine finds what Chromium forgives. It is
 * driven over WebDriver BiDi, which Debian's long-term release speaks; Playwright's own protocol needs a patched one.
 */
import assert from 'node:assert/strict'
import { type Browser, launch, type Page, type Viewport } from 'puppeteer-core'
import { findProgram, skipUnless } from '../programs.ts'
import { NOTICES_STAY } from './browser.ts'

/** Only what hangs takes so long, however busy the machine. */
const TIMEOUT_MS = 120_000

const executable = findProgram(process.env.PETS_TEST_FIREFOX, 'firefox-esr', 'firefox')

/** For `test({ ...firefoxNeeded })`. */
export const firefoxNeeded = skipUnless(
  executable !== undefined,
  'there is no Firefox on the path; install it, or name one in PETS_TEST_FIREFOX',
)

export function openFirefox(): Promise<Browser> {
  if (executable === undefined) throw new Error(String(firefoxNeeded.skip))
  return launch({ browser: 'firefox', executablePath: executable, timeout: TIMEOUT_MS, protocolTimeout: TIMEOUT_MS })
}

interface FirefoxPage extends AsyncDisposable {
  readonly page: Page
  /** Clicks what has this role and name. */
  click(role: string, name: string): Promise<void>
  fill(label: string, text: string): Promise<void>
  /** Waits until an element of this selector contains the text. */
  sees(selector: string, text: string): Promise<void>
  /** Whether the page needs scrolling sideways. */
  isTooWide(): Promise<boolean>
  /** Fails when the page broke its own policy, threw, or wrote an error. */
  assertClean(): void
}

/** A page in a new context: nothing is shared with other pages. */
export async function openInFirefox(browser: Browser, url: string, viewport: Viewport): Promise<FirefoxPage> {
  const context = await browser.createBrowserContext()
  const page = await context.newPage()
  const complaints: string[] = []
  page.on('pageerror', (error) => complaints.push(String(error)))
  page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()))
  page.setDefaultTimeout(TIMEOUT_MS)
  await page.setViewport(viewport)
  await page.evaluateOnNewDocument(NOTICES_STAY)
  await page.goto(url)
  const named = (role: string, name: string) => page.locator(`::-p-aria([name="${name}"][role="${role}"])`)
  return {
    page,
    click: (role, name) => named(role, name).click(),
    fill: (label, text) => page.locator(`::-p-xpath(//input[@id=//label[starts-with(., "${label}")]/@for])`).fill(text),
    async sees(selector, text) {
      const isThere = `[...document.querySelectorAll(${JSON.stringify(selector)})]
        .some(({ textContent }) => textContent.includes(${JSON.stringify(text)}))`
      await page.waitForFunction(isThere)
    },
    isTooWide: async () =>
      (await page.evaluate('document.documentElement.scrollWidth > document.documentElement.clientWidth')) === true,
    assertClean: () => assert.deepEqual(complaints, []),
    [Symbol.asyncDispose]: () => context.close(),
  }
}
