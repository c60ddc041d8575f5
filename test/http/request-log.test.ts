/** What the log says of requests that the store refuses: a line when it begins, counts while it lasts, and its end. */
import assert from 'node:assert/strict'
import { it } from 'node:test'
import pino from 'pino'
import type { Exchange } from '../../src/http/exchange.ts'
import { RequestLog, StoreFailures } from '../../src/http/request-log.ts'
import { StoreUnavailable } from '../../src/store/store.ts'
import { VirtualClock } from '../support/time/virtual-clock.ts'

it('200 requests that fail for a full disk are one line without a stack, counts, and one line when it is over', () => {
  const clock = new VirtualClock()
  const lines: { level: number; msg: string; requests?: number; requestId?: string }[] = []
  const log = pino({}, { write: (line) => void lines.push(JSON.parse(line)) })
  const failures = new StoreFailures(log, clock)
  const requests = new RequestLog(log, clock, failures)
  const exchange = (n: number) =>
    ({
      id: `req_${n}`,
      request: { method: 'POST' },
      route: { path: '/v1/pets', purpose: { kind: 'createPet' } },
      arrivedAtMs: 0,
    }) as unknown as Exchange
  const refuse = (n: number, reason: string) =>
    requests.answered(exchange(n), { status: 503, cause: new StoreUnavailable(reason) } as Parameters<
      RequestLog['answered']
    >[1])
  for (let n = 1; n <= 150; n += 1) refuse(n, 'the disk is full.')
  refuse(151, 'the disk reports an error.')
  assert.deepEqual(
    lines.map(({ requestId }) => requestId),
    ['req_1', 'req_151'],
    'each reason once',
  )
  assert.match(
    lines[0]?.msg ?? '',
    /^answered with an error: .*: the disk is full\. Further requests .* are counted\.$/,
  )
  assert(!JSON.stringify(lines).includes('"stack"'))
  assert.deepEqual(failures.reasons, ['the disk is full.', 'the disk reports an error.'])
  clock.pass(5_000)
  for (let n = 152; n <= 201; n += 1) refuse(n, 'the disk is full.')
  clock.pass(40_000)
  assert.deepEqual(
    lines.slice(2).map(({ msg }) => msg),
    [
      '200 requests got 503 so far: the disk is full.',
      'no request gets 503 any more, 1 did: the disk reports an error.',
      'no request gets 503 any more, 200 did: the disk is full.',
    ],
  )
  assert.deepEqual(failures.reasons, [])
  refuse(300, 'the disk is full.')
  assert.equal(lines.at(-1)?.requestId, 'req_300', 'and told again when it begins again')
})
