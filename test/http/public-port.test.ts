/** How a response is counted, and what counts for no limit. */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { it } from 'node:test'
import { jsonResponse } from '../../src/http/response.ts'
import { openSqlite } from '../../src/store/sqlite/store.ts'
import { StoreUnavailable } from '../../src/store/store.ts'
import { START_MS, startApp, startKeyed } from '../support/app.ts'
import { memoryFolder, removeFolder } from '../support/folder.ts'
import { assertWhole, BODY, exchange, message, RawConnection, remaining } from '../support/http.ts'
import { VirtualClock } from '../support/time/virtual-clock.ts'
import { until } from '../support/until.ts'

const PAGE = { ...jsonResponse(200, ''), body: Buffer.from('x') }

it('the ledger of a key contains each request with the outcome', async () => {
  const folder = memoryFolder()
  const path = join(folder, 'pets.db')
  const app = await startApp({ path })
  const key = await app.issue()
  for (const request of [
    { path: '/v1/pets' },
    { path: '/v1/pets?limit=0' },
    { path: '/v1/pets/1' },
    { path: '/v1/none' },
    { method: 'POST', body: BODY },
    { method: 'POST', body: '{' },
  ]) {
    await app.call({ ...request, key })
  }
  app.store.pets.list = () => {
    throw new StoreUnavailable('gone')
  }
  await app.call({ key })
  const head = `POST /v1/pets HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json\r\n`
  const [broken] = await exchange(app.port, `${head}Transfer-Encoding: chunked\r\n\r\nzz\r\n`)
  assertWhole(broken, 400)
  await app[Symbol.asyncDispose]()
  const store = await openSqlite(path, { serving: false, clock: new VirtualClock(START_MS) })
  const sums = await store.ledger.sums({ lineage: undefined, fromDay: 0, toDay: 1e6 })
  await store.close()
  removeFolder(folder)
  const told = sums.map(({ operation, sums: of }) => [operation, of.admitted, of.answered4xx, of.answered5xx])
  assert.deepEqual(told, [
    ['createPet', 3, 2, 0],
    ['getPet', 1, 1, 0],
    ['listPets', 3, 1, 1],
    ['other', 1, 1, 0],
  ])
})

it('the metrics count each response by operation and duration, also to what the parser rejects', async () => {
  const clock = new VirtualClock()
  await using app = await startKeyed({ clock, pages: { has: (path) => path === '/page', get: () => PAGE } })
  clock.pass(500_000)
  using uploading = new RawConnection(app.port)
  uploading.send(app.create.slice(0, -1))
  await until('it has arrived', () => app.publicPort.latestRequest() !== undefined)
  clock.pass(2_000)
  assertWhole((await uploading.send(app.create.slice(-1)).answers(1))[0], 201)
  await app.call({ path: '/page' })
  await exchange(app.port, 'NONSENSE\r\n\r\n')
  const told = [...app.metrics.operations].map(([name, { statuses, seconds }]) => [name, ...statuses, seconds])
  assert.deepEqual(told, [
    ['createPet', [201, 1], 2],
    ['page', [200, 1], 0],
    ['other', [400, 1], 0],
  ])
})

it('a port that closes drains, unless another process has taken it over', async () => {
  const closing = await startApp()
  assert.ok(!closing.publicPort.isDraining)
  await closing[Symbol.asyncDispose]()
  assert.ok(closing.publicPort.isDraining)
  const parting = await startApp()
  await parting.publicPort.handOver()
  await parting[Symbol.asyncDispose]()
  assert.ok(!parting.publicPort.isDraining)
})

it('a page needs no key and counts towards no limit', async () => {
  const has = (path: string) => path.startsWith('/page')
  await using app = await startApp({
    anonymousPerMinute: 9,
    pages: { has, get: (path) => (path === '/page' ? PAGE : undefined) },
  })
  for (let n = 0; n < 20; n += 1) {
    const answer = await app.call({ path: '/page' })
    assertWhole(answer, 200)
    assert.equal(remaining(answer), 9)
  }
  assertWhole(await app.call({ path: '/page/gone' }), 404)
  assert.equal(app.metrics.plans.get('anonymous'), undefined)
  assert.equal(remaining(await app.call({})), 8)
})

it('a failure says whether the request might have been done (R6, O23)', async () => {
  await using app = await startKeyed()
  for (const [outcome, sentence] of [
    ['unknown', 'The service cannot tell whether this was done; check before you try again.'],
    ['none', 'The service cannot answer at the moment; try again.'],
  ] as const) {
    app.store.pets.create = async () => {
      throw new StoreUnavailable('gone', outcome === 'unknown' ? { outcome } : {})
    }
    const answer = await app.call({ method: 'POST', body: BODY, key: app.key })
    assertWhole(answer, 503, 'unavailable')
    assert.equal(message(answer), sentence)
  }
})

it('the longest target has 8,192 characters (O8)', async () => {
  await using app = await startKeyed()
  const path = `/v1/pets?${'x'.repeat(8_192 - '/v1/pets?'.length)}`
  assertWhole(await app.call({ path, key: app.key }), 200)
  assertWhole(await app.call({ path: `${path}x`, key: app.key }), 414)
})
