/** Signing in: guessing is delayed, and a sign-in does not delay a stop of the real process. */
import assert from 'node:assert/strict'
import { it } from 'node:test'
import type { OfficeError } from '../../src/office/office-data.ts'
import { call, RawConnection } from '../support/http.ts'
import { startOfficeApp } from '../support/office-app.ts'
import { askOffice, enterOffice, PASSPHRASE, pageHeaders } from '../support/office-client.ts'
import { startService } from '../support/service.ts'
import { oneOf } from '../support/until.ts'

it('guessing an account, or from one address, is answered by 429 with Retry-After, the same whether the account exists or not', async () => {
  await using office = await startOfficeApp()
  await office.enter('Ada')
  const attempt = (name: string, passphrase = 'not the passphrase') =>
    askOffice<OfficeError>(office, 'POST', '/api/session', { name, passphrase })
  const seen = []
  for (const name of ['Ada', 'Eve']) {
    const answers = []
    for (let n = 0; n < 5; n += 1) answers.push(await attempt(name))
    answers.push(await attempt(name, PASSPHRASE))
    seen.push(answers.map(({ status, headers, body }) => [status, Object.keys(headers), headers['retry-after'], body]))
    const last = answers.at(-1)
    assert.deepEqual([last?.status, last?.json.code, last?.headers['retry-after']], [429, 'wait', '1'])
    assert.deepEqual(answers.map(({ status }) => status).slice(0, 5), [401, 401, 401, 401, 429])
  }
  assert.deepEqual(seen[0], seen[1])
  for (let n = 8; n < 11; n += 1) assert.equal((await attempt(`Somebody ${n}`)).status, 401, `${n}`)
  assert.equal((await attempt('Somebody else')).status, 429)
  office.clock.nowMs += 1_000
  assert.equal((await attempt('Ada', PASSPHRASE)).status, 200)
})

it('a sign-in that has arrived is answered at a stop; half of one does not delay it', async () => {
  await oneOf(5, stopDuringSignIn)
})

/** How long the stop takes, if that is too long. */
async function stopDuringSignIn(): Promise<string | undefined> {
  const service = await startService({ args: ['--office'] })
  await enterOffice(service, 'staff', 'Ada')
  const port = service.operatorPort
  const head = Object.entries(pageHeaders(service)).map(([name, value]) => `${name}: ${value}\r\n`)
  using half = new RawConnection(port)
  half.send(`POST /api/session HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n${head.join('')}Content-Length: 60\r\n\r\n{"name`)
  await call(port, { path: '/livez' })
  const begun = askOffice(service, 'POST', '/api/session', { name: 'Ada', passphrase: PASSPHRASE })
  // The request has arrived when a later one has been answered.
  await call(port, { path: '/livez' })
  const stopMs = performance.now()
  assert.equal(await service.stop(), 0)
  const tookMs = performance.now() - stopMs
  const { status } = await begun.catch(() => ({ status: 'cut off' }))
  await half.closed
  // A passphrase that takes the machine three seconds is cut off.
  if (tookMs > 2_500 && status !== 200) return `${tookMs} ms, ${status}`
  assert.equal(status, 200)
  return tookMs < 4_000 ? undefined : `${tookMs} ms`
}
