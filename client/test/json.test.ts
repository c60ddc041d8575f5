/** JSON in and out without losing a digit (R5). */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { anyCharacter } from '../../test/support/draws.ts'
import { fromJson, int64, isInt64, toJson } from '../src/json.ts'

const MIN = -(2n ** 63n)
const MAX = 2n ** 63n - 1n

describe('fromJson', () => {
  it('reads every int64 exactly, wherever it stands (R5)', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: MIN, max: MAX }), fc.string({ unit: anyCharacter }), (id, name) => {
        const text = `{"id":${id},"name":${JSON.stringify(name)},"more":[${id},{"deep":${id}}]}`
        assert.deepEqual(fromJson(text), { id, name, more: [id, { deep: id }] })
      }),
    )
  })

  it('reads any JSON as the platform does, except integers', () => {
    const toBigint = (_key: string, value: unknown) => (Number.isSafeInteger(value) ? BigInt(Number(value)) : value)
    fc.assert(
      fc.property(
        fc.jsonValue().map((value) => JSON.stringify(value)),
        fc.constantFrom(undefined, 2),
        (compact, indent) => {
          const text = JSON.stringify(JSON.parse(compact), null, indent)
          // Doubles beyond 2^53 are whole numbers too; what they are read as is the subject of the other tests.
          fc.pre(!/\d{16}|\de\+?\d/.test(text))
          assert.deepEqual(fromJson(text), JSON.parse(text, toBigint))
        },
      ),
    )
  })

  it('reads every int64 exactly in whichever form of a number it is written (R5, O20)', () => {
    fc.assert(
      fc.property(
        fc.bigInt({ min: MIN, max: MAX }),
        fc.integer({ min: -25, max: 25 }),
        fc.nat(3),
        (id, shift, zeros) => {
          assert.equal(fromJson(shifted(id, shift, zeros)), id)
        },
      ),
    )
    const forms = ['9.223372036854775807e18', '-922337203685477580.8E+1', '92233720368547758070e-1', '0.0e99999', '1e0']
    assert.deepEqual(fromJson(`[${forms}]`), [MAX, MIN, MAX, 0n, 1n])
  })

  it('makes no digits of an exponent: a number beyond every integer stays a number', () => {
    assert.deepEqual(fromJson('[1e999999999,1e-999999999,1e30,7.5]'), [Infinity, 0, 1e30, 7.5])
  })

  it('refuses text that is not JSON, also if quotes around its numbers would make it JSON', () => {
    const texts = ['', '01', '{7:1}', '1 2', '[1,]', '-', '1.', '.5', '1e', '0x1', '{"a":1', "'7'", '"\\x"', 'NaN']
    for (const text of texts) assert.throws(() => fromJson(text), SyntaxError, text)
  })

  it('keeps a member named __proto__ a member', () => {
    assert.deepEqual(Object.keys(fromJson('{"__proto__":1}') as object), ['__proto__'])
  })
})

describe('toJson', () => {
  it('writes every int64 and every text exactly, and leaves out what is undefined (R5)', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: MIN, max: MAX }), fc.string({ unit: anyCharacter }), (categoryId, name) => {
        const text = toJson({ name, categoryId, status: undefined })
        assert.equal(text, `{"name":${JSON.stringify(name)},"categoryId":${categoryId}}`)
        assert.deepEqual(fromJson(text), { name, categoryId })
      }),
    )
  })

  it('writes a value without a bigint as JSON.stringify does', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        assert.equal(toJson(value), JSON.stringify(value))
      }),
    )
    const odd = {
      at: new Date(0),
      none: undefined,
      call: () => 1,
      list: [undefined, Number.NaN, [1n]],
      deep: { id: 7n },
    }
    assert.equal(toJson(odd), '{"at":"1970-01-01T00:00:00.000Z","list":[null,null,[1]],"deep":{"id":7}}')
    assert.equal(toJson(undefined), 'null')
  })
})

describe('int64', () => {
  it('takes a bigint within 64 bits and a safe number', () => {
    for (const value of [MIN, MAX, 0n, Number.MAX_SAFE_INTEGER, -0]) assert.equal(int64(value, 'id'), BigInt(value))
  })

  it('refuses what may have lost digits, does not fit, or only looks like a number, and names the field', () => {
    for (const [values, name, message] of [
      [[2 ** 53, 7.5, Number.NaN, Infinity], 'RangeError', /id.*bigint/],
      [[MIN - 1n, MAX + 1n], 'RangeError', /id must fit into 64 bits/],
      [['7', null, undefined, true, {}], 'TypeError', /id must be a bigint/],
    ] as const) {
      for (const value of values) assert.throws(() => int64(value as bigint, 'id'), { name, message })
    }
    assert.deepEqual([MIN - 1n, MAX + 1n].map(isInt64), [false, false])
  })
})

/** The integer with its point moved by so many places, which the exponent takes back, and some zeros behind it. */
function shifted(id: bigint, shift: number, zeros: number): string {
  const sign = id < 0n ? '-' : ''
  const digits = `${id}`.replace('-', '')
  if (shift <= 0) return `${id * 10n ** BigInt(-shift)}.${'0'.repeat(zeros + 1)}e${shift}`
  const all = digits.padStart(shift + 1, '0')
  return `${sign}${all.slice(0, -shift)}.${all.slice(-shift)}${'0'.repeat(zeros)}E+${shift}`
}
