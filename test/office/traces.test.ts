/** What people leave behind: log lines, journal entries, and sessions that end. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { JournalPage } from '../../src/office/office-data.ts'
import { wrongPassphrases } from '../../src/office/routes/session-routes.ts'
import { throttledLog } from '../../src/office/routes/throttled-log.ts'
import { linesOf } from '../support/commands/commands.ts'
import { call, exchange } from '../support/http.ts'
import { keptLog } from '../support/log.ts'
import { startOfficeApp } from '../support/office-app.ts'
import { askOffice, enterOffice, type SignedInClient, signIn } from '../support/office-client.ts'
import { type RunningService, startService } from '../support/service.ts'
import { clockAt } from '../support/time/clock.ts'
import { until } from '../support/until.ts'
import { beginOther } from './other-transaction.ts'

type Line = Readonly<Record<string, unknown>>

describe('a wrong passphrase', () => {
  it('logs the address and an existing name, and nothing else that was typed', async () => {
    await using service = await startService({ args: ['--office', '--trust-proxy', '127.0.0.1'] })
    const ada = await enterOffice(service, 'operator', 'Ada Löwe')
    const passphrase = 'an open sesame'
    const inTheWrongField = 'correct horse battery staple'
    const from = { 'x-forwarded-for': '192.0.2.7' }
    for (const name of ['ADA  LÖWE', inTheWrongField, 'Zorro\u001b[2J']) {
      assert.equal((await askOffice(service, 'POST', '/api/session', { name, passphrase }, from)).status, 401)
    }
    const again = { label: 'x', plan: 'free', passphrase }
    assert.equal((await ada.ask('POST', '/api/keys', again, { 'x-forwarded-for': '192.0.2.8' })).status, 403)
    const WRONG = 'wrong passphrase in the office'
    const UNKNOWN = 'office sign-in with an unknown name'
    const isWrong = ({ msg }: Line) => msg === WRONG || msg === UNKNOWN
    await service.says(new RegExp(`(?:"msg":"(?:${WRONG}|${UNKNOWN})".*){4}`, 's'))
    const told = linesOf<Line>(service.output())
      .filter(isWrong)
      .map(({ level, msg, client, name }) => [level, msg, client, name])
    assert.deepEqual(told, [
      ['warn', WRONG, '192.0.2.7', 'ada lowe'],
      ['warn', UNKNOWN, '192.0.2.7', undefined],
      ['warn', UNKNOWN, '192.0.2.7', undefined],
      ['warn', WRONG, '192.0.2.8', 'ada lowe'],
    ])
    for (const typed of [passphrase, inTheWrongField, 'orro']) assert(!service.output().includes(typed))
  })

  it('logs at most twenty lines a minute, and counts the rest', () => {
    let nowMs = 60_000
    const { log, lines } = keptLog<Line>()
    const clock = clockAt(() => nowMs)
    const note = wrongPassphrases(throttledLog(clock, log))
    for (let n = 0; n < 1_000; n += 1) note(`name ${n}`, '192.0.2.1')
    assert.equal(lines.length, 20)
    nowMs += 60_000
    for (let n = 0; n < 2; n += 1) note('ada', '192.0.2.1')
    const told = lines.slice(20).map(({ leftOut }) => leftOut)
    assert.deepEqual(told, [980, undefined])
  })
})

it('a failure of the page is logged with person and screen, at most twenty times a minute', async () => {
  await using office = await startOfficeApp()
  const mia = await office.enter('Mia', 'viewer')
  const stack = `TypeError: x is undefined\n${'at y '.repeat(1_000)}`
  for (let n = 0; n < 30; n += 1)
    assert.equal((await mia.ask('POST', '/api/failure', { screen: 'journal', stack })).status, 204)
  const lines = linesOf<Line>(office.log()).filter(({ msg }) => msg === 'office page failed in the browser')
  assert.equal(lines.length, 20)
  const { level, name, screen, stack: logged } = lines[0] ?? {}
  assert.deepEqual([level, name, screen, logged], [50, 'Mia', 'journal', stack.slice(0, 4_000)])
})

describe('people’s traces', () => {
  let service: RunningService
  let operator: SignedInClient
  before(async () => {
    service = await startService({ args: ['--office'] })
    operator = await enterOffice(service, 'operator', 'Olga')
  })
  after(async () => {
    await service?.stop()
  })
  const journal = async () =>
    (await operator.ask<JournalPage>('GET', '/api/journal')).json.lines.map(({ who, act, to }) => [who, act, to])

  it('include journal entries for sign-out and for an export of all animals', async () => {
    const mia = await enterOffice(service, 'manager', 'Mia')
    await (await mia.get('/api/export')).text()
    assert.equal((await mia.ask('DELETE', '/api/session')).status, 204)
    assert.equal((await mia.ask('DELETE', '/api/session')).status, 204, 'what has ended is what was asked for')
    assert.deepEqual((await journal()).slice(0, 2), [
      ['Mia', 'sign out', {}],
      ['Mia', 'export', { format: 'csv' }],
    ])
  })

  it('end at a sign-out while the database is locked: cookie and session are gone', async () => {
    await enterOffice(service, 'staff', 'Sam')
    const sam = await signIn(service, 'Sam')
    await using other = await beginOther(service.database)
    await other.lockSessionsOf('Sam')
    const out = await sam.ask<{ message: string }>('DELETE', '/api/session')
    assert.match(out.headers['set-cookie']?.join() ?? '', /^pets-office-\d+=; Max-Age=0; Path=\//)
    assert.equal(out.status, 202)
    assert.match(out.json.message, /This browser is signed out\. The database is not responding/)
    assert.equal((await sam.ask('GET', '/api/session')).status, 401)
    assert.equal((await sam.ask('GET', '/api/animals')).status, 401)
    await other.commit()
    await until('the end is stored', async () => (await journal())[0]?.[1] === 'sign out')
    assert.equal((await sam.ask('GET', '/api/session')).status, 401)
  })
})

it('each response of the operator port from 400 has a line at level debug', async () => {
  await using service = await startService({ args: ['--office', '--log-level', 'debug'] })
  const port = service.operatorPort
  const ids: unknown[] = []
  const requests = [['GET', '/nowhere'], ['GET', '/api/people'], ['GET', '/%ff'], ['POST', '/api/session']] as const // biome-ignore format: rows
  for (const [method, path] of requests)
    ids.push((await call(port, { method, path, headers: { host: 'localhost' } })).headers['x-request-id'])
  for (const bytes of ['NOT HTTP\r\n\r\n', `GET / HTTP/1.1\r\nHost: localhost\r\nX: ${'x'.repeat(40_000)}\r\n\r\n`]) {
    const [answer] = await exchange(port, bytes)
    ids.push(answer?.headers['x-request-id'])
  }
  for (const id of ids) await service.says(new RegExp(`"requestId":"${id}"`))
  const lines = ids.map((id) => linesOf<Line>(service.output()).find(({ requestId }) => requestId === id) ?? {})
  assert.deepEqual(
    lines.map(({ method, path, status, client }) => [method, path, status, client]),
    [
      ['GET', undefined, 404, '127.0.0.1'],
      ['GET', '/api/people', 401, '127.0.0.1'],
      ['GET', undefined, 400, '127.0.0.1'],
      ['POST', '/api/session', 403, '127.0.0.1'],
      [undefined, undefined, 400, '127.0.0.1'],
      [undefined, undefined, 431, '127.0.0.1'],
    ],
  )
  for (const { ms, method } of lines) assert.equal(typeof ms, method === undefined ? 'undefined' : 'number')
})
