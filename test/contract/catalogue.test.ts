/** The names of plans, and the codes of errors for every status. */
import assert from 'node:assert/strict'
import { STATUS_CODES } from 'node:http'
import { describe, it } from 'node:test'
import { ERROR_STATUS, errorBody, errorCode, reasonPhrase } from '../../src/contract/errors.ts'
import { isPlan, PLAN_NAMES } from '../../src/contract/plans.ts'

describe('the contract', () => {
  it('knows a plan by its name as written, and no other (R14)', () => {
    assert(PLAN_NAMES.every(isPlan))
    for (const name of ['Free', 'toString', '__proto__', '']) assert(!isPlan(name))
  })

  it('has a code for each status, and the reason phrase for any other (O8)', () => {
    for (const [code, status] of Object.entries(ERROR_STATUS)) assert.equal(errorCode(status), code)
    assert.equal(errorCode(417), 'expectation_failed')
    assert.equal(reasonPhrase(499), '')
    for (const status of Object.keys(STATUS_CODES)
      .map(Number)
      .filter((status) => status >= 400)) {
      const { code, message, status: told } = errorBody(status, 'why')
      assert.match(code, /^[a-z]+(_[a-z]+)*$/)
      assert.deepEqual([message, told], ['why', status])
    }
  })
})
