/** Responses while the service cannot work: the database fails, another process writes, or it is shutting down. */
import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { describe, it } from 'node:test'
import { StoreUnavailable } from '../../src/store/store.ts'
import { startKeyed } from '../support/app.ts'
import { assertWhole, BODY, RawConnection } from '../support/http.ts'
import { patientClock } from '../support/time/clock.ts'

describe('while another process writes to the database', () => {
  it('creates wait until it has finished (R9)', async () => {
    await using app = await startKeyed({ writesApart: true })
    const other = new DatabaseSync(app.path, { timeout: 5_000 })
    other.exec('BEGIN IMMEDIATE')
    const made = app.call({ method: 'POST', key: app.key, body: BODY })
    assertWhole(await app.call({ key: app.key }), 200)
    other.exec('COMMIT')
    other.close()
    assertWhole(await made, 201)
  })

  it('a create that waits too long gets 503 with Retry-After and is not stored (O23)', async () => {
    let aheadMs = 0
    // No machine is so busy that the time has come before, or comes again for the create that is made.
    await using app = await startKeyed({
      writesApart: true,
      clock: { ...patientClock, monotonic: () => patientClock.monotonic() + aheadMs },
    })
    const { pets } = app.store
    const create = pets.create.bind(pets)
    // The five seconds for which a create waits have passed before the thread tries it.
    pets.create = (...what) => {
      const made = create(...what)
      aheadMs = 5_000
      return made
    }
    const other = new DatabaseSync(app.path, { timeout: 5_000 })
    other.exec('BEGIN IMMEDIATE')
    const made = app.call({ method: 'POST', key: app.key, body: BODY })
    const listed = await app.call({ key: app.key })
    assertWhole(listed, 200)
    assertWhole(await app.call({ key: app.key, path: '/v1/pets/1' }), 404)
    const answer = await made
    assertWhole(answer, 503, 'unavailable')
    assert.match(String(answer.headers['retry-after']), /^[1-9]\d*$/)
    assert.equal(answer.headers['x-ratelimit-limit'], listed.headers['x-ratelimit-limit'], 'the key’s own numbers')
    other.exec('ROLLBACK')
    other.close()
    assert.equal((await app.call({ key: app.key })).body, '[]')
    assertWhole(await app.call({ method: 'POST', key: app.key, body: BODY }), 201)
  })
})

describe('when the database fails', () => {
  it('every response is a 503 with Retry-After and all headers, without internal details (R6, R15, O23)', async () => {
    await using app = await startKeyed({ writesApart: true })
    await app.call({ key: app.key })
    const pets = app.store.pets
    const broken = () => {
      throw new StoreUnavailable('disk I/O error at /secret/path', { retryAfterS: 5 })
    }
    Object.assign(pets, { list: broken, get: broken, create: async () => broken() })
    for (const call of [{}, { path: '/v1/pets/1' }, { method: 'POST', body: BODY }]) {
      const answer = await app.call({ ...call, key: app.key })
      assertWhole(answer, 503, 'unavailable')
      assert.equal(answer.headers['retry-after'], '5')
      assert.doesNotMatch(answer.body, /disk|secret/)
    }
    assert.match(app.log(), /disk I\/O error/, 'the log does')
  })

  it('a key that cannot be looked up gets 503, with the headers of the address (O23)', async () => {
    await using app = await startKeyed({ writesApart: true, anonymousPerMinute: 60 })
    app.store.requests.findKey = () => {
      throw new StoreUnavailable('gone')
    }
    const answer = await app.call({ key: app.key })
    assertWhole(answer, 503, 'unavailable')
    assert.equal(answer.headers['x-ratelimit-limit'], '60')
    assert.equal(answer.headers['retry-after'], '1')
    assertWhole(await app.call({}), 401)
  })
})

it('a shutdown answers a request that has begun to arrive, and closes its connection (R15, O23)', async () => {
  await using app = await startKeyed({ writesApart: true })
  using uploading = new RawConnection(app.port)
  uploading.send(app.create.slice(0, 5 - BODY.length))
  using asking = new RawConnection(app.port)
  asking.send(`GET /v1/pets HTTP/1.1\r\nHost: x\r\n`)
  await app.call({ key: app.key }) // by now both have arrived
  void app.publicPort.close()
  const [late] = await asking.send(`Authorization: Bearer ${app.key}\r\n\r\n`).answers(1)
  assertWhole(late, 200)
  assert.equal(late.headers.connection, 'close')
  await asking.closed
  const [made] = await uploading.send(BODY.slice(5)).answers(1)
  assertWhole(made, 201)
  await uploading.closed
})
