/** Signing in to the real process: guessing is delayed, and a flood of sign-ins harms nobody else. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { OfficeError } from '../../src/operator/office-data.ts'
import { call, RawConnection } from '../support/http.ts'
import { askOffice, enterOffice, PASSPHRASE, pageHeaders } from '../support/office-client.ts'
import { startService } from '../support/service.ts'

const wrong = (name: string) => ({ name, passphrase: 'not the passphrase' })

describe('guessing', { concurrency: 2 }, () => {
  it('of an account is answered by 429 with Retry-After, the same whether it exists or not', async () => {
    await using service = await startService({ args: ['--office', '--trust-proxy', '127.0.0.1'] })
    await enterOffice(service, 'staff', 'Ada')
    const guess = (name: string, from: string) =>
      askOffice(service, 'POST', '/api/session', wrong(name), { 'x-forwarded-for': from })
    const told = []
    for (const name of ['Ada', 'Eve']) {
      const answers = [await guess(name, '192.0.2.1')]
      // On a slow machine the first delays are over before the next guess is made, but they grow.
      while (answers.at(-1)?.status === 401 && answers.length < 12)
        answers.push(await guess(name, `192.0.2.${answers.length + 1}`))
      const last = answers.at(-1)
      assert(last !== undefined)
      assert.deepEqual([last.status, (last.json as OfficeError).code], [429, 'wait'])
      const failures = answers.length - 1
      assert(failures >= 4, 'three are free, and the fourth begins the delay')
      assert.match(String(last.headers['retry-after']), /^[1-9]\d*$/)
      assert(
        Number(last.headers['retry-after']) <= 2 ** (failures - 4),
        'a second, and twice as long for each one more',
      )
      const right = await askOffice(service, 'POST', '/api/session', { name, passphrase: PASSPHRASE })
      assert.equal(right.status, 429, 'the right one waits too')
      const shown = answers.map(({ status, headers, body }) =>
        JSON.stringify([status, Object.keys(headers).sort(), body.replace(/a second|\d+ seconds/, 'a while')]),
      )
      told.push([...new Set(shown)])
    }
    assert.deepEqual([told[0]?.length, told[0]], [2, told[1]])
  })

  it('from an address is delayed whatever the account; a proxy that is trusted says which address it is', async () => {
    await using service = await startService({ args: ['--office', '--trust-proxy', '127.0.0.1'] })
    const guess = async (name: string, from: string) => {
      const answer = await askOffice(service, 'POST', '/api/session', wrong(name), { 'x-forwarded-for': from })
      return answer.status
    }
    for (let n = 0; n < 11; n += 1) assert.equal(await guess(`Somebody ${n}`, '192.0.2.1, 10.0.0.1'), 401, `${n}`)
    for (let n = 11; n < 15; n += 1) assert.equal(await guess(`Somebody ${n}`, '192.0.2.1, 10.0.0.1'), 429)
    assert.equal(await guess('Somebody else', '192.0.2.2'), 401)
  })
})

it('200 sign-ins at once are answered soon, and neither the probes nor the public port become slow', async () => {
  await using service = await startService({ args: ['--office', '--trust-proxy', '127.0.0.1'] })
  const { key } = await service.issueKey()
  const operatorPort = Number(new URL(service.operatorUrl).port)
  const publicPort = Number(new URL(service.baseUrl).port)
  await call(publicPort, { key })
  const startedMs = performance.now()
  let isDone = false
  const flood = Promise.all(
    Array.from({ length: 200 }, (_, n) =>
      askOffice(service, 'POST', '/api/session', wrong(`Name ${n}`), { 'x-forwarded-for': `198.51.100.${n}` }),
    ),
  ).finally(() => {
    isDone = true
  })
  const times: number[] = []
  while (!isDone) {
    for (const ask of [() => call(operatorPort, { path: '/livez' }), () => call(publicPort, { key })]) {
      const startMs = performance.now()
      assert.equal((await ask()).status, 200)
      times.push(performance.now() - startMs)
    }
  }
  const answers = await flood
  const tookMs = performance.now() - startedMs
  const refused = answers.filter(({ status }) => status === 429)
  assert(refused.length >= 150, `${refused.length} of 200 were told to wait`)
  assert(refused.every(({ headers }) => headers['retry-after'] === '2'))
  assert(answers.every(({ status }) => status === 429 || status === 401))
  assert(tookMs < 20_000, `${tookMs} ms`)
  const slowest = times.sort((a, b) => a - b).at(Math.floor(times.length * 0.95)) ?? Infinity
  assert(slowest < 250, `nineteen of twenty within ${slowest} ms of ${times.length}`)
})

it('a sign-in that has arrived is answered at a stop; half of one does not delay it', async () => {
  const service = await startService({ args: ['--office'] })
  await enterOffice(service, 'staff', 'Ada')
  const port = Number(new URL(service.operatorUrl).port)
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
  assert.equal((await begun).status, 200)
  assert(tookMs < 4_000, `${tookMs} ms`)
  await half.closed
})
