/** The office in a real browser, over the real service: people with passphrases, and pages on which they have signed in. */
import assert from 'node:assert/strict'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import type { AnimalPage, Role, Session } from '../../src/operator/office-data.ts'
import { openPage, type Watched } from './browser.ts'
import { chromiumNeeded } from './chromium.ts'
import { postgresNeeded, startPostgres } from './postgres.ts'
import { pets, type RunningService, startService } from './service.ts'

export const PASSPHRASE = 'four words of a test'
/** Chromium itself reports each answer from 400 up, and each request without an answer, on the console. */
export const REPORTED = /status of [45]\d\d|net::ERR_/

/** What an animal is when somebody has just added it. */
export interface Given {
  readonly name: string
  readonly categoryId: number
  readonly status?: string
}

export interface Office extends AsyncDisposable {
  readonly service: RunningService
  readonly url: string
  /** Prints no link: somebody of this role, who has accepted the invitation. */
  invite(name: string, role: Role): Promise<void>
  /** The link of an invitation that nobody has accepted. */
  link(name: string, role: Role): Promise<string>
  /** A page on which this person has signed in. */
  open(browser: Browser, name: string, hash?: string, options?: BrowserContextOptions): Promise<Watched>
  /** A client of the office without a browser. */
  client(name: string): Promise<Client>
  /** Adds animals as the interface's clients do; resolves to their ids. */
  give(...animals: readonly Given[]): Promise<string[]>
}

export interface Client {
  get<T>(path: string): Promise<T>
  send<T>(method: string, path: string, body: unknown): Promise<T>
}

/** The engines on which people's work is tried. */
export const officeEngines = [
  { name: 'SQLite', needed: chromiumNeeded, start: () => startOffice() },
  { name: 'PostgreSQL', needed: { skip: chromiumNeeded.skip || postgresNeeded.skip }, start: startOnPostgres },
] as const

async function startOnPostgres(): Promise<Office> {
  const postgres = await startPostgres()
  const office = await startOffice([], await postgres.createDatabase())
  const stop = async () => {
    await office[Symbol.asyncDispose]()
    await postgres.stop()
  }
  return { ...office, [Symbol.asyncDispose]: stop }
}

export async function startOffice(args: readonly string[] = [], database?: string): Promise<Office> {
  const service = await startService({
    args: ['--office', '--pages', ...args],
    ...(database === undefined ? {} : { database }),
  })
  const port = args[args.indexOf('--operator-port') + 1]
  const url = args.includes('--operator-port') ? `http://127.0.0.1:${port}/` : `${service.operatorUrl}/`
  let key: string | undefined

  const link = async (name: string, role: Role) => {
    const invited = await pets(['people', 'invite', name, '--role', role, '--database', service.database, '--json'])
    assert.equal(invited.code, 0, invited.stderr)
    const { hash } = new URL((JSON.parse(invited.stdout) as { link: string }).link)
    return `${url}${hash}`
  }
  const post = (path: string, body: unknown) =>
    fetch(`${url}${path}`, {
      method: 'POST',
      headers: { origin: new URL(url).origin, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })

  return {
    service,
    url,
    link,
    async invite(name, role) {
      const invitation = (await link(name, role)).replace(/^.*=/, '')
      const accepted = await post('api/invitation', { invitation, passphrase: PASSPHRASE })
      assert.equal(accepted.status, 200, await accepted.text())
    },
    async open(browser, name, hash = '', options = {}) {
      const opened = await openPage(browser, `${url}${hash}`, { expected: REPORTED, ...options })
      await signIn(opened.page, name)
      return opened
    },
    async client(name) {
      const answer = await post('api/session', { name, passphrase: PASSPHRASE })
      const { token } = (await answer.json()) as Session
      const cookie = answer.headers.get('set-cookie')?.split(';')[0] ?? ''
      const headers = {
        cookie,
        origin: new URL(url).origin,
        'x-session-token': token,
        'content-type': 'application/json',
      }
      const read = async <T>(asked: Response): Promise<T> => {
        assert.ok(asked.ok, await asked.clone().text())
        return (await asked.json()) as T
      }
      return {
        get: async (path) => read(await fetch(`${url}${path}`, { headers })),
        send: async (method, path, body) =>
          read(await fetch(`${url}${path}`, { method, headers, body: JSON.stringify(body) })),
      }
    },
    async give(...animals) {
      key ??= (await service.issueKey('enterprise', ['--per-minute', '100000', '--per-day', '1000000'])).key
      const ids: string[] = []
      for (const animal of animals) {
        const added = await fetch(`${service.baseUrl}/pets`, {
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

export async function signIn(page: Page, name: string): Promise<void> {
  const cover = page.locator('dialog.cover')
  await cover.getByLabel('Name').fill(name)
  await cover.getByLabel('Passphrase').fill(PASSPHRASE)
  await cover.getByRole('button', { name: 'Sign in' }).click()
  await cover.waitFor({ state: 'detached' })
}

/** The status of an animal as the office's server has it. */
export async function statusOf(client: Client, id: string): Promise<string | null | undefined> {
  const { animals } = await client.get<AnimalPage>(`api/animals?text=${id}`)
  return animals.find((animal) => animal.id === id)?.status
}
