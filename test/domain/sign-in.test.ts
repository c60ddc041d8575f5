/** Signing in and staying signed in, on a real database and by a clock that the test sets. */
import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { describe, it } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { hashToken, revokePerson } from '../../src/domain/people.ts'
import { isCsrfTokenOf } from '../../src/domain/sign-in.ts'
import { authorAt } from '../support/store.ts'
import { until } from '../support/until.ts'
import { computeAtLeastCost, computing, HOUR_MS, isSession, MINUTE_MS, PASSPHRASE, setUp, store } from './signing-in.ts'

computeAtLeastCost()

describe('a session', () => {
  it('begun or used while the clock was ahead by five minutes is open, and by more is not', async () => {
    const { clock, signIn, enter } = setUp()
    const begun = await enter()
    clock.nowMs -= 5 * MINUTE_MS
    assert.notEqual(await signIn.session(begun.secret), undefined)
    clock.nowMs -= 1
    assert.equal(await signIn.session(begun.secret), undefined)
    const used = await enter()
    clock.nowMs += 10 * MINUTE_MS
    assert.notEqual(await signIn.session(used.secret), undefined)
    const seenMs = async () => (await store.people.session(hashToken(used.secret)))?.seenAtMs
    await until('the use is stored', async () => (await seenMs()) === clock.nowMs)
    clock.nowMs -= 10 * MINUTE_MS
    assert.equal(await signIn.session(used.secret), undefined)
  })

  it('ends after 12 hours, however much it is used', async () => {
    const { clock, signIn, enter } = setUp()
    const { secret, endsAtMs } = await enter()
    assert.equal(endsAtMs, clock.nowMs + 12 * HOUR_MS)
    // A use that comes while the one before is still being noted is not noted itself.
    const use = () =>
      until('the use is stored', async () => {
        assert(isSession(await signIn.session(secret)))
        return (await store.people.session(hashToken(secret)))?.seenAtMs === clock.nowMs
      })
    for (; clock.nowMs + 20 * MINUTE_MS < endsAtMs; clock.nowMs += 20 * MINUTE_MS) {
      await use()
    }
    await use()
    clock.nowMs = endsAtMs - 1
    const open = await signIn.session(secret)
    assert(open?.endsAtMs === endsAtMs && (await signIn.holds(open)))
    clock.nowMs = endsAtMs
    assert.equal(await signIn.session(secret), undefined)
    assert.ok(!(await signIn.holds(open)))
    const again = await signIn.signIn(open.person.name, PASSPHRASE, '192.0.2.1')
    assert(isSession(again) && again.endsAtMs === endsAtMs + 12 * HOUR_MS)
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

  it('has a token that is derived, is that of no other session, and is not in the database', async () => {
    const { signIn, enter } = setUp()
    const [one, other] = [await enter(), await enter()]
    const again = await signIn.session(one.secret)
    assert(again !== undefined && isCsrfTokenOf(again, one.token))
    assert(!isCsrfTokenOf(again, other.token))
    for (const wrong of [undefined, '', one.secret, `${one.token}x`, [one.token], 'ü'.repeat(43)]) {
      assert(!isCsrfTokenOf(again, wrong))
    }
    const expected = createHmac('sha256', one.secret).update('the token of a session of the office')
    assert.equal(one.token, expected.digest('base64url'), 'which nodes of two versions know')
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
  it('are delayed by name and address, whether the name exists or not', async () => {
    const { clock, signIn, enter } = setUp()
    const [{ person }, { person: stranger }] = [await enter(), await enter()]
    const guess = (name: string, passphrase: string, n: number) => signIn.signIn(name, passphrase, `192.0.2.${n}`)
    assert(isSession(await guess(person.name, PASSPHRASE, 1)))
    for (const [at, name] of [person.name, stranger.name, 'Nobody', 'a\0', '\ud800', 'x'.repeat(5_000)].entries()) {
      const answers = []
      for (let n = 0; n < 5; n += 1) answers.push(await guess(name, 'wrong', at + 1))
      assert.deepEqual(answers, ['refused', 'refused', 'refused', 'refused', { waitMs: 1_000 }], name)
    }
    assert.deepEqual(await guess(person.name.toUpperCase(), PASSPHRASE, 1), { waitMs: 1_000 }, 'the right one too')
    assert(isSession(await guess(person.name, PASSPHRASE, 9)), 'guesses from elsewhere delay nobody')
    clock.nowMs += 1_000
    assert(isSession(await guess(person.name, PASSPHRASE, 1)))
    assert.equal(await guess(person.name, 'wrong', 1), 'refused')
    assert.deepEqual(await guess(person.name, 'wrong', 1), { waitMs: 2_000 }, 'as without signing in')
  })

  it('are delayed by address, whatever the account', async () => {
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

  it('are held back together before any is decided', async () => {
    const { signIn, enter } = setUp()
    const { person } = await enter()
    const answers = await Promise.all(
      Array.from({ length: 50 }, () => signIn.signIn(person.name, 'wrong', '192.0.2.1')),
    )
    assert.equal(answers.filter((answer) => answer === 'refused').length <= 4, true)
  })

  it('count also where the passphrase is asked for again', async () => {
    const { signIn, enter } = setUp()
    const { person } = await enter()
    assert.equal(await signIn.confirm(person.name, PASSPHRASE, '192.0.2.1'), true)
    for (let n = 0; n < 4; n += 1) assert.equal(await signIn.confirm(person.name, 'wrong', '192.0.2.1'), 'refused')
    assert.deepEqual(await signIn.confirm(person.name, PASSPHRASE, '192.0.2.1'), { waitMs: 1_000 })
  })

  it('are not counted if nothing was decided', async () => {
    const { signIn, enter } = setUp()
    const { person } = await enter()
    const { find } = store.people
    store.people.find = () => {
      throw new Error('gone')
    }
    // More than an account has free, and more than an address has.
    for (let n = 0; n < 60; n += 1) await assert.rejects(signIn.signIn(person.name, PASSPHRASE, '192.0.2.1'), /gone/)
    store.people.find = find
    const { promise, resolve } = Promise.withResolvers<void>()
    computing.after = () => promise
    const flood = Array.from({ length: 60 }, (_, n) => signIn.signIn(`Flood ${n}`, 'wrong', `198.51.100.${n}`))
    assert.deepEqual(await signIn.signIn(person.name, PASSPHRASE, '192.0.2.1'), { waitMs: 2_000 }, 'busy')
    resolve()
    await Promise.all(flood)
    assert(isSession(await signIn.signIn(person.name, PASSPHRASE, '192.0.2.1')))
  })

  it('by strangers keep nobody out who is signed in', async () => {
    const { signIn, enter } = setUp()
    const { person } = await enter()
    const order: string[] = []
    // All are found before the first passphrase is computed, however busy the machine is.
    const { find } = store.people
    const { promise: all, resolve: goOn } = Promise.withResolvers<void>()
    let left = 61
    store.people.find = async (folded) => {
      const found = await find.call(store.people, folded)
      left -= 1
      if (left === 0) goOn()
      await all
      return found
    }
    const flood = Array.from({ length: 60 }, async (_, n) => {
      const answer = await signIn.signIn(n < 30 ? person.name : `X ${n}`, 'wrong', `2001:db8:${n}::1`)
      if (answer === 'refused') order.push('stranger')
    })
    const confirming = signIn.confirm(person.name, PASSPHRASE, '2001:db8:1::1').then((answer) => {
      assert.equal(answer, true)
      order.push('signed in')
    })
    await Promise.all([...flood, confirming])
    store.people.find = find
    // One passphrase is computed at a time, and that of a stranger had begun.
    assert.deepEqual(order.slice(0, 2), ['stranger', 'signed in'])
    for (let n = 0; (await signIn.signIn(`Y ${n}`, 'wrong', '192.0.2.11')) === 'refused'; n += 1) assert(n < 1_000)
    assert.equal(await signIn.confirm(person.name, PASSPHRASE, '192.0.2.11'), true, 'its network guesses')
  })

  it('count for their network if they are refused because too many wait', async () => {
    const { signIn } = setUp()
    const flood = Array.from({ length: 60 }, (_, n) => signIn.signIn(`Flood ${n}`, 'wrong', `2001:db8:7:${n}::1`))
    const answers = await Promise.all(flood)
    assert(answers.some((answer) => answer !== 'refused' && 'waitMs' in answer))
    assert.deepEqual(await signIn.signIn('Somebody', 'wrong', '2001:db8:7:99::1'), { waitMs: 1_000 })
    assert.equal(await signIn.signIn('Somebody', 'wrong', '2001:db8:8::1'), 'refused')
  })
})

it('a person who proves their passphrase repeatedly keeps nobody else waiting', async () => {
  const { signIn, invite, enter } = setUp()
  const [{ person }, { person: other }, link] = [await enter(), await enter(), await invite('Newcomer')]
  let rounds = 0
  let isDone = false
  const again = async (prove: () => Promise<unknown>) => {
    for (; !isDone && rounds < 5_000; rounds += 1) await Promise.all([prove(), nextTurn()])
  }
  const loops = Array.from({ length: 16 }, (_, n) =>
    again(() =>
      n % 2 === 0
        ? signIn.confirm(person.name, PASSPHRASE, '192.0.2.1')
        : signIn.signIn(person.name, PASSPHRASE, '192.0.2.1'),
    ),
  )
  await nextTurn()
  assert(isSession(await signIn.signIn(other.name, PASSPHRASE, '192.0.2.1')))
  assert.equal(await signIn.confirm(other.name, PASSPHRASE, '192.0.2.1'), true)
  assert(isSession(await signIn.accept(link, PASSPHRASE)))
  isDone = true
  await Promise.all(loops)
  assert(rounds < 5_000, 'while the person goes on')
})
