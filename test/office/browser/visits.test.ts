/** What a visit of the office waits for: as few answers one after the other as possible. */
import assert from 'node:assert/strict'
import { before, it } from 'node:test'
import type { Request } from 'playwright-core'
import { inOffice, signIn } from '../../support/browser/office-browser.ts'

inOffice('a visit of the office', (office, browser) => {
  before(async () => {
    await office.give({ name: 'Luna', categoryId: 1 })
    await office.invite('Ada', 'operator')
    for (const step of ['name', 'import', 'people', 'keys'])
      await office.client('Ada').send('POST', `api/first-steps/${step}/skip`, {})
  })

  it('asks for the animals and the session at the same time, and for each of them once', async () => {
    const asked: string[] = []
    const animals = Promise.withResolvers<void>()
    const note = (request: Request) => {
      const { pathname } = new URL(request.url())
      asked.push(pathname)
      if (pathname === '/api/animals') animals.resolve()
    }
    await using page = await office.open(browser, 'Ada', '', {
      prepare: async (page) => {
        page.on('request', note)
        await page.route('**/api/session', async (route) => {
          await animals.promise
          await route.continue()
        })
      },
    })
    await page.locator('.row .name', { hasText: 'Luna' }).waitFor()
    for (const path of ['/api/session', '/api/animals', '/api/categories']) {
      assert.deepEqual(
        asked.filter((each) => each === path),
        [path],
      )
    }
  })

  it('that comes soon after another asks for nothing but the session and what there is', async () => {
    await using page = await office.open(browser, 'Ada')
    await page.locator('.row .name', { hasText: 'Luna' }).waitFor()
    const again = await page.context().newPage()
    await again.goto(office.url)
    await again.locator('.row .name', { hasText: 'Luna' }).waitFor()
    const loaded = await again.evaluate<string[]>(
      "[...performance.getEntriesByType('navigation'), ...performance.getEntriesByType('resource')]" +
        '.filter(({ transferSize }) => transferSize > 0).map(({ name }) => new URL(name).pathname)',
    )
    assert.deepEqual(loaded.sort(), ['/api/animals', '/api/categories', '/api/session'])
  })

  it('of nobody who is signed in shows the animals as they are after the sign-in', async () => {
    const signedIn = Promise.withResolvers<void>()
    await using page = await office.open(browser, 'Ada', '', {
      storageState: { cookies: [], origins: [] },
      // The title of the form is not that of a screen.
      prepare: async (page) => void page.once('load', () => signedIn.resolve(signIn(page, 'Ada'))),
    })
    await signedIn.promise
    await page.locator('.row .name', { hasText: 'Luna' }).waitFor()
  })
})
