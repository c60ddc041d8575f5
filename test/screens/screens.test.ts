/**
 * Every screen and dialog of the office, measured in a real browser and judged by axe. The tables of screens are beside this file; what the pages can show and no table reaches fails here as well.
 * Rules and exceptions are in page/measure.ts. One of the screens alone: `--test-name-pattern`.
 */
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { after, before, describe, it } from 'node:test'
import type { Browser } from 'playwright-core'
import { STYLE } from '../../src/public-page/style.ts'
import { assertAccessible } from '../support/browser/browser.ts'
import { chromiumNeeded, openBrowser } from '../support/browser/chromium.ts'
import { type Office, startOffice } from '../support/browser/office-browser.ts'
import { ANIMAL_SCREENS } from './animal-screens.ts'
import { measureInAll } from './measuring.ts'
import { EMPTY_SCREENS, OFFICE_SCREENS } from './office-screens.ts'
import { SIGN_IN_SCREENS } from './sign-in-screens.ts'
import { fill, type Screen, type Stage, setStage } from './stage.ts'

const SRC = `${import.meta.dirname}/../../src`
const OFFICE_PAGE = `${SRC}/office/page`

describe('whatever is shown is whole, lies in the window, and can be pressed', chromiumNeeded, () => {
  let browser: Browser
  let office: Office
  let stage: Stage
  const seen = { screens: new Set<string>(), dialogs: new Set<string>() }

  before(async () => {
    browser = await openBrowser()
    office = await startOffice()
    stage = await setStage(browser, office)
  })
  after(async () => {
    await stage?.[Symbol.asyncDispose]()
    await browser?.close()
    await office?.[Symbol.asyncDispose]()
  })

  const isWhole = ({ name, reach }: Screen) =>
    it(name, async () => {
      const shown = await reach(stage)
      assert.deepEqual(await measureInAll(name, shown), [])
      await assertAccessible(shown.page)
      const { screen, dialogs } = (await shown.page.evaluate(`({
        screen: document.querySelector('main')?.dataset.screen ?? '',
        dialogs: [...document.querySelectorAll('dialog[open] :is(h1, h2)')].map((title) => title.textContent),
      })`)) as { screen: string; dialogs: string[] }
      seen.screens.add(screen)
      for (const title of dialogs) seen.dialogs.add(title)
    })

  describe('before there is anything to show', () => EMPTY_SCREENS.forEach(isWhole))

  describe('with names that are long, and many rows', () => {
    before(() => fill(office))
    for (const screens of [SIGN_IN_SCREENS, ANIMAL_SCREENS, OFFICE_SCREENS]) screens.forEach(isWhole)
  })

  it('in the dark only colours are other: each has its name, and its other value at the root', () => {
    const written = globSync(`${SRC}/**/*.{css,html,ts}`, { exclude: ['**/public-page/style.ts'] })
    const styles = [STYLE, ...written.map((file) => readFileSync(file, 'utf8'))]
    const blocks = styles.flatMap((style) => [
      ...style.matchAll(/@media screen and \(prefers-color-scheme: dark\)\s*\{\s*(.*?)\n\}/gs),
    ])
    assert.ok(blocks.length > 0, 'the dark colours are found in the styles')
    for (const [, block = ''] of blocks) {
      assert.match(
        block,
        /^:root(?::not\(\.[\w-]+\))? \{(?:\s*--[\w-]+: (?:#[0-9a-f]{3,8}|none|[^;]*rgb\([^)]*\));)+\s*\}$/,
      )
    }
  })

  it('no screen of the office and no dialog has been left out', () => {
    const names = [...readOffice('router').matchAll(/^ {2}(\w+): \{ title: '/gm)].map(([, name = '']) => name)
    assert.ok(names.length >= 8, 'the screens are found in their list')
    const titles = dialogTitles()
    assert.ok(titles.length >= 12, 'the dialogs are found in the code')
    assert.deepEqual(
      {
        screens: names.filter((name) => !seen.screens.has(name)),
        dialogs: titles.filter((title) => ![...seen.dialogs].some((shown) => title.test(shown))),
      },
      { screens: [], dialogs: [] },
    )
  })
})

/** The modules of the office's page with such a name. */
function readOffice(name: string): string {
  return globSync(`${OFFICE_PAGE}/**/${name}.{js,ts}`)
    .map((file) => readFileSync(file, 'utf8'))
    .join('\n')
}

/** The titles that the code gives to its dialogs, not what it asks the service; what is put in may be anything. */
function dialogTitles(): RegExp[] {
  const code = readOffice('*')
  const titles = code.matchAll(/\b(?:openDialog|confirm|ask|cover|showOnce)\(\s*(['`])(?!GET|POST)(.+?)\1/g)
  return [...titles].map(([, , title = '']) => {
    const plain = title.split(/\$\{[^}]*\}/).map((text) => RegExp.escape(text))
    return new RegExp(`^${plain.join('.*')}$`, 's')
  })
}
