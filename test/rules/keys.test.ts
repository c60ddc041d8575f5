/** Which limits and which end a key can have, and what it may do at an instant. */
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { banOf, expiryRefusal, isInForce, limitsOn, stateOf } from '../../src/rules/keys.ts'

const NOW = 1_000
const KEY = { expiresAtMs: undefined, revokedAtMs: undefined }

it('a key has the limits of its plan or, on the Enterprise plan, its own', () => {
  const [limits, before] = [
    { perMinute: 5, perDay: 8 },
    { perMinute: 2, perDay: 3 },
  ]
  const fixed = { refusal: 'the limits of the pro plan are fixed; limits of its own need the Enterprise plan' }
  const none = { refusal: 'an Enterprise key needs its own two limits, per minute and per day' }
  assert.deepEqual(
    [limitsOn('pro'), limitsOn('pro', {}, before), limitsOn('pro', { perDay: 8 }), limitsOn('pro', limits, before)],
    [{ perMinute: 300, perDay: 10_000 }, { perMinute: 300, perDay: 10_000 }, fixed, fixed],
  )
  assert.deepEqual(
    [limitsOn('enterprise', limits), limitsOn('enterprise', { perDay: 8 }, before), limitsOn('enterprise', {}, before)],
    [limits, { perMinute: 2, perDay: 8 }, before],
  )
  assert.deepEqual([limitsOn('enterprise'), limitsOn('enterprise', { perMinute: 5 })], [none, none])
  assert.deepEqual(limitsOn('of a later version', {}, before), before)
})

it('a key expires after its creation', () => {
  const refusals = [undefined, NOW + 1, NOW].map((expiresAtMs) => expiryRefusal(expiresAtMs, NOW))
  assert.deepEqual(refusals, [undefined, undefined, 'the key would have expired already; give a later time'])
})

it('a key is in force until it is revoked, or the instant at which it expires', () => {
  const keys = [KEY, { ...KEY, expiresAtMs: NOW + 1 }, { ...KEY, expiresAtMs: NOW }, { ...KEY, revokedAtMs: NOW + 1 }]
  assert.deepEqual(
    keys.map((key) => isInForce(key, NOW)),
    [true, true, false, false],
  )
})

it('the state of a key has four words', () => {
  const of = (change: object, isBanned: boolean) => stateOf({ ...KEY, ...change }, NOW, isBanned)
  assert.deepEqual(
    [of({}, false), of({}, true), of({ expiresAtMs: NOW }, true), of({ revokedAtMs: NOW, expiresAtMs: NOW }, true)],
    ['active', 'banned', 'expired', 'revoked'],
  )
})

it('a ban is over at its end, or once it is lifted', () => {
  const ban = { untilMs: NOW + 1 }
  assert.equal(banOf({ ban }, NOW), ban)
  assert.equal(banOf({ ban }, NOW + 1), undefined)
  assert.equal(banOf({ ban, liftedUntilMs: ban.untilMs }, NOW), undefined)
  assert.equal(banOf({ ban, liftedUntilMs: ban.untilMs - 1 }, NOW), ban)
})
