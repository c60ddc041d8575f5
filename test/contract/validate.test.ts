/** The checks of bodies: exactly the rules of the interface, every problem named, nothing coerced. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { INT64_MAX, INT64_MIN, int64OfJsonNumber } from '../../src/contract/int64.ts'
import { memberParser, numberText, parseJson, petJson } from '../../src/contract/json.ts'
import { checkListQuery, checkNewPet, parseNewPet } from '../../src/contract/validate.ts'

const name = fc.string({ unit: 'grapheme' }).filter((text) => text.isWellFormed() && !text.includes('\0'))
const categoryId = fc.bigInt({ min: INT64_MIN, max: INT64_MAX })
const status = fc.constantFrom('available' as const, 'pending' as const, 'sold' as const, undefined)

function problemsOf(json: string): readonly string[] {
  const checked = checkNewPet(parseJson(json))
  return 'problems' in checked ? checked.problems : []
}

describe('a NewPet (R3)', () => {
  it('comes out of JSON as it went in (R5)', () => {
    fc.assert(
      fc.property(name, categoryId, status, (name, categoryId, status) => {
        const pet = { name, categoryId, ...(status && { status }) }
        const json = petJson('1', name, categoryId, status).replace('"id":1,', '')
        assert.deepEqual(checkNewPet(parseJson(json)), { value: pet })
      }),
    )
  })

  it('is never coerced out of any other value (R10, O20)', () => {
    const other = fc.jsonValue()
    fc.assert(
      fc.property(other, other, other, (name, categoryId, status) => {
        const problems = problemsOf(JSON.stringify({ name, categoryId, status }))
        const named = (field: string) => problems.some((problem) => problem.startsWith(`${field}: `))
        const isText = typeof name === 'string' && name.isWellFormed() && !name.includes('\0')
        assert.equal(named('name'), !isText)
        const isInteger =
          typeof categoryId === 'number' && Number.isInteger(categoryId) && Math.abs(categoryId) < 2 ** 63
        assert.equal(named('categoryId'), !isInteger)
        assert.equal(named('status'), !['available', 'pending', 'sold'].some((word) => word === status))
      }),
    )
  })

  it('says which kind of value stood in the wrong place', () => {
    for (const [json, kind] of [
      ['null', 'null'],
      ['7', 'a number'],
      ['7.5', 'a number'],
      ['true', 'a boolean'],
      ['[]', 'an array'],
      ['{}', 'an object'],
    ] as const) {
      assert.deepEqual(problemsOf(`{"name":${json},"categoryId":1}`), [`name: must be a string, not ${kind}`])
      if (json !== '{}') assert.deepEqual(problemsOf(json), [`the body must be a JSON object, not ${kind}`])
    }
  })

  it('says the rule that a value breaks', () => {
    const integer = 'must be an integer from -9223372036854775808 to 9223372036854775807'
    const word = 'must be one of available, pending, sold'
    const text = 'must not hold U+0000 or an unpaired surrogate'
    assert.deepEqual(problemsOf('{"id":1,"name":"\\u0000","categoryId":0.5,"status":"Sold"}'), [
      'id: is assigned by the service and must not be sent',
      `name: ${text}`,
      `categoryId: ${integer}`,
      `status: ${word}`,
    ])
    assert.deepEqual(problemsOf('{"name":"\\ud800","categoryId":"7","status":7}'), [
      `name: ${text}`,
      `categoryId: ${integer}, not a string`,
      `status: ${word}, not a number`,
    ])
    assert.deepEqual(checkNewPet(parseNewPet('{"name":"a","categoryId":9007199254740993.0}')), {
      value: { name: 'a', categoryId: 9007199254740993n },
    })
    assert.deepEqual(checkNewPet(undefined), { problems: ['the body must be a JSON object, not nothing'] })
  })

  it('never has what was sent repeated at length', () => {
    const long = 'z'.repeat(10_000)
    for (const problem of problemsOf(`{"name":"${long}\\u0000","categoryId":"${long}","status":"${long}"}`))
      assert(problem.length < 150)
  })
})

describe('the query of listPets', () => {
  const check = (query: string, isPaged = false) => checkListQuery(new URLSearchParams(query), isPaged)

  it('has 20 animals of any status by default, and ignores what it does not know (R7, R8, O17)', () => {
    const usual = { limit: 20, status: undefined, cursor: undefined }
    for (const query of ['', 'page=2&page=3', 'Limit=5'])
      assert.partialDeepStrictEqual(check(query), { value: usual }, query)
    for (const limit of [1, 9, 10, 99, 100])
      assert.partialDeepStrictEqual(check(`limit=${limit}`), { value: { ...usual, limit } })
    assert.partialDeepStrictEqual(check('cursor=a', true), { value: { ...usual, cursor: 'a' } })
    assert.partialDeepStrictEqual(check('status=sold&cursor=a&cursor=b'), { value: { ...usual, status: 'sold' } })
  })

  it('is refused with all its problems, by the rule that each breaks (R7, R8, O16)', () => {
    const limit = 'limit: must be an integer from 1 to 100, in plain decimal digits'
    const status = 'status: must be one of available, pending, sold'
    for (const wrong of ['', '0', '101', '1000', '05', '-1', '+1', '1.0', '1e1', ' 1', '1 ', '1x', 'x1', '٣', '0x1']) {
      assert.deepEqual(check(`limit=${encodeURIComponent(wrong)}`), { problems: [limit] }, wrong)
    }
    for (const wrong of ['', 'Sold', 'sold,pending']) assert.deepEqual(check(`status=${wrong}`), { problems: [status] })
    assert.deepEqual(check('limit=0&status=x'), { problems: [limit, status] })
    assert.deepEqual(check('limit=1&limit=1&status=sold&status=sold'), {
      problems: ['limit: must be given once', 'status: must be given once'],
    })
    assert.deepEqual(check('cursor=a&cursor=a', true), { problems: ['cursor: must be given once'] })
  })
})

describe('JSON in (R5, O20)', () => {
  it('of a body that is no object, or has no number there, is what any parser makes of it', () => {
    for (const text of [
      'null',
      '7',
      '"categoryId"',
      'true',
      '[1]',
      '{}',
      '{"categoryId":"1"}',
      '{"categoryId":null}',
    ]) {
      assert.deepEqual(parseNewPet(text), JSON.parse(text), text)
    }
    assert.equal(numberText(parseJson('9007199254740993')), '9007199254740993')
    for (const text of ['', '{', '{"categoryId":01}']) assert.throws(() => parseNewPet(text), SyntaxError, text)
  })

  it('of a body, categoryId has its exact value, as a reviver would find it, however often and wherever it stands', () => {
    const parse = memberParser('categoryId')
    const number = fc
      .tuple(
        fc.constantFrom('', '-'),
        fc.stringMatching(/^(?:0|[1-9]\d{0,20})$/),
        fc.constantFrom('', '.0', '.50', '.00000000000000000001'),
        fc.constantFrom('', 'e0', 'E+1', 'e-2'),
      )
      .map((parts) => parts.join(''))
    const name = fc.constantFrom(
      'categoryId',
      '\\u0063ategoryId',
      'categor\\u0079\\u0049d',
      'category\\u0049D',
      'categ\\u006fryId',
      'categ\\u006FryId',
      'name',
      'x\\"categoryId',
    )
    const space = fc.constantFrom('', ' ', '\n\t')
    const text = fc.letrec<{ value: string; object: string }>((tie) => ({
      object: fc
        .array(
          fc.tuple(name, space, space, tie('value')).map(([name, a, b, value]) => `${a}"${name}"${b}:${a}${value}${b}`),
          { maxLength: 5 },
        )
        .map((members) => `{${members.join(',')}}`),
      value: fc.oneof(
        { depthSize: 'small' },
        number,
        fc.constantFrom('null', '"categoryId"', '"\\"categoryId\\":1"', '"\\u0063"', 'true'),
        fc.tuple(number, number).map((pair) => `[${pair}]`),
        tie('object'),
      ),
    })).object
    fc.assert(
      fc.property(text, (text) => {
        const sent = parse(text) as Record<string, unknown>
        const reference = JSON.parse(text, (_key, value, { source }) =>
          typeof value === 'number' ? { source } : value,
        ) as { categoryId?: { source?: string } }
        const expected = reference.categoryId?.source
        assert.equal(numberText(sent.categoryId), expected)
        assert.deepEqual({ ...sent, categoryId: null }, { ...(JSON.parse(text) as object), categoryId: null })
      }),
      { numRuns: 2_000 },
    )
  })

  it('has the exact value of every number, however it is written and whatever stands around it', () => {
    const digits = fc.stringMatching(/^(?:0|[1-9]\d{0,24})$/)
    const sign = fc.constantFrom('', '-')
    const fraction = fc.constantFrom('', '.0', '.50', '.00000000000000000001')
    const exponent = fc.constantFrom('', 'e0', 'E+1', 'e-2')
    const source = fc.tuple(sign, digits, fraction, exponent).map((parts) => parts.join(''))
    fc.assert(
      fc.property(source, fc.jsonValue(), (source, other) => {
        const [number, around] = parseJson(`[${source},{"around":${JSON.stringify(other)}}]`) as [unknown, unknown]
        assert.equal(int64OfJsonNumber(numberText(number) ?? ''), int64OfJsonNumber(source))
        assert.equal(numberText(around), undefined)
      }),
      {
        numRuns: 1_000,
        examples: [
          ['9007199254740993', null],
          ['-9007199254740993', '1'],
          ['90071992547409.93e2', null],
        ],
      },
    )
  })
})
