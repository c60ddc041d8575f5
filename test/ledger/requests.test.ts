/** The ledger of a service in this process: its sums are those of what was admitted, refused and answered. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { describe, it } from 'node:test'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../src/common/clock.ts'
import { consume, newCounter } from '../../src/contract/limits.ts'
import { rotateKey } from '../../src/domain/keys.ts'
import { LedgerBuffer } from '../../src/domain/ledger.ts'
import type { LedgerOperation, LedgerRow, LedgerSum, Sums } from '../../src/store/ledger.ts'
import { type Store, StoreUnavailable } from '../../src/store/store.ts'
import { START_MS, startApp, type TestApp } from '../support/app.ts'
import { alter, temporaryFolder } from '../support/folder.ts'
import { BODY, call, RawConnection } from '../support/http.ts'
import { startService } from '../support/service.ts'
import { NO_USE } from '../support/store.ts'
import { clockAt } from '../support/time/clock.ts'
import { VirtualClock } from '../support/time/virtual-clock.ts'

const DAY = Math.floor(START_MS / DAY_MS)
const LIMITS = { perMinute: 3, perDay: 7 }
const BAN = { refusals: 3, withinMs: 90_000, forMs: 2 * HOUR_MS }
const UNREAD = { method: 'POST', headers: { 'content-type': 'text/plain' }, body: BODY }

describe('the ledger', () => {
  it('counts every request exactly by day, operation and outcome, over rotations and restarts', async () => {
    const path = `${temporaryFolder()}/pets.db`
    const time = { nowMs: START_MS }
    const start = () => startApp({ path, time, ban: BAN, savesCounters: true })
    let app = await start()
    let key = await app.issue('enterprise', LIMITS)
    const [{ id = '', lineage = '' } = {}] = await app.store.keys.list({ limit: 1 })
    const other = await app.issue('enterprise', LIMITS)
    const ask = async (request: Parameters<TestApp['call']>[0], status: number) =>
      assert.equal((await app.call({ key, ...request })).status, status)
    await ask({}, 200)
    await ask({ path: '/v1/pets?limit=many' }, 400)
    await ask({ path: '/v1/pets/9999' }, 404)
    await ask(UNREAD, 429)
    await ask({ key: other }, 200)
    await app[Symbol.asyncDispose]()
    app = await start()
    time.nowMs += MINUTE_MS
    await ask({ method: 'POST', body: BODY }, 201)
    await ask(UNREAD, 415)
    await ask({ path: '/v1/store/orders' }, 501)
    await ask({ path: '/nothing' }, 429)
    await ask({ key: 'none' }, 401) // which counts for no key
    const issuer = { store: app.store, clock: clockAt(() => time.nowMs), randomBytes, who: 'a test' }
    key = (await rotateKey(issuer, id, { overlapMs: 0 })).secret
    time.nowMs += MINUTE_MS
    await ask({ method: 'DELETE' }, 405)
    await ask({}, 429) // of the day
    for (let n = 0; n < 2; n += 1) await ask({}, 429) // the first of which begins the ban
    time.nowMs += DAY_MS
    await ask({ path: '/v1/pets?name=%zz' }, 400)
    assert.deepEqual(await savedBy(app, lineage), [
      sumOf('createPet', { admitted: 2, answered4xx: 1, refusedByMinute: 1 }),
      sumOf('getPet', { admitted: 1, answered4xx: 1 }),
      sumOf('listPets', { admitted: 2, answered4xx: 1, refusedByDay: 1, refusedByBan: 2 }),
      sumOf('other', { admitted: 2, answered4xx: 1, answered5xx: 1, refusedByMinute: 1 }),
      { ...sumOf('other', { admitted: 1, answered4xx: 1 }), day: DAY + 1 },
    ])
  })

  it('counts an answer for the day on which its request was admitted', async () => {
    const app = await startApp({ path: `${temporaryFolder()}/pets.db` })
    const head = await headOf(app, `Expect: 100-continue\r\nContent-Length: 1\r\n`)
    using connection = new RawConnection(app.port)
    connection.send(head)
    await connection.answers(1)
    app.clock.nowMs += DAY_MS
    connection.send('x')
    await connection.answers(2)
    assert.deepEqual(await savedBy(app), [sumOf('createPet', { admitted: 1, answered4xx: 1 })])
  })

  it('repeats a save that failed, but not one of which nobody knows whether it was made', async () => {
    const saved: number[] = []
    const outcomes = ['nothing was done', 'unknown', undefined] as const
    const saveLedger = async (rows: readonly LedgerRow[]) => {
      const outcome = outcomes[saved.push(rows.reduce((sum, { n }) => sum + n, 0)) - 1]
      if (outcome !== undefined) throw new StoreUnavailable('the connection broke.', { outcome })
    }
    const clock = new VirtualClock(START_MS)
    const store = { requests: { saveLedger }, saveAfterMs: 50 } as unknown as Store
    const ledger = new LedgerBuffer({ store, clock })
    const verdict = consume(newCounter(), { ...LIMITS, ban: undefined }, START_MS)
    for (const requests of [1, 2, 4]) {
      for (let n = 0; n < requests; n += 1) ledger.countDecision('key_a', 'listPets', verdict)
      clock.pass(50)
      await new Promise(setImmediate)
    }
    await ledger.close()
    assert.deepEqual(saved, [1, 1, 6])
  })

  it('leaves what is counted during a save to the next save interval', async () => {
    let saves = 0
    const clock = new VirtualClock(START_MS)
    const verdict = consume(newCounter(), { ...LIMITS, ban: undefined }, START_MS)
    const saveLedger = async () => {
      saves += 1
      if (saves < 9) ledger.countDecision('key_a', 'listPets', verdict)
    }
    const ledger = new LedgerBuffer({ store: { requests: { saveLedger }, saveAfterMs: 50 } as unknown as Store, clock })
    ledger.countDecision('key_a', 'listPets', verdict)
    for (const expected of [1, 2]) {
      clock.pass(50)
      await new Promise(setImmediate)
      assert.equal(saves, expected)
    }
  })

  it('is reported once with its stack if a bug keeps it from being saved', async () => {
    await using service = await startService()
    const { key } = await service.issueKey()
    for (const act of ['INSERT ON ledger_days', 'UPDATE OF last_used_at_ms ON keys'])
      alter(service.database, `CREATE TRIGGER "${act}" BEFORE ${act} BEGIN SELECT bug(); END`)
    assert.equal((await call(service.port, { key })).status, 200)
    const told = (what: string) => service.output().split(`"msg":"${what} is not saved"`).length - 1
    const saves = ['what requests came to', 'when keys were used']
    for (const what of saves) await service.says(new RegExp(`"msg":"${what} is not saved"`))
    assert.equal(await service.stop(), 0) // which tries again for a second
    assert.deepEqual(saves.map(told), [1, 1])
    assert.match(service.output(), /"stack":"[^"]*no such function: bug/)
  })
})

function sumOf(operation: LedgerOperation, sums: Partial<Sums>): LedgerSum {
  return { day: DAY, operation, sums: { ...NO_USE, ...sums } }
}

async function headOf(app: TestApp, fields: string): Promise<string> {
  const common = `Host: x\r\nAuthorization: Bearer ${await app.issue()}\r\nContent-Type: application/json\r\n`
  return `POST /v1/pets HTTP/1.1\r\n${common}${fields}\r\n`
}

async function savedBy(app: TestApp, lineage?: string): Promise<readonly LedgerSum[]> {
  await app[Symbol.asyncDispose]()
  await using store = await startApp({ path: app.path })
  return store.store.ledger.sums({ lineage, fromDay: 0, toDay: DAY + 2 })
}
