/** Which bodies are read, and how many bytes they may come to: by the fields of their request alone (R10, O19, O23). */
import assert from 'node:assert/strict'
import type { IncomingHttpHeaders } from 'node:http'
import { describe, it } from 'node:test'
import { hasBody, otherMediaType, sizeAtMost } from '../../src/http/body.ts'

function other(headers: IncomingHttpHeaders, more: readonly string[] = []): string | undefined {
  const rawHeaders = Object.entries(headers).flatMap(([name, value]) => [name, String(value)])
  return otherMediaType({ headers, rawHeaders: [...rawHeaders, ...more] })
}

const isJson = (headers: IncomingHttpHeaders) => other(headers) === undefined

describe('a body', () => {
  it('is there if its request says how long it is, or that it comes in chunks (RFC 9112 6.3)', () => {
    assert(!hasBody({}))
    assert(!hasBody({ 'content-type': 'application/json' }))
    assert(hasBody({ 'content-length': '0' }))
    assert(hasBody({ 'transfer-encoding': 'chunked' }))
  })

  it('is JSON by its media type, with any parameters and in any case', () => {
    for (const type of [
      'application/json',
      'APPLICATION/JSON',
      'application/json;charset=utf-8',
      'application/json \t; x',
    ]) {
      assert(isJson({ 'content-type': type }), type)
    }
    for (const type of [
      '',
      'text/json',
      'application/jsonx',
      'xapplication/json',
      'application/json x',
      'application/',
    ]) {
      assert(!isJson({ 'content-type': type }), type)
      assert(!isJson({ 'content-type': type, 'content-length': '0' }), 'nor if it is empty')
    }
  })

  it('is JSON without a type only if it is empty', () => {
    assert(isJson({}))
    assert(isJson({ 'content-length': '0' }))
    assert(!isJson({ 'content-length': '1' }))
    assert(!isJson({ 'transfer-encoding': 'chunked' }))
    assert(!isJson({ 'transfer-encoding': 'chunked', 'content-length': '0' }))
  })

  it('is not read with a content coding, except one that changes nothing', () => {
    const type = { 'content-type': 'application/json' }
    assert(isJson({ ...type, 'content-encoding': 'identity' }))
    assert(isJson({ ...type, 'content-encoding': 'Identity' }))
    for (const coding of ['', 'gzip', 'identity, gzip'])
      assert(!isJson({ ...type, 'content-encoding': coding }), coding)
  })

  it('that is something else is named in the answer, as far as it can be printed', () => {
    assert.equal(other({ 'content-type': 'text/plain' }), 'text/plain was sent')
    assert.equal(other({ 'content-type': '' }), 'nothing was sent')
    assert.equal(other({ 'content-type': `a\u009b\u202e${'b'.repeat(200)}` }), `a??${'b'.repeat(97)} was sent`)
    assert.equal(other({ 'content-length': '1' }), 'no Content-Type was sent')
    assert.equal(other({ 'content-encoding': 'gzip' }), 'the coding gzip was sent')
    const json = { 'content-type': 'application/json' }
    assert.equal(other(json, ['content-TYPE', 'text/plain']), 'two Content-Type fields were sent')
    assert.equal(other(json, ['Content-Types', 'text/plain']), undefined)
  })

  it('comes to its length, to the limit if that is unknown, and to nothing that is over the limit', () => {
    assert.equal(sizeAtMost({}, 10), 0)
    assert.equal(sizeAtMost({ 'content-length': '9' }, 10), 9)
    assert.equal(sizeAtMost({ 'content-length': '10' }, 10), 10)
    assert.equal(sizeAtMost({ 'content-length': '11' }, 10), undefined)
    assert.equal(sizeAtMost({ 'transfer-encoding': 'chunked' }, 10), 10)
  })
})
