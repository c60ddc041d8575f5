/** Sign-in: guessing is delayed, and floods and stops of the real process harm nobody else. */
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { call, RawConnection } from '../support/http.ts'
import { startOfficeApp } from '../support/office-app.ts'
import { askOffice, enterOffice, PASSPHRASE, pageHeaders } from '../support/office-client.ts'
import { startService } from '../support/service.ts'
import { oneOf } from '../support/until.ts'

it('guessing passphrases gets 429 with Retry-After, whether or not the name exists', async () => {
  await using office = await startOfficeApp()
  await office.enter('Ada')
  const guess = async (name: string, passphrase: string) => {
    const { status, headers, body } = await askOffice(office, 'POST', '/api/session', { name, passphrase })
    return [status, Object.keys(headers), headers['retry-after'], body]
  }
  const seen: unknown[][][] = []
  for (const name of ['Ada', 'Eve']) {
    const answers = []
    for (let n = 0; n < 5; n += 1) answers.push(await guess(name, 'not the passphrase'))
    seen.push([...answers, await guess(name, PASSPHRASE)])
  }
  assert.deepEqual(seen[0], seen[1])
  assert.deepEqual(
    seen[0]?.map(([status, , wait]) => [status, wait]),
    [...Array(4).fill([401, undefined]), [429, '1'], [429, '1']],
  )
  office.clock.nowMs += 1_000
  assert.equal((await guess('Ada', PASSPHRASE))[0], 200)
})

it('a flood of attempts behind a trusted proxy has to wait, and delays nobody else', async () => {
  await using service = await startService({ args: ['--office', '--trust-proxy', '127.0.0.1'] })
  const { key } = await service.issueKey()
  const attempt = (name: string, from: string) =>
    askOffice(service, 'POST', '/api/session', { name, passphrase: 'not it' }, { 'x-forwarded-for': from })
  for (let n = 0; n < 11; n += 1) assert.equal((await attempt(`Somebody ${n}`, '192.0.2.1, 10.0.0.1')).status, 401)
  // On a slow machine the first delays end before the next attempt, but they grow.
  await oneOf(6, async (n) =>
    (await attempt(`Somebody else ${n}`, '192.0.2.1, 10.0.0.1')).status === 429 ? undefined : 'not delayed',
  )
  assert.equal((await attempt('Somebody else', '192.0.2.2')).status, 401)

  let isDone = false
  const flood = Promise.all(Array.from({ length: 200 }, (_, n) => attempt(`Name ${n}`, `198.51.100.${n}`)))
  void flood.finally(() => (isDone = true))
  let answered = 0
  while (!isDone) {
    assert.equal((await call(service.port, { path: '/v1/pets', key })).status, 200)
    assert.equal((await call(service.operatorPort, { path: '/livez' })).status, 200)
    answered += 1
  }
  assert(answered > 5, `${answered} answers to others, while the sign-ins were`)
  const refused = (await flood).filter(({ status }) => status !== 401)
  assert(refused.length >= 150, `${refused.length} of 200 were told to wait`)
  assert(refused.every(({ status, headers }) => status === 429 && headers['retry-after'] === '2'))
})

it('a stop answers sign-ins that have arrived, and does not wait for others', async () => {
  await oneOf(5, stopDuringSignIn)
})

async function stopDuringSignIn(): Promise<string | undefined> {
  const service = await startService({ args: ['--office'] })
  await enterOffice(service, 'staff', 'Ada')
  const port = service.operatorPort
  const head = Object.entries(pageHeaders(service)).map(([name, value]) => `${name}: ${value}\r\n`)
  using half = new RawConnection(port)
  half.send(`POST /api/session HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n${head.join('')}Content-Length: 60\r\n\r\n{"name`)
  await call(port, { path: '/livez' })
  const begun = askOffice(service, 'POST', '/api/session', { name: 'Ada', passphrase: PASSPHRASE })
  // The request has arrived once a later one is answered.
  await call(port, { path: '/livez' })
  const stopMs = performance.now()
  assert.equal(await service.stop(), 0)
  const tookMs = performance.now() - stopMs
  const { status } = await begun.catch(() => ({ status: 'cut off' }))
  await half.closed
  // A passphrase check of three seconds is cut off.
  if (tookMs > 2_500 && status !== 200) return `${tookMs} ms, ${status}`
  assert.equal(status, 200)
  return tookMs < 4_000 ? undefined : `${tookMs} ms`
}
