/** The contract reads bodies, paths and queries as the model does (test/model/pets.ts), to the last digit. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { INT64_MAX, INT64_MIN, int64OfJsonNumber, parseInt64 } from '../../src/contract/int64.ts'
import { jsonBreaksAt, numberText, parseJson } from '../../src/contract/json.ts'
import { FILTER_NAMES, filterKey, matches } from '../../src/contract/pet-filter.ts'
import { checkListQuery, checkNewPet, parseNewPet } from '../../src/contract/validate.ts'
import { readId, readNewAnimal, readQuery } from '../model/pets.ts'
import { anyCharacter } from '../support/draws.ts'
import { FILTERS_TOGETHER } from '../support/store.ts'

const int64 = fc.bigInt({ min: INT64_MIN, max: INT64_MAX })
const integer = fc.oneof(
  int64,
  fc.bigInt({ min: INT64_MIN * 100n, max: INT64_MAX * 100n }),
  fc.constantFrom(INT64_MIN, INT64_MAX, INT64_MIN - 1n, INT64_MAX + 1n, 2n ** 53n + 1n),
)
const number = fc
  .tuple(
    fc.oneof({ weight: 9, arbitrary: integer.map(String) }, { weight: 1, arbitrary: fc.constant('-0') }),
    fc.oneof(fc.constantFrom('', '', '.0', '.50'), fc.stringMatching(/^\.(?:[0-9]{1,25}|0{1,25})$/)),
    fc.oneof(
      fc.constantFrom('', '', 'e0', 'E+1', 'e-2', 'e999999999', 'E-999999999'),
      fc.stringMatching(/^[eE][+-]?0{0,3}\d{1,2}$/),
    ),
  )
  .map((parts) => parts.join(''))

describe('an int64 (R5)', () => {
  it('in a path has one spelling (O18)', () => {
    const text = fc.oneof(
      integer.map(String),
      number,
      fc.string(),
      fc.constantFrom('', '-', '07', '+7', ' 7', '7\n', '１'),
    )
    fc.assert(fc.property(text, (text) => assert.equal(parseInt64(text), readId(text), text)))
    for (const [text, value] of [
      [`${INT64_MIN}`, INT64_MIN],
      [`${INT64_MAX}`, INT64_MAX],
      ['1'.repeat(1_000_000), undefined],
    ] as const)
      assert.equal(parseInt64(text), value)
  })

  it('has exponents and fractions of any length (O20)', () => {
    const zeros = '0'.repeat(300)
    for (const source of ['7.000E00', `7${zeros}e-300`, `0.${zeros}7e301`]) assert.equal(int64OfJsonNumber(source), 7n)
    for (const source of ['-1e999999999', `1e${'9'.repeat(400)}`]) assert.equal(int64OfJsonNumber(source), undefined)
    for (const text of ['', '-', 'x7.0', '7.0x', '7.', '.7', '7e', '7e0.5', '--7.0', ' 7.0', '1e1e1'])
      assert.equal(int64OfJsonNumber(text), undefined, text)
  })

  it('is kept by the reader of any JSON, whatever stands around it', () => {
    fc.assert(
      fc.property(number, fc.jsonValue(), (source, other) => {
        const [read, around] = parseJson(`[${source},{"around":${JSON.stringify(other)}}]`) as [unknown, unknown]
        assert.equal(int64OfJsonNumber(numberText(read) ?? ''), int64OfJsonNumber(source))
        assert.equal(numberText(around), undefined)
      }),
      {
        numRuns: 1_000,
        examples: [
          ['9007199254740993', null],
          ['90071992547409.93e2', null],
        ],
      },
    )
  })
})

const name = fc.constantFrom(
  ...['name', 'categoryId', 'status', 'id', 'x', 'x\\"categoryId', 'n\\u0061me', 'st\\u0061tus'],
  ...['\\u0063ategoryId', 'categor\\u0079\\u0049d', 'category\\u0049D', 'categ\\u006fryId', 'categ\\u006FryId'],
)
const space = fc.constantFrom('', ' ', '\n\t')
const { value, object } = fc.letrec<{ value: string; object: string }>((tie) => ({
  object: fc
    .array(fc.tuple(name, space, space, tie('value')), { maxLength: 4 })
    .map((members) => `{${members.map(([name, a, b, value]) => `${a}"${name}"${b}:${a}${value}${b}`).join(',')}}`),
  value: fc.oneof(
    { depthSize: 'small' },
    number,
    fc.string({ unit: anyCharacter }).map((text) => JSON.stringify(text)),
    fc.constantFrom(
      'null',
      'true',
      '7',
      '"sold"',
      '"Sold"',
      '"\\"categoryId\\":1"',
      '"\\ud800"',
      '"\\u0000"',
      '["sold"]',
    ),
    fc.jsonValue().map((value) => JSON.stringify(value)),
    tie('object'),
  ),
}))
/** Mostly animals, with more members before and behind that may take the place of theirs. */
const body = fc.oneof(
  { weight: 1, arbitrary: value },
  {
    weight: 6,
    arbitrary: fc
      .tuple(object, fc.string({ unit: anyCharacter }), fc.oneof(int64.map(String), number), object, fc.boolean())
      .map(([before, name, categoryId, behind, hasMore]) => {
        const own = `"name":${JSON.stringify(name)},"categoryId":${categoryId}`
        const all = hasMore ? [before.slice(1, -1), own, behind.slice(1, -1)] : [own]
        return `{${all.filter((members) => members.trim() !== '').join(',')}}`
      }),
  },
)

describe('a body from a client', () => {
  it('is read as the model reads it, without coercion (R3, R5, R10, O4, O17, O19, O20)', () => {
    let animals = 0
    fc.assert(
      fc.property(body, (text) => {
        const checked = checkNewPet(parseNewPet(text))
        const expected = readNewAnimal(Buffer.from(text).toString('latin1'))
        const animal = 'value' in checked ? { status: undefined, ...checked.value } : undefined
        assert.deepEqual(animal, expected, text)
        if (animal !== undefined) animals += 1
      }),
      { numRuns: 2_000 },
    )
    assert(animals > 400 && animals < 1_600, `${animals} animals`)
    for (const text of ['', '{', '{"categoryId":01}']) assert.throws(() => parseNewPet(text), SyntaxError, text)
  })

  it('in a query is the limit and the filter of the model, or refused (R7, R8, O16, O17)', () => {
    const limits = fc.oneof(
      fc.integer({ min: -2, max: 1_002 }).map(String),
      fc.constantFrom('', '05', '%2B1', '1.0', '1e1', '%201', '1+', 'x1', '0x1'),
    )
    const odd = ['Sold', '', 'sold,pending', 's%6Fld', '%ff', 'constructor']
    const part = fc.oneof(
      fc.tuple(fc.constantFrom('limit', 'Limit', '%6cimit'), limits).map(([name, value]) => `${name}=${value}`),
      fc.constantFrom(...FILTERS_TOGETHER.slice(1).map((filter) => filterKey(filter).slice(0, -1))),
      fc
        .tuple(fc.constantFrom(...FILTER_NAMES, 'page', 'cursor'), fc.constantFrom(...odd))
        .map((pair) => pair.join('=')),
    )
    const pets = FILTERS_TOGETHER.map((more) => Object.assign({ name: 'x', categoryId: 1n, status: undefined }, more))
    fc.assert(
      fc.property(fc.array(part, { maxLength: 3 }), (parts) => {
        const query = parts.join('&')
        const checked = checkListQuery(new URLSearchParams(query))
        const expected = readQuery(query)
        assert.equal('value' in checked ? checked.value.limit : undefined, expected?.limit, query)
        if (!('value' in checked)) return
        const { limit: _, cursor, ...wanted } = checked.value
        assert.equal(cursor, undefined)
        for (const pet of pets) assert.equal(matches(wanted, pet), expected?.lists(pet), query)
      }),
      { numRuns: 2_000 },
    )
  })
})

it('a text stops being JSON where the grammar is broken, or at its end', () => {
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
