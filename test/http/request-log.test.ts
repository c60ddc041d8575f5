/** The log of requests, and of those that the store refuses. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Exchange } from '../../src/http/exchange.ts'
import { RequestLog, StoreFailures } from '../../src/http/request-log.ts'
import { StoreUnavailable } from '../../src/store/store.ts'
import { keptLog } from '../support/log.ts'
import { VirtualClock } from '../support/time/virtual-clock.ts'

function logged(level: string) {
  const { log, lines } = keptLog({ level })
  const clock = new VirtualClock()
  const failures = new StoreFailures(log, clock)
  return { lines, clock, failures, requests: new RequestLog(log, clock, failures) }
}

const TRACE = '0af7651916cd43dd8448eb211c80319c'
const TRACEPARENT = `00-${TRACE}-b7ad6b7169203331-01`
const EXCHANGE = {
  id: 'req_1',
  ip: '192.0.2.1',
  request: { method: 'GET', headers: { traceparent: TRACEPARENT } },
  route: { path: '/v1/pets/7', endpoint: { name: 'getPet' } },
  admission: { key: { id: 'k1' } },
  arrivedAtMs: 0,
} as unknown as Exchange
const answer = (status: number, cause?: unknown) => ({ status, cause }) as Parameters<RequestLog['logResponse']>[1]

describe('the log of requests', () => {
  it('names each request at level debug, with its outcome and its duration', () => {
    const { lines, clock, requests } = logged('debug')
    clock.pass(1.23456)
    requests.logResponse(EXCHANGE, answer(200))
    requests.logAborted(EXCHANGE)
    requests.logRejected(400, 'req_2', '192.0.2.2')
    const asked = { requestId: 'req_1', traceId: TRACE, method: 'GET', path: '/v1/pets/7', operation: 'getPet' }
    const common = { level: 20, ...asked, keyId: 'k1', ms: 1.235, client: '192.0.2.1' }
    const rejected = { level: 20, requestId: 'req_2', client: '192.0.2.2', status: 400 }
    assert.deepEqual(
      lines.map(({ time: _time, pid: _pid, hostname: _hostname, ...line }) => line),
      [
        { ...common, status: 200, msg: 'answered' },
        { ...common, msg: 'the client closed the connection before the body was complete' },
        { ...rejected, msg: 'rejected by the HTTP parser' },
      ],
    )
  })

  it('names above level debug only failures of the service, without the client’s address', () => {
    const { lines, requests } = logged('info')
    for (const status of [200, 400, 429, 499, 501]) requests.logResponse(EXCHANGE, answer(status))
    requests.logAborted(EXCHANGE)
    requests.logRejected(500, 'req_2', '192.0.2.2')
    assert.equal(lines.length, 0)
    requests.logResponse(EXCHANGE, answer(500, new TypeError('inside')))
    requests.logResponse(EXCHANGE, answer(503))
    assert.deepEqual(
      lines.map(({ level, status, msg, client }) => [level, status, msg, client]),
      [
        [50, 500, 'answered with an error', undefined],
        [50, 503, 'answered with an error', undefined],
      ],
    )
    assert.match(JSON.stringify(lines[0]?.err), /TypeError.*inside/)
  })

  it('repeats a failure that the store reports itself only at level debug', () => {
    const info = logged('info')
    const cause = new StoreUnavailable('the disk is full.', { isReported: true })
    info.requests.logResponse(EXCHANGE, answer(503, cause))
    assert.deepEqual([info.lines, info.failures.reasons], [[], []])
    const debug = logged('debug')
    debug.requests.logResponse(EXCHANGE, answer(503, cause))
    assert.deepEqual(
      debug.lines.map(({ level, status, msg }) => [level, status, msg]),
      [[20, 503, 'answered']],
    )
  })

  it('names a trace only if traceparent is valid', () => {
    const { requests } = logged('debug')
    for (const traceparent of [undefined, '', `${TRACEPARENT}-x`, TRACEPARENT.toUpperCase(), `${TRACEPARENT}\n`]) {
      const asked = { ...EXCHANGE, request: { method: 'GET', headers: { traceparent } } } as unknown as Exchange
      assert.equal(requests.fields(asked).traceId, undefined)
    }
  })
})

it('a full disk is logged once when it begins, with counts while it lasts, and once when it ends', () => {
  const { lines, clock, failures, requests } = logged('info')
  const refuse = (n: number, reason: string) =>
    requests.logResponse(
      { ...EXCHANGE, id: `req_${n}` } as unknown as Exchange,
      answer(503, new StoreUnavailable(reason)),
    )
  for (let n = 1; n <= 150; n += 1) refuse(n, 'the disk is full.')
  refuse(151, 'the disk reports an error.')
  assert.deepEqual(
    lines.map(({ requestId }) => requestId),
    ['req_1', 'req_151'],
    'each reason once',
  )
  assert.match(
    String(lines[0]?.msg),
    /^answered with an error: .*: the disk is full\. Further requests .* are counted\.$/,
  )
  assert(!JSON.stringify(lines).includes('"stack"'))
  assert.deepEqual(failures.reasons, ['the disk is full.', 'the disk reports an error.'])
  clock.pass(5_000)
  for (let n = 152; n <= 201; n += 1) refuse(n, 'the disk is full.')
  clock.pass(40_000)
  assert.deepEqual(
    lines.slice(2).map(({ level, requests, msg }) => [level, requests, msg]),
    [
      [40, 200, '200 requests got 503 so far: the disk is full.'],
      [30, 1, 'requests get no more 503, after 1: the disk reports an error.'],
      [30, 200, 'requests get no more 503, after 200: the disk is full.'],
    ],
  )
  assert.deepEqual(failures.reasons, [])
  refuse(300, 'the disk is full.')
  assert.equal(lines.at(-1)?.requestId, 'req_300', 'and told again when it begins again')
})
