/**
 * The office in a real browser over the real service. Pages start with the person's session; the sign-in has its own
 * tests.
 */
import assert from 'node:assert/strict'
import { after, before, beforeEach, describe } from 'node:test'
import type { Browser, Locator, Page, Request } from 'playwright-core'
import type { Animal, AnimalPage, Role } from '../../../src/office/office-data.ts'
import { openPage, type PageOptions } from '../../support/browser/browser.ts'
import { chromiumNeeded, openBrowser } from '../../support/browser/chromium.ts'
import { enterOffice, invite, PASSPHRASE, type SignedInClient } from '../../support/office-client.ts'
import { type RunningService, type ServiceOptions, startService } from '../../support/service.ts'
import { dayWith } from '../../support/until.ts'

/** Chromium reports each failed request on the console. */
export const REPORTED = /status of [45]\d\d|net::ERR_/

interface Given {
  readonly name: string
  readonly categoryId: number
  readonly status?: string
}

export interface Office extends AsyncDisposable {
  readonly service: RunningService
  readonly url: string
  /** Someone with this role who has accepted the invite. */
  invite(name: string, role: Role): Promise<void>
  /** An unused invite link. */
  link(name: string, role: Role): Promise<string>
  /** A page on which this person is signed in. */
  open(browser: Browser, name: string, hash?: string, options?: PageOptions): Promise<Page>
  /** The same session without a browser. */
  client(name: string): Client
  name(person: string, ...labels: readonly string[]): Promise<void>
  /** Adds animals through the API; returns their ids. */
  give(...animals: readonly Given[]): Promise<string[]>
}

export interface Client {
  get<T>(path: string): Promise<T>
  send<T>(method: string, path: string, body: unknown): Promise<T>
}

type OfficeSettings = Pick<ServiceOptions, 'args' | 'database' | 'operatorPort'>

const TEST_MS = 240_000

/** A suite with its own office, on SQLite, and its own browser. */
export function inOffice(
  title: string,
  suite: (office: Office, browser: Browser) => void,
  settings: () => Promise<OfficeSettings> = async () => ({}),
): void {
  describe(title, chromiumNeeded, () => {
    let office: Office | undefined
    let browser: Browser | undefined
    before(async () => {
      office = await startOffice(await settings())
      browser = await openBrowser()
    })
    // Keeps "today" the same during a test.
    beforeEach(() => dayWith(TEST_MS))
    suite(
      later(() => office),
      later(() => browser),
    )
    after(async () => {
      await browser?.close()
      await office?.[Symbol.asyncDispose]()
    })
  })
}

/** Goes to another screen and waits for it, so that nothing is found on the screen before. */
export async function go(page: Page, to: string | Locator): Promise<void> {
  const title = page.locator('main h1')
  const before = await title.elementHandle()
  if (typeof to === 'string') await page.goto(new URL(to, page.url()).href)
  else await to.click()
  await before?.waitForElementState('hidden')
  await title.waitFor()
}

/** Chooses an entry of a menu; `of` begins the menu's name, and is empty for the screen's. */
export async function act(page: Page, of: string, word: string): Promise<void> {
  const name = of === '' ? 'Actions' : new RegExp(`^Actions, ${of}`)
  await page.getByRole('button', { name, exact: true }).first().click()
  await page.getByRole('menuitem', { name: word, exact: true }).click()
}

/** Holds responses to these requests until the returned function is called, which waits until the page has them. */
export async function holdAnswers(
  page: Page,
  url: string | RegExp,
  method: string = 'GET',
): Promise<() => Promise<void>> {
  const [first, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const held: Request[] = []
  await page.route(url, async (route) => {
    if (route.request().method() !== method) return route.fallback()
    const response = await route.fetch()
    held.push(route.request())
    first.resolve()
    await released.promise
    await route.fulfill({ response })
  })
  return async () => {
    released.resolve()
    await first.promise
    for (const request of held) await (await request.response())?.finished()
    await page.evaluate('new Promise(requestAnimationFrame)')
  }
}

/** Stops the page's polling, as in a hidden tab. */
export function letRest(page: Page): Promise<unknown> {
  return page.evaluate("Object.defineProperty(document, 'hidden', { value: true, configurable: true })")
}

/** Waits until the page has the next such response. */
export async function answered(page: Page, url: RegExp): Promise<void> {
  await (await page.waitForResponse(url)).finished()
  await page.evaluate('new Promise(requestAnimationFrame)')
}

/** Lets a suite name what a hook starts later. */
function later<T extends object>(started: () => T | undefined): T {
  return new Proxy({} as T, {
    get(_none, member) {
      const it = started()
      assert(it !== undefined, 'this is started by a hook of the suite')
      const value = Reflect.get(it, member)
      return typeof value === 'function' ? value.bind(it) : value
    },
  })
}

export async function startOffice(settings: OfficeSettings = {}): Promise<Office> {
  const service = await startService({ ...settings, args: ['--office', '--pages', ...(settings.args ?? [])] })
  const url = `${service.operatorUrl}/`
  const people = new Map<string, SignedInClient>()
  let key: string | undefined

  const person = (name: string) => {
    const found = people.get(name)
    assert(found !== undefined, `${name} has not been invited`)
    return found
  }
  const read = async <T>(name: string, method: string, path: string, body?: unknown) => {
    const { status, json, body: text } = await person(name).ask<T>(method, `/${path}`, body)
    assert.ok(status < 300, text)
    return json
  }

  return {
    service,
    url,
    link: async (name, role) => `${url}#invitation=${await invite(service, name, role)}`,
    async invite(name, role) {
      people.set(name, await enterOffice(service, role, name))
    },
    async open(browser, name, hash = '', options = {}) {
      const [cookie = '', value = ''] = person(name).cookie.split('=')
      const kept = { name: cookie, value, domain: '127.0.0.1', path: '/', expires: -1 }
      const storageState = {
        cookies: [{ ...kept, httpOnly: true, secure: false, sameSite: 'Strict' } as const],
        origins: [],
      }
      const page = await openPage(browser, `${url}${hash}`, { expected: REPORTED, storageState, ...options })
      await page.locator('main h1').waitFor()
      return page
    },
    client: (name) => ({
      get: (path) => read(name, 'GET', path),
      send: (method, path, body) => read(name, method, path, body),
    }),
    async name(by, ...labels) {
      const names = labels.map((label, n) => ({ id: String(n + 1), label }))
      await read(by, 'PUT', 'api/categories', { names })
    },
    async give(...animals) {
      key ??= (await service.issueKey('enterprise', { perMinute: 100_000, perDay: 1_000_000 })).key
      const ids: string[] = []
      for (const animal of animals) {
        const added: Response = await fetch(`${service.baseUrl}/pets`, {
          method: 'POST',
          headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
          body: JSON.stringify(animal),
        })
        assert.equal(added.status, 201)
        ids.push(String(((await added.json()) as { id: number }).id))
      }
      return ids
    },
    [Symbol.asyncDispose]: () => service[Symbol.asyncDispose](),
  }
}

export async function signIn(page: Page, name: string, passphrase = PASSPHRASE): Promise<void> {
  const cover = page.locator('dialog.cover')
  await cover.getByLabel('Name').fill(name)
  await cover.getByLabel('Passphrase').fill(passphrase)
  await cover.getByRole('button', { name: 'Sign in' }).click()
  await cover.waitFor({ state: 'detached' })
}

export async function statusOf(client: Client, id: string): Promise<string | null | undefined> {
  const { animals } = await client.get<AnimalPage>(`api/animals?text=${id}`)
  return animals.find((animal) => animal.id === id)?.status
}

export async function setStatus(client: Client, id: string, status: string | null): Promise<void> {
  const { animal } = await client.get<{ animal: Animal }>(`api/animals/${id}`)
  await client.send('POST', 'api/animals/acts', { act: 'edit', animals: [{ id, version: animal.version }], status })
}

/** The notification with these words. */
export function toast(page: Page, text: string | RegExp): Locator {
  return page.locator('.toast', { hasText: text })
}

/** Waits until the list has loaded. */
export function isListed(page: Page): Promise<void> {
  return page.locator('.list:not(.waiting)').waitFor()
}
