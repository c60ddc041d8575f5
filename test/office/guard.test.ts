/** Who can do what in the office over HTTP, by page, session and role. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { type OfficeError, ROUTES } from '../../src/office/office-data.ts'
import { hasRole, ROLES, type Role } from '../../src/rules/roles.ts'
import { temporaryFolder } from '../support/folder.ts'
import { type Call, call, statusesOf } from '../support/http.ts'
import { type OfficeApp, startOfficeApp } from '../support/office-app.ts'
import { askOffice, invite, PASSPHRASE, pageHeaders, type SignedInClient, signIn } from '../support/office-client.ts'
import { startService } from '../support/service.ts'

/** The least role to read and to write below a path, as in docs/office.md. */
const LEAST: Readonly<Record<string, readonly [toLook: Role, toChange?: Role]>> = {
  account: ['viewer'],
  animals: ['viewer', 'staff'],
  categories: ['viewer', 'manager'],
  dashboard: ['operator'],
  export: ['manager'],
  failure: ['viewer'],
  findings: ['operator'],
  'first-steps': ['manager'],
  imports: ['manager'],
  journal: ['viewer'],
  keys: ['operator'],
  page: ['manager'],
  people: ['operator'],
  report: ['viewer'],
  session: ['viewer'],
  shelter: ['viewer', 'manager'],
  uploads: ['manager'],
  words: ['manager'],
}

const codeOf = ({ json }: { readonly json: unknown }) => (json as OfficeError | undefined)?.code

describe('the office’s guard', () => {
  const file = `${temporaryFolder()}/pets.db`
  let office: OfficeApp
  let operator: SignedInClient
  let manager: SignedInClient
  let staff: SignedInClient
  let viewer: SignedInClient
  before(async () => {
    office = await startOfficeApp({ file })
    const entered = await Promise.all(ROLES.map((role) => office.enter(role, role)))
    ;[viewer, staff, manager, operator] = entered as [SignedInClient, SignedInClient, SignedInClient, SignedInClient]
  })
  after(() => office[Symbol.asyncDispose]())

  const newPerson = { name: 'New', role: 'staff', passphrase: PASSPHRASE }
  const peopleNow = async () => (await operator.ask('GET', '/api/people')).body

  it('refuses each route without a session, and to lower roles', async () => {
    const { routes } = office
    const served = routes.map(({ method, url }) => `${method} ${url}`)
    assert.deepEqual(
      Object.keys(ROUTES).filter((name) => !served.includes(name)),
      [],
      'a route is declared and not served',
    )
    for (const { method, url, config } of routes) {
      const role = config?.role
      assert(role !== undefined, `${method} ${url} says which role it is for`)
      if (role === 'public') continue
      const [, area = ''] = /^\/api\/([\w-]+)/.exec(url) ?? []
      const [toLook, toChange = toLook] = LEAST[area] ?? []
      const least = method === 'GET' ? toLook : toChange
      assert(least !== undefined && hasRole(role, least), `${method} ${url} is not for every ${role}`)
      const path = url.replace(/:\w+|\*/g, '1')
      const kind = config?.expectsUpload ? { 'content-type': 'multipart/form-data; boundary=x' } : {}
      const what = `${method} ${path}`
      const without = await askOffice(office, String(method), path, undefined, kind)
      assert.deepEqual([without.status, codeOf(without)], [401, 'signed_out'], what)
      for (const [index, client] of [viewer, staff, manager, operator].entries()) {
        if (index >= ROLES.indexOf(role)) continue
        const answer = await client.ask(String(method), path, undefined, kind)
        assert.deepEqual([answer.status, codeOf(answer)], [403, 'forbidden'], `${what} as ${ROLES[index]}`)
      }
    }
  })

  it('lets anyone use only the sign-in’s routes and the page’s files', async () => {
    const open = office.routes.filter(({ config }) => config?.role === 'public')
    const paths = open.map(({ url }) => url).filter((path) => path !== '/' && !/^\/office\/[\w.:-]+$/.test(path))
    const session = '/api/session' // to sign in and to sign out
    assert.deepEqual(paths.sort(), ['/api/invitation', '/api/invitation/look', session, session, '/api/shelter'])
    assert.deepEqual(
      open.filter(({ method, url }) => method !== 'GET' && !url.startsWith('/api/')),
      [],
    )
  })

  it('refuses writes from another or an unknown origin', async () => {
    const before = await peopleNow()
    const own = office.operatorUrl
    const { port } = new URL(own)
    const headers: readonly Call['headers'][] = [
      { origin: 'https://evil.example' },
      { origin: 'null' },
      { origin: '' },
      { origin: `http://localhost:${port}` },
      { origin: own.replace('http:', 'https:') },
      { origin: own.replace(/\d+$/, '9') },
      { origin: `${own}.evil.example` },
      { origin: `${own}/` },
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
      { 'content-type': 'text/plain' },
      { 'content-type': 'application/x-www-form-urlencoded' },
      { 'content-type': 'multipart/form-data; boundary=x' },
      { 'content-type': 'application/jsonx' },
      { 'x-session-token': '' },
      { 'x-session-token': manager.session.token },
      { 'x-session-token': `${operator.session.token}x` },
      { 'x-session-token': 'x'.repeat(9_000) },
      { 'x-session-token': [operator.session.token, operator.session.token] },
    ]
    for (const foreign of headers) {
      const answer = await operator.ask('POST', '/api/people', newPerson, foreign)
      assert.deepEqual([answer.status, codeOf(answer)], [403, 'foreign'], JSON.stringify(foreign).slice(0, 90))
    }
    const { cookie, session } = operator
    for (const missing of ['origin', 'content-type', 'x-session-token']) {
      const all: Record<string, string> = { ...pageHeaders(office), cookie, 'x-session-token': session.token }
      delete all[missing]
      const body = Buffer.from(JSON.stringify(newPerson))
      const answer = await call(Number(port), { method: 'POST', path: '/api/people', headers: all, body })
      const isRead = missing === 'content-type' // the test's own client adds it
      assert.equal(answer.status, isRead ? 201 : 403, missing)
    }
    assert.equal((await operator.ask('POST', '/api/people/New/revoke', {})).status, 200)
    assert.notEqual(await peopleNow(), before)
  })

  it('refuses sign-in and invite links from another origin, or without JSON', async () => {
    const invitation = await invite({ ...office, database: `sqlite:${file}` }, 'Guest', 'staff')
    for (const [path, body] of [
      ['/api/session', { name: 'staff', passphrase: PASSPHRASE }],
      ['/api/invitation', { invitation, passphrase: PASSPHRASE }],
      ['/api/invitation/look', { invitation }],
    ] as const) {
      for (const headers of [{ origin: 'https://evil.example' }, { 'content-type': 'text/plain' }]) {
        const answer = await askOffice(office, 'POST', path, body, headers)
        assert.deepEqual([answer.status, codeOf(answer)], [403, 'foreign'], path)
        assert.equal(answer.headers['set-cookie'], undefined)
      }
    }
    assert.equal((await askOffice(office, 'POST', '/api/invitation/look', { invitation })).status, 200)
  })

  it('sends no data to requests that another site caused', async () => {
    for (const site of ['cross-site', 'same-site', 'anything']) {
      const answer = await operator.ask('GET', '/api/people', undefined, { 'sec-fetch-site': site })
      assert.deepEqual([answer.status, codeOf(answer)], [403, 'foreign'], site)
    }
    for (const site of ['same-origin', 'none']) {
      assert.equal((await operator.ask('GET', '/api/people', undefined, { 'sec-fetch-site': site })).status, 200)
    }
  })

  it('rejects cookies that are doubled, oversized, foreign or invented', async () => {
    const [name = '', secret = ''] = operator.cookie.split('=')
    const wrong = [
      `${operator.cookie}; ${operator.cookie}`,
      `${name}=${'x'.repeat(43)}; ${operator.cookie}`,
      `${name}=`,
      `${name}=${'x'.repeat(43)}`,
      `${name}=${secret}x`,
      `${name}=${'x'.repeat(9_000)}`,
      `${name}=%00${secret.slice(3)}`,
      `__Host-${operator.cookie}`,
      `other=${secret}`,
      `${name}=__proto__`,
      '=;;=;',
    ]
    for (const cookie of wrong) {
      const answer = await operator.ask('GET', '/api/people', undefined, { cookie })
      assert.deepEqual([answer.status, codeOf(answer)], [401, 'signed_out'], cookie.slice(0, 80))
    }
    assert.equal(
      (await operator.ask('GET', '/api/people', undefined, { cookie: `a=b; ${operator.cookie}` })).status,
      200,
    )
  })

  it('sets a cookie that scripts and other sites cannot read', async () => {
    const answer = await askOffice(office, 'POST', '/api/session', { name: 'staff', passphrase: PASSPHRASE })
    assert.match(
      answer.headers['set-cookie']?.join() ?? '',
      /^pets-office-\d+=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict$/,
    )
    assert.equal(answer.headers['cache-control'], 'no-store')
    assert(!answer.body.includes(answer.headers['set-cookie']?.[0]?.slice(12, 55) ?? ''), 'the page never sees it')
  })

  const peopleButSeen = async () => (await peopleNow()).replaceAll(/"lastSeenAtMs":\d+/g, '')

  it('asks for the passphrase before an invite, a new link or a new role', async () => {
    const before = await peopleButSeen()
    const passphrase = 'wrong'
    for (const [path, body] of [
      ['/api/people', { ...newPerson, name: 'Not', passphrase }],
      ['/api/people/staff/reset', { passphrase }],
      ['/api/people/staff/role', { role: 'operator', passphrase }],
    ] as const) {
      const wrong = await operator.ask('POST', path, body)
      assert.deepEqual([wrong.status, codeOf(wrong)], [403, 'passphrase'])
      await signIn(office, 'operator') // ends the delay that grows
    }
    assert.equal(await peopleButSeen(), before)
  })

  it('lets nobody revoke or demote themselves, so one operator remains', async () => {
    for (const [path, body] of [
      ['/api/people/OPERATOR/revoke', {}],
      ['/api/people/Operator/sign-out', {}],
      ['/api/people/Operator/role', { role: 'staff', passphrase: PASSPHRASE }],
    ] as const) {
      const answer = await operator.ask('POST', path, body)
      assert.deepEqual([answer.status, codeOf(answer)], [400, 'invalid'])
    }
    assert.equal((await operator.ask('GET', '/api/people')).status, 200)
  })

  it('answers 409 to the later of two renames in one session, which continues', async () => {
    const eve = await office.enter('Eve')
    const names = Array.from({ length: 20 }, (_, n) => `Eve ${n}`)
    const answers = await Promise.all(names.map((name) => eve.ask('POST', '/api/account/name', { name })))
    assert.deepEqual(new Set(statusesOf(answers)), new Set([200, 409]))
    assert.equal((await eve.ask('GET', '/api/session')).status, 200)
  })

  it('accepts any name in bodies and in paths', async () => {
    const name = `<b>"'&/?#%: Ünï 李 ${'\u{1f600}'.repeat(30)}`
    const invited = await operator.ask('POST', '/api/people', { ...newPerson, name })
    assert.equal(invited.status, 201, invited.body)
    const revoked = await operator.ask('POST', `/api/people/${encodeURIComponent(name)}/revoke`, {})
    const person = (revoked.json as { name: string; state: string }[]).find((one) => one.name === name)
    assert.equal(person?.state, 'revoked')
    for (const none of ['%00', 'x'.repeat(900), encodeURIComponent('\u202e'), 'nobody']) {
      assert.equal((await operator.ask('POST', `/api/people/${none}/revoke`, {})).status, 404, none)
    }
  })
})

it('is absent without --office: the port answers only probes and scrapers', async () => {
  await using bare = await startService()
  for (const path of ['/', '/api/session', '/api/people', '/dashboard', '/dashboard/keys', '/dashboard/events']) {
    assert.equal((await askOffice(bare, 'GET', path)).status, 404, path)
  }
  assert.equal((await askOffice(bare, 'POST', '/api/session', { name: 'a', passphrase: 'b' })).status, 404)
  assert.equal((await askOffice(bare, 'GET', '/livez')).status, 200)
})
