/** The public page in a real browser: with axe, without script, narrow, with large text, in the dark and on paper. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { pathToFileURL } from 'node:url'
import type { Browser, BrowserContextOptions } from 'playwright-core'
import { systemClock } from '../../src/common/system-clock.ts'
import { publish } from '../../src/public-page/publisher.ts'
import { openStore } from '../../src/store/open.ts'
import { assertAccessible, DESKTOP, isTooWide, keepPicture, openPage, PHONE } from '../support/browser/browser.ts'
import { chromiumNeeded, openBrowser } from '../support/browser/chromium.ts'
import { temporaryFolder } from '../support/folder.ts'
import { authorAt } from '../support/store.ts'

const NAMES = [
  ...['Rex', 'Luna', 'Bruno', 'Mia', 'Tom', '<script>document.title = "broken"</script>', 'W'.repeat(5_000)],
  ...['שלום (x)', '\u202egnp.exe\u2066', '\u0001', ' ', 'Sir Barksalot of the Old Harbour Road'],
]
const STATUSES = ['available', 'pending', 'sold'] as const
const CATEGORIES = [1n, 2n, 2n ** 63n - 1n]
/** The width of A4 without the margins, in CSS pixels. */
const PAPER = { width: 688, height: 1_016 }
const LARGE = 'html { font-size: 200% }'

describe('the public page in a browser', chromiumNeeded, () => {
  const folder = temporaryFolder()
  const url = pathToFileURL(join(folder, 'index.html')).href
  let browser: Browser

  before(async () => {
    const store = await openStore(`sqlite:${join(temporaryFolder(), 'pets.db')}`, {
      serving: false,
      clock: systemClock,
    })
    for (const [n, name] of NAMES.entries()) {
      const [categoryId = 1n, status = 'sold'] = [CATEGORIES[n % 3], STATUSES[n % 3]]
      await store.pets.create({ name, categoryId, status })
    }
    await store.words.set(new Map([['pending', 'On hold']]), authorAt(0))
    await store.categories.name(new Map([[1n, 'Dogs & <i>hounds</i>']]), authorAt(0))
    await publish(store, { folder, statuses: STATUSES, title: 'Looking for a <home>' }, 0)
    await store.close()
    browser = await openBrowser()
  })
  after(() => browser?.close())

  const open = (options: BrowserContextOptions = {}) => openPage(browser, url, options)

  const looks: readonly (readonly [string, BrowserContextOptions, string])[] = [
    ['wide', { viewport: DESKTOP }, ''],
    ['dark', { viewport: DESKTOP, colorScheme: 'dark' }, ''],
    ['phone', { viewport: PHONE }, ''],
    ['large', { viewport: PHONE, colorScheme: 'dark' }, LARGE],
  ]
  for (const [name, options, style] of looks) {
    it(`is accessible and needs no scrolling sideways: ${name}`, async () => {
      await using opened = await open(options)
      const { page } = opened
      if (style !== '') await page.addStyleTag({ content: style })
      await assertAccessible(page)
      assert.equal(await isTooWide(page), false)
      await keepPicture(page, `public-page-${name}`)
      opened.assertClean()
    })
  }

  it('is HTML and XML that a parser takes as they are written, and no id is there twice', async () => {
    await using opened = await open()
    const { page } = opened
    const plain = (text: string) =>
      text
        .replace(/^<!doctype html>\n/, '')
        .replaceAll('&#38;', '&amp;')
        .replaceAll('&#60;', '&lt;')
        .replaceAll('&#62;', '&gt;')
        .replaceAll('&#34;', '"')
    const written = plain(readFileSync(join(folder, 'index.html'), 'utf8'))
    // The script has shown its search.
    await page.evaluate(`document.getElementById('pets-search').hidden = true`)
    const parsed = String(await page.evaluate('document.documentElement.outerHTML')).replaceAll(' hidden=""', ' hidden')
    const bodyOf = (text: string) => text.slice(text.indexOf('<body>')).replace(/\s*<\/body>\s*<\/html>\s*$/, '')
    assert.equal(bodyOf(parsed), bodyOf(written))
    assert.equal(await page.evaluate('document.compatMode'), 'CSS1Compat')
    const ids = (await page.evaluate(`[...document.querySelectorAll('[id]')].map(({ id }) => id)`)) as string[]
    assert.equal(new Set(ids).size, ids.length)
    const feed = readFileSync(join(folder, 'feed.atom'), 'utf8')
    const entries = await page.evaluate(`(() => {
      const feed = new DOMParser().parseFromString(${JSON.stringify(feed)}, 'application/xml')
      return [...feed.getElementsByTagNameNS('http://www.w3.org/2005/Atom', 'entry')].map((entry) =>
        ['id', 'title', 'updated', 'link', 'content'].map((name) => entry.getElementsByTagName(name).length).join())
    })()`)
    assert.deepEqual(
      entries,
      NAMES.map(() => '1,1,1,1,1'),
    )
  })

  it('is read and used without script: headings by category, and links that lead to them', async () => {
    await using opened = await open({ javaScriptEnabled: false })
    const { page } = opened
    assert.deepEqual(await page.getByRole('heading').allTextContents(), [
      ...['Looking for a <home>', 'Dogs & <i>hounds</i>', 'Category 2', 'Category 9223372036854775807'],
    ])
    assert.equal(await page.getByRole('listitem').filter({ hasText: 'Number' }).count(), NAMES.length)
    await page.getByRole('link', { name: 'Category 2 (4)' }).click()
    assert.match(page.url(), /\/category-2\.html$/)
    const region = page.getByRole('region', { name: 'Category 2' })
    assert.equal(await region.getByRole('listitem').count(), 4)
    opened.assertClean()
  })

  it('finds an animal by a part of its name, on whatever page it stands, and leads to it', async () => {
    const server = createServer((request, response) => {
      const name = new URL(request.url ?? '', 'http://site').pathname.slice(1)
      response.setHeader(
        'Content-Type',
        name.endsWith('.js') ? 'text/javascript' : name.endsWith('.json') ? 'application/json' : 'text/html',
      )
      response.end(readFileSync(join(folder, name)))
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as AddressInfo
    try {
      await using opened = await openPage(browser, `http://127.0.0.1:${port}/status-sold.html#pets-animal-1`)
      const { page } = opened
      await page.waitForURL(/index\.html#pets-animal-1$/)
      await page.getByRole('searchbox').fill('lún')
      await page.getByRole('link', { name: 'Luna (2), On hold', exact: true }).click()
      await page.waitForURL(/index\.html#pets-animal-2$/)
      await page.getByRole('searchbox').fill('nobody')
      await page.getByText('Nothing is found.').waitFor()
      opened.assertClean()
    } finally {
      server.close()
    }
  })

  it('is black on white on paper, a card for each animal, none of them cut in two', async () => {
    await using opened = await open({ colorScheme: 'dark', viewport: PAPER })
    const { page } = opened
    await page.emulateMedia({ media: 'print' })
    const faults = (await page.evaluate(`(() => {
      const all = [...document.body.querySelectorAll('*')].filter((element) => element.checkVisibility())
      return {
        links: all.filter((element) => element.matches('a')).length,
        cut: all.filter((element) => element.getBoundingClientRect().right > innerWidth + 1).length,
        grey: all.filter((element) => getComputedStyle(element).color !== 'rgb(0, 0, 0)').map((element) => element.className),
        ground: getComputedStyle(document.body).backgroundColor,
        broken: all.filter((element) => element.matches('.pets-animal') && getComputedStyle(element).breakInside !== 'avoid').length,
      }
    })()`)) as object
    assert.deepEqual(faults, { links: 0, cut: 0, grey: [], ground: 'rgb(255, 255, 255)', broken: 0 })
    await keepPicture(page, 'public-page-paper')
  })
})
