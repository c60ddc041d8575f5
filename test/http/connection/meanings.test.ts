/**
 * What each error of HTTP's parser means, as the parser tells it: a code, the bytes, and the place in them. The same
 * over a connection is in malformed.test.ts; here stand the edges that a connection meets by chance (O8, O23).
 */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { joined, mayGoOn, meaningOf } from '../../../src/http/malformed.ts'
import type { ParserError } from '../../../src/http/protocol.ts'

const INVALID = ['HPE_INVALID_METHOD', 'HPE_INVALID_CONSTANT']
/** The most that is kept of a head, in bytes (O8). */
const MAX_HEAD = 32_768

function failure(code: string | undefined, more: Partial<ParserError> = {}): ParserError {
  return Object.assign(new Error('x'), { code, ...more })
}

/** The parser stopped in a line, behind `bytesParsed` of it. */
function stoppedIn(line: string, bytesParsed = line.length, code = 'HPE_INVALID_METHOD'): ParserError {
  return failure(code, { rawPacket: Buffer.from(line, 'latin1'), bytesParsed })
}

function statusOf(cause: ParserError): number | undefined {
  return meaningOf(cause)?.status
}

describe('an error of HTTP’s parser', () => {
  it('has a status of its own if it is about time, size, a coding or CONNECT, and is 400 otherwise', () => {
    for (const [code, status] of [
      ['ERR_HTTP_REQUEST_TIMEOUT', 408],
      ['HPE_CHUNK_EXTENSIONS_OVERFLOW', 413],
      ['HPE_HEADER_OVERFLOW', 431],
      ['CONNECT', 501],
      ['HPE_INVALID_TRANSFER_ENCODING', 501],
      ['HPE_INVALID_METHOD', 400],
      ['HPE_INVALID_CONSTANT', 400],
      ['HPE_INVALID_HEADER_TOKEN', 400],
      ['HPE_INVALID_EOF_STATE', 400],
    ] as const) {
      assert.equal(statusOf(failure(code)), status, code)
    }
  })

  it('means nothing where nobody is left to be answered', () => {
    for (const code of [undefined, '', 'ECONNRESET', 'ERR_SSL_HPE_', 'EPIPE']) {
      assert.equal(meaningOf(failure(code)), undefined, String(code))
    }
  })

  it('about a Transfer-Encoding beside a Content-Length is 400, although its code is that of an unknown coding', () => {
    const reason = 'Transfer-Encoding can’t be present with Content-Length'
    assert.equal(statusOf(failure('HPE_INVALID_TRANSFER_ENCODING', { reason })), 400)
    assert.equal(statusOf(failure('HPE_INVALID_TRANSFER_ENCODING', { reason: 'Invalid value' })), 501)
  })
})

describe('a head that is too large (O8)', () => {
  const overflow = (text: string) => statusOf(failure('HPE_HEADER_OVERFLOW', { rawPacket: Buffer.from(text) }))
  const line = (length: number) => `GET /${'a'.repeat(length - 'GET / HTTP/1.1'.length)} HTTP/1.1`

  it('is 414 if its first line is longer than a target may be, whole or not, and 431 otherwise', () => {
    const fields = `\r\nX: ${'a'.repeat(MAX_HEAD)}`
    assert.equal(overflow(line(8_192) + fields), 431)
    assert.equal(overflow(line(8_193) + fields), 414)
    assert.equal(overflow(line(8_192)), 431)
    assert.equal(overflow(line(8_193)), 414)
    assert.equal(overflow(`\r\n\r\n${line(8_193)}${fields}`), 414, 'behind empty lines (RFC 9112 2.2)')
  })

  it('is 431 if it is seen to be in what is no request line', () => {
    for (const start of ['', 'a', '1 ', 'X: GET /', ' : ']) assert.equal(overflow(start + 'a'.repeat(MAX_HEAD)), 431)
    assert.equal(overflow(`M-SEARCH /${'a'.repeat(MAX_HEAD)}`), 414)
  })
})

/** Request lines of HTTP/1.0 and HTTP/1.1 with methods that the parser does not know. */
const UNKNOWN_METHODS = ['FOO / HTTP/1.1', 'f / HTTP/1.0', 'X-1 /a?b HTTP/1.1', "!#$%&'*+.^_`|~9 * HTTP/1.1"]
const NO_REQUEST_LINES = [
  ...['', ' ', 'FOO', 'FOO /', 'FOO / ', 'FOO / HTTP/', 'FOO / HTTP/1.', 'FOO / HTTP/1.2', 'FOO / HTTP/2.0'],
  ...['FOO / HTTP/1.1 ', 'FOO / HTTP/1.1x', 'FOO  / HTTP/1.1', 'FOO /  HTTP/1.1', 'FOO / / HTTP/1.1'],
  ...['FOO HTTP/1.1', 'FOO /\x7f HTTP/1.1', 'FOO /é HTTP/1.1', 'FOO / http/1.1', 'FOO / HTTP/1x1'],
]

describe('a line in which the parser stopped for its method', () => {
  it('is 501 if it is a request line otherwise, wherever in it the parser stopped (O23)', () => {
    for (const line of UNKNOWN_METHODS) {
      for (const [end, code] of ['\r\n', '\n', '', '\r'].flatMap((end) =>
        INVALID.map((code) => [end, code] as const),
      )) {
        for (let at = 0; at <= line.length; at += 1) {
          assert.equal(statusOf(stoppedIn(line + end, at, code)), 501, JSON.stringify([line, end, at]))
        }
      }
    }
  })

  it('is 400 if it is none', () => {
    for (const line of NO_REQUEST_LINES) {
      for (const end of ['\r\n', '']) {
        for (let at = 0; at <= line.length; at += 1) {
          assert.equal(statusOf(stoppedIn(line + end, at)), 400, JSON.stringify([line, end, at]))
        }
      }
    }
    for (const [line, at] of [
      [' FOO / HTTP/1.1\r\n', 0],
      ['F(O / HTTP/1.1\r\n', 1],
    ] as const)
      assert.equal(statusOf(stoppedIn(line, at)), 400)
    assert.equal(statusOf(stoppedIn('FOO / HTTP/1.1\r\n', 3, 'HPE_INVALID_URL')), 400, 'or if it stopped for another')
  })

  it('is found behind other lines, and behind a body that does not end with one', () => {
    for (const before of ['GET / HTTP/1.1\r\nHost: x\r\n\r\n', 'a: b\n\n', '{"name":"x"}', '[1]\r\n{"a":\n"b c"}']) {
      for (const [line, status] of [
        ...UNKNOWN_METHODS.map((line) => [line, 501] as const),
        ...['FOO / HTTP/1.2', 'FOO /'].map((line) => [line, 400] as const),
      ]) {
        for (let at = 1; at <= line.length; at += 1) {
          const cause = stoppedIn(`${before}${line}\r\nHost: x\r\n\r\n`, before.length + at)
          assert.equal(statusOf(cause), status, JSON.stringify([before, line, at]))
        }
      }
    }
  })

  it('is waited for while it may become a request line, and no longer', () => {
    for (const line of UNKNOWN_METHODS) {
      const whole = `${line}\r`
      for (let length = 1; length <= whole.length; length += 1) {
        for (let at = 1; at <= length; at += 1) {
          const begun = stoppedIn(whole.slice(0, length), at)
          assert(mayGoOn(begun), JSON.stringify([whole.slice(0, length), at]))
          if (length < line.length) assert.equal(statusOf(begun), 400, 'and is none yet')
        }
      }
      for (const end of ['\n', '\r\n', '\r\r', ' ', '\0']) assert(!mayGoOn(stoppedIn(line + end)), line + end)
    }
    for (const line of [
      '(',
      ' ',
      'FOO  ',
      'F(',
      'FOO / ( ',
      'FOO /\x7f',
      'FOO / X',
      'FOO / HX',
      'FOO / HTTP1',
      'FOO / HTTP/2',
    ]) {
      assert(!mayGoOn(stoppedIn(line)), line)
    }
    for (const line of ['FOO / HTTP/1.2', 'FOO / HTTP/1x', 'FOO / HTTP/1.1x', 'FOO / HTTPS'])
      assert(!mayGoOn(stoppedIn(line)), line)
    assert(!mayGoOn(stoppedIn('FOO', 3, 'HPE_INVALID_URL')))
    assert(!mayGoOn(failure('HPE_INVALID_METHOD', { bytesParsed: 3 })), 'nothing is known of it')
  })

  it('is waited for up to the size of a head, and refused as unknown then (O8)', () => {
    const begun = 'FOO /'
    const longest = begun + 'a'.repeat(MAX_HEAD - begun.length)
    assert(mayGoOn(stoppedIn(longest)))
    assert.equal(statusOf(stoppedIn(longest)), 400)
    assert(!mayGoOn(stoppedIn(`${longest}a`)))
    assert.equal(statusOf(stoppedIn(`${longest}a`)), 501)
    assert.equal(statusOf(stoppedIn(`${longest}a\n`)), 400, 'unless it has ended, and is none')
  })
})

describe('what comes behind a line that was waited for', () => {
  it('is joined to it, and the place where the parser stopped first stays', () => {
    const whole = joined(stoppedIn('FO', 1), stoppedIn('O / HTTP/1.1\r\n', 0, 'HPE_INVALID_CONSTANT'))
    assert.equal(whole.rawPacket?.toString(), 'FOO / HTTP/1.1\r\n')
    assert.deepEqual([whole.code, whole.bytesParsed, whole.message], ['HPE_INVALID_METHOD', 1, 'x'])
    const { bytesParsed: _, ...begun } = stoppedIn('FO')
    assert.equal(joined(failure(begun.code, begun), stoppedIn('O')).bytesParsed, 0)
  })

  it('decides alone if it is another error, or has no bytes', () => {
    const begun = stoppedIn('FO', 1)
    for (const more of [
      failure('HPE_INVALID_EOF_STATE', { rawPacket: Buffer.from('x') }),
      failure('ERR_HTTP_REQUEST_TIMEOUT', { rawPacket: Buffer.from('x') }),
      failure('HPE_INVALID_METHOD'),
      failure(undefined, { rawPacket: Buffer.from('x') }),
    ]) {
      assert.equal(joined(begun, more), more)
    }
    const more = stoppedIn('O')
    assert.equal(joined(failure('HPE_INVALID_METHOD'), more), more)
  })
})
