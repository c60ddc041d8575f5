/** The operator port: liveness, readiness, and metrics in Prometheus format. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { type AddressInfo, connect } from 'node:net'
import { hostname } from 'node:os'
import { text } from 'node:stream/consumers'
import { describe, it } from 'node:test'
import fastify from 'fastify'
import { systemClock } from '../../src/common/system-clock.ts'
import { requestIds } from '../../src/http/request-id.ts'
import type { OfficeError } from '../../src/office/office-data.ts'
import { createCloser } from '../../src/operator/connections.ts'
import { buildOperatorServer } from '../../src/operator/server.ts'
import { StoreUnavailable } from '../../src/store/store.ts'
import { call, exchange } from '../support/http.ts'
import { keptLog } from '../support/log.ts'
import { openOffice, startOfficeApp } from '../support/office-app.ts'
import { startService } from '../support/service.ts'

/** The operator port alone, over a real database that can be made to fail. */
async function startOperator({ draining = false } = {}) {
  const { options, parts, close } = await openOffice()
  const ids: string[] = []
  const makeRequestId = () => {
    ids.push(`req_${ids.length + 1}`)
    return ids.at(-1) ?? ''
  }
  const { log, lines } = keptLog({ level: 'debug' })
  const server = buildOperatorServer({
    ...options,
    log,
    idOf: requestIds(makeRequestId, () => false),
    database: 'A',
    host: '127.0.0.1',
    isDraining: () => draining,
    freeBytes: async () => undefined,
    tls: undefined,
    publishing: undefined,
    office: undefined,
  })
  const get = async (url: string) => {
    const { statusCode, body } = await server.inject(url)
    return { status: statusCode, body }
  }
  const { counters } = options
  const dispose = () => server.close().then(close)
  return { ...parts, server, counters, ids, lines, get, [Symbol.asyncDispose]: dispose }
}

function parse(text: string): Map<string, number> {
  const samples = new Map<string, number>()
  for (const line of text.split('\n')) {
    if (line === '' || line.startsWith('#')) continue
    const match = /^([a-zA-Z_:][\w:]*(?:\{[^}]*\})?) (\S+)$/.exec(line)
    assert(match?.[1] !== undefined, `a sample, not ${line}`)
    assert(!samples.has(match[1]), `${match[1]} once`)
    samples.set(match[1], Number(match[2]))
  }
  return samples
}

describe('the operator port', () => {
  it('/readyz is 503 while the service cannot serve or shuts down, and /livez stays 200', async () => {
    await using operator = await startOperator()
    const [down, look] = [
      { kind: 'cannot serve', sentence: 'The database is not responding.' },
      { kind: 'look at it', sentence: 'No backup was made: the disk is full.' },
    ] as const
    for (const [findings, status, code] of [
      [[], 'ready', 200],
      [[look], 'ready', 200],
      [[down, look], 'not ready', 503],
    ] as const) {
      operator.findings.splice(0, 2, ...findings)
      const answer = await operator.get('/readyz')
      assert.deepEqual([answer.status, JSON.parse(answer.body)], [code, { status, database: 'A', findings }])
    }
    assert.equal((await operator.get('/livez')).status, 200)

    await using draining = await startOperator({ draining: true })
    assert.equal((await draining.get('/readyz')).status, 503)
    assert.equal((await draining.get('/livez')).status, 200)
    operator.counters.trouble = () => 'counters cannot be saved'
    assert.equal(parse((await operator.get('/metrics')).body).get('pets_counters_degraded'), 1)
  })

  it('/metrics works while the database does not respond: only the animals are missing', async () => {
    await using operator = await startOperator()
    operator.metrics.countResponse('listPets', 503, 0.002)
    const gone = () => {
      throw new StoreUnavailable('gone')
    }
    Object.assign(operator.store.pets, { count: gone })
    const { status, body } = await operator.get('/metrics')
    assert.equal(status, 200)
    const samples = parse(body)
    assert.equal(samples.get('pets_http_requests_total{operation="listPets",status="503"}'), 1)
    assert.equal(samples.get('pets_animals{status="sold"}'), undefined)
  })
})

describe('the id of a request to the operator port', () => {
  it('is in every response from 400 up, in its log line and in the message of a 500', async () => {
    await using operator = await startOperator()
    operator.server.get('/broken', () => {
      throw new Error('a fault')
    })
    for (const [path, status] of [
      ['/none', 404],
      ['/broken', 500],
    ] as const) {
      const { statusCode, headers, body } = await operator.server.inject(path)
      assert.equal(statusCode, status)
      const id = headers['x-request-id']
      assert.equal(id, operator.ids.at(-1))
      const told = operator.lines.filter(({ requestId }) => requestId === id)
      const expected = status === 500 ? ['answered with an error', 'answered'] : ['answered']
      assert.deepEqual(
        told.map(({ msg }) => msg),
        expected,
      )
      assert(told.every((line) => line.status === status))
      assert.deepEqual(Object.keys(JSON.parse(body)), ['status'])
      assert.equal(body.includes(String(id)), status === 500)
    }
    assert.equal(operator.ids.length, 2)
    for (const path of ['/livez', '/readyz', '/metrics']) {
      assert.equal((await operator.server.inject(path)).headers['x-request-id'], undefined)
    }
    assert.equal(operator.ids.length, 2)
  })

  it('is in every error of service and office, and is taken from a trusted proxy', async () => {
    await using service = await startService({ args: ['--office', '--trust-proxy', '127.0.0.1'] })
    const port = service.operatorPort
    for (const [path, headers, status] of [
      ['/livez', { host: 'evil.example' }, 421],
      ['/%zz', {}, 400],
      [`/api/animals/${'x'.repeat(1_001)}`, {}, 414],
      ['/none', {}, 404],
      ['/api/animals', {}, 401],
      ['/api/animals', { 'sec-fetch-site': 'cross-site' }, 403],
    ] as const) {
      const answer = await call(port, { path, headers })
      assert.equal(answer.status, status, path)
      assert.match(String(answer.headers['x-request-id']), /^req_[0-9a-f]{12}$/, path)
      const given = await call(port, { path, headers: { ...headers, 'x-request-id': 'from-proxy' } })
      assert.equal(given.headers['x-request-id'], 'from-proxy', path)
      assert.match(String(answer.body), /^\{"(?:status":|code":"\w+","message":)"[^"]+"\}$/, path)
    }
    const [broken] = await exchange(port, 'hello\r\n\r\n')
    assert.equal(broken?.status, 400)
    assert.match(String(broken?.headers['x-request-id']), /^req_[0-9a-f]{12}$/)
  })

  it('is in the message of a 500 of the office and in its log line, which alone has the reason', async () => {
    await using office = await startOfficeApp()
    const olga = await office.enter('Olga', 'operator')
    const failing = (failure: Error) => {
      office.store.people.list = () => {
        throw failure
      }
      return olga.ask<OfficeError>('GET', '/api/people')
    }
    const { status, headers, json, body } = await failing(new Error('a secret of the house'))
    assert.deepEqual([status, json.code, headers['x-request-id']], [500, 'internal_error', 'req_made'])
    assert.match(json.message, /quote req_made:/)
    assert(!body.includes('secret'))
    const line =
      /"requestId":"req_made","method":"GET","path":"\/api\/people","ms":[\d.]+,"status":500,"err":.*a secret/
    assert.match(office.log(), line)
    const away = await failing(new StoreUnavailable('gone'))
    assert.deepEqual([away.status, away.json.code, away.headers['retry-after']], [503, 'unavailable', '1'])
  })
})

it('access to the operator port accepts only requests that name this machine, by default only from it', async () => {
  await using service = await startService({ args: ['--host', '0.0.0.0'] })
  assert.match(service.output(), /"operatorUrl":"http:\/\/127\.0\.0\.1:/)
  const port = service.operatorPort
  // A page of another name cannot read it by DNS rebinding.
  const ask = async (host: string, path = '/livez') => (await call(port, { path, headers: { host } })).status
  const owns = `localhost localhost:${port} 127.0.0.1:${port} [::1]:8081 10.1.2.3:8081 ${hostname()}`
  for (const own of owns.split(' ')) assert.equal(await ask(own), 200, own)
  for (const foreign of ['evil.example', `evil.example:${port}`, 'localhost.evil.example', '127.0.0.1.evil.example'])
    for (const path of ['/livez', '/', '/metrics', '/dashboard/keys', '/none'])
      assert.equal(await ask(foreign, path), 421, `${foreign} ${path}`)
  // Node's client puts a name of its own in the place of an empty one.
  const [empty] = await exchange(port, 'GET /livez HTTP/1.1\r\nHost: \r\nConnection: close\r\n\r\n')
  assert.equal(empty?.status, 421)
})

it('the numbers of a running service match its traffic', async () => {
  await using service = await startService({ args: ['--anonymous-per-minute', '2'] })
  const port = service.port
  const { key: free } = await service.issueKey('free')
  const { key: small } = await service.issueKey('enterprise', { perMinute: 3, perDay: 9 })
  const post = (body: string) => ({ method: 'POST', body })
  for (const status of ['sold', 'sold', 'pending'])
    await call(port, { key: free, ...post(`{"name":"x","categoryId":1,"status":"${status}"}`) })
  for (const body of ['{"name":"x","categoryId":1}', '{']) await call(port, { key: free, ...post(body) })
  for (const path of ['/v1/pets', '/v1/pets/1', '/v1/pets/99', '/v1/none']) await call(port, { key: free, path })
  let [refused, admitted] = [0, 0]
  for (let i = 0; i < 5; i += 1) {
    if ((await call(port, { key: small })).status === 429) refused += 1
    else admitted += 1
  }
  for (let i = 0; i < 3; i += 1) await call(port, { key: randomBytes(8).toString('hex') })

  const response = await fetch(`${service.operatorUrl}/metrics`)
  assert.match(String(response.headers.get('content-type')), /^text\/plain; version=0\.0\.4/)
  const samples = parse(await response.text())
  const of = 'operation="createPet"'
  assert.partialDeepStrictEqual(Object.fromEntries(samples), {
    [`pets_http_requests_total{${of},status="201"}`]: 4,
    [`pets_http_requests_total{${of},status="400"}`]: 1,
    'pets_http_requests_total{operation="listPets",status="200"}': 1 + admitted,
    'pets_http_requests_total{operation="getPet",status="200"}': 1,
    'pets_http_requests_total{operation="getPet",status="404"}': 1,
    [`pets_http_request_duration_seconds_count{${of}}`]: 5,
    [`pets_http_request_duration_seconds_bucket{${of},le="+Inf"}`]: 5,
    'pets_limit_decisions_total{plan="free",decision="admitted"}': 9,
    'pets_limit_decisions_total{plan="free",decision="refused"}': 0,
    'pets_limit_decisions_total{plan="enterprise",decision="admitted"}': admitted,
    'pets_limit_decisions_total{plan="enterprise",decision="refused"}': refused,
    'pets_animals{status="available"}': 0,
    'pets_animals{status="pending"}': 1,
    'pets_animals{status="sold"}': 2,
    'pets_animals{status="none"}': 1,
    pets_counters_degraded: 0,
  })
  const least = (name: string, n: number) => assert(Number(samples.get(name)) >= n, name)
  least(`pets_http_request_duration_seconds_sum{${of}}`, Number.MIN_VALUE)
  least('pets_limit_decisions_total{plan="anonymous",decision="refused"}', 1)
  least('pets_commits_total', 1)
  assert(Number(samples.get('pets_commits_total')) <= 4)
  assert(samples.has('process_cpu_seconds_total'))
})

it('answers a request that arrived while the event loop was blocked, even as the port closes', async () => {
  const server = fastify({ return503OnClosing: false }).get('/', async () => 'here')
  const closer = createCloser(server, systemClock)
  await server.listen({ port: 0, host: '127.0.0.1' })
  await closer.handOver()
  const { port } = server.server.address() as AddressInfo
  const accepted = once(server.server, 'connection')
  const socket = connect(port, '127.0.0.1')
  const connected = once(socket, 'connect')
  const answer = text(socket)
  await Promise.all([accepted, connected])
  await new Promise((resolve) => setImmediate(resolve))
  // Nothing is read between the request and the timer that ends what has sent none, however slow this process is.
  socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n')
  const closing = closer.close()
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 600)
  assert.match(await answer, /^HTTP\/1\.1 200 OK[\s\S]*here$/)
  await closing
})
