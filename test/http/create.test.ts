/** POST /pets: what is accepted to the last digit, and what is refused with every problem named and nothing stored. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import fc from 'fast-check'
import { INT64_MAX, INT64_MIN } from '../../src/contract/int64.ts'
import { numberText, parseJson } from '../../src/contract/json.ts'
import { startApp, type TestApp } from '../support/app.ts'
import { type Answer, assertWhole, exchange, message, RawConnection } from '../support/http.ts'

describe('createPet', () => {
  let app: TestApp
  let key: string
  const post = (body: string | Buffer, headers: Record<string, string> = {}): Promise<Answer> =>
    app.call({ method: 'POST', key, body, headers })
  const stored = () => Object.values(app.store.pets.count()).reduce((sum, n) => sum + n, 0)
  const refuses = async (body: string | Buffer, ...problems: RegExp[]) => {
    const before = stored()
    const answer = await post(body)
    assertWhole(answer, 400, 'invalid_request')
    for (const problem of problems) assert.match(message(answer), problem)
    assert.equal(stored(), before, 'nothing is stored')
    return message(answer)
  }

  before(async () => {
    app = await startApp({ writesApart: true, bodyLimit: 100_000 })
    key = await app.issue()
  })
  after(() => app[Symbol.asyncDispose]())

  it('answers 201 with the Pet, its id and its Location (R3, R4, R9, O23)', async () => {
    const answer = await post('{"name":"Rex","categoryId":7,"status":"pending"}')
    assertWhole(answer, 201)
    const pet = JSON.parse(answer.body) as { id: number }
    assert.deepEqual(pet, { id: pet.id, name: 'Rex', categoryId: 7, status: 'pending' })
    assert.equal(answer.headers.location, `/v1/pets/${pet.id}`)
    const got = await app.call({ path: String(answer.headers.location), key })
    assert.equal(got.body, answer.body)
  })

  it('gives every animal a different id, also with many requests at once (R4)', async () => {
    const answers = await Promise.all(Array.from({ length: 50 }, () => post('{"name":"x","categoryId":1}')))
    assert.equal(new Set(answers.map(({ body }) => (JSON.parse(body) as { id: number }).id)).size, 50)
  })

  it('assigns no status where none was sent, and refuses null (O4)', async () => {
    const { body } = await post('{"name":"x","categoryId":1}')
    assert(!('status' in (JSON.parse(body) as object)))
    await refuses('{"name":"x","categoryId":1,"status":null}', /status: must be one of .*, not null/)
  })

  it('stores any name and any int64 and gives them back as they were (R5, O1, O19)', async () => {
    const name = fc.string({ unit: 'binary' }).filter((text) => !text.includes('\0'))
    await fc.assert(
      fc.asyncProperty(name, fc.bigInt({ min: INT64_MIN, max: INT64_MAX }), async (name, categoryId) => {
        const made = await post(`{"name":${JSON.stringify(name)},"categoryId":${categoryId}}`)
        assertWhole(made, 201)
        const got = await app.call({ path: String(made.headers.location), key })
        const listed = await app.call({ path: '/v1/pets?limit=1', key })
        for (const text of [made.body, got.body, listed.body.slice(1, -1)]) {
          const pet = parseJson(text) as { name: string; categoryId: unknown }
          assert.equal(pet.name, name)
          assert.equal(numberText(pet.categoryId), categoryId.toString())
        }
      }),
      {
        numRuns: 60,
        examples: [
          ['', INT64_MIN],
          ['\u2028"\\\u007f', INT64_MAX],
          ['𝒳é', -1n],
        ],
      },
    )
  })

  it('reads a number by its value, as JSON Schema does (R5, O20)', async () => {
    for (const [sent, meant] of [
      ['7', '7'],
      ['7.0', '7'],
      ['7e0', '7'],
      ['70e-1', '7'],
      ['0.7E+1', '7'],
      ['-0', '0'],
      ['-0.0e5', '0'],
      ['9223372036854775807', '9223372036854775807'],
      ['-9223372036854775808.000', '-9223372036854775808'],
      [`1${'0'.repeat(500)}e-500`, '1'],
    ] as const) {
      const answer = await post(`{"name":"x","categoryId":${sent}}`)
      assertWhole(answer, 201)
      assert.match(answer.body, new RegExp(`"categoryId":${meant}}`), sent)
    }
    for (const sent of [
      '7.5',
      '"7"',
      'null',
      'true',
      '[7]',
      '{}',
      '9223372036854775808',
      '-9223372036854775809',
      '1e999999999',
      '1e-1',
    ]) {
      await refuses(`{"name":"x","categoryId":${sent}}`, /categoryId: must be an integer from -9223372036854775808/)
    }
  })

  it('a number as long as the whole body is checked quickly (O20)', async () => {
    const before = process.threadCpuUsage()
    await refuses(`{"name":"x","categoryId":1${'0'.repeat(99_000)}1}`, /categoryId/)
    const { user } = process.threadCpuUsage(before)
    assert(user < 1_000_000, `${user} µs of the processor`)
  })

  it('names every problem at once (R10)', async () => {
    const text = await refuses(
      '{"id":5,"name":7,"status":"lost"}',
      /id: /,
      /name: must be a string, not a number/,
      /categoryId: is required/,
      /status: /,
    )
    assert.equal(text.split('; ').length, 4)
    await refuses('{}', /name: is required; categoryId: is required/)
  })

  it('refuses a body that holds id, whatever its value (R4, O17)', async () => {
    for (const id of ['1', 'null', '"x"']) await refuses(`{"id":${id},"name":"x","categoryId":1}`, /^id: /)
  })

  it('ignores members that it does not know, __proto__ among them (O17)', async () => {
    const { body } = await post('{"name":"x","categoryId":1,"age":3,"__proto__":{"status":"sold"},"tags":[{}]}')
    assert.deepEqual(Object.keys(JSON.parse(body) as object), ['id', 'name', 'categoryId'])
  })

  it('of two members of one name the last counts (O20)', async () => {
    const { body } = await post('{"name":"a","categoryId":{"x":[1]},"name":"b","categoryId":2}')
    assert.match(body, /"name":"b","categoryId":2}/)
    await refuses('{"name":"a","categoryId":2,"categoryId":"2"}', /categoryId/)
  })

  it('refuses a body that is not a JSON object in UTF-8 (R1, R10, O20)', async () => {
    for (const body of [
      '',
      '{',
      'null',
      '7',
      '"x"',
      '[]',
      '{"name":"x","categoryId":1}}',
      "{'name':'x'}",
      '{"name":"x",}',
      'NaN',
    ]) {
      await refuses(body, /the body must be/)
    }
    await refuses(Buffer.from('{"name":"\xe9","categoryId":1}', 'latin1'), /UTF-8/)
    await refuses(Buffer.from('\ufeff{"name":"x","categoryId":1}'), /byte order mark/)
    await refuses('['.repeat(90_000))
    await refuses(`{"a":${'['.repeat(40_000)}${']'.repeat(40_000)}}`)
  })

  it('refuses a name that cannot be kept as text (O19)', async () => {
    for (const name of ['a\\u0000b', '\\ud800', 'x\\udc00']) {
      await refuses(`{"name":"${name}","categoryId":1}`, /name: must not hold U\+0000 or an unpaired surrogate/)
    }
  })

  it('an error tells nothing of the inside: no stack, no SQL, no path (R6)', async () => {
    for (const body of ['{', '{"name":7}', '['.repeat(90_000)]) {
      assert.doesNotMatch((await post(body)).body, /at .*\.[tj]s|SELECT|INSERT|\/work|\/src|node:/)
    }
  })

  it('answers 415 to a body that is not application/json or has a content coding (O23)', async () => {
    const body = '{"name":"x","categoryId":1}'
    for (const type of [
      'text/plain',
      'application/x-www-form-urlencoded',
      'application/jsonx',
      'application/problem+json',
      'application/json, text/plain',
      '',
    ]) {
      assertWhole(await post(body, { 'content-type': type }), 415, 'unsupported_media_type')
    }
    for (const coding of ['gzip', 'br', 'identity, gzip']) {
      assertWhole(await post(body, { 'content-encoding': coding }), 415, 'unsupported_media_type')
    }
    for (const type of ['application/json; charset=utf-8', 'Application/JSON', 'application/json ; x=y']) {
      assertWhole(await post(body, { 'content-type': type }), 201)
    }
    assertWhole(await post(body, { 'content-encoding': 'identity' }), 201)
    for (const untyped of [
      `Content-Length: ${body.length}\r\n\r\n${body}`,
      `Transfer-Encoding: chunked\r\n\r\n${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`,
      'Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
    ]) {
      const head = `POST /v1/pets HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\nConnection: close\r\n`
      assertWhole((await exchange(app.port, head + untyped))[0], 415)
    }
  })

  it('answers 413 over the body limit, told by its length or not, and takes the limit itself (O19)', async () => {
    const of = (length: number) => {
      const body = '{"categoryId":1,"name":""}'
      return body.replace('""', `"${'n'.repeat(length - body.length)}"`)
    }
    assertWhole(await post(of(100_000)), 201)
    assertWhole(await post(of(100_001)), 413, 'payload_too_large')
    using connection = new RawConnection(app.port)
    connection.send(
      `POST /v1/pets HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n`,
    )
    const chunk = 'x'.repeat(0x8000)
    for (let i = 0; i < 4; i += 1) connection.send(`8000\r\n${chunk}\r\n`)
    assertWhole((await connection.answers(1))[0], 413, 'payload_too_large')
  })

  it('takes a body in chunks, split anywhere (R1)', async () => {
    using connection = new RawConnection(app.port)
    connection.send(
      `POST /v1/pets HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n`,
    )
    for (const byte of Buffer.from('{"name":"é","categoryId":1}'))
      connection.send(Buffer.from(`1\r\n${String.fromCharCode(byte)}\r\n`, 'latin1'))
    const [answer] = await connection.send('0\r\n\r\n').answers(1)
    assertWhole(answer, 201)
    assert.match(answer.body, /"name":"é"/)
  })

  it('asks for the body (100) only of a request that has passed the key check (O14, O22)', async () => {
    const head = (more: string) =>
      `POST /v1/pets HTTP/1.1\r\nHost: x\r\n${more}Expect: 100-continue\r\nContent-Type: application/json\r\nContent-Length: 27\r\n\r\n`
    using refused = new RawConnection(app.port)
    assertWhole((await refused.send(head('')).answers(1))[0], 401)
    using admitted = new RawConnection(app.port)
    const [interim] = await admitted.send(head(`Authorization: Bearer ${key}\r\n`)).answers(1)
    assert.equal(interim?.status, 100)
    const [, answer] = await admitted.send('{"name":"x","categoryId":1}').answers(2)
    assertWhole(answer, 201)
    const [old] = await exchange(
      app.port,
      `${head(`Authorization: Bearer ${key}\r\n`).replace('HTTP/1.1', 'HTTP/1.0')}{"name":"x","categoryId":1}`,
    )
    assertWhole(old, 201)
  })

  it('answers 417 to any other expectation (O8, O23)', async () => {
    assertWhole(await post('{}', { expect: 'coffee' }), 417, 'expectation_failed')
  })

  it('an interrupted upload is not a failure of the service', async () => {
    {
      using connection = new RawConnection(app.port)
      connection.send(
        `POST /v1/pets HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{`,
      )
      await app.call({ key })
    }
    await app.call({ key })
    for (const { statuses } of app.metrics.operations.values()) assert.equal(statuses.get(500), undefined)
    assert.doesNotMatch(app.log(), /"level":50/)
  })
})
