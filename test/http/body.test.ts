/** Which bodies are read, and how many bytes they may come to: by the fields of their request alone (R10, O19, O23). */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { hasBody, isJson, sizeAtMost } from '../../src/http/body.ts'

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

  it('comes to its length, to the limit if that is unknown, and to nothing that is over the limit', () => {
    assert.equal(sizeAtMost({}, 10), 0)
    assert.equal(sizeAtMost({ 'content-length': '9' }, 10), 9)
    assert.equal(sizeAtMost({ 'content-length': '10' }, 10), 10)
    assert.equal(sizeAtMost({ 'content-length': '11' }, 10), undefined)
    assert.equal(sizeAtMost({ 'transfer-encoding': 'chunked' }, 10), 10)
  })
})
