/** Signing in and staying signed in, on a real database and by a clock that the test sets. */

import assert from 'node:assert/strict'
import crypto, { randomBytes, type ScryptOptions } from 'node:crypto'
import { syncBuiltinESMExports } from 'node:module'
import { after, describe, it, mock } from 'node:test'
import { systemClock } from '../../src/common/system-clock.ts'
import {
  changeRole,
  hashToken,
  inviteFirst,
  invitePerson,
  NameTaken,
  resetPassphrase,
  revokePerson,
} from '../../src/domain/people.ts'
import { type BegunSession, isTokenOf, SignIn } from '../../src/domain/sign-in.ts'
import type { Role } from '../../src/store/rules/roles.ts'
import { SqliteStore } from '../../src/store/sqlite/store.ts'
import { authorAt } from '../support/author.ts'
import { temporaryFolder } from '../support/folder.ts'
import { clockAt } from '../support/time/clock.ts'
import { until } from '../support/until.ts'

const PASSPHRASE = 'correct horse battery'
const HOUR_MS = 3_600_000
const MINUTE_MS = 60_000

// The subject is who is let in. What a passphrase costs is that of people.test.ts; here it is computed with the least
// cost: a hundred times in no time.
const LEAST = { N: 2, r: 1, p: 1 }
const { scrypt } = crypto
type Done = (error: Error | null, hash: Buffer) => void
const compute = (passphrase: Buffer, salt: Buffer, length: number, cost: ScryptOptions, done: Done) =>
  scrypt(passphrase, salt, length, { ...cost, ...LEAST }, done)
mock.method(crypto, 'scrypt', compute)
syncBuiltinESMExports()

const store = await SqliteStore.open(`${temporaryFolder()}/pets.db`, { serving: true, clock: systemClock })
after(() => store.close())
let people = 0

/** A sign-in with a memory of its own, and a clock; the people are those of all tests. */
function setUp() {
  const clock = { nowMs: Date.UTC(2026, 10, 21, 12) }
  const now = clockAt(() => clock.nowMs)
  const signIn = new SignIn({ store, clock: now, randomBytes })
  const inviter = { store, clock: now, randomBytes, who: 'a test' }
  const invite = async (name: string, role: Role = 'staff') => {
    const { invited } = await invitePerson(inviter, { name, role })
    return invited.secret
  }
  const enter = async (): Promise<BegunSession> => {
    people += 1
    const session = await signIn.accept(await invite(`Person ${people}`), PASSPHRASE)
    assert(session !== undefined && !('waitMs' in session))
    return session
  }
  const reset = async (name: string) => {
    const made = await resetPassphrase(inviter, name)
    assert(made !== undefined)
    return made.invited.secret
  }
  return { clock, signIn, inviter, invite, reset, enter }
}

const isSession = (found: unknown): found is BegunSession =>
  typeof found === 'object' && found !== null && 'secret' in found

describe('an invitation', () => {
  it('is for one use within 24 hours; two acceptances at once, one wins', async () => {
    const { clock, signIn, invite, reset } = setUp()
    const late = await invite('Late')
    assert.equal((await signIn.invited(late))?.name, 'Late')
    clock.nowMs += 24 * HOUR_MS
    assert.equal(await signIn.invited(late), undefined)
    assert.equal(await signIn.accept(late, PASSPHRASE), undefined)
    const secret = await reset('Late')
    const both = await Promise.all([signIn.accept(secret, PASSPHRASE), signIn.accept(secret, PASSPHRASE)])
    assert.equal(both.filter(isSession).length, 1)
    assert.equal(both.filter((one) => one === undefined).length, 1)
  })

  it('made while the clock was ahead is no longer open when the clock is right, and one of a small step is', async () => {
    const { clock, signIn, invite } = setUp()
    clock.nowMs += 365 * 24 * HOUR_MS
    const secret = await invite('Ahead')
    clock.nowMs -= MINUTE_MS
    assert.equal((await signIn.invited(secret))?.name, 'Ahead')
    clock.nowMs -= 365 * 24 * HOUR_MS
    assert.equal(await signIn.invited(secret), undefined)
    assert.equal(await signIn.accept(secret, PASSPHRASE), undefined)
  })

  it('is not stored if the person is revoked while it is shown', async () => {
    const { inviter, invite, reset, signIn, clock } = setUp()
    await signIn.accept(await invite('Revoked'), PASSPHRASE)
    let secret = ''
    const show = async (issued: { secret: string }) => {
      secret = issued.secret
      await revokePerson(store, 'Revoked', authorAt(clock.nowMs))
    }
    assert.equal(await resetPassphrase({ ...inviter, show }, 'Revoked'), undefined)
    assert.equal(await signIn.invited(secret), undefined)
    assert.equal((await signIn.invited(await reset('Revoked')))?.name, 'Revoked')
  })

  it('is not used up by a passphrase that cannot be one', async () => {
    const { signIn, invite } = setUp()
    const secret = await invite('Careful')
    await assert.rejects(signIn.accept(secret, 'short'), RangeError)
    assert(isSession(await signIn.accept(secret, PASSPHRASE)))
  })

  it('gives somebody who forgot the passphrase another one', async () => {
    const { signIn, invite, reset } = setUp()
    await signIn.accept(await invite('Forgetful'), PASSPHRASE)
    await signIn.accept(await reset('forgetful'), 'another passphrase')
    assert.equal(await signIn.signIn('Forgetful', PASSPHRASE, '192.0.2.1'), 'refused')
    assert(isSession(await signIn.signIn('Forgetful', 'another passphrase', '192.0.2.1')))
  })

  it('that could not be shown is not stored; a name that only looks new is refused', async () => {
    const { inviter, invite } = setUp()
    const show = () => Promise.reject(new Error('no terminal'))
    await assert.rejects(invitePerson({ ...inviter, show }, { name: 'Unseen', role: 'staff' }), /no terminal/)
    assert.equal(await store.people.find('unseen'), undefined)
    await invite('José')
    for (const taken of ['JOSE', 'José', '\uff2aos\u00e9']) {
      await assert.rejects(invite(taken, 'operator'), new NameTaken('José'), taken)
    }
    assert.equal((await store.people.find('jose'))?.role, 'staff')
    for (const wrong of ['cli root', 'Jo\u200ds\u00e9', 'J\u043es\u00e9'])
      await assert.rejects(invite(wrong), RangeError, wrong)
    assert.equal(await resetPassphrase(inviter, 'nobody at all'), undefined)
  })

  it('of the first operator is made anew until somebody has come in, and never after that', async () => {
    const first = await SqliteStore.open(`${temporaryFolder()}/pets.db`, { serving: false, clock: systemClock })
    const clock = systemClock
    const secrets: string[] = []
    const show = async ({ secret }: { secret: string }) => void secrets.push(secret)
    const inviter = { store: first, clock, randomBytes, who: 'service', show }
    await inviteFirst(inviter, 'operator')
    await inviteFirst(inviter, 'operator')
    assert.equal(secrets.length, 2)
    const signIn = new SignIn(inviter)
    assert.equal(await signIn.invited(secrets[0] ?? ''), undefined)
    assert(isSession(await signIn.accept(secrets[1] ?? '', PASSPHRASE)))
    await inviteFirst(inviter, 'operator')
    await revokePerson(first, 'operator', authorAt(1))
    await inviteFirst(inviter, 'operator')
    assert.equal(secrets.length, 2)
    await first.close()
  })
})

describe('a session', () => {
  it('begun while the clock was ahead ends when the clock is right, and not by a small step', async () => {
    const { clock, signIn, enter } = setUp()
    clock.nowMs += 365 * 24 * HOUR_MS
    const { secret } = await enter()
    clock.nowMs -= MINUTE_MS
    assert.notEqual(await signIn.session(secret), undefined)
    clock.nowMs -= 365 * 24 * HOUR_MS
    assert.equal(await signIn.session(secret), undefined)
  })

  it('ends after 12 hours, however much it is used', async () => {
    const { clock, signIn, enter } = setUp()
    const { secret, endsAtMs } = await enter()
    assert.equal(endsAtMs, clock.nowMs + 12 * HOUR_MS)
    const use = async () => {
      assert(isSession(await signIn.session(secret)))
      const isNoted = async () => (await store.people.session(hashToken(secret)))?.seenAtMs === clock.nowMs
      await until('the use is stored', isNoted)
    }
    for (; clock.nowMs + 20 * MINUTE_MS < endsAtMs; clock.nowMs += 20 * MINUTE_MS) {
      await use()
    }
    await use()
    clock.nowMs = endsAtMs - 1
    assert(isSession(await signIn.session(secret)))
    clock.nowMs = endsAtMs
    assert.equal(await signIn.session(secret), undefined)
  })

  it('ends after 30 minutes without use, which a page that refreshes itself is not', async () => {
    const { clock, signIn, enter } = setUp()
    const { secret } = await enter()
    for (let n = 0; n < 29; n += 1) {
      clock.nowMs += MINUTE_MS
      assert(isSession(await signIn.session(secret, true)))
    }
    clock.nowMs += MINUTE_MS
    assert.equal(await signIn.session(secret), undefined)
  })

  it('is written at most once a minute', async () => {
    const { clock, signIn, enter } = setUp()
    const { secret } = await enter()
    const written: number[] = []
    let last: unknown
    const { noteSeen } = store.people
    store.people.noteSeen = (hash, atMs) => {
      written.push(atMs)
      last = noteSeen.call(store.people, hash, atMs)
      return last as Promise<void>
    }
    const startMs = clock.nowMs
    for (; clock.nowMs < startMs + 3 * MINUTE_MS; clock.nowMs += 10_000) {
      await Promise.all([signIn.session(secret), signIn.session(secret)])
      await last
    }
    store.people.noteSeen = () => Promise.reject(new Error('gone'))
    assert(isSession(await signIn.session(secret)), 'a failed write refuses nobody')
    store.people.noteSeen = noteSeen
    assert.deepEqual(written, [startMs + MINUTE_MS, startMs + 2 * MINUTE_MS])
  })

  it('ends with the sign-out, with a revocation and with another role, at once', async () => {
    const { signIn, enter } = setUp()
    const out = await enter()
    const open = await signIn.session(out.secret)
    assert(open !== undefined)
    assert.equal((await signIn.end(out.secret))?.name, out.person.name)
    assert.equal(await signIn.end(out.secret), undefined)
    assert.equal(await signIn.holds(open), false)
    assert.equal(await signIn.session(out.secret), undefined)
    const revoked = await enter()
    await revokePerson(store, revoked.person.name, authorAt(1))
    assert.equal(await signIn.session(revoked.secret), undefined)
    assert.equal(await signIn.signIn(revoked.person.name, PASSPHRASE, '192.0.2.1'), 'refused')
    const promoted = await enter()
    await changeRole(store, promoted.person.name, 'manager', authorAt(1))
    assert.equal(await signIn.session(promoted.secret), undefined)
  })

  it('has a token that is derived, is that of no other session, and is not in the database', async () => {
    const { signIn, enter } = setUp()
    const [one, other] = [await enter(), await enter()]
    const again = await signIn.session(one.secret)
    assert(again !== undefined && isTokenOf(again, one.token))
    assert(!isTokenOf(again, other.token))
    for (const wrong of [undefined, '', one.secret, `${one.token}x`, [one.token], 'ü'.repeat(43)]) {
      assert(!isTokenOf(again, wrong))
    }
    for (const wrong of [undefined, '', one.token, `${one.secret}=`, `${one.secret} `, '\0'.repeat(43)]) {
      assert.equal(await signIn.session(wrong), undefined)
    }
  })

  it('does not begin when the person is revoked while the passphrase is computed', async () => {
    const { signIn, enter } = setUp()
    const { person } = await enter()
    const { beginSession } = store.people
    store.people.beginSession = async (...session) => {
      await revokePerson(store, person.name, authorAt(1))
      return await beginSession.apply(store.people, session)
    }
    assert.equal(await signIn.signIn(person.name, PASSPHRASE, '192.0.2.1'), 'refused')
    store.people.beginSession = beginSession
  })
})

describe('wrong guesses', () => {
  it('of one account are delayed from any address, with the same answers whether it exists or not', async () => {
    const { clock, signIn, enter } = setUp()
    const { person } = await enter()
    const guess = async (name: string, passphrase: string, n: number) => signIn.signIn(name, passphrase, `192.0.2.${n}`)
    for (const name of [person.name, 'Nobody', 'a\0', '\ud800', 'x'.repeat(5_000)]) {
      const answers = []
      for (let n = 0; n < 5; n += 1) answers.push(await guess(name, 'wrong', n))
      assert.deepEqual(answers, ['refused', 'refused', 'refused', 'refused', { waitMs: 1_000 }], name)
    }
    assert.deepEqual(await guess(person.name.toUpperCase(), PASSPHRASE, 9), { waitMs: 1_000 }, 'the right one too')
    clock.nowMs += 1_000
    assert(isSession(await guess(person.name, PASSPHRASE, 9)))
    assert.equal(await guess(person.name, 'wrong', 9), 'refused', 'signing in forgets the failures')
    assert.equal(await guess(person.name, 'wrong', 9), 'refused')
  })

  it('from one address are delayed whatever the account; signing in oneself does not forget them', async () => {
    const { clock, signIn, enter } = setUp()
    const { person } = await enter()
    const network = (n: number) => `2001:db8::${n}`
    for (let n = 0; n < 11; n += 1) assert.equal(await signIn.signIn(`Somebody ${n}`, 'wrong', network(n)), 'refused')
    assert.deepEqual(await signIn.signIn(person.name, PASSPHRASE, network(99)), { waitMs: 1_000 })
    assert(isSession(await signIn.signIn(person.name, PASSPHRASE, '192.0.2.1')))
    clock.nowMs += 1_000
    assert(isSession(await signIn.signIn(person.name, PASSPHRASE, network(1))))
    assert.equal(await signIn.signIn('Somebody', 'wrong', network(2)), 'refused')
    assert.deepEqual(await signIn.signIn('Somebody', 'wrong', network(3)), { waitMs: 2_000 })
  })

  it('all at once are held back before any is decided', async () => {
    const { signIn, enter } = setUp()
    const { person } = await enter()
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, n) => signIn.signIn(person.name, 'wrong', `192.0.2.${n}`)),
    )
    assert.equal(answers.filter((answer) => answer === 'refused').length, 4)
  })

  it('count also where the passphrase is asked for again', async () => {
    const { signIn, enter } = setUp()
    const { person } = await enter()
    assert.equal(await signIn.confirm(person.name, PASSPHRASE, '192.0.2.1'), true)
    for (let n = 0; n < 4; n += 1) assert.equal(await signIn.confirm(person.name, 'wrong', '192.0.2.1'), 'refused')
    assert.deepEqual(await signIn.confirm(person.name, PASSPHRASE, '192.0.2.1'), { waitMs: 1_000 })
  })

  it('are not counted where nothing was decided: the database did not answer, or too many came at once', async () => {
    const { signIn, enter } = setUp()
    const { person } = await enter()
    const { find } = store.people
    store.people.find = () => {
      throw new Error('gone')
    }
    for (let n = 0; n < 9; n += 1) await assert.rejects(signIn.signIn(person.name, PASSPHRASE, '192.0.2.1'), /gone/)
    store.people.find = find
    const flood = Array.from({ length: 60 }, (_, n) => signIn.signIn(`Flood ${n}`, 'wrong', `198.51.100.${n}`))
    assert.deepEqual(await signIn.signIn(person.name, PASSPHRASE, '192.0.2.1'), { waitMs: 2_000 }, 'busy')
    await Promise.all(flood)
    assert(isSession(await signIn.signIn(person.name, PASSPHRASE, '192.0.2.1')))
  })
})
