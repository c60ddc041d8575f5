/** Whose allowance a request is charged to, and what is kept of a key's use, on a real database. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, describe, it } from 'node:test'
import fc from 'fast-check'
import { MemoryCounters } from '../../src/counters/memory-counters.ts'
import { Access, addressBucket } from '../../src/domain/access.ts'
import { issueKey } from '../../src/domain/keys.ts'
import { LedgerBuffer } from '../../src/domain/ledger.ts'
import { fromCursor, toCursor } from '../../src/http/pets.ts'
import { openSqlite } from '../../src/store/sqlite/store.ts'
import type { RequestStore } from '../../src/store/store.ts'
import { temporaryFolder } from '../support/folder.ts'
import { patientClock } from '../support/time/clock.ts'
import { VirtualClock } from '../support/time/virtual-clock.ts'
import { until } from '../support/until.ts'

const store = await openSqlite(`${temporaryFolder()}/pets.db`, { serving: true, clock: patientClock })
after(() => store.close())
const FREE = { plan: 'free', custom: undefined, label: undefined, expiresAtMs: undefined } as const
const FROM = { ip: '192.0.2.1', operation: 'listPets' } as const

/** Access by a clock of its own, whose writes of last uses can be made to fail. */
async function setUp() {
  const clock = new VirtualClock()
  const writes: [id: string, minuteMs: number][][] = []
  const disk = { isFull: false }
  const requests: RequestStore = {
    ...store.requests,
    markKeysUsed: async (uses) => {
      writes.push([...uses])
      if (disk.isFull) throw new Error('the disk is full')
      await store.requests.markKeysUsed(uses)
    },
  }
  const counters = new MemoryCounters(clock)
  const access = new Access({
    store: { keys: store.keys, requests },
    counters,
    ledger: new LedgerBuffer({ store, clock }),
    clock,
    ban: undefined,
    anonymousPerMinute: 10,
  })
  const issue = () => issueKey({ store, clock, randomBytes, who: 'a test' }, FREE)
  const turn = () => new Promise((resolve) => setImmediate(resolve))
  return { clock, writes, disk, counters, access, issue, turn, ...(await issue()) }
}

describe('the allowance of a request', () => {
  it('belongs to the lineage of a key, or is the same for every address (R14, O14, O23)', async () => {
    const { access, counters, key, secret, clock } = await setUp()
    const entered = await access.admit(`Bearer ${secret}`, FROM)
    assert.deepEqual([entered.verdict.limit, entered.verdict.remaining], [60, 59])
    assert.equal((await access.peekKey(key)).remaining, 59)
    const limits = { perMinute: key.perMinute, perDay: key.perDay, ban: undefined }
    assert.equal(counters.peek(`key:${key.lineage}`, limits).remaining, 59, 'the name that other versions know')
    assert.equal((await access.peekAddress(FROM.ip)).verdict.remaining, 10)
    assert.equal((await access.admitAddress(FROM.ip)).verdict.remaining, 9)
    const { key: none, verdict } = await access.peekAddress(FROM.ip)
    assert.deepEqual([none, verdict.limit, verdict.remaining], [undefined, 10, 9])
    const resetS = Math.ceil((clock.now() + 1) / 60_000) * 60
    assert.deepEqual(access.unusedAllowance(), { ...access.unusedAllowance(), limit: 10, remaining: 10, resetS })
    await access.close()
  })

  it('has one name for an address in both versions', () => {
    for (const [address, name] of [
      ['192.0.2.1', '192.0.2.1'],
      ['::FFFF:192.0.2.1', '192.0.2.1'],
      ['::ffff:404:404', '4.4.4.4'],
      ['0:0::0:FFFF:c000:201', '192.0.2.1'],
      ['0:0:0:0:0:ffff:192.0.2.1', '192.0.2.1'],
      ['::ffff:0:404:404', '0:0:0:0::/64'],
      ['64::ffff:192.0.2.1', '64:0:0:0::/64'],
      ['1:2:3:4:5:6:192.0.2.1', '1:2:3:4::/64'],
      ['2001:db8::1', '2001:db8:0:0::/64'],
      ['2001:0DB8:00a0:000b:1:2:3:4', '2001:db8:a0:b::/64'],
      ['::', '0:0:0:0::/64'],
      ['2001:db8::', '2001:db8:0:0::/64'],
      ['::a:b:c:d:192.0.2.1', '0:0:a:b::/64'],
      ['a:b:c::d:192.0.2.1', 'a:b:c:0::/64'],
      ['a::b:c:d:e:f:1', 'a:0:b:c::/64'],
      ['fe80::a:b:c:d%eth0.100', 'fe80:0:0:0::/64'],
    ] as const)
      assert.equal(addressBucket(address), `address:${name}`)
  })

  it('is the same for every spelling of an address, and for an IPv6 /64 (O14)', () => {
    const groups = fc.array(fc.integer({ min: 0, max: 0xffff }), { minLength: 8, maxLength: 8 })
    fc.assert(
      fc.property(groups, groups, (a, b) => {
        const full = (parts: number[]) =>
          parts.map((part) => part.toString(16).padStart(4, '0').toUpperCase()).join(':')
        const short = new URL(`http://[${full(a)}]`).hostname.slice(1, -1)
        assert.equal(addressBucket(short), addressBucket(full(a)))
        const neighbour = [...a.slice(0, 4), ...b.slice(4)]
        if (!full(neighbour).startsWith('0000:0000:0000:0000'))
          assert.equal(addressBucket(full(neighbour)), addressBucket(short))
        const isSameNetwork = a.slice(0, 4).join() === b.slice(0, 4).join()
        assert.equal(addressBucket(full(b)) === addressBucket(short), isSameNetwork)
      }),
    )
    assert.notEqual(addressBucket('192.0.2.1'), addressBucket('192.0.2.2'))
    assert.equal(addressBucket('fe80::1%eth0'), addressBucket('fe80::2'))
  })
})

describe('the last use of a key', () => {
  it('is written within 50 ms the first time, then at most every five seconds, and at the stop', async () => {
    const { clock, writes, access, turn, key, secret } = await setUp()
    const minuteMs = clock.now() - (clock.now() % 60_000)
    const use = () => access.admit(`Bearer ${secret}`, FROM)
    for (let i = 0; i < 3; i += 1) await use()
    clock.pass(49)
    assert.deepEqual(writes, [])
    clock.pass(1)
    await turn()
    assert.deepEqual(writes, [[[key.id, minuteMs]]])
    await until(
      'so nobody is told that it was never used',
      async () => (await store.keys.get(key.id))?.lastUsedAtMs === minuteMs,
    )
    await use()
    clock.pass(20_000)
    await turn()
    assert.equal(writes.length, 1, 'the minute is known already')
    clock.pass(65_000 - ((clock.now() - minuteMs) % 60_000))
    await use()
    clock.pass(50)
    assert.equal(writes.length, 1)
    clock.pass(4_950)
    await turn()
    assert.deepEqual(writes[1], [[key.id, minuteMs + 60_000]])
    clock.pass(60_000)
    await use()
    await access.close()
    assert.deepEqual(writes[2], [[key.id, minuteMs + 120_000]])
    clock.pass(60_000)
    await use()
    clock.pass(60_000)
    assert.equal(writes.length, 3, 'nothing is written after the stop')
  })

  it('is written the next time if it could not be written', async () => {
    const { clock, writes, disk, access, issue, turn, key, secret } = await setUp()
    const other = await issue()
    const minuteMs = clock.now() - (clock.now() % 60_000)
    await access.admit(`Bearer ${secret}`, FROM)
    await access.admit(`Bearer ${other.secret}`, FROM)
    disk.isFull = true
    clock.pass(60_000 - (clock.now() % 60_000))
    await access.admit(`Bearer ${secret}`, FROM)
    await turn()
    disk.isFull = false
    await access.close()
    assert.equal(writes.length, 2)
    assert.deepEqual(new Map(writes.at(-1)).get(other.key.id), minuteMs)
    assert.deepEqual(new Map(writes.at(-1)).get(key.id), minuteMs + 60_000)
    assert.equal((await store.keys.get(other.key.id))?.lastUsedAtMs, minuteMs)
  })
})

it('a cursor is its id as text that needs no quoting (O6)', () => {
  for (const id of [1n, 7n, 1_000_000n, 2n ** 63n - 1n]) {
    const cursor = toCursor(String(id))
    assert.match(cursor, /^[\w-]+$/)
    assert.equal(fromCursor(cursor), id)
    for (const other of [`${cursor}=`, `${cursor} `, ` ${cursor}`, `${cursor}\n`]) {
      assert.equal(fromCursor(other), undefined, other)
    }
  }
  for (const text of ['', '7', 'x', toCursor('07'), toCursor('x'), toCursor(''), toCursor(String(2n ** 63n))]) {
    assert.equal(fromCursor(text), undefined, text)
  }
})
