/** What the office prints: PDFs of a real browser, and the print view of its pages. */
import assert from 'node:assert/strict'
import { before, it } from 'node:test'
import type { Page } from 'playwright-core'
import { act, go, inOffice, toast } from './office-browser.ts'

const DARK = { colorScheme: 'dark' } as const
/** In a browser where it is still yesterday: arrival dates are in the shelter's time zone. */
const BEHIND = { ...DARK, timezoneId: 'Pacific/Pago_Pago' }
const today = () =>
  new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'long', year: 'numeric' }).format(Date.now())
const PAPER = { width: 688, height: 1_016 }
const LONG = [
  'Sir Barksalot of the Old Harbour Road',
  'x'.repeat(300),
  'W'.repeat(180),
  'W'.repeat(400),
  'Maximiliane Freifrau von und zu Hohenstein-Waldeck, '.repeat(6),
]

inOffice('print', (office, browser) => {
  before(() => office.invite('Olga', 'operator'))

  /** Replaces the browser's print dialog, which a test cannot close. One language tag is invalid. */
  const open = (hash: string, options: object = DARK) =>
    office.open(browser, 'Olga', hash, {
      ...options,
      prepare: async (page) => {
        await page.addInitScript('window.print = () => {}')
        await page.addInitScript(`Object.defineProperty(navigator, 'languages', { value: ['en-GB@posix', 'en-GB'] })`)
      },
    })

  const pagesOf = async (page: Page, format: object = { format: 'A4' }) =>
    (await page.pdf(format)).toString('latin1').match(/\/Type \/Page\b/g)?.length

  /** The printed lines, what could not be printed, and what is not black on white. */
  const onPaper = async (page: Page) => {
    const shown = page.viewportSize()
    await page.setViewportSize(PAPER)
    await page.emulateMedia({ media: 'print' })
    await page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))')
    const paper = (await page.evaluate(`(() => {
      const all = [...document.body.querySelectorAll('*')].filter((element) => element.checkVisibility())
      const ofText = all.filter((element) => [...element.childNodes].some((node) => node instanceof Text && node.data.trim() !== ''))
      return {
        lines: document.body.innerText.split('\\n').map((line) => line.trim()).filter((line) => line !== ''),
        controls: all.filter((element) => element.matches('#navigation, #thumb, button:not(.status, .link), .toast, input, select')).map((element) => element.textContent),
        cut: all.filter((element) => element.getBoundingClientRect().right > innerWidth + 1).map((element) => element.className),
        grey: ofText.filter((element) => /rgb\\((\\d+), (\\d+), (\\d+)\\)/.exec(getComputedStyle(element).color).slice(1).some((part) => part > 60)).map((element) => element.className + element.textContent),
        ground: getComputedStyle(document.body).backgroundColor,
      }
    })()`)) as { lines: string[]; controls: string[]; cut: string[]; grey: string[]; ground: string }
    await page.emulateMedia({ media: null })
    if (shown !== null) await page.setViewportSize(shown)
    const { lines, ...faults } = paper
    assert.deepEqual(faults, { controls: [], cut: [], grey: [], ground: 'rgb(255, 255, 255)' })
    return lines
  }

  const printAll = async (page: Page) => {
    await act(page, '', 'Print list')
    await page.locator('.paper').waitFor({ state: 'attached' })
  }

  it('contains every match in its order, not only the page', async () => {
    await office.give(
      ...Array.from({ length: 120 }, (_, n) => {
        return { name: `Printed ${n}`, categoryId: 4, status: n % 2 === 0 ? 'sold' : 'pending' }
      }),
      { name: 'Another', categoryId: 4, status: 'sold' },
    )
    await using page = await open('#animals?text=printed&status=sold')
    await page.getByRole('button', { name: 'Next' }).click()
    await page.getByText('26–50 of 60').waitFor()
    await printAll(page)
    const lines = await onPaper(page)
    const printed = lines.map((line) => /^Printed \d+/.exec(line)?.[0]).filter((name) => name !== undefined)
    assert.deepEqual(
      printed,
      Array.from({ length: 60 }, (_, n) => `Printed ${118 - 2 * n}`),
    )
    assert.ok(lines.includes('Sold, with “printed”, best match first'), lines.slice(0, 4).join('\n'))
    assert.match(lines.slice(0, 4).join(' '), /60 animals\. As of \d+ \w+ 20\d\d at \d\d:\d\d\./)
    assert.ok(((await pagesOf(page)) ?? 0) > 1)
    assert.equal(await page.locator('.paper').count(), 0, 'what was printed does not stay')
  })

  it('contains at most a thousand animals and says that there are more', async () => {
    await office.give(...Array.from({ length: 1_001 }, (_, n) => ({ name: `Many ${n}`, categoryId: 5 })))
    await using page = await open('#animals?text=many&sort=name')
    await page.getByText('1–25 of 1,001').waitFor()
    await printAll(page)
    const lines = await onPaper(page)
    assert.equal(lines.filter((line) => line.startsWith('Many ')).length, 1_000)
    assert.match(lines.join('\n'), /the first 1,000 of 1,001 animals\. Search or filter/)
  })

  it('contains a cage card per page for selected or matching animals, up to a limit', async () => {
    await office.give(...Array.from({ length: 70 }, (_, n) => ({ name: `Kennel ${n}`, categoryId: 6, status: 'sold' })))
    await using page = await open('#animals?text=kennel&sort=newest')
    await page.getByLabel('Select Kennel 69,').check()
    await page.getByRole('button', { name: 'Next' }).click()
    await page.getByLabel('Select Kennel 44,').check()
    await act(page, 'selected animals', 'Print cage cards')
    await page.locator('.paper .cage').nth(1).waitFor({ state: 'attached' })
    const lines = await onPaper(page)
    assert.deepEqual(
      lines.filter((line) => /^(Kennel|Here since)/.test(line)).map((line) => line.slice(0, 10)),
      ['Kennel 69', 'Here since', 'Kennel 44', 'Here since'],
    )
    assert.equal(await pagesOf(page), 2)
    await page.getByRole('button', { name: 'Clear', exact: true }).click()
    await act(page, '', 'Print cage cards')
    await page.locator('.paper .cage').nth(69).waitFor({ state: 'attached' })
    assert.equal(await pagesOf(page), 70)
    await office.give(...Array.from({ length: 431 }, (_, n) => ({ name: `Kennel, more ${n}`, categoryId: 6 })))
    await act(page, '', 'Print cage cards')
    await toast(page, 'At most 500 cards can be printed.').waitFor()
  })

  it('fits one animal’s card on one page, with a large name, on any paper', async () => {
    const ids = await office.give(...['Luna', ...LONG].map((name) => ({ name, categoryId: 9, status: 'pending' })))
    await using page = await open(`#animal/${ids[0]}`, BEHIND)
    await page.getByRole('button', { name: 'Actions' }).waitFor()
    const [since = '', ...lines] = (await onPaper(page)).toReversed()
    assert.deepEqual(lines.toReversed(), ['Luna', 'category 9'])
    assert.equal(since, `Here since ${today()}`)
    await page.emulateMedia({ media: 'print' })
    const size = 'Number.parseFloat(getComputedStyle(document.querySelector(".cage-name")).fontSize) / innerHeight'
    assert.ok(Number(await page.evaluate(size)) > 0.1, 'the name is a tenth as high as the paper')
    await page.emulateMedia({ media: null })
    for (const id of ids.toReversed()) {
      await go(page, `#animal/${id}`)
      await page.getByText(`Number ${id},`).waitFor()
      await onPaper(page)
      for (const format of ['A4', 'A5', 'Letter']) {
        for (const landscape of [false, true]) {
          assert.equal(await pagesOf(page, { format, landscape }), 1, `${format} ${landscape} ${id}`)
        }
      }
    }
  })

  it('shows any screen without its controls', async () => {
    await office.give(...Array.from({ length: 26 }, (_, n) => ({ name: `Paged ${n}`, categoryId: 8 })))
    await using page = await open('#animals', BEHIND)
    await page.getByText('1–25 of').waitFor()
    const lines = await onPaper(page)
    assert.match(lines.join('\n'), /1–25 of /)
    assert(lines.includes('0 days'))
    for (const screen of ['import', 'keys', 'people', 'journal', 'dashboard']) {
      await go(page, `#${screen}`)
      await page.locator(`main[data-screen="${screen}"] h1`).waitFor()
      assert.ok((await onPaper(page)).length > 0, screen)
    }
  })
})
