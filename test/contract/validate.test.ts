/** What is said of a body or a query that is refused: every problem, by the rule that each breaks. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { parseJson } from '../../src/contract/json.ts'
import { checkListQuery, checkNewPet } from '../../src/contract/validate.ts'

function problemsOf(json: string): readonly string[] {
  const checked = checkNewPet(parseJson(json))
  return 'problems' in checked ? checked.problems : []
}

describe('a NewPet (R3)', () => {
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
    const text = 'must not contain U+0000 or an unpaired surrogate'
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

  it('has a cursor only where pages have links (O6, O17)', () => {
    assert.partialDeepStrictEqual(check('cursor=a', true), { value: { limit: 20, cursor: 'a' } })
    assert.partialDeepStrictEqual(check('status=sold&cursor=a&cursor=b'), {
      value: { status: 'sold', cursor: undefined },
    })
  })

  it('is refused with all its problems, by the rule that each breaks (R7, R8, O16)', () => {
    const limit = 'limit: must be an integer from 1 to 100, in plain decimal digits'
    const status = 'status: must be one of available, pending, sold'
    assert.deepEqual(check('limit=٣'), { problems: [limit] })
    assert.deepEqual(check('status='), { problems: [status] })
    assert.deepEqual(check('limit=0&status=x'), { problems: [limit, status] })
    assert.deepEqual(check('limit=1&limit=1&status=sold&status=sold'), {
      problems: ['limit: must be given once', 'status: must be given once'],
    })
    assert.deepEqual(check('cursor=a&cursor=a', true), { problems: ['cursor: must be given once'] })
  })
})
