/** POST /pets: what is refused. test/forms and test/store compare what is accepted. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
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

  it('names what is wrong with a body that is not JSON in UTF-8 (R6, R10)', async () => {
    for (const [body, problem] of [
      [Buffer.from([0x22, 0xff, 0x22]), 'the body must be JSON in UTF-8.'],
      [Buffer.from('\uFEFF{}'), 'the body must be JSON, which has no byte order mark.'],
      ['{"é":1,}', 'the body must be JSON, and is not from character 8 on.'],
      ['{', 'the body must be JSON, and ends before it is whole.'],
      [' ', 'the body must be JSON, and is empty.'],
    ] as const) {
      assert.equal(await refuses(body), problem)
    }
  })

  it('quotes the printable part of the media type or coding that it refuses (O23)', async () => {
    for (const [headers, sent] of [
      [{ 'content-type': 'text/plain' }, 'text/plain was sent'],
      [{ 'content-type': '' }, 'nothing was sent'],
      [{ 'content-type': `a\u009b${'b'.repeat(200)}` }, `a??${'b'.repeat(97)} was sent`],
      [{ 'content-type': ['application/json', 'text/plain'] }, 'two Content-Type fields were sent'],
      [{ 'content-encoding': 'gzip' }, 'the coding gzip was sent'],
    ] satisfies [Record<string, string | string[]>, string][]) {
      const answer = await app.call({ method: 'POST', key, body: '{"name":"x","categoryId":1}', headers })
      assertWhole(answer, 415, 'unsupported_media_type')
      assert(message(answer).includes(sent), message(answer))
    }
    for (const framing of ['Content-Length: 1\r\n\r\nx', 'Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n']) {
      const head = `POST /v1/pets HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\nConnection: close\r\n`
      const [answer] = await exchange(app.port, head + framing)
      assertWhole(answer, 415)
      assert.match(message(answer), /no Content-Type was sent/)
    }
  })

  it('accepts a body as long as the limit, and answers 413 to a longer one (O19)', async () => {
    const of = (length: number) => {
      const body = '{"categoryId":1,"name":""}'
      return body.replace('""', `"${'n'.repeat(length - body.length)}"`)
    }
    assertWhole(await post(of(100_000)), 201)
    assertWhole(await post(of(100_001)), 413, 'payload_too_large')
  })

  it('sends 100 Continue only after the key was checked (O14, O22)', async () => {
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
})
