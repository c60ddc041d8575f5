/** Names of any length, script and direction at the front desk. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { isTooWide, keepPicture, openPage, PHONE } from '../support/browser/browser.ts'
import { chromiumNeeded } from '../support/browser/chromium.ts'
import { addOnPage, type FrontDesk, startFrontDesk } from '../support/browser/front-desk.ts'

/** The body of a request may have 64 KiB. */
const LONGEST = 65_000
/** Each name and the initial beside it. */
const INITIALS = [
  ['Luna', 'L'],
  ['  “Mia” the cat', 'M'],
  ['🐕 Rex', 'R'],
  ['éclair', 'É'],
  ['e\u0301clair', 'E\u0301'],
  ['7 of nine', '7'],
  ['שלום', 'ש'],
  ['𝒜lpha', '𝒜'],
  ['🐕', '🐕'],
  ['\u202e\u200b', '?'],
] as const

describe('names at the front desk', chromiumNeeded, () => {
  let desk: FrontDesk
  before(async () => {
    desk = await startFrontDesk()
  })
  after(() => desk?.[Symbol.asyncDispose]())

  const addPet = async (name: string) => {
    const { status } = await desk.add(JSON.stringify({ name, categoryId: 1, status: 'available' }))
    assert.equal(status, 201)
  }

  for (const [viewport, what] of [
    [undefined, 'a desktop'],
    [PHONE, 'a phone'],
  ] as const) {
    it(`take no more than a few lines of ${what}, however long they are`, async () => {
      for (const sign of ['x', 'long name ', 'Z\u0301\u0302\u0303\u0304', '\n', '😀']) {
        await addPet(`A${sign.repeat(LONGEST / Buffer.byteLength(JSON.stringify(sign)))}`)
      }
      await using opened = await openPage(desk.browser, desk.url, viewport && { viewport })
      const { page } = opened
      await desk.enter(page)
      await addOnPage(page, 'y'.repeat(LONGEST))
      await page.locator('#outbox', { hasText: 'was added with number' }).waitFor()
      await page.locator('#look-up-id').fill(String((await desk.newest('?limit=1'))[0]?.id))
      await page.locator('#look-up-id').press('Enter')
      await page.locator('#found .name').waitFor()
      const lists = ['#animals > li', '#outbox > li', '#found > li']
      for (const item of await page.locator(lists.join(', ')).all()) {
        const height = (await item.boundingBox())?.height ?? 0
        assert.ok(height > 0 && height < 200, `an entry is ${height} pixels high`)
      }
      assert.ok((await page.getByRole('status').innerText()).length < 200, 'what is announced is short')
      assert.equal(await isTooWide(page), false)
      await keepPicture(page, `front-desk-long-${viewport ? 'phone' : 'desktop'}`)
      opened.assertClean()
    })
  }

  it('have their own direction, and leave that of the text around them alone', async () => {
    await addPet('כלב קטן (7)')
    await addPet('\u202eturned around')
    await using opened = await openPage(desk.browser, desk.url)
    const { page } = opened
    await desk.enter(page)
    const directionOf = (name: string) =>
      page
        .locator('#animals .name', { hasText: name })
        .evaluate((element) => `${(globalThis as unknown as Styles).getComputedStyle(element).direction}`)
    assert.equal(await directionOf('כלב קטן'), 'rtl')
    assert.equal(await directionOf('turned around'), 'ltr')
    await addOnPage(page, 'قطة')
    await page.locator('#outbox', { hasText: /^\s*“\u2068قطة\u2069” was added with number \d+\.\s*$/ }).waitFor()
    assert.equal(await page.locator('#add-name').getAttribute('dir'), 'auto')
    opened.assertClean()
  })

  it('have their first letter as initial; without one their first sign, or a question mark', async () => {
    for (const [name] of INITIALS) await addPet(name)
    await using opened = await openPage(desk.browser, desk.url)
    const { page } = opened
    await desk.enter(page)
    const shown = await page.locator('#animals .initial').allTextContents()
    assert.deepEqual(shown.slice(0, INITIALS.length), INITIALS.map(([, initial]) => initial).toReversed())
    await keepPicture(page, 'front-desk-initials')
    opened.assertClean()
  })
})

interface Styles {
  getComputedStyle(element: unknown): { readonly direction: string }
}
