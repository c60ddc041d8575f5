/** The measuring itself: each of its rules finds what it is for, and lets pass what is as it should be. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, before, describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import type { Browser, Page } from 'playwright-core'
import { PHONE } from '../support/browser/browser.ts'
import { chromiumNeeded, openBrowser } from '../support/browser/chromium.ts'
import { measure } from './measuring.ts'

/** Texts are as wide on every machine, whatever typefaces it has. */
const INTER = readFileSync(
  fileURLToPath(import.meta.resolve('@fontsource-variable/inter/files/inter-latin-wght-normal.woff2')),
)
const TYPEFACE = `<style>@font-face { font-family: Inter; font-weight: 100 900; src: url(data:font/woff2;base64,${INTER.toString('base64')}) }
  body, button, input { font-family: Inter }</style>`

const WORDS = 'Several words that need more than one line in a box of this width'

describe('the measuring of screens', chromiumNeeded, () => {
  let browser: Browser
  let page: Page

  before(async () => {
    browser = await openBrowser()
    page = await browser.newPage({ viewport: PHONE })
  })
  after(() => browser?.close())

  const rulesBrokenBy = async (html: string) => {
    await page.setContent(`<!doctype html>${TYPEFACE}<body style="margin: 8px; font: 16px Inter">${html}`)
    await page.evaluate('document.fonts.load("16px Inter").then(() => true)')
    const found = await measure(page, { scope: 'body', isTouched: true, isFixed: false })
    return [...new Set(found.map(({ rule }) => rule))]
  }

  for (const [what, html, rule] of [
    ['wider than the window', '<div style="width: 500px; background: red">wide</div>', 'outside the window'],
    ['partly left of the window', '<p style="margin-left: -20px">left</p>', 'outside the window'],
    [
      'below a window that cannot get there',
      '<p style="position: fixed; margin: 0; bottom: -9px">low</p>',
      'outside the window',
    ],
    ['a page that scrolls sideways', '<div style="width: 500px">wide</div>', 'scrolls sideways'],
    [
      'a box that scrolls sideways',
      `<div style="overflow: auto; white-space: nowrap">${WORDS}</div>`,
      'scrolls sideways',
    ],
    ['a text that is cut', `<p style="height: 20px; width: 99px; overflow: hidden">${WORDS}</p>`, 'is cut'],
    [
      'a name of which hardly a letter stays',
      `<p title="${WORDS}" style="height: 99px; width: 20px; overflow: hidden">${WORDS}</p>`,
      'vanishes',
    ],
    [
      'a name with an ellipsis on its only line',
      `<p title="${WORDS}" style="width: 99px; overflow: hidden; text-overflow: ellipsis; white-space: nowrap">${WORDS}</p>`,
      'is cut to one line',
    ],
    ['a placeholder that is cut', `<input placeholder="${WORDS}" style="height: 44px">`, 'is cut'],
    [
      'a text beside its button',
      '<button style="width: 48px; height: 48px; padding: 0; white-space: nowrap">Longest</button>',
      'leaves its box',
    ],
    ['a broken word', '<p style="width: 40px; overflow-wrap: anywhere">Animals</p>', 'breaks the word “Animals”'],
    ['a text over another', '<p style="margin: 0">One</p><p style="margin: -18px 0 0">Two</p>', 'lies over p “Two”'],
    [
      'a control under another',
      '<button style="height: 50px">Low</button><div style="position: fixed; inset: 0 0 auto; height: 30px"></div>',
      'is under another',
    ],
    ['a target that is too small', '<button style="height: 30px">Small</button>', 'small target'],
    [
      'a number alone that is narrow',
      '<button style="height: 48px; width: 30px; padding: 0">7</button>',
      'small target',
    ],
    ['something unseen that is wide', '<input style="clip-path: inset(50%); height: 1px">', 'is hidden and takes room'],
  ] as const) {
    it(`finds ${what}`, async () => {
      const rules = await rulesBrokenBy(html)
      assert.ok(
        rules.some((found) => found === rule || rule.startsWith(found)),
        `${rule} is not among ${rules}`,
      )
    })
  }

  it('lets pass a list whose rows are whole targets, a link in a sentence, and a text cut to two lines whose title is all of it', async () => {
    const row = '<li style="position: relative; height: 60px"><a href="#a">Luna</a></li>'
    const style = '<style>li a::after { content: ""; position: absolute; inset: 0 }</style>'
    const sentence = '<p>Read <a href="#b">the guide</a> first.</p>'
    const cut = `<p title="${WORDS}" style="height: 40px; width: 99px; overflow: hidden">${WORDS}</p>`
    assert.deepEqual(await rulesBrokenBy(`${style}<ul>${row}${row}</ul>${sentence}${cut}`), [])
  })
})
