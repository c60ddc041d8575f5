/** The operator port answers every complete request of HTTP/1.x, and no other, like the public port (O23). */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { type Answer, RawConnection } from '../support/http.ts'
import { type RunningService, startService } from '../support/service.ts'

let service: RunningService
let port: number
before(async () => {
  service = await startService({ args: ['--office'] })
  port = service.operatorPort
})
after(() => service.stop())

/** What is answered only when the time for a request is over is answered 408. */
async function answersTo(bytes: string, count: number): Promise<Answer[]> {
  using connection = new RawConnection(port)
  const answers = await connection.send(bytes).answers(count)
  for (const { status } of answers) assert.notEqual(status, 408)
  return answers
}

describe('the operator port', () => {
  it('answers a request without framing fields immediately, and the next one', async () => {
    const live = 'GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n'
    for (const head of [
      'POST /livez HTTP/1.1\r\nHost: localhost\r\n\r\n',
      'POST /api/session HTTP/1.1\r\nHost: localhost\r\nOrigin: http://localhost\r\nContent-Type: application/json\r\n\r\n',
    ]) {
      const [first, second] = await answersTo(head + live, 2)
      assert(first !== undefined && first.status >= 400 && first.status < 500, `${first?.status}`)
      assert.equal(second?.status, 200)
    }
  })

  it('refuses other versions with 400 and ends the connection', async () => {
    for (const line of ['GET /livez HTTP/2.0', 'GET /livez']) {
      const [answer, ...more] = await answersTo(`${line}\r\nHost: localhost\r\n\r\n`, Infinity)
      assert.equal(answer?.status, 400, line)
      assert.equal(answer.headers.connection, 'close')
      assert.deepEqual(more, [])
    }
  })

  it('refuses transfer codings other than chunked alone with 501 and ends the connection', async () => {
    for (const coding of ['gzip, chunked', 'gzip', 'chunked, chunked', '']) {
      for (const line of ['GET /livez', 'POST /api/session']) {
        const head = `${line} HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: ${coding}\r\n\r\n0\r\n\r\n`
        const [answer, ...more] = await answersTo(head, Infinity)
        assert.equal(answer?.status, 501, `${line} ${coding}`)
        assert.equal(answer.headers.connection, 'close')
        assert.deepEqual(more, [])
      }
    }
  })
})
