/** GET /pets/{petId}: ids, the signs of its removal, and the removal itself; what a path means is test/forms. */
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { INT64_MAX, INT64_MIN } from '../../src/contract/int64.ts'
import { startKeyed } from '../support/app.ts'
import { type Answer, assertWhole } from '../support/http.ts'

const SUNSET = 'Thu, 05 Dec 2030 00:00:00 GMT'
const REMOVAL_MS = Date.parse('2030-12-05T00:00:00Z')

function assertDeprecated(answer: Answer, list = '/v1/pets'): void {
  assert.equal(answer.headers.sunset, SUNSET)
  assert.equal(answer.headers.link, `<${list}>; rel="successor-version"`)
  assert.equal(answer.headers.deprecation, undefined)
}

it('getPet finds an animal by any int64 (R5, R11)', async () => {
  await using app = await startKeyed()
  const ids = [INT64_MIN, -7n, 0n, INT64_MAX - 1n].map(String)
  const archive = app.store.archive
  await archive.putAnimals(ids.map((id) => ({ id, name: `n${id}`, categoryId: '1', status: undefined })))
  for (const id of ids) {
    const answer = await app.call({ path: `/v1/pets/${id}`, key: app.key })
    assertWhole(answer, 200)
    assert.equal(answer.body, `{"id":${id},"name":"n${id}","categoryId":1}`)
  }
})

it('the removal of getPet comes at 2030-12-05T00:00:00Z to the millisecond (R12, O21)', async () => {
  await using app = await startKeyed()
  const post = () => app.call({ method: 'POST', key: app.key, body: '{"name":"x","categoryId":1}' })
  app.clock.nowMs = REMOVAL_MS - 1
  const last = await post()
  assert.equal(last.headers.location, '/v1/pets/1')
  const before = await app.call({ path: '/v1/pets/1', key: app.key })
  assertWhole(before, 200)
  assertDeprecated(before)

  app.clock.nowMs = REMOVAL_MS
  for (const method of ['GET', 'HEAD', 'DELETE', 'OPTIONS']) {
    const after = await app.call({ method, path: '/v1/pets/1', key: app.key })
    assertWhole(after, 404, 'not_found')
    for (const name of ['sunset', 'link', 'allow']) assert.equal(after.headers[name], undefined, `${name} of ${method}`)
  }
  assertWhole(await app.call({ path: '/v1/pets/1' }), 401)
  const made = await post()
  assertWhole(made, 201)
  assert.equal(made.headers.location, undefined, 'there is nothing to point at')
  assertWhole(await app.call({ key: app.key }), 200)
})

it('--public-url begins each Location and Link (O21, O23)', async () => {
  await using app = await startKeyed({ publicUrl: 'https://pets.example/v1' })
  const made = await app.call({ method: 'POST', key: app.key, body: '{"name":"x","categoryId":1}' })
  assert.equal(made.headers.location, 'https://pets.example/v1/pets/1')
  assertDeprecated(await app.call({ path: '/v1/pets/1', key: app.key }), 'https://pets.example/v1/pets')
})
