/** People and their roles, passphrases, and the delay that grows with wrong guesses. */

import assert from 'node:assert/strict'
import crypto, { hash, randomBytes, type ScryptOptions } from 'node:crypto'
import { syncBuiltinESMExports } from 'node:module'
import { describe, it, type TestContext } from 'node:test'
import { Delays } from '../../src/domain/delays.ts'
import { isPassphrase, Passphrases, PassphrasesBusy } from '../../src/domain/passphrases.ts'
import { hashToken, isToken, makeToken } from '../../src/domain/people.ts'
import { stateOfPerson } from '../../src/rules/people.ts'
import { clockAt } from '../support/time/clock.ts'

const { scrypt } = crypto
type Done = (error: Error | null, hash: Buffer) => void
type Compute = (passphrase: Buffer, salt: Buffer, length: number, cost: ScryptOptions, done: Done) => void
/** Where the cost is not the subject: at the usual one a hash takes a quarter of a second. */
const computeCheaply: Compute = (passphrase, salt, length, cost, done) =>
  scrypt(passphrase, salt, length, { ...cost, N: 2, r: 1, p: 1 }, done)

function computeBy(t: TestContext, compute: Compute) {
  const computed = t.mock.method(crypto, 'scrypt', compute)
  syncBuiltinESMExports()
  t.after(() => {
    t.mock.restoreAll()
    syncBuiltinESMExports()
  })
  return computed.mock
}

describe('a person', () => {
  it('is invited, lapsed, active or revoked', () => {
    const nowMs = Date.UTC(2026, 10, 21, 12)
    const person = { passphrase: undefined, revokedAtMs: undefined, invitationEndsAtMs: undefined }
    const of = (change: Partial<Parameters<typeof stateOfPerson>[0]>) => stateOfPerson({ ...person, ...change }, nowMs)
    assert.equal(of({}), 'lapsed')
    assert.equal(of({ invitationEndsAtMs: nowMs + 1 }), 'invited')
    assert.equal(of({ invitationEndsAtMs: nowMs }), 'lapsed')
    assert.equal(of({ passphrase: 'x', invitationEndsAtMs: nowMs }), 'active')
    assert.equal(of({ passphrase: 'x', invitationEndsAtMs: nowMs + 1, revokedAtMs: nowMs }), 'revoked')
  })

  it('has tokens of 256 random bits in 43 characters', () => {
    const token = makeToken(randomBytes)
    assert(isToken(token) && Buffer.from(token, 'base64url').length === 32)
    assert.equal(hashToken(token), hash('sha256', token, 'base64url'))
    for (const other of [`${token}A`, token.slice(1), `${token}\n`, `+${token.slice(1)}`, '', undefined, 7])
      assert(!isToken(other), String(other))
  })
})

describe('a passphrase', () => {
  it('has at least 12 characters, counted as people count them, and at most 1,024 bytes', () => {
    assert(isPassphrase('\u{1f600}'.repeat(12)))
    assert(!isPassphrase('\u{1f600}'.repeat(11)), 'that are 22 code units')
    assert(!isPassphrase('e\u0301'.repeat(11)), 'that are 22 code points, and 11 letters')
    assert(isPassphrase('x'.repeat(1_024)))
    assert(!isPassphrase('x'.repeat(1_025)))
    assert(!isPassphrase('ü'.repeat(513)))
    assert(!isPassphrase('\ud800'.repeat(12)))
  })

  it('has a record with its parameters, and fails if that is damaged', async () => {
    const passphrases = new Passphrases(randomBytes)
    const salt = Buffer.alloc(16).toString('base64url')
    for (const record of ['', 'argon2$1$1$1$a$b', `scrypt$2$1$1$${salt}$AAAA`, `x$2$1$1$${salt}$${'A'.repeat(43)}`]) {
      await assert.rejects(passphrases.matches('x', record, 'stranger', 'x'), /cannot read a passphrase/, record)
    }
    const noPowerOfTwo = `scrypt$3$1$1$${salt}$${'A'.repeat(43)}`
    await assert.rejects(passphrases.matches('x', noPowerOfTwo, 'stranger', 'x'))
  })

  it('is none while it is computed for nobody, and for a text that cannot be one', async (t) => {
    computeBy(t, (_passphrase, _salt, length, _cost, done) => done(null, Buffer.alloc(length)))
    const passphrases = new Passphrases((size) => Buffer.alloc(size))
    const record = await passphrases.record('correct horse battery', 'x')
    assert.ok(await passphrases.matches('correct horse battery', record, 'stranger', 'x'))
    assert.ok(!(await passphrases.matches('correct horse battery', undefined, 'stranger', 'x')))
    assert.ok(!(await passphrases.matches('\ud800'.repeat(12), record, 'stranger', 'x')))
  })

  it('matches its own record in either form of Unicode', async () => {
    const passphrases = new Passphrases(randomBytes)
    const record = await passphrases.record('Jose\u0301 am Fenster', 'x')
    assert.match(record, /^scrypt\$32768\$8\$3\$[\w-]{22}\$[\w-]{43}$/)
    assert.ok(await passphrases.matches('Jos\u00e9 am Fenster', record, 'stranger', 'x'))
  })

  it('matches no other record, and has another each time that it is recorded', async (t) => {
    computeBy(t, computeCheaply)
    const passphrases = new Passphrases(randomBytes)
    const record = await passphrases.record('Jose\u0301 am Fenster', 'x')
    assert.notEqual(record, await passphrases.record('Jose\u0301 am Fenster', 'x'), 'the salt differs')
    assert.ok(!(await passphrases.matches('jos\u00e9 am Fenster', record, 'stranger', 'x')))
  })

  it('is compared by the parameters of its record, so that they can be raised', async () => {
    const passphrases = new Passphrases(() => Buffer.alloc(16))
    // By Python: hashlib.scrypt(b'correct horse battery', salt=bytes(16), n=1024, r=8, p=1, dklen=32)
    const record = 'scrypt$1024$8$1$AAAAAAAAAAAAAAAAAAAAAA$AsWvwMY_76m6UtetkFvlJIEPTCAm8Pu2vkYrRktx10s'
    assert.ok(await passphrases.matches('correct horse battery', record, 'stranger', 'x'))
    assert.ok(!(await passphrases.matches('correct horse batterz', record, 'stranger', 'x')))
  })

  it('takes as long to refuse without a record as with one: the same computations', async (t) => {
    const passphrases = new Passphrases(randomBytes)
    const computed = computeBy(t, computeCheaply)
    const record = await passphrases.record('correct horse battery', 'x')
    const costOf = async (text: string, against: string | undefined) => {
      computed.resetCalls()
      await passphrases.matches(text, against, 'stranger', 'x')
      // Its time is that of the parameters; the passphrase itself, of a KiB at most, is only hashed once.
      return computed.calls.map(({ arguments: [, salt, length, cost] }) => [salt.toString().length > 0, length, cost])
    }
    const known = await costOf('wrong horse battery', record)
    assert.equal(known.length, 1)
    assert.deepEqual(await costOf('wrong horse battery', undefined), known)
    assert.deepEqual(await costOf('x'.repeat(5_000), undefined), known)
  })

  it('is refused while too many are being computed, of all or of one person, and not afterwards', async (t) => {
    const passphrases = new Passphrases(randomBytes)
    computeBy(t, computeCheaply)
    const refusedOf = async (whoOf: (n: number) => string) => {
      const ask = (_: unknown, n: number) => passphrases.matches('x', undefined, 'stranger', whoOf(n))
      const many = await Promise.allSettled(Array.from({ length: 100 }, ask))
      return many.filter((one) => one.status === 'rejected' && one.reason instanceof PassphrasesBusy).length
    }
    assert.equal(await refusedOf((n) => `${n}`), 93, 'one is computed, and six wait')
    assert.equal(await refusedOf(() => 'the same'), 98, 'one is computed, and one waits')
    assert.ok(!(await passphrases.matches('x', undefined, 'stranger', 'x')))
  })
})

describe('the delay', () => {
  const setUp = (free = 3) => {
    const clock = { nowMs: 1_000_000 }
    const now = clockAt(() => clock.nowMs)
    return { clock, delays: new Delays(now, free) }
  }

  it('doubles with each failure after the free ones, up to five minutes, and passes', () => {
    const { clock, delays } = setUp()
    const waits = Array.from({ length: 14 }, () => {
      delays.begin('a')
      return delays.wait('a') / 1_000
    })
    assert.deepEqual(waits, [0, 0, 0, 1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300])
    clock.nowMs += 299_999
    assert.equal(delays.wait('a'), 1)
    clock.nowMs += 1
    assert.equal(delays.wait('a'), 0)
    delays.begin('a')
    assert.equal(delays.wait('a'), 300_000, 'and is not forgotten by waiting it out')
    assert.equal(delays.wait('b'), 0)
  })

  it('is forgotten an hour after the last failure', () => {
    const { clock, delays } = setUp(0)
    for (let n = 0; n < 20; n += 1) delays.begin('a')
    clock.nowMs += 3_600_000
    delays.begin('a')
    assert.equal(delays.wait('a'), 1_000)
  })

  it('is not prolonged by an attempt that was right', () => {
    const { clock, delays } = setUp()
    for (let n = 0; n < 4; n += 1) delays.begin('a')
    clock.nowMs += 1_000
    delays.begin('a')()
    assert.equal(delays.wait('a'), 0)
    delays.begin('a')
    assert.equal(delays.wait('a'), 2_000)
  })

  it('starts again, and not longer, after a clock steps back', () => {
    const { clock, delays } = setUp(0)
    delays.begin('a')
    clock.nowMs -= 500_000
    assert.equal(delays.wait('a'), 1_000)
    clock.nowMs += 999
    assert.equal(delays.wait('a'), 1)
    clock.nowMs += 1
    assert.equal(delays.wait('a'), 0)
  })

  it('is undone without affecting later attempts', () => {
    const { clock, delays } = setUp(0)
    delays.begin('a')
    const uncount = delays.begin('a')
    clock.nowMs += 500
    delays.begin('a')
    uncount()
    assert.equal(delays.wait('a'), 2_000, 'it counts from the later one')
    const late = delays.begin('b')
    clock.nowMs += 3_600_000
    delays.begin('b')
    late()
    assert.equal(delays.wait('b'), 1_000, 'what was forgotten is not taken back from what is new')
  })

  it('makes room by forgetting what is an hour old, and then who failed least', () => {
    const { clock, delays } = setUp(0)
    for (let n = 0; n < 5_000; n += 1) delays.begin(`old ${n}`)
    clock.nowMs += 3_599_999
    for (let n = 0; n < 4_999; n += 1) for (let i = 0; i < 2; i += 1) delays.begin(`twice ${n}`)
    delays.begin('once')
    assert.equal(delays.size, 10_000)
    clock.nowMs += 1
    delays.begin('new')
    assert.equal(delays.size, 5_001, 'the old ones are gone')
    for (let n = 0; n < 4_999; n += 1) for (let i = 0; i < 3; i += 1) delays.begin(`thrice ${n}`)
    delays.begin('new')
    assert.deepEqual([delays.size, delays.wait('once') > 0], [10_000, true])
    delays.begin('newer')
    assert.deepEqual([delays.size, delays.wait('once')], [10_000, 0])
    assert(delays.wait('twice 0') > 0 && delays.wait('new') > 0 && delays.wait('newer') > 0)
  })
})
