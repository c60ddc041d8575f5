/** What a key may do at an instant. */
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { banOf, isInForce, stateOf } from '../../src/rules/keys.ts'

const NOW = 1_000
const KEY = { expiresAtMs: undefined, revokedAtMs: undefined }

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
