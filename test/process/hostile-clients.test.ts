/** What clients can do to the real process without ending it. */
import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { assertWhole, call } from '../support/http.ts'
import { startService } from '../support/service.ts'
import { assertLight, holdUnread } from './strain.ts'

const SIGN_IN =
  'POST /api/session HTTP/1.1\r\nHost: localhost\r\nOrigin: http://localhost\r\nContent-Type: application/json\r\n'

async function sendAndReset(port: number, bytes: string, afterMs: number): Promise<void> {
  const socket = connect(port, '127.0.0.1')
  socket.on('error', () => {})
  await new Promise((resolve) => socket.once('connect', resolve))
  socket.write(bytes)
  await sleep(afterMs)
  socket.resetAndDestroy()
}

it('resets never end the process, on either port', async () => {
  await using service = await startService({ args: ['--office'] })
  const { key } = await service.issueKey()
  const requests = [
    `${SIGN_IN}Content-Length: 9\r\n\r\n{"n`,
    `${SIGN_IN}Content-Length: 36\r\n\r\n{"name":"nobody","passphrase":"none"}`,
    'CONNECT x:1 HTTP/1.1\r\nHost: x\r\n\r\n',
    `CONNECT x:1 HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\n\r\nmore`,
    `POST /v1/pets HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json\r\nContent-Length: 27\r\n\r\n{"name":"x","categoryId":1}CONNECT x:1 HTTP/1.1\r\n\r\n`,
    'GET / HTTP/1.1\r\nHost: x\r\nConnection: upgrade\r\nUpgrade: websocket\r\n\r\n',
    'GET /dashboard/events HTTP/1.1\r\nHost: localhost\r\nConnection: upgrade\r\nUpgrade: websocket\r\n\r\n',
    'POST /v1/pets HTTP/1.1\r\nHost: x\r\nUpgrade: x\r\nConnection: upgrade\r\nContent-Length: 9\r\n\r\n1',
    'GET /dashboard/events HTTP/1.1\r\nHost: localhost\r\n\r\n',
    'POST /v1/pets HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 9\r\n\r\n',
    'GARBAGE\r\n\r\n',
    'GARBAGE\r\n\r\nCONNECT x:1 HTTP/1.1\r\n\r\n',
    `GET / HTTP/1.1\r\nX: ${'a'.repeat(40_000)}`,
    'FOO / HTTP/1.1\r\nHost: x\r\n\r\n',
    'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
    'GET',
  ]
  const tries = [service.port, service.operatorPort].flatMap((port) =>
    requests.flatMap((bytes) => [0, 1, 100, 1_200].map((afterMs) => sendAndReset(port, bytes, afterMs))),
  )
  await Promise.all(tries)
  await sleep(200)
  assert.equal(service.process.exitCode, null, service.output())
  assert.doesNotMatch(service.output(), /"level":"fatal"/)
  assertWhole(await call(service.port, { key }), 200)
  assert.equal((await call(service.operatorPort, { path: '/livez' })).status, 200)
})

it('an uncaught exception is logged with the latest request, and ends the process with saved counters', async () => {
  const plant = 'process.on("SIGUSR2",()=>setImmediate(()=>{throw new Error("planted")}))'
  const service = await startService({
    env: { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(plant)}` },
  })
  const { key } = await service.issueKey('enterprise', { perMinute: 1_000, perDay: 1_000 })
  for (let i = 0; i < 3; i += 1) await call(service.port, { key, path: '/v1/pets/7' })
  const ended = new Promise((resolve) => service.process.once('exit', resolve))
  service.process.kill('SIGUSR2')
  assert.equal(await ended, 1)
  const fatal = service.output().match(/^.*"level":"fatal".*$/gm) ?? []
  assert.equal(fatal.length, 1, service.output())
  assert.match(String(fatal[0]), /planted.*"path":"\/v1\/pets\/7".*"operation":"getPet"/)
  assert.doesNotMatch(String(fatal[0]), new RegExp(key))

  await using again = await startService({ database: service.database })
  const { headers } = await call(again.port, { key })
  assert.equal(headers['x-ratelimit-remaining'], '996')
})

describe('the process', { skip: process.platform !== 'linux' && 'reads /proc' }, () => {
  it('stays below 512 MiB and serves others while clients do not read large lists (O19)', async () => {
    await using service = await startService()
    const { key } = await service.issueKey()
    const name = 'x'.repeat(65_000)
    for (let i = 0; i < 100; i += 1) {
      assertWhole(await call(service.port, { method: 'POST', key, body: `{"name":"${name}","categoryId":1}` }), 201)
    }
    const list = (limit: number, key: string) =>
      `GET /v1/pets?limit=${limit} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\n\r\n`
    const requests = [
      list(100, key).repeat(60),
      ...Array.from({ length: 40 }, (_, i) => list(61 + i, key)),
      ...Array<string>(20).fill(list(100, key).repeat(3) + list(100, 'wrong')),
    ]
    await assertLight(service, { mostMiB: 512, p99Ms: 250 }, () => holdUnread(service.port, requests, 5_000))
  })

  it('stays below it and serves others while bodies have chunks of one byte (O19, O22)', async () => {
    await using service = await startService()
    const keys = [await service.issueKey('free'), await service.issueKey('business')]
    const head = (more: string) =>
      `POST /v1/pets HTTP/1.1\r\nHost: x\r\n${more}Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n`
    const [free, business] = keys.map(({ key }) => head(`Authorization: Bearer ${key}\r\n`))
    const heads = [...Array(100).fill(head('')), ...Array(59).fill(free), ...Array(128).fill(business)]
    const chunks = '1\r\na\r\n'.repeat(20_000)
    const requests = heads.map((head) => Buffer.from(head + chunks))
    await assertLight(service, { mostMiB: 512, p99Ms: 250 }, () => holdUnread(service.port, requests, 3_000))
  })
})
