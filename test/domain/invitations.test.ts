/** Who comes into the office by an invitation, and until when. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { describe, it } from 'node:test'
import {
  changeRole,
  inviteFirst,
  invitePerson,
  renamePerson,
  resetPassphrase,
  revokePerson,
} from '../../src/domain/people.ts'
import { SignIn } from '../../src/domain/sign-in.ts'
import { openSqlite } from '../../src/store/sqlite/store.ts'
import { temporaryFolder } from '../support/folder.ts'
import { withMeanwhile } from '../support/meanwhile.ts'
import { authorAt } from '../support/store.ts'
import { patientClock } from '../support/time/clock.ts'
import { computeAtLeastCost, computing, HOUR_MS, isSession, PASSPHRASE, setUp, store } from './signing-in.ts'

computeAtLeastCost()

describe('an invitation', () => {
  it('is for 24 hours', async () => {
    const { clock, signIn, invite } = setUp()
    const late = await invite('Late')
    clock.nowMs += 24 * HOUR_MS - 1
    assert.equal((await signIn.invitedPerson(late))?.name, 'Late')
    clock.nowMs += 1
    assert.equal(await signIn.accept(late, PASSPHRASE), undefined)
  })

  it('is not stored if the person was revoked in the meantime', async () => {
    const { inviter, invite, reset, signIn, clock } = setUp()
    await signIn.accept(await invite('Revoked'), PASSPHRASE)
    const revoking = () => revokePerson(store, 'Revoked', authorAt(clock.nowMs))
    const people = withMeanwhile(store.people, 'reset', revoking)
    assert.equal(await resetPassphrase({ ...inviter, store: { ...store, people } }, 'Revoked'), undefined)
    assert.equal((await signIn.invitedPerson(await reset('Revoked')))?.name, 'Revoked')
  })

  it('is not used up by a passphrase that cannot be one', async () => {
    const { signIn, invite } = setUp()
    const secret = await invite('Careful')
    await assert.rejects(signIn.accept(secret, 'short'), RangeError)
    assert(isSession(await signIn.accept(secret, PASSPHRASE)))
  })

  it('to a name that only looks new is refused', async () => {
    const { inviter, invite } = setUp()
    await invite('José')
    for (const taken of ['JOSE', 'José', '\uff2aos\u00e9']) {
      const refusal = { isTaken: true, message: 'Choose another name: José already exists.' }
      await assert.rejects(invite(taken, 'operator'), refusal, taken)
    }
    await renamePerson(store, 'jose', 'Pepe', { who: 'José', atMs: 0 })
    await assert.rejects(invite('JOSE'), { isTaken: true, message: 'Choose another name: Pepe had this name before.' })
    const people = withMeanwhile(store.people, 'invite', () => invite('Somebody Fast'))
    const late = { ...inviter, store: { ...store, people } }
    const fast = { isTaken: true, message: 'Choose another name: Somebody Fast already exists.' }
    await assert.rejects(invitePerson(late, { name: 'somebody fast', role: 'staff' }), fast)
    await renamePerson(store, 'pepe', 'José', { who: 'Pepe', atMs: 0 })
    assert.equal((await store.people.find('jose'))?.role, 'staff')
    for (const wrong of ['cli root', 'Jo\u200ds\u00e9', 'J\u043es\u00e9'])
      await assert.rejects(invite(wrong), { name: 'NameRefused', isTaken: false }, wrong)
    assert.equal(await resetPassphrase(inviter, 'nobody at all'), undefined)
  })

  it('is created again for the first operator until someone has signed in', async () => {
    const first = await openSqlite(`${temporaryFolder()}/pets.db`, { serving: false, clock: patientClock })
    const clock = patientClock
    const inviter = { store: first, clock, randomBytes, who: 'service' }
    const lost = await inviteFirst(inviter, 'operator')
    const second = await inviteFirst(inviter, 'operator')
    assert.equal((await first.people.find('operator'))?.role, 'operator')
    assert.equal(await inviteFirst(inviter, 'somebody else'), undefined)
    assert(lost !== undefined && second !== undefined)
    const signIn = new SignIn(inviter)
    assert.equal(await signIn.invitedPerson(lost.secret), undefined)
    assert(isSession(await signIn.accept(second.secret, PASSPHRASE)))
    assert.equal(await inviteFirst(inviter, 'operator'), undefined)
    await revokePerson(first, 'operator', authorAt(1))
    assert.equal(await inviteFirst(inviter, 'operator'), undefined)
    await first.close()
    const other = await openSqlite(`${temporaryFolder()}/pets.db`, { serving: false, clock: patientClock })
    const there = { ...inviter, store: other }
    await inviteFirst(there, 'operator')
    await invitePerson(there, { name: 'Anna', role: 'staff' })
    assert.equal(await inviteFirst(there, 'operator'), undefined, 'others are invited')
    await other.close()
  })

  it('is taken in the name that was given, and no other text is that name', async () => {
    const { clock, signIn, inviter, invite } = setUp()
    const begun = await signIn.accept(await invite('Exact'), PASSPHRASE)
    assert(isSession(begun))
    for (const text of ['Exact\n', 'Exact ']) {
      assert.equal(await changeRole(store, text, 'operator', authorAt(clock.nowMs)), 'nobody')
      assert.ok(!(await revokePerson(store, text, authorAt(clock.nowMs))))
      assert.equal(await resetPassphrase(inviter, text), undefined)
    }
    assert.equal((await store.people.find('exact'))?.role, 'staff')
    assert(isSession(await signIn.signIn(' Exact ', PASSPHRASE, '192.0.2.1')), 'but a form may hold spaces around it')
  })

  it('stays when the passphrase could not be computed, or too many are', async () => {
    const { signIn, invite } = setUp()
    const secret = await invite('Patient')
    computing.after = () => Promise.reject(new Error('no memory'))
    await assert.rejects(signIn.accept(secret, PASSPHRASE), /no memory/)
    const { promise, resolve } = Promise.withResolvers<void>()
    computing.after = () => promise
    const others = await Promise.all(Array.from({ length: 8 }, (_, n) => invite(`Crowd ${n}`)))
    const crowd = others.map((other) => signIn.accept(other, PASSPHRASE))
    assert.deepEqual(await signIn.accept(secret, PASSPHRASE), { waitMs: 2_000 })
    resolve()
    await Promise.all(crowd)
    assert(isSession(await signIn.accept(secret, PASSPHRASE)))
  })
})
