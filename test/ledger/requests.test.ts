/**
 * The ledger of a service in this process, compared with a model: whatever the requests, rotations, clocks and
 * restarts, its sums are those of what was admitted, refused and answered, to the request.
 */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { type RotatedKey, rotateKey } from '../../src/domain/keys.ts'
import { type LedgerOperation, type LedgerSum, SUMS, type Sums } from '../../src/store/ledger.ts'
import { judge, UNUSED, type Use } from '../model/windows.ts'
import { START_MS, startApp, type TestApp } from '../support/app.ts'
import { temporaryFolder } from '../support/folder.ts'
import { BODY, type Call, RawConnection } from '../support/http.ts'
import { clockAt } from '../support/time/clock.ts'

const HOUR_MS = 3_600_000
const LIMITS = { perMinute: 3, perDay: 7 }
const BAN = { refusals: 3, withinMs: 90_000, forMs: 2 * HOUR_MS }
const NONE = Object.fromEntries(SUMS.map((name) => [name, 0])) as unknown as Sums

/** Requests with a key, what they count as, and what they are answered once they are admitted. */
const REQUESTS: readonly { call: Call; operation: LedgerOperation; status: number }[] = [
  { call: {}, operation: 'listPets', status: 200 },
  { call: { path: '/v1/pets?limit=many' }, operation: 'listPets', status: 400 },
  { call: { path: '/v1/pets/9999' }, operation: 'getPet', status: 404 },
  {
    call: { method: 'POST', headers: { 'content-type': 'application/json' }, body: BODY },
    operation: 'createPet',
    status: 201,
  },
  {
    call: { method: 'POST', headers: { 'content-type': 'text/plain' }, body: BODY },
    operation: 'createPet',
    status: 415,
  },
  { call: { path: '/v1/store/orders' }, operation: 'other', status: 501 },
  { call: { path: '/nothing' }, operation: 'other', status: 404 },
  { call: { method: 'DELETE' }, operation: 'other', status: 405 },
]
/** Requests that count for no key: their HTTP is malformed, or their key is none. */
const UNCOUNTED: readonly Call[] = [{ path: '/v1/pets?name=%zz' }, { key: 'none' }]

const act = fc.oneof(
  {
    weight: 12,
    arbitrary: fc.record({ kind: fc.constant('request' as const), key: fc.nat(1), n: fc.nat(REQUESTS.length - 1) }),
  },
  fc.record({
    kind: fc.constant('pass' as const),
    ms: fc.constantFrom(1_000, 60_000, HOUR_MS, 3 * HOUR_MS, 24 * HOUR_MS),
  }),
  fc.record({ kind: fc.constant('uncounted' as const), key: fc.nat(1), n: fc.nat(UNCOUNTED.length - 1) }),
  fc.record({ kind: fc.constant('rotate' as const), key: fc.nat(1) }),
  fc.record({ kind: fc.constant('restart' as const) }),
)

class Model {
  readonly sums = new Map<string, Sums>()
  readonly #uses = new Map<number, Use>()

  /** Whether the request is admitted. */
  count(key: number, nowMs: number, { operation, status }: (typeof REQUESTS)[number]): boolean {
    const before = this.#uses.get(key) ?? UNUSED
    const { admitted, limit, after } = judge(before, LIMITS, BAN, nowMs)
    this.#uses.set(key, after)
    const sums = this.#sumsOf(`${Math.floor(nowMs / HOUR_MS)} ${operation}`)
    if (admitted) sums.admitted += 1
    else if (after.ban !== undefined && nowMs < after.ban.untilMs) sums.refusedByBan += 1
    else if (limit === LIMITS.perDay) sums.refusedByDay += 1
    else sums.refusedByMinute += 1
    if (admitted && status >= 500) sums.answered5xx += 1
    else if (admitted && status >= 400) sums.answered4xx += 1
    return admitted
  }

  #sumsOf(name: string): Sums {
    const found = this.sums.get(name) ?? { ...NONE }
    this.sums.set(name, found)
    return found
  }
}

describe('the ledger', () => {
  it('holds what was admitted, refused and answered, by hour and operation, to the request', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(act, { minLength: 20, maxLength: 60 }), async (acts) => {
        const path = `${temporaryFolder()}/pets.db`
        const time = { nowMs: START_MS }
        const models = [new Model(), new Model()]
        const start = () => startApp({ path, time, ban: BAN, savesCounters: true })
        let app: TestApp = await start()
        try {
          const secrets = [await app.issue('enterprise', LIMITS)]
          const [first] = await app.store.keys.list({ limit: 1 })
          secrets.push(await app.issue('enterprise', LIMITS))
          const second = (await app.store.keys.list({ limit: 2 })).find(({ id }) => id !== first?.id)
          const lineages = [first?.id ?? '', second?.id ?? '']
          const ids = [...lineages]
          for (const one of acts) {
            switch (one.kind) {
              case 'request': {
                const request = REQUESTS[one.n] ?? assert.fail()
                const admitted = models[one.key]?.count(one.key, time.nowMs, request)
                const { status } = await app.call({ ...request.call, key: secrets[one.key] ?? '' })
                assert.equal(status, admitted ? request.status : 429)
                break
              }
              case 'uncounted':
                await app.call({ key: secrets[one.key] ?? '', ...UNCOUNTED[one.n] })
                break
              case 'pass':
                time.nowMs += one.ms
                break
              case 'rotate': {
                const issuer = { store: app.store, clock: clockAt(() => time.nowMs), randomBytes, who: 'a test' }
                const rotated: RotatedKey = await rotateKey(issuer, ids[one.key] ?? '', { overlapMs: 0 })
                secrets[one.key] = rotated.secret
                ids[one.key] = rotated.key.id
                break
              }
              case 'restart':
                await app[Symbol.asyncDispose]()
                app = await start()
            }
          }
          await app[Symbol.asyncDispose]()
          app = await start()
          const hours = { fromHour: Math.floor(START_MS / HOUR_MS), toHour: Math.floor(time.nowMs / HOUR_MS) + 1 }
          for (const [n, model] of models.entries()) {
            const of = await app.store.ledger.sums({ ...hours, lineage: lineages[n], by: 'hour' })
            const told = new Map(of.map(({ hour, operation, sums }) => [`${hour} ${operation}`, sums]))
            assert.deepEqual(new Map([...told].sort()), new Map([...model.sums].sort()))
          }
        } finally {
          await app[Symbol.asyncDispose]()
        }
      }),
      { numRuns: 4, endOnFailure: true },
    )
  })

  it('counts an answer for the hour in which its request was admitted', async () => {
    const app = await startApp({ path: `${temporaryFolder()}/pets.db` })
    const head = await headOf(app, `Expect: 100-continue\r\nContent-Length: 1\r\n`)
    using connection = new RawConnection(app.port)
    connection.send(head)
    await connection.answers(1)
    app.clock.nowMs += HOUR_MS
    connection.send('x')
    await connection.answers(2)
    assert.deepEqual(await savedBy(app), [
      { hour: Math.floor(START_MS / HOUR_MS), operation: 'createPet', sums: { ...NONE, admitted: 1, answered4xx: 1 } },
    ])
  })
})

async function headOf(app: TestApp, fields: string): Promise<string> {
  const common = `Host: x\r\nAuthorization: Bearer ${await app.issue()}\r\nContent-Type: application/json\r\n`
  return `POST /v1/pets HTTP/1.1\r\n${common}${fields}\r\n`
}

/** What the app has saved by its end. */
async function savedBy(app: TestApp): Promise<readonly LedgerSum[]> {
  await app[Symbol.asyncDispose]()
  await using store = await startApp({ path: app.path })
  return store.store.ledger.sums({ lineage: undefined, fromHour: 0, toHour: Number.MAX_SAFE_INTEGER, by: 'hour' })
}
