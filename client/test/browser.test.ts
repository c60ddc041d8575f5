/** The packed client in a real browser, on a page of one origin that calls the service on another (O24). */
import assert from 'node:assert/strict'
import { readdir, readFile } from 'node:fs/promises'
import { before, describe, it } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { chromiumNeeded, openBrowser } from '../../test/support/browser/chromium.ts'
import { startService } from '../../test/support/service.ts'
import { installPackage } from './support/package.ts'
import { json, type ScriptedServer, serve } from './support/server.ts'

interface Outcome {
  readonly rateLimit: { readonly limit: number; readonly remaining: number } | null
  readonly results: readonly string[]
}

/** With what the browser's console says. */
interface Logged extends Outcome {
  readonly logged: readonly string[]
}

describe('in a browser', chromiumNeeded, () => {
  let modules: ReadonlyMap<string, string>
  before(async () => {
    modules = await packedModules()
  })

  it('calls the service across origins: int64 exact, limits, pages and errors visible (R5, R15, O6, O24)', async () => {
    await using desk = await servePage(modules)
    await using service = await startService({
      args: ['--cors-origin', new URL(desk.baseUrl).origin, '--page-links'],
      operatorPort: 'none',
    })
    const { key } = await service.issueKey('free')
    const { rateLimit, results } = await inPage(desk, service.baseUrl, key)
    assert.deepEqual(results, [
      'created 9223372036854775807',
      'listed 9223372036854775807',
      'fetched 9223372036854775807',
      'PetAdoptionError not_found 404',
      'PetAdoptionError unauthorized 401',
      'paged 2',
    ])
    assert.equal(rateLimit?.limit, 60)
    assert(rateLimit.remaining >= 50 && rateLimit.remaining < 60, `${rateLimit.remaining} remaining`)
  })

  it('sees a failed connection if the service does not allow the origin (O24)', async () => {
    await using desk = await servePage(modules)
    await using service = await startService({ operatorPort: 'none' })
    const { key } = await service.issueKey()
    const { rateLimit, results } = await inPage(desk, service.baseUrl, key)
    assert.deepEqual([...new Set(results)], ['NetworkError undefined undefined'])
    assert.equal(rateLimit, null)
  })

  it('warns on the console, once, of an operation that is going to be removed (R12)', async () => {
    await using desk = await servePage(modules)
    const sunset = { Sunset: 'Thu, 05 Dec 2030 00:00:00 GMT', 'Access-Control-Expose-Headers': 'Sunset' }
    await using server = await serveAcross((isGet) => (isGet ? sunset : {}))
    const { logged } = await inPage(desk, server.baseUrl, 'key')
    assert.deepEqual(
      logged.filter((text) => text.startsWith('DeprecationWarning')),
      [
        'DeprecationWarning: GET /pets/{petId} is deprecated, and removed on Thu, 05 Dec 2030 00:00:00 GMT, says the pet adoption service',
      ],
    )
  })
})

const REX = '{"id":7,"name":"Rex","categoryId":9223372036854775807}'

/** The modules of the packed client by their paths on the page's server. */
async function packedModules(): Promise<ReadonlyMap<string, string>> {
  await using installed = await installPackage()
  const names = (await readdir(`${installed.folder}/dist`)).filter((name) => name.endsWith('.js'))
  const read = async (name: string) =>
    [`/client/${name}`, await readFile(`${installed.folder}/dist/${name}`, 'utf8')] as const
  return new Map(await Promise.all(names.map(read)))
}

/** A service that any page may call, with an animal; `more` are headers of its answers. */
function serveAcross(more: (isGet: boolean) => Record<string, string>): Promise<ScriptedServer> {
  return serve((request, response) => {
    const allow = { 'Access-Control-Allow-Origin': '*', 'Access-Control-Allow-Headers': 'authorization,content-type' }
    if (request.method === 'OPTIONS') return response.writeHead(204, allow).end()
    const isGet = request.url?.startsWith('/v1/pets/') === true
    const isPost = request.method === 'POST'
    json(isPost ? 201 : 200, isGet || isPost ? REX : `[${REX}]`, { ...allow, ...more(isGet) })(request, response)
  })
}

/** A web server with an empty page and the client's modules beside it. */
function servePage(modules: ReadonlyMap<string, string>): Promise<ScriptedServer> {
  return serve((request, response) => {
    const code = modules.get(request.url ?? '')
    response.setHeader('Content-Type', code === undefined ? 'text/html' : 'text/javascript')
    response.end(code ?? '<!doctype html><title>desk</title>')
  })
}

async function inPage(desk: ScriptedServer, baseUrl: string, apiKey: string): Promise<Logged> {
  const browser: Browser = await openBrowser()
  try {
    const page: Page = await browser.newPage()
    const logged: string[] = []
    page.on('console', (message) => logged.push(message.text()))
    await page.goto(new URL('/', desk.baseUrl).href)
    return { ...(await page.evaluate(callService, { baseUrl, apiKey })), logged }
  } finally {
    await browser.close()
  }
}

/** Runs in the page. */
async function callService({ baseUrl, apiKey }: { baseUrl: string; apiKey: string }): Promise<Outcome> {
  const path = '/client/index.js'
  const { PetAdoption } = (await import(path)) as typeof import('../src/index.ts')
  const client = new PetAdoption({ baseUrl, apiKey, maxAttempts: 1 })
  const stranger = new PetAdoption({ baseUrl, apiKey: 'nobody', maxAttempts: 1 })
  let id = 7n
  const calls: [string, () => Promise<bigint | undefined>][] = [
    [
      'created',
      async () => {
        await client.createPet({ name: 'Max', categoryId: 9223372036854775807n })
        const pet = await client.createPet({ name: 'Rex', categoryId: 9223372036854775807n })
        id = pet.id
        return pet.categoryId
      },
    ],
    ['listed', async () => (await client.listPets({ limit: 1 }))[0]?.categoryId],
    ['fetched', async () => (await client.getPet(id)).categoryId],
    ['missing', async () => (await client.getPet(-1)).categoryId],
    ['refused', async () => (await stranger.listPets())[0]?.categoryId],
    [
      'paged',
      async () => {
        let count = 0n
        for await (const _ of client.pages({ limit: 1 })) count += 1n
        return count
      },
    ],
  ]
  const results: string[] = []
  for (const [name, call] of calls) {
    const told = ({ name, code, status }: { name: string; code?: string; status?: number }) =>
      `${name} ${code} ${status}`
    results.push(await call().then((value) => `${name} ${value}`, told))
  }
  const { rateLimit } = client
  return { rateLimit: rateLimit ? { limit: rateLimit.limit, remaining: rateLimit.remaining } : null, results }
}
