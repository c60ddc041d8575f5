/** The office's guide and its pictures, which PETS_TEST_GUIDE=1 takes and stores in `docs/images`. */
import assert from 'node:assert/strict'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { before, it } from 'node:test'
import type { Locator, Page } from 'playwright-core'
import { assertAccessible, isTooWide, PHONE } from '../../support/browser/browser.ts'
import { temporaryFolder } from '../../support/folder.ts'
import { type Client, go, inOffice } from './office-browser.ts'

const DOCS = resolve(import.meta.dirname, '../../../docs')
const IMAGES = process.env.PETS_TEST_GUIDE === '1' ? join(DOCS, 'images') : temporaryFolder()
const SIZE = { width: 1320, height: 700 }
const MARGIN = 16
const STATUSES = ['available', 'pending', 'available', 'sold']

inOffice('the office’s guide', (office, browser) => {
  let mia: Client
  let luna = ''

  before(async () => {
    await office.invite('Sam', 'staff')
    await office.invite('Mia', 'manager')
    mia = office.client('Mia')
    await office.name('Mia', 'Cats', 'Dogs', 'Dormice')
    await mia.send('PUT', 'api/shelter', { name: 'Harbour Street Shelter' })
    const others = ['Mochi', 'Señor Gato', 'Rosie', 'Ólafur', 'Peaches', 'Thumper', 'Zorro', 'Daisy Mae', 'Kiwi']
    await office.give(
      ...others.map((name, n) => ({ name, categoryId: (n % 3) + 1, status: STATUSES[n % 4] ?? 'available' })),
    )
    const [id = ''] = await office.give(
      { name: 'Luna', categoryId: 1, status: 'available' },
      { name: 'Ludwig', categoryId: 2, status: 'sold' },
      { name: 'Bruno', categoryId: 2, status: 'available' },
      { name: 'Lulu', categoryId: 3, status: 'pending' },
    )
    luna = id
  })

  const take = async (page: Page, name: string, ...shown: Locator[]) => {
    const boxes = await Promise.all(shown.map((each) => each.boundingBox()))
    const sides = boxes.flatMap((box) => (box ? [[box.x, box.y, box.x + box.width, box.y + box.height] as const] : []))
    assert.equal(sides.length, shown.length, 'all of it is shown')
    const [x, y] = [0, 1].map((at) => Math.min(...sides.map((side) => side[at] ?? 0)) - MARGIN) as [number, number]
    const [right, bottom] = [2, 3].map((at) => Math.max(...sides.map((side) => side[at] ?? 0)) + MARGIN)
    const clip = { x, y, width: (right ?? 0) - x, height: (bottom ?? 0) - y }
    writeFileSync(join(IMAGES, `${name}.png`), await page.screenshot({ clip, animations: 'disabled' }))
  }
  const begin = async (hash: string) => {
    const page = await office.open(browser, 'Sam', hash, { viewport: SIZE })
    await page.emulateMedia({ reducedMotion: 'reduce' })
    return page
  }

  it('has current pictures of what it describes', async () => {
    await using page = await begin('#animals')
    const rows = page.locator('.row:not(.head)')
    await rows.nth(12).waitFor()
    writeFileSync(join(IMAGES, 'office-animals.png'), await page.screenshot({ animations: 'disabled' }))
    await page.getByRole('searchbox').fill('lu')
    await rows.nth(3).waitFor({ state: 'detached' })
    await take(page, 'guide-find', page.getByRole('searchbox'), rows.last())
    const cat = rows.filter({ hasText: 'Luna' })
    await cat.getByRole('button', { name: 'Available' }).click()
    await page.getByRole('menuitemradio', { name: 'Pending' }).hover()
    await take(page, 'guide-status', page.locator('.row.head'), page.getByRole('menu'))
    await page.getByRole('menuitemradio', { name: 'Pending' }).click()
    await page.locator('.toast').waitFor()
    await go(page, '#add')
    await page.getByLabel('Name').fill('Bella')
    const category = page.getByRole('combobox', { name: 'Category' })
    await category.pressSequentially('do')
    await page.getByRole('option', { name: 'Dogs' }).waitFor()
    await take(page, 'guide-add', page.locator('main form'), page.getByRole('listbox'))
    await mia.send('PATCH', `api/animals/${luna}`, { version: await versionOf(luna), name: 'Luna II' })
    await page.keyboard.press('Escape')
    await page.getByLabel('Name').fill('')
    await go(page, `#animal/${luna}`)
    const history = page.locator('section', { has: page.getByRole('heading', { name: 'History' }) })
    await history.getByRole('button', { name: 'Undo' }).waitFor()
    await history.scrollIntoViewIfNeeded()
    await take(page, 'guide-history', history)
  })

  it('has exactly the pictures that were taken', () => {
    const named = [...readFileSync(join(DOCS, 'office.md'), 'utf8').matchAll(/\]\(images\/(.*?)\.png\)/g)]
    const names = named.map(([, name]) => name ?? '')
    assert.deepEqual(names, ['guide-find', 'guide-status', 'guide-add', 'guide-history'])
    for (const name of names) assert.ok(existsSync(join(IMAGES, `${name}.png`)), name)
  })

  it('is in the office for everyone, complete and without outside content', async () => {
    await using page = await office.open(browser, 'Sam', '#animals')
    const asked: string[] = []
    page.on('request', (request) => asked.push(request.url()))
    await go(page, page.getByRole('link', { name: 'Guide' }).first())
    await page.getByRole('heading', { name: 'Your first ten minutes' }).waitFor()
    await page.getByRole('heading', { name: 'For operators' }).waitFor()
    assert.equal(await page.getByRole('heading', { level: 1 }).count(), 1)
    const pictures = page.locator('article img')
    assert.equal(await pictures.count(), 4)
    for (const picture of await pictures.all()) {
      const width = await picture.evaluate(async (image) => {
        const shown = image as unknown as { decode(): Promise<void>; naturalWidth: number }
        await shown.decode()
        return shown.naturalWidth
      })
      assert.ok(width > 100)
    }
    assert.equal(await page.locator('article a').count(), 0)
    for (const url of asked) if (!url.startsWith('data:')) assert.equal(new URL(url).origin, new URL(office.url).origin)
    await assertAccessible(page)
    await page.setViewportSize(PHONE)
    assert.ok(!(await isTooWide(page)))
  })

  const versionOf = async (id: string) =>
    (await mia.get<{ animal: { version: string } }>(`api/animals/${id}`)).animal.version
})
