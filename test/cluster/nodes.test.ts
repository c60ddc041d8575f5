/** When a node counted by itself, read from what the real service logs. Needs Redis or Valkey, and no cluster. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { redisNeeded, startRedis } from '../support/servers/redis.ts'
import { startService } from '../support/service.ts'
import { until } from '../support/until.ts'
import { overlaps } from './history.ts'
import { aloneIn } from './nodes.ts'

describe('the log of a node', { ...redisNeeded }, () => {
  it('says when it counted by itself, in the time of the clients', async (t) => {
    const redis = await startRedis()
    t.after(() => redis.stop())
    await redis.kill()
    const startMs = Date.now()
    await using service = await startService({ args: ['--counters', redis.url] })
    const servingMs = Date.now()
    const [open] = aloneIn(service.output(), 'node1')
    assert.ok(open !== undefined && overlaps(open, { startMs, endMs: servingMs }))
    assert.equal(open.endMs, Infinity)
    for (let i = 0; i < 3; i += 1) assert.equal((await fetch(`${service.baseUrl}/pets`)).status, 401)
    await redis.restart()
    await until('the counters are shared again', async () => aloneIn(service.output(), 'node1')[0]?.endMs !== Infinity)
    assert.match(service.output(), /shared again after [\d.]+ s; 3 requests were counted by this node alone"/)
    const phases = aloneIn(service.output(), 'node1')
    assert.deepEqual(phases, [{ ...open, life: service.process.pid, endMs: phases[0]?.endMs }])
    assert.ok(!overlaps(open, { startMs: 0, endMs: startMs - 1 }))
    assert.ok(overlaps({ startMs: servingMs, endMs: Date.now() }, { ...open, endMs: phases[0]?.endMs ?? 0 }))
  })

  it('whose times can not be read is refused, instead of taking the node to be well', () => {
    const line = { time: 'soon', pid: 1, msg: 'the shared counters do not count (no answer)' }
    assert.throws(() => aloneIn(JSON.stringify(line), 'node1'), /"soon" where a time should be/)
  })
})
