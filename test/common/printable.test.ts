/** Text from elsewhere on a terminal: nothing that moves the cursor, hides or reverses text gets there. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { printable, printableJson } from '../../src/common/printable.ts'
import { anyCharacter } from '../support/draws.ts'

const text = fc.string({ unit: anyCharacter })
const HARMFUL = /[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069\u200e\u200f\ufeff]/u

describe('text made printable', () => {
  it('escapes control characters, line breaks, and characters that hide or reverse text', () => {
    assert.equal(printable('a\x1b[2J\r\n\x7f\x9b\u202eb'), 'a\\u{1b}[2J\\u{d}\\u{a}\\u{7f}\\u{9b}\\u{202e}b')
    assert.equal(printable('Śhelter “Ünïted” پت‌شاپ 👩‍👧'), 'Śhelter “Ünïted” پت‌شاپ 👩‍👧')
    fc.assert(fc.property(text, (text) => assert.doesNotMatch(printable(text), HARMFUL)))
  })

  it('as JSON is printable too, and still says the same', () => {
    fc.assert(
      fc.property(text, (text) => {
        const json = printableJson({ text })
        assert.doesNotMatch(json, HARMFUL)
        assert.deepEqual(JSON.parse(json), { text })
      }),
    )
  })
})
