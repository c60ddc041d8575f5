/** The plans, the errors and the operations, against the numbers and words that the interface states. */
import assert from 'node:assert/strict'
import { STATUS_CODES } from 'node:http'
import { describe, it } from 'node:test'
import { ERROR_STATUS, errorBody, errorCode, reasonPhrase } from '../../src/contract/errors.ts'
import {
  BASE_PATH,
  GET_PET_REMOVAL_MS,
  GET_PET_SUNSET,
  INTERFACE_VERSION,
  OPERATIONS,
} from '../../src/contract/operations.ts'
import { isPlan, PLAN_NAMES, PLANS } from '../../src/contract/plans.ts'
import { Limit, PetStatus } from '../../src/contract/schemas.ts'

describe('the contract', () => {
  it('has the stated plans, and Enterprise without numbers (R14)', () => {
    assert.deepEqual(PLANS, {
      free: { perMinute: 60, perDay: 1_000 },
      pro: { perMinute: 300, perDay: 10_000 },
      business: { perMinute: 1_000, perDay: 100_000 },
      enterprise: undefined,
    })
    assert.deepEqual(PLAN_NAMES.filter(isPlan), ['free', 'pro', 'business', 'enterprise'])
    for (const name of ['Free', 'toString', '__proto__', '']) assert(!isPlan(name))
  })

  it('has a code for each status, and the reason phrase for any other (O8)', () => {
    assert.deepEqual(ERROR_STATUS, {
      invalid_request: 400,
      unauthorized: 401,
      not_found: 404,
      method_not_allowed: 405,
      request_timeout: 408,
      payload_too_large: 413,
      uri_too_long: 414,
      unsupported_media_type: 415,
      rate_limited: 429,
      headers_too_large: 431,
      internal_error: 500,
      not_implemented: 501,
      unavailable: 503,
    })
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

  it('has exactly the three operations, under /v1 of version 1.0.0 (R1, R7, R9, R11, R18, O25)', () => {
    const lines = Object.entries(OPERATIONS).map(([name, { method, path }]) => `${name} ${method} ${BASE_PATH}${path}`)
    assert.deepEqual(lines, ['listPets GET /v1/pets', 'createPet POST /v1/pets', 'getPet GET /v1/pets/{petId}'])
    assert.equal(INTERFACE_VERSION, '1.0.0')
  })

  it('has the three statuses and the page sizes (R2, R7)', () => {
    assert.deepEqual(PetStatus.enum, ['available', 'pending', 'sold'])
    assert.deepEqual([Limit.minimum, Limit.maximum, Limit.default], [1, 100, 20])
  })

  it('ends getPet on 5 December 2030 (R12, O21)', () => {
    assert.equal(new Date(GET_PET_REMOVAL_MS).toISOString(), '2030-12-05T00:00:00.000Z')
    assert.equal(GET_PET_SUNSET, 'Thu, 05 Dec 2030 00:00:00 GMT')
  })
})
