/** GET /pets/{petId}: which paths name an animal, the signs of its removal, and the removal itself. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import fc from 'fast-check'
import { INT64_MAX, INT64_MIN } from '../../src/contract/int64.ts'
import { startApp, type TestApp } from '../support/app.ts'
import { type Answer, assertWhole } from '../support/http.ts'

const SUNSET = 'Thu, 05 Dec 2030 00:00:00 GMT'
const REMOVAL_MS = Date.parse('2030-12-05T00:00:00Z')

function assertDeprecated(answer: Answer, list = '/v1/pets'): void {
  assert.equal(answer.headers.sunset, SUNSET)
  assert.equal(answer.headers.link, `<${list}>; rel="successor-version"`)
  assert.equal(answer.headers.deprecation, undefined)
}

describe('getPet', () => {
  let app: TestApp
  let key: string
  const get = (id: string) => app.call({ path: `/v1/pets/${id}`, key })

  before(async () => {
    app = await startApp()
    key = await app.issue()
    await (await app.store.archive()).putPets(
      [INT64_MIN, -7n, 0n, 7n, INT64_MAX - 1n].map((id) => ({
        id: id.toString(),
        name: `n${id}`,
        categoryId: '1',
        status: undefined,
      })),
    )
  })
  after(() => app[Symbol.asyncDispose]())

  it('finds an animal by any int64 (R5, R11)', async () => {
    for (const id of [INT64_MIN, -7n, 0n, 7n, INT64_MAX - 1n]) {
      const answer = await get(id.toString())
      assertWhole(answer, 200)
      assert.equal(answer.body, `{"id":${id},"name":"n${id}","categoryId":1}`)
      assert.equal((await get(id.toString())).body, answer.body, 'the second time from memory')
    }
  })

  it('answers 404 if there is no such animal (R11)', async () => {
    for (const id of ['8', '-8', INT64_MAX.toString()]) assertWhole(await get(id), 404, 'not_found')
  })

  it('answers 404 to an id that is not an int64 in canonical digits (O18)', async () => {
    for (const id of [
      '07',
      '+7',
      '7.0',
      '7e0',
      '-0',
      '0x7',
      'seven',
      '9223372036854775808',
      '-9223372036854775809',
      '%20',
      '7%20',
      '%2537',
      '7%2F',
      '%00',
      '１',
      `7${'0'.repeat(300)}`,
    ]) {
      assertWhole(await get(encodeURI(id).replaceAll('%25', '%')), 404, 'not_found')
    }
  })

  it('reads the path percent-decoded: %37 is 7 (O18)', async () => {
    assertWhole(await get('%37'), 200)
    assertWhole(await get('%2D%37'), 200)
    assertWhole(await app.call({ path: '/v1/%70ets/7', key }), 200)
  })

  it('any text in the path has an answer of 200, 400 or 404, with every header (R15, O18)', async () => {
    const part = fc.constantFrom('7', '-', '%37', '%zz', '%', '%ff', '%2F', 'x', '.', '0', '%C3%A9', ';', '&', '=')
    await fc.assert(
      fc.asyncProperty(fc.array(part, { minLength: 1, maxLength: 5 }), async (parts) => {
        const text = parts.join('')
        let id: string | undefined
        try {
          id = decodeURIComponent(text)
        } catch {}
        const isBroken = /%(?![0-9a-f]{2})/i.test(text)
        const answer = await get(text)
        assertWhole(answer, isBroken ? 400 : id === '7' || id === '-7' || id === '0' ? 200 : 404)
        assertDeprecated(answer)
      }),
      { numRuns: 150, examples: [[['%ff']], [['%zz']], [['%37']]] },
    )
  })

  it('every answer at its path carries Sunset and Link, whatever its status (R12, O21)', async () => {
    for (const [call, status] of [
      [{ path: '/v1/pets/7', key }, 200],
      [{ path: '/v1/pets/7?x=1', key }, 200],
      [{ path: '/v1/pets/8', key }, 404],
      [{ path: '/v1/pets/x', key }, 404],
      [{ path: `/v1/pets/${'1'.repeat(200)}`, key }, 404],
      [{ path: '/v1/pets/%ff', key }, 404],
      [{ path: '/v1/pets/%zz', key }, 400],
      [{ path: '/v1/pets/7' }, 401],
      [{ path: '/v1/pets/7', key, method: 'DELETE' }, 405],
      [{ path: '/v1/pets/7', key, method: 'POST', body: '{}' }, 405],
      [{ path: '/v1/pets/7', key, method: 'HEAD' }, 200],
      [{ path: `/v1/pets/7?${'x'.repeat(9000)}`, key }, 414],
    ] as const) {
      const answer = await app.call(call)
      assertWhole(answer, status)
      assertDeprecated(answer)
    }
  })

  it('no answer elsewhere carries them (O21)', async () => {
    for (const path of ['/v1/pets', '/v1/pets/7/x', '/v1/store/orders', '/v1/petsx/7', '/', '/v1']) {
      const { headers } = await app.call({ path, key })
      assert.equal(headers.sunset, undefined, path)
      assert.equal(headers.link, undefined, path)
    }
  })
})

describe('the removal of getPet (R12, O21)', () => {
  it('comes at 2030-12-05T00:00:00Z to the millisecond, and the path is then unknown', async () => {
    await using app = await startApp()
    const key = await app.issue()
    const post = () => app.call({ method: 'POST', key, body: '{"name":"x","categoryId":1}' })
    app.clock.nowMs = REMOVAL_MS - 1
    const last = await post()
    assert.equal(last.headers.location, '/v1/pets/1')
    const before = await app.call({ path: '/v1/pets/1', key })
    assertWhole(before, 200)
    assertDeprecated(before)

    app.clock.nowMs = REMOVAL_MS
    for (const method of ['GET', 'HEAD', 'DELETE', 'OPTIONS']) {
      const after = await app.call({ method, path: '/v1/pets/1', key })
      assertWhole(after, 404, 'not_found')
      for (const name of ['sunset', 'link', 'allow'])
        assert.equal(after.headers[name], undefined, `${name} of ${method}`)
    }
    assertWhole(await app.call({ path: '/v1/pets/1' }), 401)
    const made = await post()
    assertWhole(made, 201)
    assert.equal(made.headers.location, undefined, 'there is nothing to point at')
    assertWhole(await app.call({ key }), 200)
  })
})

describe('--public-url', () => {
  it('is what Location and Link begin with (O21, O23)', async () => {
    await using app = await startApp({ publicUrl: 'https://pets.example/v1' })
    const key = await app.issue()
    const made = await app.call({ method: 'POST', key, body: '{"name":"x","categoryId":1}' })
    assert.equal(made.headers.location, 'https://pets.example/v1/pets/1')
    assertDeprecated(await app.call({ path: '/v1/pets/1', key }), 'https://pets.example/v1/pets')
  })
})
