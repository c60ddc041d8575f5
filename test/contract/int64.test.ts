/** int64 against plain BigInt arithmetic: every form a JSON number can take, read by its value and never rounded. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { INT64_MAX, INT64_MIN, int64OfJsonNumber, parseInt64 } from '../../src/contract/int64.ts'
import { jsonBreaksAt } from '../../src/contract/json.ts'

/** The value of a JSON number as a fraction, worked out with nothing but BigInt. Exponents stay small here. */
function exactValue(whole: bigint, fraction: string, exponent: number): bigint | undefined {
  const sign = whole < 0n ? -1n : 1n
  const scale = exponent - fraction.length
  const digits = (whole < 0n ? -whole : whole) * 10n ** BigInt(fraction.length) + BigInt(fraction === '' ? 0 : fraction)
  if (scale >= 0) return sign * digits * 10n ** BigInt(scale)
  const divisor = 10n ** BigInt(-scale)
  return digits % divisor === 0n ? (sign * digits) / divisor : undefined
}

function inRange(value: bigint | undefined): bigint | undefined {
  return value !== undefined && value >= INT64_MIN && value <= INT64_MAX ? value : undefined
}

const int64 = fc.bigInt({ min: INT64_MIN, max: INT64_MAX })
const wide = fc.oneof(
  int64,
  fc.bigInt({ min: INT64_MIN * 100n, max: INT64_MAX * 100n }),
  fc.constantFrom(INT64_MIN, INT64_MAX, INT64_MIN - 1n, INT64_MAX + 1n),
)

describe('an int64 (R5)', () => {
  it('is every integer from -2^63 to 2^63-1 and no other', () => {
    assert.equal(parseInt64('-9223372036854775808'), INT64_MIN)
    assert.equal(parseInt64('9223372036854775807'), INT64_MAX)
    fc.assert(
      fc.property(wide, (n) => {
        assert.equal(parseInt64(n.toString()), inRange(n))
        assert.equal(int64OfJsonNumber(n.toString()), inRange(n))
      }),
    )
  })

  it('as canonical text has one spelling (O18)', () => {
    for (const text of [
      '',
      '-',
      '-0',
      '00',
      '07',
      '-07',
      '+7',
      '7.0',
      '7e0',
      ' 7',
      '7 ',
      '7\n',
      '0x7',
      '7n',
      '１',
      '1_000',
      'NaN',
      'Infinity',
      '1'.repeat(1_000_000),
    ]) {
      assert.equal(parseInt64(text), undefined, text.slice(0, 20))
    }
    fc.assert(fc.property(fc.string(), (text) => assert.equal(parseInt64(text)?.toString() ?? text, text)))
  })
})

describe('a JSON number read as an int64 (O20)', () => {
  it('has the value that BigInt arithmetic gives it, whatever its form', () => {
    const fraction = fc.oneof(fc.constant(''), fc.stringMatching(/^[0-9]{1,25}$/), fc.stringMatching(/^0{1,25}$/))
    const exponent = fc.option(fc.integer({ min: -45, max: 45 }), { nil: undefined })
    const spelling = fc.record({
      e: fc.constantFrom('e', 'E'),
      plus: fc.boolean(),
      zeros: fc.integer({ min: 0, max: 3 }),
    })
    fc.assert(
      fc.property(wide, fraction, exponent, spelling, (whole, fraction, exponent, { e, plus, zeros }) => {
        const sign = exponent !== undefined && exponent < 0 ? '-' : plus ? '+' : ''
        const tail = exponent === undefined ? '' : `${e}${sign}${'0'.repeat(zeros)}${Math.abs(exponent)}`
        const source = `${whole}${fraction === '' ? '' : `.${fraction}`}${tail}`
        JSON.parse(source)
        assert.equal(int64OfJsonNumber(source), inRange(exactValue(whole, fraction, exponent ?? 0)), source)
      }),
      { numRuns: 2_000 },
    )
  })

  it('has exponents and fractions of any length', () => {
    const zeros = '0'.repeat(300)
    for (const source of ['7.000E00', `7${zeros}e-300`, `0.${zeros}7e301`]) assert.equal(int64OfJsonNumber(source), 7n)
    for (const source of ['-0', '-0.0', '-0.000e999999999']) assert.equal(int64OfJsonNumber(source), 0n)
    for (const source of ['1e999999999', '-1e999999999', '1e-999999999', `1e${'9'.repeat(400)}`]) {
      assert.equal(int64OfJsonNumber(source), undefined, source)
    }
  })

  it('is nothing if the text is no JSON number', () => {
    for (const text of ['', '-', 'x', 'x7.0', '7.0x', '7.', '.7', '7e', '7e0.5', '--7.0', '7.0 ', ' 7.0', '1e1e1']) {
      assert.equal(int64OfJsonNumber(text), undefined, text)
    }
  })
})

describe('where a text stops being JSON', () => {
  it('is where the grammar is broken, or its end', () => {
    for (const [text, at] of [
      ['', 0],
      ['x', 0],
      ['{"a":1,}', 7],
      ['{"a" 1}', 5],
      ['{"a":01}', 6],
      ["{'a':1}", 1],
      ['[1,2,]', 5],
      ['[,]', 1],
      ['[]]', 2],
      ['{"a":1}{}', 7],
      ['{"a":"b\u0001"}', 5],
      ['{"a":"\\x"}', 5],
      ['["é\u{1f43e}",tru]', 7],
      [' {"a": [ {} , { "b"', 19],
      ['{"a":"b', 7],
      ['{"a":"b\\u00', 11],
      ['{"a":"b\\', 8],
      ['{"a":"b\n', 5],
    ] as const) {
      assert.throws(() => JSON.parse(text))
      assert.equal(jsonBreaksAt(text), at, text)
    }
    // An alternation that is repeated so often would exhaust the stack.
    const long = `{"a":"${'b'.repeat(16 << 20)}`
    assert.equal(jsonBreaksAt(long), long.length)
  })

  it('is at the token in which the parser stops, for any text made of JSON by a change', () => {
    fc.assert(
      fc.property(fc.json(), fc.nat(), fc.string({ maxLength: 2 }), fc.nat(2), (json, place, more, gone) => {
        const at = place % (json.length + 1)
        const text = json.slice(0, at) + more + json.slice(at + gone)
        try {
          JSON.parse(text)
        } catch (error) {
          const told = /at position (\d+)/.exec(String(error))?.[1]
          const breaksAt = jsonBreaksAt(text)
          assert(breaksAt <= Number(told ?? text.length), text)
          // Inside of a token at most: what is between is a string, a number or a word.
          if (told !== undefined) assert.doesNotMatch(text.slice(breaksAt, Number(told)), /^[[\]{},:\s]/, text)
        }
      }),
    )
  })
})
