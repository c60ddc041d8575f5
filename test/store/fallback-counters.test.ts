/** Counting while Redis is down, frozen or restarted, on clusters, and over TLS. */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { describe, it, type TestContext } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { promisify } from 'node:util'
import { createClient } from '@redis/client'
import type { Clock } from '../../src/common/clock.ts'
import type { Limits } from '../../src/contract/limits.ts'
import { FallbackCounters } from '../../src/counters/fallback-counters.ts'
import { assertCountersAddress } from '../../src/counters/open.ts'
import { RedisCounters } from '../../src/counters/redis-counters.ts'
import { StoreUnusable } from '../../src/store/store.ts'
import { makeCertificate } from '../support/certificate.ts'
import { temporaryFolder } from '../support/folder.ts'
import { redisNeeded, startRedis } from '../support/servers/redis.ts'
import { freePort } from '../support/servers/servers.ts'
import { clockAt } from '../support/time/clock.ts'
import { VirtualClock } from '../support/time/virtual-clock.ts'
import { inOneMinute, until } from '../support/until.ts'

const LIMITS: Limits = { perMinute: 10, perDay: 100, ban: undefined }
const NOW_MS = Date.UTC(2026, 10, 21, 12)
const TIMEOUT_MS = 250
const REVIVE_EVERY_MS = 1_000
const REVIVE_TIMEOUT_MS = 1_000
/** It stands: a node continues the time of its last answer by it, and a busy machine may take seconds. */
const clock: Clock = { ...clockAt(() => NOW_MS), monotonic: () => 0 }

/** A node's counters, which wait, and are tried again, when the test lets time pass. */
async function open(
  t: TestContext,
  url: string,
  serverNow: () => number = clock.now,
  waits = new VirtualClock(NOW_MS),
) {
  const told: (string | undefined)[] = []
  const shared = new RedisCounters(url, clock, serverNow)
  let tries = 0
  const revive = shared.revive.bind(shared)
  shared.revive = () =>
    revive().finally(() => {
      tries += 1
    })
  const onChange = (trouble: string | undefined) => void told.push(trouble)
  const counters = await FallbackCounters.over(shared, { clock: waits, onChange, onAlone: () => {} })
  t.after(() => counters.close())
  const tryAgain = async () => {
    const before = tries
    waits.pass(REVIVE_EVERY_MS)
    await until('the shared counters have been tried', () => tries > before)
  }
  const recovered = async () => {
    await until('the shared counters count again', async () => {
      if (counters.trouble() !== undefined) await tryAgain()
      return counters.trouble() === undefined
    })
  }
  return { counters, told, waits, tryAgain, recovered }
}

/** Over a Redis that is there: on a busy machine the first connection may come too late. */
async function openShared(t: TestContext, url: string, serverNow?: () => number) {
  const opened = await open(t, url, serverNow)
  await opened.recovered()
  opened.told.length = 0
  return opened
}

async function redisFor(t: TestContext, ...tls: Parameters<typeof startRedis>) {
  const redis = await startRedis(...tls)
  t.after(() => redis.stop())
  return redis
}

async function clusterFor(t: TestContext) {
  const cluster = '--cluster-enabled yes --cluster-node-timeout 20000 --cluster-require-full-coverage no'.split(' ')
  const servers = await Promise.all([1, 2, 3].map(() => redisFor(t, cluster)))
  const clients = servers.map(({ url }) => createClient({ url, socket: { reconnectStrategy: false } }))
  await Promise.all(clients.map((client) => client.connect()))
  const bounds = [0, 5_461, 10_922, 16_384]
  for (const [index, client] of clients.entries()) {
    await client.clusterAddSlotsRange({ start: bounds[index] ?? 0, end: (bounds[index + 1] ?? 0) - 1 })
    for (const { port } of servers) await client.clusterMeet('127.0.0.1', port)
  }
  for (const client of clients) {
    await until('the cluster is complete', async () => {
      const isWhole = /cluster_state:ok[\s\S]*cluster_known_nodes:3/.test(await client.clusterInfo())
      return isWhole && (await client.clusterSlots()).length === 3
    })
    client.destroy()
  }
  return servers
}

async function adminFor(t: TestContext, url: string) {
  const admin = await createClient({ url })
    .on('error', () => {})
    .connect()
  t.after(() => admin.destroy())
  return admin
}

type Admin = Awaited<ReturnType<typeof adminFor>>
type Change = (admin: Admin) => Promise<unknown>

describe('counters in Redis', { concurrency: 2, ...redisNeeded }, () => {
  it('no request waits longer than 250 ms while Redis is frozen, and the node counts alone', async (t) => {
    const redis = await redisFor(t)
    const { counters, told, waits, recovered } = await openShared(t, redis.url)
    assert.equal((await counters.consume('key', LIMITS)).remaining, 9)
    redis.freeze()
    const asked = Promise.all(Array.from({ length: 4 }, () => counters.consume('key', LIMITS)))
    waits.pass(TIMEOUT_MS)
    const first = await asked
    assert.deepEqual(
      first.map(({ remaining }) => remaining),
      [9, 8, 7, 6],
    )
    const again = counters.consume('key', LIMITS)
    assert.ok(!(again instanceof Promise), 'nothing is waited for any more')
    assert.equal(again.remaining, 5)
    assert.match(
      counters.trouble() ?? '',
      /do not work \(no response within 250 ms\); this node counts by itself until they work again/,
    )
    redis.thaw()
    await recovered()
    assert.ok((await counters.consume('key', LIMITS)).remaining < 9)
    assert.deepEqual(
      told.map((trouble) => trouble !== undefined),
      [true, false],
    )
  })

  it('a Redis that died and came back is used again, with the script that it has forgotten', async (t) => {
    const redis = await redisFor(t)
    const { counters, told, recovered } = await openShared(t, redis.url)
    await counters.consume('key', LIMITS)
    await redis.kill()
    await Promise.all(Array.from({ length: 50 }, () => counters.consume('key', { ...LIMITS, perMinute: 100 })))
    await redis.restart()
    await recovered()
    assert.equal((await counters.consume('key', LIMITS)).remaining, 9)
    assert.equal(told.length, 2)
  })

  it('a day that was spent, and a ban, are not forgotten while the node counts by itself', async (t) => {
    const redis = await redisFor(t)
    const { counters } = await openShared(t, redis.url)
    const day = { perMinute: 10, perDay: 2, ban: undefined }
    const banned = { perMinute: 1, perDay: 100, ban: { refusals: 1, withinMs: 60_000, forMs: 600_000 } }
    for (const limits of [day, day]) await counters.consume('spent', limits)
    for (const limits of [banned, banned]) await counters.consume('banned', limits)
    const before = [await counters.consume('spent', day), await counters.consume('banned', banned)]
    await redis.kill()
    assert.ok((await counters.consume('other', day)).admitted)
    assert.notEqual(counters.trouble(), undefined)
    const alone = [await counters.consume('spent', day), await counters.consume('banned', banned)]
    assert.deepEqual(
      alone,
      before.map((verdict, n) => ({ ...verdict, atMs: alone[n]?.atMs })),
    )
  })

  it('an answer that comes too late is remembered: what it says is spent stays spent', async (t) => {
    const redis = await redisFor(t)
    const { counters, waits } = await openShared(t, redis.url)
    const day = { perMinute: 10, perDay: 3, ban: undefined }
    for (const left of [2, 1]) assert.equal((await counters.consume('key', day)).remaining, left)
    redis.freeze()
    const late = counters.consume('key', day)
    waits.pass(TIMEOUT_MS)
    assert.equal((await late).remaining, 2, 'the node has counted by itself')
    redis.thaw()
    let looks = 0
    await until('the shared counters have counted the third request too', async () => {
      looks += 1
      // Each with limits of its own, since a look is kept for a time.
      return (await counters.peek('key', { ...day, perMinute: 100 + looks })).remaining === 0
    })
    const { admitted, retryAfterS } = await counters.consume('key', day)
    assert.deepEqual([admitted, retryAfterS], [false, 43_200])
  })

  it('a service can start before its Redis: it counts by itself', async (t) => {
    const url = `redis://127.0.0.1:${await freePort()}`
    const local = await open(t, url)
    assert.match(local.counters.trouble() ?? '', /ECONNREFUSED/)
    assert.equal((await local.counters.consume('key', LIMITS)).remaining, 9)
  })

  it('the server’s clock decides, and counts expire when they no longer matter', async (t) => {
    const redis = await redisFor(t)
    const counters = new RedisCounters(redis.url, clock)
    t.after(() => counters.close())
    await counters.revive()
    const client = await adminFor(t, redis.url)
    const { resetS, names, ttls, beforeMs, afterMs } = await inOneMinute(async () => {
      await client.flushAll()
      const beforeMs = Date.now()
      const { resetS } = await counters.consume('key', LIMITS)
      await counters.consume('address', { perMinute: 5, perDay: undefined, ban: undefined })
      const names = (await client.keys('*')).filter((name) => !name.endsWith(':proof')).sort()
      const ttls = await Promise.all(names.map((name) => client.pTTL(name)))
      return { resetS, names, ttls, beforeMs, afterMs: Date.now() }
    })
    assert.equal(resetS, (Math.floor(beforeMs / 60_000) + 1) * 60)
    assert.deepEqual(names, ['pets:{address}', 'pets:{key}'])
    for (const [index, windowMs] of [60_000, 86_400_000].entries()) {
      const endMs = beforeMs - (beforeMs % windowMs) + windowMs
      // Each window is kept for its own length again, in case the clock steps back.
      const [leastMs, mostMs] = [endMs + windowMs - afterMs - 10, endMs + windowMs - beforeMs + 10]
      const ttlMs = ttls[index] ?? 0
      assert.ok(ttlMs >= leastMs && ttlMs <= mostMs, `${names[index]}: ${ttlMs}, not ${leastMs} to ${mostMs}`)
    }
  })

  it('on a cluster, counts spread over its nodes and stay exact, and a lost node is survived', async (t) => {
    const servers = await clusterFor(t)
    const [first, second] = servers
    const { counters } = await openShared(t, first?.url ?? '')
    const names = Array.from({ length: 60 }, (_, n) => `key ${n}`)
    for (let round = 1; round <= 3; round += 1) {
      const verdicts = await Promise.all(names.map((name) => counters.consume(name, LIMITS)))
      assert.ok(verdicts.every(({ remaining }) => remaining === 10 - round))
    }
    assert.equal(counters.trouble(), undefined)
    for (const { url } of servers) {
      assert.ok((await (await adminFor(t, url)).dbSize()) > 5)
    }
    await second?.kill()
    const verdicts = await Promise.all(names.map((name) => counters.consume(name, LIMITS)))
    assert.ok(verdicts.every(({ admitted }) => admitted))
    assert.notEqual(counters.trouble(), undefined)
  })

  it('on a cluster, an address whose server is frozen does not keep a node from those that answer', async (t) => {
    const [servers, frozen] = await Promise.all([clusterFor(t), redisFor(t)])
    frozen.freeze()
    const urls = [frozen.url, ...servers.map(({ url }) => url)].join(',')
    const waits = new VirtualClock(NOW_MS)
    const opening = open(t, urls, clock.now, waits)
    await nextTurn()
    waits.pass(REVIVE_TIMEOUT_MS)
    const { counters } = await opening
    assert.match(counters.trouble() ?? '', /no response within 1000 ms/)
    waits.pass(REVIVE_EVERY_MS)
    await until('the shared counters count', () => counters.trouble() === undefined)
    assert.equal((await counters.consume('key', LIMITS)).remaining, 9)
    assert.equal(counters.trouble(), undefined)
  })

  it('works over TLS only with a trusted certificate', async (t) => {
    const files = makeCertificate(temporaryFolder())
    const redis = await redisFor(t, [], files)
    const take = `
      import { RedisCounters } from ${JSON.stringify(new URL('../../src/counters/redis-counters.ts', import.meta.url).href)}
      import { systemClock } from ${JSON.stringify(new URL('../../src/common/system-clock.ts', import.meta.url).href)}
      const counters = new RedisCounters(${JSON.stringify(redis.url)}, systemClock)
      // As a service tries again: on a busy machine a connection may take too long.
      const connect = () => counters.revive().catch((error) => {
        if (error.message !== 'Connection timeout') throw error
        return connect()
      })
      await connect()
      console.log((await counters.consume('key', { perMinute: 10, perDay: 100 })).remaining)
      await counters.close()`
    const run = (env: Record<string, string>) =>
      promisify(execFile)(process.execPath, ['--input-type=module-typescript', '-e', take], {
        env: { ...process.env, ...env },
      })
    assert.equal((await run({ NODE_EXTRA_CA_CERTS: files.cert })).stdout, '9\n')
    await assert.rejects(run({}), /self-signed certificate/)
  })

  it('an invalid address is refused with a sentence that says what to do', () => {
    for (const url of ['localhost:6379', 'http://localhost', 'redis://a,b']) {
      assert.throws(() => assertCountersAddress(url), StoreUnusable)
    }
  })

  for (const [what, refuse, allow, says] of [
    ['is full', (admin) => admin.configSet('maxmemory', '1'), (admin) => admin.configSet('maxmemory', '0'), /OOM/],
    [
      'has become a replica',
      (admin) => admin.replicaOf('127.0.0.1', 1),
      (admin) => admin.sendCommand(['REPLICAOF', 'NO', 'ONE']),
      /READONLY/,
    ],
  ] satisfies readonly [string, Change, Change, RegExp][]) {
    it(`a Redis that ${what} answers and does not count: told once, and used again when it counts`, async (t) => {
      const redis = await redisFor(t)
      const admin = await adminFor(t, redis.url)
      const { counters, told, tryAgain, recovered } = await openShared(t, `${redis.url},${redis.url}`)
      await counters.consume('key', LIMITS)
      await refuse(admin)
      for (let n = 0; n < 3; n += 1) {
        assert.ok((await counters.consume('key', LIMITS)).admitted)
        await tryAgain()
      }
      assert.equal(told.length, 1, `told once: ${told.join('; ')}`)
      assert.match(told[0] ?? '', says)
      assert.match(told[0] ?? '', /this node counts by itself until they work again$/)
      const clients = async () => Number(/connected_clients:(\d+)/.exec(await admin.info('clients'))?.[1])
      await until('no attempt has left its connection', async () => (await clients()) <= 2)
      await allow(admin)
      await recovered()
      assert.equal(told.length, 2)
      assert.equal((await counters.consume('other key', LIMITS)).remaining, 9)
    })
  }

  it('on a cluster, a server that refuses to count is not taken to be well because another one is', async (t) => {
    const servers = await clusterFor(t)
    const { counters, told, tryAgain, recovered } = await openShared(t, servers[0]?.url ?? '')
    const admin = await adminFor(t, servers[1]?.url ?? '')
    await admin.sendCommand(['CONFIG', 'SET', 'maxmemory', '1'])
    const all = () => Promise.all(Array.from({ length: 60 }, (_, n) => counters.consume(`key ${n}`, LIMITS)))
    for (let n = 0; n < 3; n += 1) {
      await all()
      await tryAgain()
    }
    assert.equal(told.length, 1, `told once: ${told.join('; ')}`)
    await admin.sendCommand(['CONFIG', 'SET', 'maxmemory', '0'])
    await recovered()
    assert.equal(told.length, 2)
  })

  it('looks are free: a thousand of them at one address ask Redis once in two seconds', async (t) => {
    const redis = await redisFor(t)
    const { counters, waits } = await openShared(t, redis.url)
    const admin = await adminFor(t, redis.url)
    await counters.consume('address', LIMITS)
    const calls = async () => Number(/cmdstat_evalsha:calls=(\d+)/.exec(await admin.info('commandstats'))?.[1] ?? 0)
    const before = await calls()
    for (const asked of [1, 2]) {
      for (let round = 0; round < 5; round += 1) {
        const verdicts = await Promise.all(Array.from({ length: 100 }, () => counters.peek('address', LIMITS)))
        for (const { remaining } of verdicts) assert.equal(remaining, 9)
      }
      assert.equal((await calls()) - before, asked, 'the scripts that Redis ran')
      waits.pass(2_000)
    }
  })

  it('while a node counts by itself, it continues the shared clock and not its own', async (t) => {
    const redis = await redisFor(t)
    const aheadMs = 90_000
    const { counters } = await openShared(t, redis.url, () => NOW_MS + aheadMs)
    const { resetS } = await counters.consume('key', { ...LIMITS, perDay: undefined })
    await redis.kill()
    const alone = await counters.consume('key', { ...LIMITS, perDay: undefined })
    assert.notEqual(counters.trouble(), undefined)
    assert.ok(alone.resetS >= resetS, `${alone.resetS} after ${resetS}`)
  })
})
